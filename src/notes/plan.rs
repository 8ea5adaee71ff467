//! Plans what gc would do with each note, and why. It does not delete anything.
//!
//! For manual deletion, a note is proposed if it was not read for long, is empty, or is completely contained in another
//! one; a person decides. Automatically, a note is deleted only if every configured signal agrees, and there must be
//! three.

use std::collections::BTreeMap;
use std::fmt;

use super::merge::Comparable;
use super::overlap::{Profile, shared};
use crate::model::{DAY, Note, Reads, Timestamp};

/// What is known about the use of notes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Usage {
    /// By the name of the note; no read of a missing note was ever observed.
    pub(crate) reads: BTreeMap<String, Reads>,
    /// When the project's cycles of work were closed.
    pub(crate) closed_at: Vec<Timestamp>,
    /// When each note was last committed. A clone has no reads yet, but it knows this.
    pub(crate) changed_at: BTreeMap<String, Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Policy {
    /// A note is proposed for deletion after this many days without a read.
    pub(crate) stale_days: u32,
    pub(crate) signals: Signals,
}

/// The signals for automatic deletion; those that are not set are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Signals {
    /// Minimum number of days since the last read.
    pub(crate) days: Option<u32>,
    /// Minimum number of cycles closed since the last read.
    pub(crate) cycles: Option<u32>,
    /// Maximum number of observed reads.
    pub(crate) reads: Option<u32>,
}

/// Every note with its advice and reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotesPlan {
    pub(crate) entries: Vec<PlannedNote>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedNote {
    pub(crate) name: String,
    pub(crate) facts: NoteFacts,
    pub(crate) advice: Advice,
    /// Never empty: there is also a reason to keep a note.
    pub(crate) reasons: Vec<GcReason>,
    /// All signals for automatic deletion agree.
    pub(crate) automatic: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoteFacts {
    /// `None` if no read was ever observed.
    pub(crate) reads: Option<u64>,
    pub(crate) days_since_read: Option<u32>,
    pub(crate) cycles_since_read: Option<u32>,
    pub(crate) bytes: u64,
    pub(crate) lines: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Advice {
    Keep,
    /// It could be merged with another; that takes somebody who understands both.
    Merge,
    /// It has become too long to be read completely.
    Shorten,
    Remove,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GcReason {
    Empty,
    /// Another note contains all of it.
    ContainedIn(String),
    LastRead {
        days: u32,
        cycles: u32,
        reads: u64,
    },
    NeverRead,
    /// No read was observed, and nobody has changed it for this many days.
    Untouched {
        days: u32,
    },
    Resembles {
        other: String,
        shared: Vec<String>,
    },
    Long {
        lines: usize,
        bytes: u64,
    },
}

impl Signals {
    /// One signal is a holiday, two are a busy spring: fewer than three delete nothing.
    pub(crate) const FEWEST: usize = 3;

    pub(crate) fn count(&self) -> usize {
        [self.days, self.cycles, self.reads].into_iter().flatten().count()
    }

    fn agree(&self, facts: &NoteFacts) -> bool {
        let at_least =
            |wanted: Option<u32>, found: Option<u32>| wanted.is_none_or(|wanted| found >= Some(wanted));
        let few = self.reads.is_none_or(|max| facts.reads.is_some_and(|reads| reads <= u64::from(max)));
        self.count() >= Signals::FEWEST
            // No observed read means unknown, not unused, so the note stays.
            && facts.reads.is_some()
            && facts.days_since_read.is_some()
            && at_least(self.days, facts.days_since_read)
            && at_least(self.cycles, facts.cycles_since_read)
            && few
    }
}

const MAX_LINES: usize = 200;
const MAX_BYTES: u64 = 16 << 10;
/// Comparing all pairs is quadratic, so only this many notes are compared.
const MAX_COMPARED: usize = 500;

/// Returns the advice for every note.
pub(crate) fn plan(notes: &[Note], usage: &Usage, now: Timestamp, policy: &Policy) -> NotesPlan {
    let profiles: Vec<Profile> =
        notes.iter().take(MAX_COMPARED).map(|note| Profile::new(&note.name, &note.text)).collect();
    let compared: Vec<(&Note, Comparable)> =
        notes.iter().map(|note| (note, Comparable::new(&note.text))).collect();
    let entries = notes.iter().enumerate().map(|(index, note)| {
        let facts = facts(note, usage, now);
        let untouched = untouched_days(note, usage, now).filter(|days| *days >= policy.stale_days);
        let reasons = reasons(index, &compared, &profiles, (&facts, untouched));
        let stale = facts.days_since_read.is_some_and(|days| days >= policy.stale_days);
        let has = |wanted: fn(&GcReason) -> bool| reasons.iter().any(wanted);
        let advice = if stale
            || untouched.is_some()
            || has(|reason| matches!(reason, GcReason::Empty | GcReason::ContainedIn(_)))
        {
            Advice::Remove
        } else if has(|reason| matches!(reason, GcReason::Resembles { .. })) {
            Advice::Merge
        } else if has(|reason| matches!(reason, GcReason::Long { .. })) {
            Advice::Shorten
        } else {
            Advice::Keep
        };
        let automatic = policy.signals.agree(&facts);
        PlannedNote { name: note.name.clone(), facts, advice, reasons, automatic }
    });
    NotesPlan { entries: entries.collect() }
}

fn facts(note: &Note, usage: &Usage, now: Timestamp) -> NoteFacts {
    let reads = usage.reads.get(&note.name);
    let last_at = reads.and_then(|reads| reads.last_at);
    let cycles = |at: Timestamp| usage.closed_at.iter().filter(|closed_at| **closed_at > at).count();
    NoteFacts {
        reads: reads.map(|reads| reads.count),
        days_since_read: last_at.map(|at| u32::try_from(now.since(at) / DAY).unwrap_or(u32::MAX)),
        cycles_since_read: last_at.map(|at| u32::try_from(cycles(at)).unwrap_or(u32::MAX)),
        bytes: note.bytes,
        lines: note.text.lines().count(),
    }
}

/// Returns for how many days a note has not been changed, if no read of it was ever observed.
fn untouched_days(note: &Note, usage: &Usage, now: Timestamp) -> Option<u32> {
    let at = usage.changed_at.get(&note.name).filter(|_| !usage.reads.contains_key(&note.name))?;
    Some(u32::try_from(now.since(*at) / DAY).unwrap_or(u32::MAX))
}

fn reasons(
    index: usize,
    notes: &[(&Note, Comparable)],
    profiles: &[Profile],
    (facts, untouched): (&NoteFacts, Option<u32>),
) -> Vec<GcReason> {
    let (note, own) = &notes[index];
    let mut reasons = Vec::new();
    let container =
        || notes.iter().enumerate().find(|(at, (_, other))| *at != index && own.is_in(other, *at < index));
    if note.text.trim().is_empty() {
        reasons.push(GcReason::Empty);
    } else if let Some((_, (other, _))) = container() {
        reasons.push(GcReason::ContainedIn(other.name.clone()));
    } else if let Some(own) = profiles.get(index) {
        let others = profiles.iter().enumerate().filter(|(at, _)| *at != index);
        let alike = others.filter_map(|(at, other)| Some((at, shared(own, other)?)));
        if let Some((at, shared)) = alike.max_by_key(|(_, shared)| shared.len()) {
            reasons.push(GcReason::Resembles { other: notes[at].0.name.clone(), shared });
        }
    }
    if facts.lines > MAX_LINES || facts.bytes > MAX_BYTES {
        reasons.push(GcReason::Long { lines: facts.lines, bytes: facts.bytes });
    }
    reasons.push(match (facts.reads, facts.days_since_read, facts.cycles_since_read) {
        (Some(reads), Some(days), Some(cycles)) => GcReason::LastRead { days, cycles, reads },
        _ => untouched.map_or(GcReason::NeverRead, |days| GcReason::Untouched { days }),
    });
    reasons
}

impl Advice {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Advice::Keep => "keep",
            Advice::Merge => "merge",
            Advice::Shorten => "shorten",
            Advice::Remove => "remove",
        }
    }
}

impl fmt::Display for GcReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GcReason::Empty => out.write_str("it is empty"),
            GcReason::ContainedIn(other) => write!(out, "all of it is in `{other}`"),
            GcReason::LastRead { days, cycles, reads } => write!(
                out,
                "last read {} ago, {} since; {} in all",
                counted(u64::from(*days), "day"),
                counted(u64::from(*cycles), "cycle"),
                counted(*reads, "read")
            ),
            GcReason::NeverRead => out.write_str("never read"),
            GcReason::Untouched { days } => {
                write!(out, "never read here, and unchanged for {}", counted(u64::from(*days), "day"))
            }
            GcReason::Resembles { other, shared } => {
                write!(out, "resembles `{other}`: {}", shared.join(", "))
            }
            GcReason::Long { lines, bytes } => {
                write!(out, "long: {} in {} KB", counted(*lines as u64, "line"), bytes.div_ceil(1024))
            }
        }
    }
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
