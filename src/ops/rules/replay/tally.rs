//! What a replay counts.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::model::Timestamp;

/// How a call of the past ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PastOutcome {
    /// It ran and nothing failed.
    Well,
    Failed,
    /// The user or a rule refused it, or the user interrupted it.
    Refused,
    /// The agent rejected it before it ran.
    Invalid,
    /// The transcript does not say, or there is nothing to end.
    Unknown,
}

impl PastOutcome {
    pub(crate) fn name(self) -> &'static str {
        match self {
            PastOutcome::Well => "well",
            PastOutcome::Failed => "failed",
            PastOutcome::Refused => "refused",
            PastOutcome::Invalid => "invalid",
            PastOutcome::Unknown => "unknown",
        }
    }
}

/// How often something fired, by how the call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ReplayCounts {
    pub(crate) fired: usize,
    pub(crate) failed: usize,
    pub(crate) refused: usize,
    pub(crate) well: usize,
    /// The agent rejected the call, or nobody knows how it ended.
    pub(crate) unknown: usize,
}

impl ReplayCounts {
    fn count(&mut self, outcome: PastOutcome) {
        self.fired += 1;
        match outcome {
            PastOutcome::Well => self.well += 1,
            PastOutcome::Failed => self.failed += 1,
            PastOutcome::Refused => self.refused += 1,
            PastOutcome::Invalid | PastOutcome::Unknown => self.unknown += 1,
        }
    }

    pub(crate) fn add(&mut self, other: ReplayCounts) {
        self.fired += other.fired;
        self.failed += other.failed;
        self.refused += other.refused;
        self.well += other.well;
        self.unknown += other.unknown;
    }
}

/// A rule that would have fired, and on what.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Firing {
    /// The number of the rule.
    pub(crate) rule: usize,
    pub(crate) at: Timestamp,
    pub(crate) harness: &'static str,
    pub(crate) project: Option<String>,
    pub(crate) session: Option<String>,
    /// The name of the transcript; `None` if the memory has the call.
    pub(crate) transcript: Option<String>,
    pub(crate) tool_use_id: Option<String>,
    pub(crate) tool: Option<String>,
    /// The command, the file or the first words, without secrets.
    pub(crate) what: String,
    pub(crate) outcome: PastOutcome,
}

/// What could not be replayed, or not as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Unreplayed {
    /// Records that are not JSON, or too long.
    pub(crate) unreadable_records: usize,
    /// Edits of files whose content is not in the transcript: rules saw only the new text.
    pub(crate) edits_without_file: usize,
    /// Commands of the memory that were cut when they were stored.
    pub(crate) cut_commands: usize,
    /// Calls in projects of which nothing is to be remembered.
    pub(crate) private_calls: usize,
    /// Calls without a time.
    pub(crate) undated: usize,
    /// Times that a rule could not be evaluated.
    pub(crate) unevaluated: usize,
    /// Times that a rule asked about a session of which only commands are known.
    pub(crate) without_session: usize,
}

/// Firings of one rule that are kept to be shown; the others are counted.
const MAX_FIRINGS: usize = 500;

/// Everything that a replay counts.
#[derive(Debug, Default)]
pub(crate) struct ReplayTally {
    /// Calls that were looked at, by agent and project.
    pub(crate) calls: BTreeMap<(&'static str, Option<String>), usize>,
    /// Of these, shell commands that ran.
    pub(crate) commands: usize,
    /// Of these, those that worked, if that is counted.
    pub(crate) commands_that_worked: usize,
    pub(crate) prompts: usize,
    pub(crate) stops: usize,
    /// Calls that the memory has, because their transcripts are gone.
    pub(crate) remembered: usize,
    /// Calls that a fork or a resume repeats.
    pub(crate) copies: usize,
    /// How often each rule was considered.
    pub(crate) considered: HashMap<usize, usize>,
    /// By rule, agent and project.
    pub(crate) counts: BTreeMap<(usize, &'static str, Option<String>), ReplayCounts>,
    pub(crate) firings: Vec<Firing>,
    pub(crate) sessions: HashSet<String>,
    pub(crate) unreplayed: Unreplayed,
    kept: HashMap<usize, usize>,
}

impl ReplayTally {
    /// Counts a firing, and keeps it if there is room.
    pub(super) fn fired(&mut self, firing: Firing) {
        let key = (firing.rule, firing.harness, firing.project.clone());
        self.counts.entry(key).or_default().count(firing.outcome);
        let kept = self.kept.entry(firing.rule).or_default();
        if *kept < MAX_FIRINGS {
            *kept += 1;
            self.firings.push(firing);
        }
    }

    pub(super) fn add(&mut self, other: ReplayTally) {
        for (key, count) in other.calls {
            *self.calls.entry(key).or_default() += count;
        }
        for (rule, count) in other.considered {
            *self.considered.entry(rule).or_default() += count;
        }
        for (key, counts) in other.counts {
            self.counts.entry(key).or_default().add(counts);
        }
        self.commands += other.commands;
        self.commands_that_worked += other.commands_that_worked;
        self.prompts += other.prompts;
        self.stops += other.stops;
        self.remembered += other.remembered;
        self.copies += other.copies;
        self.firings.extend(other.firings);
        self.sessions.extend(other.sessions);
        let (own, others) = (&mut self.unreplayed, other.unreplayed);
        own.unreadable_records += others.unreadable_records;
        own.edits_without_file += others.edits_without_file;
        own.cut_commands += others.cut_commands;
        own.private_calls += others.private_calls;
        own.undated += others.undated;
        own.unevaluated += others.unevaluated;
        own.without_session += others.without_session;
    }

    /// Puts the firings in order: by rule, the newest first.
    pub(super) fn finish(&mut self) {
        self.firings.sort_by(|one, two| (one.rule, two.at, &one.what).cmp(&(two.rule, one.at, &two.what)));
        self.firings.dedup_by(|one, two| one == two && one.tool_use_id.is_some());
    }

    /// Returns how many calls were looked at.
    pub(crate) fn all_calls(&self) -> usize {
        self.calls.values().sum()
    }

    /// Returns how often a rule fired, or all of them.
    pub(crate) fn total(&self, rule: Option<usize>) -> ReplayCounts {
        let mut total = ReplayCounts::default();
        let wanted = self.counts.iter().filter(|((number, ..), _)| rule.is_none_or(|rule| rule == *number));
        wanted.for_each(|(_, counts)| total.add(*counts));
        total
    }
}
