//! What the commands of rules print as JSON.

use std::path::PathBuf;

use serde::Serialize;

use super::backfill::ToolImportJson;
use super::list::ListWire;
use super::problem::ProblemJson;
use super::replay::{ReplayCountsJson, ReplayJson};

/// `nudge rules --json`.
#[derive(Debug, Serialize)]
pub(crate) struct RulesJson {
    pub(crate) root: PathBuf,
    #[serde(flatten)]
    pub(crate) rules: ListWire<RuleJson>,
    pub(crate) problems: Vec<ProblemJson>,
}

#[derive(Debug, Serialize)]
pub(crate) struct RuleJson {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) hook: &'static str,
    /// The tools that it is for, as a regex; `null` means all.
    pub(crate) tool: Option<String>,
    /// The files that it is for, as globs; `null` means all.
    pub(crate) target: Option<Vec<String>>,
    pub(crate) action: &'static str,
    pub(crate) enabled: bool,
    pub(crate) once: Option<&'static str>,
    pub(crate) shadow: bool,
    /// The pack that it comes from; `file` and `line` are where that pack is used.
    pub(crate) pack: Option<String>,
    pub(crate) file: String,
    pub(crate) line: usize,
}

/// `nudge validate --json`.
#[derive(Debug, Serialize)]
pub(crate) struct ValidationJson {
    pub(crate) ok: bool,
    pub(crate) files: Vec<ValidatedFileJson>,
    pub(crate) problems: Vec<ProblemJson>,
    /// What the rules would have done on the calls of the past, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replay: Option<ReplayJson>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ValidatedFileJson {
    pub(crate) file: String,
    pub(crate) rules: Vec<RuleJson>,
    pub(crate) problems: Vec<ProblemJson>,
}

/// What one rule does on a sample.
#[derive(Debug, Serialize)]
pub(crate) struct TriedRuleJson {
    pub(crate) rule: String,
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) result: String,
    pub(crate) reason: String,
    pub(crate) message: Option<String>,
    pub(crate) lines: Option<Vec<usize>>,
}

/// `nudge check --json`.
#[derive(Debug, Serialize)]
pub(crate) struct CheckJson {
    pub(crate) findings: Vec<FindingJson>,
    pub(crate) checked: usize,
    /// Findings that the baseline accepts; they are not among `findings`.
    pub(crate) accepted: usize,
    /// Findings of the baseline that were not found any more; 0 if only some files were checked.
    pub(crate) outdated: usize,
    pub(crate) skipped: Vec<SkippedFileJson>,
    pub(crate) problems: Vec<ProblemJson>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FindingJson {
    pub(crate) file: String,
    pub(crate) lines: Vec<usize>,
    pub(crate) rule: String,
    pub(crate) action: &'static str,
    pub(crate) message: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct SkippedFileJson {
    pub(crate) file: String,
    pub(crate) reason: String,
}

/// One row of `nudge rules --stats --json`.
#[derive(Debug, Serialize)]
pub(crate) struct RuleStatisticsJson {
    pub(crate) name: String,
    pub(crate) action: &'static str,
    pub(crate) enabled: bool,
    pub(crate) shadow: bool,
    pub(crate) place: String,
    pub(crate) fired: usize,
    /// Calls that it stopped: those that were not tried again, and those that it had to stop again.
    pub(crate) refused: usize,
    pub(crate) obeyed: usize,
    pub(crate) repeated: usize,
    /// Calls about which the agent asked a person.
    pub(crate) asked: usize,
    /// Calls that a person allowed: with `nudge allow`, or when the agent asked.
    pub(crate) allowed: usize,
    pub(crate) guided: usize,
    pub(crate) last_at: Option<String>,
    /// Why it is thought to be dead: no firing in 90 days, although there were events of its kind.
    pub(crate) dead: Option<String>,
}

/// `nudge rules import --json`.
#[derive(Debug, Serialize)]
pub(crate) struct ImportedRulesJson {
    #[serde(flatten)]
    pub(crate) import: ToolImportJson,
    /// What `nudge validate` says about the new file.
    pub(crate) problems: Vec<ProblemJson>,
    /// Calls of the last 30 days, and how often the new rules would have fired on them; `null` if nothing was written.
    pub(crate) calls: usize,
    pub(crate) counts: Option<ReplayCountsJson>,
}

/// One row of `nudge rules packs --json`.
#[derive(Debug, Serialize)]
pub(crate) struct PackJson {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) rules: usize,
    /// The files that use it here.
    pub(crate) used_in: Vec<String>,
}

/// `nudge rules add|enable|disable|shadow --json`.
#[derive(Debug, Serialize)]
pub(crate) struct RuleEditJson {
    /// The pack or rule.
    pub(crate) name: String,
    pub(crate) state: &'static str,
    /// Whether a file was written; false if everything was as wanted.
    pub(crate) changed: bool,
    pub(crate) written: Vec<String>,
    pub(crate) rules: Vec<String>,
}

/// One row of `nudge rules show --json`.
#[derive(Debug, Serialize)]
pub(crate) struct ShownRuleJson {
    #[serde(flatten)]
    pub(crate) rule: RuleJson,
    /// Whether a rule file here has it, itself or through its pack.
    pub(crate) used: bool,
    pub(crate) message: String,
    /// The number of examples on which it must fire, and must not.
    pub(crate) fires: usize,
    pub(crate) quiet: usize,
    /// The rule as it is written.
    pub(crate) source: String,
}
