//! The rows of one page, by the file format of SQLite. Nothing here trusts a number that it reads: what makes no sense
//! is left out.

use super::pages::{Pages, number};

/// A value of a row; numbers with a fraction are in none of our tables.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Integer(i64),
    Text(String),
    Blob(Vec<u8>),
}

/// A row with its number; a row of an index has none of its own.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) id: i64,
    pub(super) values: Vec<Value>,
}

/// More than any row of ours has.
const MAX_ROW: usize = 16 << 20;
/// More than any table of ours has.
const MAX_COLUMNS: usize = 100;

/// Returns the rows of a page of a table; none if it is another page.
pub(super) fn table_rows(pages: &mut Pages, page: &[u8]) -> Vec<Row> {
    let rows = cells(page, 0x0d, 8).into_iter().filter_map(|at| {
        let mut rest = page.get(at..)?;
        let length = usize::try_from(varint(&mut rest)?).ok().filter(|length| *length <= MAX_ROW)?;
        let id = varint(&mut rest)?;
        let payload = payload(pages, rest, length, page.len())?;
        Some(Row { id, values: record(&payload)? })
    });
    rows.collect()
}

/// Returns the entries of a page of an index, those that are on this page as a whole.
pub(super) fn index_rows(page: &[u8]) -> Vec<Vec<Value>> {
    let entry = |at: usize, skipped: usize| {
        let mut rest = page.get(at + skipped..)?;
        let length = usize::try_from(varint(&mut rest)?).ok()?;
        record(rest.get(..length)?)
    };
    let leaves = cells(page, 0x0a, 8).into_iter().filter_map(|at| entry(at, 0));
    let inner = cells(page, 0x02, 12).into_iter().filter_map(|at| entry(at, 4));
    leaves.chain(inner).collect()
}

/// Returns where the cells are on a page of this kind.
fn cells(page: &[u8], kind: u8, header: usize) -> Vec<usize> {
    if page.first() != Some(&kind) {
        return Vec::new();
    }
    let pair = |at: usize| page.get(at..at + 2).map(|two| usize::from(u16::from_be_bytes([two[0], two[1]])));
    let count = pair(3).unwrap_or(0).min(page.len() / 4);
    (0..count).filter_map(|index| pair(header + 2 * index)).collect()
}

/// Puts a row together that may continue on other pages.
fn payload(pages: &mut Pages, rest: &[u8], length: usize, usable: usize) -> Option<Vec<u8>> {
    let most = usable - 35;
    if length <= most {
        return rest.get(..length).map(<[u8]>::to_vec);
    }
    let least = (usable - 12) * 32 / 255 - 23;
    let wanted = least + (length - least) % (usable - 4);
    let local = if wanted <= most { wanted } else { least };
    let mut bytes = rest.get(..local)?.to_vec();
    let mut next = number(rest.get(local..local + 4)?, 0);
    while bytes.len() < length {
        let page = pages.read(next).filter(|_| next != 0)?;
        next = number(&page, 0);
        bytes.extend_from_slice(&page[4..]);
    }
    bytes.truncate(length);
    Some(bytes)
}

fn record(payload: &[u8]) -> Option<Vec<Value>> {
    let mut rest = payload;
    let header = usize::try_from(varint(&mut rest)?).ok()?;
    let mut kinds = payload.get(payload.len() - rest.len()..header)?;
    let mut body = payload.get(header..)?;
    let mut values = Vec::new();
    while !kinds.is_empty() && values.len() < MAX_COLUMNS {
        values.push(value(varint(&mut kinds)?, &mut body)?);
    }
    Some(values)
}

fn value(kind: i64, body: &mut &[u8]) -> Option<Value> {
    let mut take = |length: usize| {
        let (taken, rest) = body.split_at_checked(length)?;
        *body = rest;
        Some(taken)
    };
    Some(match kind {
        0 => Value::Null,
        1..=6 => {
            let bytes = take([1, 2, 3, 4, 6, 8][usize::try_from(kind).ok()? - 1])?;
            let sign = if bytes[0] & 0x80 == 0 { 0 } else { -1 };
            Value::Integer(bytes.iter().fold(sign, |sum: i64, byte| sum << 8 | i64::from(*byte)))
        }
        8 | 9 => Value::Integer(kind - 8),
        12.. if kind % 2 == 0 => Value::Blob(take(usize::try_from((kind - 12) / 2).ok()?)?.to_vec()),
        13.. => {
            let bytes = take(usize::try_from((kind - 13) / 2).ok()?)?;
            // One flipped bit in a text does not cost the row.
            Value::Text(String::from_utf8_lossy(bytes).into_owned())
        }
        _ => return None,
    })
}

fn varint(bytes: &mut &[u8]) -> Option<i64> {
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
