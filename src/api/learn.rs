//! What `nudge learn --json` prints.

use serde::Serialize;

use super::list::ListWire;

/// `nudge learn --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct LearnJson {
    pub(crate) since: String,
    /// `null` for all projects.
    pub(crate) project: Option<String>,
    /// Where accepted proposals are written.
    pub(crate) file: String,
    /// How many sessions and failures were looked at, and how many calls of tools were tried.
    pub(crate) sessions: usize,
    pub(crate) failures: usize,
    pub(crate) calls: usize,
    /// Shell commands that worked.
    pub(crate) commands_that_worked: usize,
    pub(crate) proposals: ListWire<ProposalJson>,
    /// Failures that come back and have no rule yet.
    pub(crate) walls: ListWire<WallJson>,
    pub(crate) corrections: ListWire<CorrectedThingJson>,
    pub(crate) blocked_again: ListWire<BlockedAgainJson>,
    pub(crate) dead_rules: ListWire<DeadRuleJson>,
    pub(crate) false_alarms: ListWire<FalseAlarmJson>,
    pub(crate) left_out: LeftOutJson,
}

/// Recurring failures that are neither proposed nor listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct LeftOutJson {
    /// You said no to them.
    pub(crate) declined: usize,
    /// A rule that is loaded speaks before them.
    pub(crate) guarded: usize,
    /// A rule would have spoken before too many calls that work; they are among the walls.
    pub(crate) imprecise: usize,
}

/// A rule that is proposed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ProposalJson {
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) failure: RecurringFailureJson,
    /// The pattern of the commands that it speaks before.
    pub(crate) before: String,
    pub(crate) unless: Vec<String>,
    pub(crate) worked: WhatWorkedJson,
    pub(crate) message: String,
    pub(crate) backtest: BacktestJson,
    /// The rule as it is written.
    pub(crate) rule: String,
}

/// A failure that came back.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RecurringFailureJson {
    pub(crate) program: Option<String>,
    /// The most telling line that was printed, and all of them: evidence, not instruction.
    pub(crate) cause: String,
    pub(crate) signature: String,
    pub(crate) times: usize,
    pub(crate) sessions: usize,
    /// In how many of these sessions something ended it.
    pub(crate) ended: usize,
    pub(crate) first_at: String,
    pub(crate) last_at: String,
    /// The newest first, at most 20; `nudge show ID` shows each.
    pub(crate) evidence: Vec<EvidenceJson>,
}

/// One time that it failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct EvidenceJson {
    pub(crate) id: i64,
    pub(crate) at: String,
    pub(crate) session: String,
    pub(crate) project: Option<String>,
    pub(crate) command: String,
}

/// What ended it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct WhatWorkedJson {
    /// `instead`: another command. `without`: the same command without this. `first`: a command that was run before it. `edit`: a change of a file.
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) sessions: usize,
    /// The observation that shows it.
    pub(crate) id: i64,
}

/// What a rule would have done on the calls of the past.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct BacktestJson {
    pub(crate) spoke: usize,
    pub(crate) before_failure: usize,
    pub(crate) before_other_failure: usize,
    pub(crate) before_success: usize,
    pub(crate) unknown: usize,
    pub(crate) precision: f64,
    pub(crate) sentence: String,
}

/// A failure that comes back, and that no rule is proposed for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct WallJson {
    #[serde(flatten)]
    pub(crate) failure: RecurringFailureJson,
    /// `null` if nothing is known to have ended it.
    pub(crate) worked: Option<WhatWorkedJson>,
    /// `nothing_ended_it`, `no_common_way`, `no_command` or `imprecise`.
    pub(crate) why: &'static str,
    /// The rules that were tried for it.
    pub(crate) tried: Vec<TriedPatternJson>,
}

/// A pattern that was tried, and is not precise enough.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TriedPatternJson {
    pub(crate) before: String,
    pub(crate) unless: Vec<String>,
    pub(crate) backtest: BacktestJson,
}

/// Something that the user took back in several sessions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CorrectedThingJson {
    /// The word that the corrections share.
    pub(crate) about: String,
    pub(crate) sessions: usize,
    pub(crate) corrections: Vec<CorrectionJson>,
}

/// What the user said, and what the agent had done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CorrectionJson {
    pub(crate) id: i64,
    pub(crate) at: String,
    pub(crate) session: String,
    pub(crate) prompt: String,
    pub(crate) before: Option<CorrectedActJson>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CorrectedActJson {
    pub(crate) id: i64,
    pub(crate) what: String,
}

/// A rule whose blocks are tried again.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct BlockedAgainJson {
    pub(crate) rule: String,
    pub(crate) blocked: usize,
    pub(crate) again: usize,
    pub(crate) sessions: usize,
    pub(crate) last_at: String,
    pub(crate) evidence: Vec<i64>,
}

/// A rule that never fired.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct DeadRuleJson {
    pub(crate) rule: String,
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) considered: usize,
    pub(crate) reason: String,
}

/// A rule that stops calls which work.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct FalseAlarmJson {
    pub(crate) rule: String,
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) action: &'static str,
    pub(crate) fired: usize,
    pub(crate) went_well: usize,
    /// The newest, at most five.
    pub(crate) calls: Vec<AlarmedCallJson>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct AlarmedCallJson {
    pub(crate) at: String,
    pub(crate) session: Option<String>,
    pub(crate) what: String,
}

/// `nudge learn --write FILE --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct WrittenJson {
    pub(crate) file: String,
    pub(crate) written: Vec<String>,
}
