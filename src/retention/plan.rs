//! What gc would do with each note, and why. A plan, not an act.
//!
//! By hand, a note is proposed if it was not read for long, is empty, or stands in another one as a whole; a person
//! decides. Alone, nothing goes unless every configured signal agrees, and there must be three of them.

use std::collections::BTreeMap;
use std::fmt;

use super::merge::{Merged, merge};
use super::overlap::{Profile, shared};
use crate::model::{Note, Reads, Timestamp};

/// What is known of how notes are used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Usage {
    /// By the name of the note; a note that is not here was never seen being read.
    pub(crate) reads: BTreeMap<String, Reads>,
    /// When the project's cycles of work were closed.
    pub(crate) closed_at: Vec<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Policy {
    /// After so many days without a read a note is proposed.
    pub(crate) stale_days: u32,
    pub(crate) signals: Signals,
}

/// The signals of automatic deletion; those that are not set say nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Signals {
    /// Days since the last read, at least.
    pub(crate) days: Option<u32>,
    /// Cycles closed since the last read, at least.
    pub(crate) cycles: Option<u32>,
    /// Reads ever seen, at most.
    pub(crate) reads: Option<u32>,
}

/// Every note with what speaks for and against it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) facts: Facts,
    pub(crate) advice: Advice,
    /// Never empty: what is kept is kept for a reason, too.
    pub(crate) reasons: Vec<Reason>,
    /// All signals of automatic deletion agree.
    pub(crate) automatic: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    /// `None` where no read was ever seen.
    pub(crate) reads: Option<u64>,
    pub(crate) days_since_read: Option<u32>,
    pub(crate) cycles_since_read: Option<u32>,
    pub(crate) bytes: u64,
    pub(crate) lines: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Advice {
    Keep,
    /// Could be one with another; joining them takes somebody who understands both.
    Merge,
    /// Has grown too long to be read as a whole.
    Shorten,
    Remove,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reason {
    Empty,
    /// All of it stands in another note.
    StandsIn(String),
    LastRead {
        days: u32,
        cycles: u32,
        reads: u64,
    },
    NeverSeenRead,
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

    fn agree(&self, facts: &Facts) -> bool {
        let at_least =
            |wanted: Option<u32>, found: Option<u32>| wanted.is_none_or(|wanted| found >= Some(wanted));
        let few = self.reads.is_none_or(|most| facts.reads.is_some_and(|reads| reads <= u64::from(most)));
        self.count() >= Signals::FEWEST
            // What was never seen being read is unknown, and what is unknown stays.
            && facts.reads.is_some()
            && facts.days_since_read.is_some()
            && at_least(self.days, facts.days_since_read)
            && at_least(self.cycles, facts.cycles_since_read)
            && few
    }
}

const MOST_LINES: usize = 200;
const MOST_BYTES: u64 = 16 << 10;
/// Comparing each with each grows fast; a project with more notes than this has other worries.
const MOST_COMPARED: usize = 500;

/// Says of every note what could be done with it.
pub(crate) fn plan(notes: &[Note], usage: &Usage, now: Timestamp, policy: &Policy) -> Plan {
    let profiles: Vec<Profile> =
        notes.iter().take(MOST_COMPARED).map(|note| Profile::new(&note.name, &note.text)).collect();
    let entries = notes.iter().enumerate().map(|(index, note)| {
        let facts = facts(note, usage, now);
        let reasons = reasons(index, notes, &profiles, &facts);
        let stale = facts.days_since_read.is_some_and(|days| days >= policy.stale_days);
        let has = |wanted: fn(&Reason) -> bool| reasons.iter().any(wanted);
        let advice = if stale || has(|reason| matches!(reason, Reason::Empty | Reason::StandsIn(_))) {
            Advice::Remove
        } else if has(|reason| matches!(reason, Reason::Resembles { .. })) {
            Advice::Merge
        } else if has(|reason| matches!(reason, Reason::Long { .. })) {
            Advice::Shorten
        } else {
            Advice::Keep
        };
        let automatic = policy.signals.agree(&facts);
        Entry { name: note.name.clone(), facts, advice, reasons, automatic }
    });
    Plan { entries: entries.collect() }
}

fn facts(note: &Note, usage: &Usage, now: Timestamp) -> Facts {
    let reads = usage.reads.get(&note.name);
    let last_at = reads.and_then(|reads| reads.last_at);
    let cycles = |at: Timestamp| usage.closed_at.iter().filter(|closed_at| **closed_at > at).count();
    Facts {
        reads: reads.map(|reads| reads.count),
        days_since_read: last_at.map(|at| u32::try_from(now.since(at) / 86_400).unwrap_or(u32::MAX)),
        cycles_since_read: last_at.map(|at| u32::try_from(cycles(at)).unwrap_or(u32::MAX)),
        bytes: note.bytes,
        lines: note.text.lines().count(),
    }
}

fn reasons(index: usize, notes: &[Note], profiles: &[Profile], facts: &Facts) -> Vec<Reason> {
    let note = &notes[index];
    let mut reasons = Vec::new();
    if note.text.trim().is_empty() {
        reasons.push(Reason::Empty);
    } else if let Some(other) =
        notes.iter().enumerate().find(|(at, other)| *at != index && stands_in(note, other, *at < index))
    {
        reasons.push(Reason::StandsIn(other.1.name.clone()));
    } else if let Some(own) = profiles.get(index) {
        let others = profiles.iter().enumerate().filter(|(at, _)| *at != index);
        let alike = others.filter_map(|(at, other)| Some((at, shared(own, other)?)));
        if let Some((at, shared)) = alike.max_by_key(|(_, shared)| shared.len()) {
            reasons.push(Reason::Resembles { other: notes[at].name.clone(), shared });
        }
    }
    if facts.lines > MOST_LINES || facts.bytes > MOST_BYTES {
        reasons.push(Reason::Long { lines: facts.lines, bytes: facts.bytes });
    }
    reasons.push(match (facts.reads, facts.days_since_read, facts.cycles_since_read) {
        (Some(reads), Some(days), Some(cycles)) => Reason::LastRead { days, cycles, reads },
        _ => Reason::NeverSeenRead,
    });
    reasons
}

/// Of two that are equal, the first one stays.
fn stands_in(note: &Note, other: &Note, other_is_first: bool) -> bool {
    let within = |note: &Note, other: &Note| {
        !other.text.trim().is_empty() && merge(&other.text, &note.text, &[]) == Merged::Unchanged
    };
    within(note, other) && (other_is_first || !within(other, note))
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

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Empty => out.write_str("nothing is in it"),
            Reason::StandsIn(other) => write!(out, "all of it stands in `{other}`"),
            Reason::LastRead { days, cycles, reads } => write!(
                out,
                "last read {} ago, {} since; {} in all",
                counted(u64::from(*days), "day"),
                counted(u64::from(*cycles), "cycle"),
                counted(*reads, "read")
            ),
            Reason::NeverSeenRead => out.write_str("no read of it was ever seen"),
            Reason::Resembles { other, shared } => write!(out, "resembles `{other}`: {}", shared.join(", ")),
            Reason::Long { lines, bytes } => {
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
