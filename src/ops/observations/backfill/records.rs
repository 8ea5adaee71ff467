//! Reads the records of a transcript, however it is stored.

use std::fs::File;
use std::io::{self, Read};

use serde_json::Value;

use super::find::FoundTranscript;
use super::lines::Lines;
use super::opencode_files;
use crate::files;
use crate::harness::TranscriptForm;
use crate::store;

/// A document is read up to this size.
const MAX_DOCUMENT: u64 = 256 << 20;
/// A record without its line break is complete if the file was not changed for this many seconds.
const UNFINISHED_SECONDS: i64 = 60;

/// One record of a transcript.
pub(super) struct TranscriptRecord<'r> {
    pub(super) bytes: &'r [u8],
    /// The whole line in the file, if it is one.
    pub(super) line: &'r [u8],
    pub(super) start: u64,
    /// How far the transcript is read with it.
    pub(super) end: u64,
}

/// How the reading ended.
#[derive(Debug, Default)]
pub(super) struct RecordsEnd {
    /// Lines that were skipped.
    pub(super) too_long: usize,
    /// The last change in a database.
    pub(super) database_mark: Option<i64>,
    /// No more records were wanted.
    pub(super) is_stopped: bool,
}

/// Passes on the records from an offset, until `each` returns `false`; the file was changed `age` seconds ago.
pub(super) fn read_records(
    found: &FoundTranscript,
    from: u64,
    age: i64,
    each: &mut dyn FnMut(TranscriptRecord<'_>) -> bool,
) -> io::Result<RecordsEnd> {
    let open = || files::open_if_regular(&found.path, File::options().read(true));
    match found.form() {
        TranscriptForm::Lines => read_lines(Lines::from(open()?, from)?, age, each),
        TranscriptForm::CompressedLines => read_lines(Lines::compressed(open()?)?, age, each),
        TranscriptForm::Document => {
            let mut bytes = Vec::new();
            open()?.take(MAX_DOCUMENT).read_to_end(&mut bytes)?;
            let is_stopped =
                !each(TranscriptRecord { bytes: &bytes, line: &[], start: 0, end: bytes.len() as u64 });
            Ok(RecordsEnd { is_stopped, ..RecordsEnd::default() })
        }
        TranscriptForm::OpenCodeDatabase | TranscriptForm::CursorDatabase => {
            let mut is_stopped = false;
            let one = |record: &Value| pass_value(record, from, &mut is_stopped, each);
            let changed_after = i64::try_from(from).unwrap_or(i64::MAX);
            let last = match found.form() {
                TranscriptForm::CursorDatabase => store::read_cursor(&found.path, changed_after, one),
                _ => store::read_opencode(&found.path, changed_after, one),
            };
            let last = last.map_err(|error| io::Error::other(error.to_string()))?;
            Ok(RecordsEnd { database_mark: Some(last), is_stopped, too_long: 0 })
        }
        TranscriptForm::OpenCodeFiles => {
            let mut is_stopped = false;
            let end = found.bytes();
            opencode_files::read(&found.path, |record| pass_value(record, end, &mut is_stopped, each));
            Ok(RecordsEnd { is_stopped, ..RecordsEnd::default() })
        }
    }
}

/// Passes on a record that was made from rows or files; what reads them cannot be stopped.
fn pass_value(
    record: &Value,
    end: u64,
    is_stopped: &mut bool,
    each: &mut dyn FnMut(TranscriptRecord<'_>) -> bool,
) {
    if !*is_stopped {
        *is_stopped =
            !each(TranscriptRecord { bytes: record.to_string().as_bytes(), line: &[], start: 0, end });
    }
}

fn read_lines(
    mut lines: Lines,
    age: i64,
    each: &mut dyn FnMut(TranscriptRecord<'_>) -> bool,
) -> io::Result<RecordsEnd> {
    let mut is_stopped = false;
    while !is_stopped && let Some(line) = lines.next()? {
        let bytes = line.bytes.trim_ascii();
        if !line.is_complete
            && (age < UNFINISHED_SECONDS || serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_err())
        {
            break;
        }
        is_stopped = !each(TranscriptRecord { bytes, line: line.bytes, start: line.start, end: line.end });
    }
    Ok(RecordsEnd { too_long: lines.too_long, is_stopped, ..RecordsEnd::default() })
}
