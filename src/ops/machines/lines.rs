//! The lines that machines exchange: JSON, one value a line, the same over ssh and in files.
//!
//! A line of another machine is foreign: it has a maximum length, and whatever is not understood is refused.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

use serde::{Deserialize, Serialize};

use crate::model::{EventKey, MachineKey, SyncLot, SyncMark};

/// The version of the exchange. It grows when an older program would misunderstand a line, or lose something: also with
/// a new type of observation.
pub(super) const PROTOCOL: u32 = 1;

/// The oldest version that this program still speaks.
pub(super) const OLDEST_PROTOCOL: u32 = 1;

/// Rows in a lot.
pub(super) const LOT_ROWS: usize = 500;

/// Maximum number of rows in a lot of another version.
pub(super) const MAX_LOT_ROWS: usize = 10_000;

/// Maximum length of a line in bytes; no observation is this long.
const MAX_LINE: usize = 1 << 20;

/// Maximum number of lines that a shell may print before the exchange begins.
const MAX_BANNER: usize = 1_000;

/// The first line of a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct GreetingWire {
    /// The version of the exchange, under the name by which the line is recognised.
    pub(super) nudge_sync: u32,
    pub(super) oldest: u32,
    /// The version of the program, for people.
    pub(super) program: String,
    pub(super) machine: MachineKey,
}

impl GreetingWire {
    pub(super) fn new(machine: MachineKey) -> GreetingWire {
        let program = env!("CARGO_PKG_VERSION").to_owned();
        GreetingWire { nudge_sync: PROTOCOL, oldest: OLDEST_PROTOCOL, program, machine }
    }

    /// Returns why the other machine is not understood.
    pub(super) fn flaw(&self) -> Option<VersionFlaw> {
        if self.oldest > PROTOCOL {
            Some(VersionFlaw::OlderHere)
        } else if self.nudge_sync < OLDEST_PROTOCOL {
            Some(VersionFlaw::OlderThere)
        } else {
            None
        }
    }
}

/// Which of two programs has to be updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VersionFlaw {
    OlderHere,
    OlderThere,
}

/// Every other line, but for the rows of a lot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SyncLine {
    /// Take the lock.
    Lock,
    Locked,
    Stock(StockWire),
    Forgotten(ForgottenWire),
    /// This many rows follow, as `[number, observation]`.
    Lot(SyncLot),
    End(EndWire),
    Got(GotWire),
    /// The other machine gives up, for this reason.
    Failed(FailedWire),
}

/// What a machine has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StockWire {
    pub(super) machine: MachineKey,
    pub(super) has: BTreeMap<MachineKey, HasWire>,
    /// For how many days it keeps observations of each type; one that is missing is kept forever.
    #[serde(default)]
    pub(super) keeps: BTreeMap<String, u32>,
    /// Whether it wants everything once more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) again: bool,
    /// Whether only counts are wanted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) dry: bool,
    /// A hash of what is left out, so that a file is written again when that changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) excluded: Option<u64>,
}

/// How far a machine is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct HasWire {
    pub(super) upto: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) mark: Option<SyncMark>,
    #[serde(default)]
    pub(super) forgotten: i64,
}

/// Keys of what was forgotten, up to a number of the sender's list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ForgottenWire {
    pub(super) upto: i64,
    pub(super) keys: Vec<EventKey>,
}

/// The end of what a machine sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct EndWire {
    pub(super) rows: usize,
    pub(super) forgotten: usize,
}

/// What became of what was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct GotWire {
    pub(super) stored: usize,
    pub(super) deleted: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FailedWire {
    pub(super) message: String,
    /// Whether another attempt may succeed.
    #[serde(default)]
    pub(super) is_busy: bool,
}

/// What a line of another machine is.
#[derive(Debug, PartialEq)]
pub(super) enum LineRead {
    Line(Vec<u8>),
    TooLong,
    /// The stream has ended, perhaps in the middle of a line.
    End,
}

/// Reads a line; what is too long is skipped and not kept in RAM.
pub(super) fn read_line(lines: &mut dyn BufRead) -> io::Result<LineRead> {
    let mut line = Vec::new();
    let mut is_long = false;
    loop {
        let part = match lines.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            part => part?,
        };
        if part.is_empty() {
            return Ok(LineRead::End);
        }
        let end = part.iter().position(|byte| *byte == b'\n');
        let length = end.unwrap_or(part.len());
        is_long |= line.len() + length > MAX_LINE;
        if !is_long {
            line.extend_from_slice(&part[..length]);
        }
        lines.consume(length + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(if is_long { LineRead::TooLong } else { LineRead::Line(line) });
        }
    }
}

/// Reads up to the greeting; a shell may print something before it.
pub(super) fn read_greeting(lines: &mut dyn BufRead) -> io::Result<Option<GreetingWire>> {
    for _ in 0..MAX_BANNER {
        match read_line(lines)? {
            LineRead::End => return Ok(None),
            LineRead::TooLong => {}
            LineRead::Line(line) => {
                if let Ok(greeting) = serde_json::from_slice(&line) {
                    return Ok(Some(greeting));
                }
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::{GreetingWire, LineRead, MAX_LINE, PROTOCOL, VersionFlaw, read_greeting, read_line};
    use crate::model::MachineKey;

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_a_torn_one_is_the_end() {
        let long = "x".repeat(10 << 20);
        let mut lines = Cursor::new(format!("a\n\n{long}\nb\ntorn"));
        let line = |text: &str| LineRead::Line(text.as_bytes().to_vec());
        for expected in [line("a"), line(""), LineRead::TooLong, line("b"), LineRead::End, LineRead::End] {
            assert_eq!(read_line(&mut lines).unwrap(), expected);
        }
        let longest = "y".repeat(MAX_LINE);
        assert_eq!(read_line(&mut Cursor::new(format!("{longest}\n"))).unwrap(), line(&longest));
    }

    #[test]
    fn a_banner_before_the_greeting_does_no_harm() {
        let greeting = GreetingWire::new(MachineKey([7; 16]));
        let text = serde_json::to_string(&greeting).unwrap();
        let long = "x".repeat(2 << 20);
        for before in ["", "Welcome!\n\n", "{\"nudge\": 1}\n[1]\n", &format!("{long}\n")] {
            let mut lines = Cursor::new(format!("{before}{text}\n\"lock\"\n"));
            assert_eq!(read_greeting(&mut lines).unwrap(), Some(greeting.clone()), "{before:.20}");
            assert_eq!(read_line(&mut lines).unwrap(), LineRead::Line(b"\"lock\"".to_vec()));
        }
        let mut bytes = vec![0xff, 0xfe, b'\n'];
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(b'\n');
        assert_eq!(read_greeting(&mut Cursor::new(bytes)).unwrap(), Some(greeting));
        assert_eq!(read_greeting(&mut Cursor::new("no\n".repeat(5_000))).unwrap(), None);
        assert_eq!(read_greeting(&mut Cursor::new("")).unwrap(), None);
    }

    #[test]
    fn versions_that_are_too_far_apart_are_refused() {
        let greeting = |nudge_sync, oldest| GreetingWire {
            nudge_sync,
            oldest,
            ..GreetingWire::new(MachineKey([7; 16]))
        };
        assert_eq!(greeting(PROTOCOL, 1).flaw(), None);
        assert_eq!(greeting(PROTOCOL + 9, PROTOCOL).flaw(), None);
        assert_eq!(greeting(PROTOCOL + 9, PROTOCOL + 1).flaw(), Some(VersionFlaw::OlderHere));
        assert_eq!(greeting(0, 0).flaw(), Some(VersionFlaw::OlderThere));
    }
}
