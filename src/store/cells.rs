//! The rows of one page, parsed by the file format of SQLite. Nothing here trusts a number that it reads: invalid cells
//! are left out.

use super::pages::{Pages, number};

/// A value of a row; none of our tables contains floating-point numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CellValue {
    Null,
    Integer(i64),
    Text(String),
    Blob(Vec<u8>),
}

/// A row of a table with its id.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TableRow {
    pub(super) id: i64,
    pub(super) values: Vec<CellValue>,
}

/// Larger than any row that nudge writes.
const MAX_ROW: usize = 16 << 20;
/// More than any table of nudge has.
const MAX_COLUMNS: usize = 100;

/// Returns the rows of a table's leaf page; none if the page is of another kind.
pub(super) fn table_rows(pages: &mut Pages, page: &[u8]) -> Vec<TableRow> {
    let rows = cells(page, 0x0d, 8).into_iter().filter_map(|at| {
        let mut rest = page.get(at..)?;
        let length = usize::try_from(parse_varint(&mut rest)?).ok().filter(|length| *length <= MAX_ROW)?;
        let id = parse_varint(&mut rest)?;
        let payload = payload(pages, rest, length, page.len())?;
        Some(TableRow { id, values: parse_record(&payload)? })
    });
    rows.collect()
}

/// Returns the index entries that are completely on this page.
pub(super) fn index_rows(page: &[u8]) -> Vec<Vec<CellValue>> {
    let entry = |at: usize, skipped: usize| {
        let mut rest = page.get(at + skipped..)?;
        let length = usize::try_from(parse_varint(&mut rest)?).ok()?;
        parse_record(rest.get(..length)?)
    };
    let leaves = cells(page, 0x0a, 8).into_iter().filter_map(|at| entry(at, 0));
    let inner = cells(page, 0x02, 12).into_iter().filter_map(|at| entry(at, 4));
    leaves.chain(inner).collect()
}

/// Returns the offsets of the cells on a page of this kind.
fn cells(page: &[u8], kind: u8, header: usize) -> Vec<usize> {
    if page.first() != Some(&kind) {
        return Vec::new();
    }
    let pair = |at: usize| page.get(at..at + 2).map(|two| usize::from(u16::from_be_bytes([two[0], two[1]])));
    let count = pair(3).unwrap_or(0).min(page.len() / 4);
    (0..count).filter_map(|index| pair(header + 2 * index)).collect()
}

/// Assembles a row that may continue on other pages.
fn payload(pages: &mut Pages, rest: &[u8], length: usize, usable: usize) -> Option<Vec<u8>> {
    let max_local = usable - 35;
    if length <= max_local {
        return rest.get(..length).map(<[u8]>::to_vec);
    }
    let min_local = (usable - 12) * 32 / 255 - 23;
    let wanted = min_local + (length - min_local) % (usable - 4);
    let local = if wanted <= max_local { wanted } else { min_local };
    let mut bytes = rest.get(..local)?.to_vec();
    let mut next = number(rest.get(local..local + 4)?, 0);
    while bytes.len() < length {
        let page = pages.read(next).filter(|page| next != 0 && page.iter().any(|byte| *byte != 0))?;
        next = number(&page, 0);
        bytes.extend_from_slice(&page[4..]);
    }
    // The last page names no other: one that does was overwritten, and so was the end of the row.
    if next != 0 {
        return None;
    }
    bytes.truncate(length);
    Some(bytes)
}

fn parse_record(payload: &[u8]) -> Option<Vec<CellValue>> {
    let mut rest = payload;
    let header = usize::try_from(parse_varint(&mut rest)?).ok()?;
    let mut kinds = payload.get(payload.len() - rest.len()..header)?;
    let mut body = payload.get(header..)?;
    let mut values = Vec::new();
    while !kinds.is_empty() && values.len() < MAX_COLUMNS {
        values.push(parse_value(parse_varint(&mut kinds)?, &mut body)?);
    }
    Some(values)
}

fn parse_value(kind: i64, body: &mut &[u8]) -> Option<CellValue> {
    let mut take = |length: usize| {
        let (taken, rest) = body.split_at_checked(length)?;
        *body = rest;
        Some(taken)
    };
    Some(match kind {
        0 => CellValue::Null,
        1..=6 => {
            let bytes = take([1, 2, 3, 4, 6, 8][usize::try_from(kind).ok()? - 1])?;
            let sign = if bytes[0] & 0x80 == 0 { 0 } else { -1 };
            CellValue::Integer(bytes.iter().fold(sign, |sum: i64, byte| sum << 8 | i64::from(*byte)))
        }
        8 | 9 => CellValue::Integer(kind - 8),
        12.. if kind % 2 == 0 => CellValue::Blob(take(usize::try_from((kind - 12) / 2).ok()?)?.to_vec()),
        13.. => {
            let bytes = take(usize::try_from((kind - 13) / 2).ok()?)?;
            // One flipped bit in a text does not cost the row.
            CellValue::Text(String::from_utf8_lossy(bytes).into_owned())
        }
        _ => return None,
    })
}

fn parse_varint(bytes: &mut &[u8]) -> Option<i64> {
    let mut number = 0_u64;
    for index in 0..9 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if index == 8 {
            return Some((number << 8 | u64::from(*byte)).cast_signed());
        }
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(number.cast_signed())
}
