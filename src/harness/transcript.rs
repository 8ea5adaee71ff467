//! What an agent wrote down about earlier sessions, as the events that its hooks would have sent.
//!
//! Each agent's `transcript.rs` turns its records into payloads of its own hooks, so that everything behind `parse` is
//! the same for live and for past events. Formats are nobody's promise: a reader takes what it knows field by field,
//! and names the records that it does not know. `ops` finds and reads the files.

mod calls;
mod history;
mod payload;
#[cfg(test)]
pub(super) mod reading;

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::place::InstallPlace;
use crate::model::{EventKey, SourceRank};

pub(super) use calls::{Calls, OpenCall};
pub(super) use history::{HistoryNames, HistoryReader};
pub(super) use payload::{COMMON_NAMES, CommonNames, Whose};

/// Where an agent keeps its transcripts, and how they are read.
#[derive(Debug)]
pub(crate) struct Transcripts {
    /// Is increased when the reader finds more than before, so that all files are read again.
    pub(crate) version: u32,
    /// Returns the folders that contain them.
    pub(crate) folders: fn(&InstallPlace<'_>) -> Vec<TranscriptFolder>,
    /// Returns whether a file in one of the folders is a transcript; the path is relative to that folder.
    pub(crate) is_transcript: fn(&Path) -> bool,
    /// Returns what identifies a transcript, whatever happens to its file; the path is relative to its folder.
    pub(crate) identity: fn(&Path) -> String,
    /// Returns how much the file with this path knows about its sessions.
    pub(crate) rank: fn(&Path) -> SourceRank,
    /// Returns how the file with this path is stored.
    pub(crate) form: fn(&Path) -> TranscriptForm,
    /// Returns a reader for the file with this path.
    pub(crate) reader: fn(&Path) -> Box<dyn TranscriptReader>,
    /// How to find the folder of a session, for agents whose records do not name it.
    pub(crate) folder_hint: Option<&'static FolderHint>,
    /// After this many days without a change, the agent deletes a transcript; `None` if it keeps all of them.
    pub(crate) deleted_after_days: Option<u32>,
    /// Whether the reader follows documentation only: nobody has seen a file of the real program.
    pub(crate) is_by_documentation: bool,
}

/// A folder with transcripts, and how many folders deep they are in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TranscriptFolder {
    pub(crate) path: PathBuf,
    pub(crate) depth: usize,
}

/// Folders are nested up to this depth.
const MAX_DEPTH: usize = 8;

impl TranscriptFolder {
    /// Transcripts are anywhere in it.
    pub(super) fn whole(path: PathBuf) -> TranscriptFolder {
        TranscriptFolder { path, depth: MAX_DEPTH }
    }

    /// Transcripts are directly in it.
    pub(super) fn flat(path: PathBuf) -> TranscriptFolder {
        TranscriptFolder { path, depth: 0 }
    }
}

/// How the folder of a session is found outside its transcript.
#[derive(Debug)]
pub(crate) struct FolderHint {
    /// Returns a file that has the path of the session's folder in it.
    pub(crate) root_file: fn(&Path) -> Option<PathBuf>,
    /// Returns the session that a file beside the transcripts describes: an object whose `cwd` is its folder.
    pub(crate) described_session: fn(&Path) -> Option<String>,
    /// Returns the session of a transcript.
    pub(crate) session: fn(&Path) -> Option<String>,
    /// Returns whether a transcript may be of a session in this folder: its own path has a name made from the folder's.
    pub(crate) is_named_after: fn(&Path, &Path) -> bool,
}

/// How a transcript is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TranscriptForm {
    /// One record per line; lines are appended.
    Lines,
    /// Lines that were compressed with zstd when the session was old.
    CompressedLines,
    /// One document, which is written again as a whole.
    Document,
    /// A database of OpenCode, which the store reads.
    OpenCodeDatabase,
    /// A database of Cursor, which the store reads.
    CursorDatabase,
    /// The file of a session whose messages are files of their own, as older versions of OpenCode write them.
    OpenCodeFiles,
}

impl TranscriptForm {
    /// Returns whether it is a database, which knows itself what has changed.
    pub(crate) fn is_database(self) -> bool {
        matches!(self, TranscriptForm::OpenCodeDatabase | TranscriptForm::CursorDatabase)
    }
}

/// Identifies a transcript by its path.
pub(super) fn path_identity(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

/// Turns the records of one transcript into past events, in the order of the file.
pub(crate) trait TranscriptReader: Send {
    /// Sets the folder of the session, for agents that do not record it.
    fn set_folder(&mut self, _folder: &Path) {}

    /// Sets when the file was changed last, in milliseconds since 1970, for agents that do not record times.
    fn set_file_time(&mut self, _modified_ms: i64) {}

    /// Keeps the contents of edited files in the events, for rules that look at whole files.
    fn keep_files(&mut self) {}

    /// Reading starts in the middle: the beginning was read before.
    fn resume(&mut self) {}

    /// Reads one record, which is at this offset, and adds what it completes to `events`.
    fn read(&mut self, record: &[u8], offset: u64, events: &mut Vec<PastEvent>) -> RecordOutcome;

    /// Adds what is complete only because the file ends here; `is_settled` if nobody will add to it soon.
    fn finish(&mut self, is_settled: bool, events: &mut Vec<PastEvent>);

    /// Returns whether something is left that only time decides: what the agent said may not have been its last word.
    fn is_waiting(&self) -> bool;

    /// Returns where reading starts if the file grows: nothing before this offset is needed to understand what follows.
    ///
    /// The first record of most transcripts says which session it is, so these are read from the beginning.
    fn resume_at(&self) -> u64 {
        0
    }

    /// Returns the newest version of the agent that the records name, if they name one.
    fn agent_version(&self) -> Option<&str> {
        None
    }
}

/// What a reader made of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RecordOutcome {
    Known,
    /// A record of a type that the reader does not know.
    Unknown(String),
    /// Not JSON, or not an object.
    Unreadable,
}

/// An event of an earlier session.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct PastEvent {
    /// What the agent's hook would have received.
    pub(crate) payload: Value,
    /// The name of the event, for payloads without one.
    pub(crate) event_name: Option<&'static str>,
    /// Milliseconds since 1970.
    pub(crate) at_ms: i64,
    pub(crate) branch: Option<String>,
    /// The ids of the records behind it: if another transcript has contributed one of them, this event is a copy.
    pub(crate) record_ids: Vec<RecordId>,
    /// Facts for the metadata that no payload has.
    pub(crate) facts: Vec<(&'static str, Value)>,
    /// How a command ended, for agents whose hooks find that out from the transcript.
    pub(crate) exit_code: Option<i64>,
    /// Identifies an event without an id of its own.
    pub(crate) fingerprint: u64,
    /// Why the call never ran. Such a call is only tried on rules: nothing of it is remembered.
    pub(crate) unrun: Option<UnrunCause>,
}

/// Why a call never ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnrunCause {
    /// The user or a rule refused it, or the user interrupted it.
    Refused,
    /// The agent rejected it: wrong arguments, an unknown tool.
    Invalid,
}

/// A hash of a record's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RecordId(pub(crate) i64);

impl RecordId {
    pub(crate) fn of(id: &str) -> RecordId {
        RecordId(hash([id]).cast_signed())
    }
}

/// Returns a hash that is the same in every version of the program.
pub(crate) fn hash<'p>(parts: impl IntoIterator<Item = &'p str>) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = EventKey::of(parts).0;
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// Parses a time: RFC 3339 with or without a zone, or a number of seconds or milliseconds, also as a text.
pub(crate) fn parse_time(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => parse_time_text(text),
        number => milliseconds(number.as_f64()?),
    }
}

/// Parses a time that is written as text.
pub(crate) fn parse_time_text(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(at.as_millisecond());
    }
    if let Ok(number) = text.parse::<f64>() {
        return milliseconds(number);
    }
    let local = text.parse::<jiff::civil::DateTime>().ok()?;
    Some(local.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

/// A number this large counts milliseconds: in seconds it would be in the year 5138.
const MIN_MILLISECONDS: f64 = 1e11;

fn milliseconds(number: f64) -> Option<i64> {
    let number = if number.abs() < MIN_MILLISECONDS { number * 1_000.0 } else { number };
    // Beyond the year 9999 nothing is a time.
    (0.0..2.5e14).contains(&number).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::parse_time;

    #[test]
    fn times_are_read_in_every_form_that_agents_write() {
        for value in [
            json!("2026-11-16T06:33:51.249Z"),
            json!("2026-11-16T07:33:51.249+01:00"),
            json!("2026-11-16T06:33:51.249"),
            json!(1_794_810_831_249_i64),
            json!("1794810831249"),
            json!(1_794_810_831.249),
        ] {
            assert_eq!(parse_time(&value), Some(1_794_810_831_249), "{value}");
        }
        for value in [json!(null), json!("yesterday"), json!({}), json!(-5), json!(1e300)] {
            assert_eq!(parse_time(&value), None, "{value}");
        }
    }
}
