//! A machine: one data folder of one person.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Timestamp;

/// Tells machines apart: 128 random bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MachineKey(pub(crate) [u8; 16]);

impl fmt::Display for MachineKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl FromStr for MachineKey {
    type Err = String;

    fn from_str(text: &str) -> Result<MachineKey, String> {
        let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bits = u128::from_str_radix(text, 16).ok().filter(|_| is_hex);
        bits.map(|bits| MachineKey(bits.to_be_bytes())).ok_or_else(|| "not the key of a machine".to_owned())
    }
}

impl Serialize for MachineKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MachineKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<MachineKey, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Random bytes that a machine gives to a number of its own rows when it sends them. A machine that does not know its own
/// mark is a copy, or was restored from an older state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SyncMark(pub(crate) [u8; 8]);

impl fmt::Display for SyncMark {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:016x}", u64::from_be_bytes(self.0))
    }
}

impl Serialize for SyncMark {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SyncMark {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<SyncMark, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bits = u64::from_str_radix(&text, 16).map_err(serde::de::Error::custom)?;
        Ok(SyncMark(bits.to_be_bytes()))
    }
}

/// What is known of another machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownMachine {
    pub(crate) key: MachineKey,
    /// Its rows are here up to this number, and what it said about that number.
    pub(crate) upto: i64,
    pub(crate) mark: Option<SyncMark>,
    /// The highest of its numbers that is here, though there may be gaps before it.
    pub(crate) reached: i64,
    /// Its list of what was forgotten is here up to this number.
    pub(crate) forgotten: i64,
    /// Whether some of its rows were left out here.
    pub(crate) has_gaps: bool,
}

/// Some rows of one machine, in the order of their numbers, or the head of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SyncLot {
    pub(crate) machine: MachineKey,
    /// The rows have numbers after this one, up to the other one; numbers in between that are missing were deleted.
    pub(crate) after: i64,
    pub(crate) upto: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mark: Option<SyncMark>,
    /// Whether the sender has left out rows of a third machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_gaps: bool,
    /// How many lines follow.
    pub(crate) rows: usize,
}

/// What became of the rows of a lot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TakenRows {
    pub(crate) stored: usize,
    pub(crate) known: usize,
    pub(crate) forgotten: usize,
}

/// What became of a list of what another machine has forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TakenForgotten {
    /// Keys that were not in the list here.
    pub(crate) new: usize,
    /// Rows that were deleted because of them.
    pub(crate) deleted: usize,
}

/// How rows are exchanged with another machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PeerKind {
    /// This machine calls the other one.
    Ssh,
    /// Both write files into a folder.
    File,
    /// The other machine has called this one.
    Caller,
}

impl PeerKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            PeerKind::Ssh => "ssh",
            PeerKind::File => "file",
            PeerKind::Caller => "caller",
        }
    }
}

/// With whom rows were exchanged, and when rows last moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyncPeer {
    pub(crate) kind: PeerKind,
    /// The host, the folder, or the beginning of a machine's key.
    pub(crate) name: String,
    /// The program on the other machine, if it is not in the usual places.
    pub(crate) remote: Option<String>,
    pub(crate) tried_at: Option<Timestamp>,
    pub(crate) reached_at: Option<Timestamp>,
    /// When rows last went there, and how many.
    pub(crate) sent_at: Option<Timestamp>,
    pub(crate) sent: usize,
    /// When rows last came from there, and how many.
    pub(crate) brought_at: Option<Timestamp>,
    pub(crate) brought: usize,
    /// Why the last attempt failed.
    pub(crate) problem: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::MachineKey;

    #[test]
    fn a_key_is_written_as_32_digits_and_read_back() {
        let key = MachineKey([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]);
        assert_eq!(key.to_string(), "000102030405060708090a0b0c0d0eff");
        assert_eq!(key.to_string().parse(), Ok(key));
        for wrong in ["", "12", "+00102030405060708090a0b0c0d0eff", "g00102030405060708090a0b0c0d0eff"] {
            assert!(wrong.parse::<MachineKey>().is_err(), "{wrong}");
        }
    }
}
