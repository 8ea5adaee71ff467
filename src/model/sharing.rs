//! What a project shares with a team: how much of it, and what a row looks like on its way.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use serde_json::{Map, Value};

use super::EventKey;

/// How much of a project a user shares. Every level includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ShareLevel {
    /// Nothing leaves.
    #[default]
    Off,
    /// Failures that were overcome, what was done about them, and commits.
    Fixes,
    /// Every command, failure, edit and write.
    Work,
    /// Also prompts, searches, reads and MCP calls.
    All,
}

impl ShareLevel {
    pub(crate) const ALL: [ShareLevel; 4] =
        [ShareLevel::Off, ShareLevel::Fixes, ShareLevel::Work, ShareLevel::All];

    pub(crate) fn name(self) -> &'static str {
        match self {
            ShareLevel::Off => "off",
            ShareLevel::Fixes => "fixes",
            ShareLevel::Work => "work",
            ShareLevel::All => "all",
        }
    }
}

impl fmt::Display for ShareLevel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for ShareLevel {
    type Err = String;

    fn from_str(name: &str) -> Result<ShareLevel, String> {
        let known = ShareLevel::ALL.into_iter().find(|level| level.name() == name);
        known.ok_or_else(|| "`off`, `fixes`, `work` or `all`".to_owned())
    }
}

/// 128 random bits that name a machine, a push or a server's database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RandomId(pub(crate) [u8; 16]);

impl fmt::Display for RandomId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = u128::from_be_bytes(self.0);
        let (one, two, three) = (bits >> 96, bits >> 80 & 0xffff, bits >> 64 & 0xffff);
        write!(out, "{one:08x}-{two:04x}-{three:04x}-")?;
        write!(out, "{:04x}-{:012x}", bits >> 48 & 0xffff, bits & 0xffff_ffff_ffff)
    }
}

impl FromStr for RandomId {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<RandomId, Self::Err> {
        u128::from_str_radix(&text.replace('-', ""), 16).map(|bits| RandomId(bits.to_be_bytes()))
    }
}

/// What a record of a stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RecordKind {
    Observation,
    /// A row that was shared is taken back.
    Drop,
    /// Its number is used, but there is nothing to say: the row was deleted or refused before it left.
    Gone,
}

impl RecordKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            RecordKind::Observation => "observation",
            RecordKind::Drop => "drop",
            RecordKind::Gone => "gone",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<RecordKind> {
        [RecordKind::Observation, RecordKind::Drop, RecordKind::Gone]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// A record as it leaves: everything in it has passed the border.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LeavingRecord {
    pub(crate) kind: RecordKind,
    pub(crate) at: i64,
    pub(crate) event_key: Option<EventKey>,
    /// `None` for a drop and for a number that says nothing.
    pub(crate) row: Option<LeavingRow>,
}

/// What leaves of an observation, and nothing else.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LeavingRow {
    pub(crate) obs_type: &'static str,
    pub(crate) session: [u8; 16],
    pub(crate) program: Option<String>,
    pub(crate) signature: Option<String>,
    pub(crate) content: String,
    pub(crate) file_path: Option<String>,
    pub(crate) parts: Option<String>,
    pub(crate) facts: Map<String, Value>,
}

impl LeavingRecord {
    /// Returns the record of a number that says nothing.
    pub(crate) fn gone(at: i64) -> LeavingRecord {
        LeavingRecord { kind: RecordKind::Gone, at, event_key: None, row: None }
    }

    /// Returns the record that takes a row back.
    pub(crate) fn drop(key: EventKey, at: i64) -> LeavingRecord {
        LeavingRecord { kind: RecordKind::Drop, at, event_key: Some(key), row: None }
    }

    /// Returns the record as the server's functions read it.
    pub(crate) fn to_json(&self) -> Value {
        let mut record = Map::new();
        let mut put = |name: &str, value: Value| drop(record.insert(name.to_owned(), value));
        put("kind", self.kind.name().into());
        put("at", self.at.into());
        if let Some(key) = self.event_key {
            put("event_key", key.to_string().into());
        }
        if let Some(row) = &self.row {
            put("obs_type", row.obs_type.into());
            put("session", format!("{:032x}", u128::from_be_bytes(row.session)).into());
            put("content", row.content.as_str().into());
            let texts = [
                ("program", &row.program),
                ("signature", &row.signature),
                ("file_path", &row.file_path),
                ("parts", &row.parts),
            ];
            for (name, text) in texts {
                text.iter().for_each(|text| put(name, text.as_str().into()));
            }
            if !row.facts.is_empty() {
                put("facts", Value::Object(row.facts.clone()));
            }
        }
        Value::Object(record)
    }
}

#[cfg(test)]
mod tests {
    use super::{RandomId, ShareLevel};

    #[test]
    fn an_id_is_written_as_databases_write_it() {
        let text = "0123abcd-4567-89ab-cdef-00112233445f";
        let id: RandomId = text.parse().unwrap();
        assert_eq!(id.to_string(), text);
        assert_eq!(id.0[..4], [0x01, 0x23, 0xab, 0xcd]);
    }

    #[test]
    fn levels_are_ordered_and_have_names() {
        assert!(ShareLevel::ALL.is_sorted());
        for level in ShareLevel::ALL {
            assert_eq!(level.name().parse(), Ok(level));
        }
        assert!("some".parse::<ShareLevel>().is_err());
    }
}
