//! A trace: what became of one event, in few words, so that it can be explained afterwards.
//!
//! It names things and counts characters; texts of the agent are in it only as a short target, redacted before.

use serde::{Deserialize, Serialize};

use super::event::{Hook, SessionId};

/// What one hook did; read tolerantly, since an older or newer version may have written it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Trace {
    /// A short name of this one, to ask for it.
    pub(crate) id: String,
    /// Milliseconds since 1970.
    pub(crate) at: u64,
    /// From the start of our work until the reply was out.
    pub(crate) microseconds: u64,
    pub(crate) session: Option<SessionId>,
    /// The folder whose rules held.
    pub(crate) project: String,
    pub(crate) harness: String,
    pub(crate) hook: Hook,
    pub(crate) tool: Option<String>,
    pub(crate) target: Option<TracedTarget>,
    pub(crate) verdict: VerdictKind,
    /// So many rules were tried; the first of them are named.
    pub(crate) tried: usize,
    pub(crate) rules: Vec<TriedRule>,
    /// What there was to tell, each part with its characters.
    pub(crate) parts: Vec<(Part, usize)>,
    /// The characters that the agent was told.
    pub(crate) told: usize,
    pub(crate) recorded: Recorded,
    pub(crate) problems: Vec<String>,
}

/// What a tool was used on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TracedTarget {
    File(String),
    /// A command as it was.
    Command(String),
    /// The beginning of a command, or one without its secrets.
    CommandGist(String),
}

/// What was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VerdictKind {
    #[default]
    Pass,
    Guide,
    Block,
    /// The event could not be read, so there was no answer.
    Lost,
}

/// A rule that the event concerned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TriedRule {
    pub(crate) rule: String,
    pub(crate) fate: Fate,
}

/// What became of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fate {
    Blocked,
    Guided,
    /// It fired, but had spoken in this session before.
    SaidBefore,
    /// This field of `match` was not found.
    Unmatched(String),
    Excepted,
    Unevaluated(String),
}

impl Fate {
    pub(crate) fn fired(&self) -> bool {
        matches!(self, Fate::Blocked | Fate::Guided)
    }
}

/// A part of what an agent is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Part {
    Rules,
    /// The project itself refuses: a role, or a gate of the settings.
    Refusal,
    Tags,
    Mode,
    Tasks,
    Plan,
    Agents,
    Role,
    Knowledge,
    Past,
    Hints,
    /// A part of a newer version.
    #[serde(other)]
    Other,
}

impl Part {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Part::Rules => "rules",
            Part::Refusal => "a gate of the project",
            Part::Tags => "tags",
            Part::Mode => "mode",
            Part::Tasks => "tasks",
            Part::Plan => "plan",
            Part::Agents => "agents",
            Part::Role => "role",
            Part::Knowledge => "knowledge",
            Part::Past => "past",
            Part::Hints => "hints",
            Part::Other => "other",
        }
    }
}

/// Whether the event is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Recorded {
    /// There is nothing in it that anybody would look for.
    #[default]
    Nothing,
    Observations(usize),
    /// The settings switch the memory off.
    Off,
    /// It should have been, and was not: this is why.
    Dropped(String),
}
