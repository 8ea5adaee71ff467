//! A trace: a short record of what happened to one event, so that it can be explained later.
//!
//! It contains names and character counts; of the agent's texts it has only a short, redacted target.

use serde::{Deserialize, Serialize};

use super::event::{Hook, SessionId};
use super::observation::ObservationId;

/// What one hook call did; parsed leniently, since an older or newer version may have written it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Trace {
    /// A short id, to refer to this trace.
    pub(crate) id: String,
    /// Milliseconds since 1970.
    pub(crate) at: u64,
    /// From the start of the hook until the reply was sent.
    pub(crate) microseconds: u64,
    pub(crate) session: Option<SessionId>,
    /// The folder whose rules applied.
    pub(crate) project: String,
    pub(crate) harness: String,
    pub(crate) hook: Hook,
    pub(crate) tool: Option<String>,
    pub(crate) target: Option<TracedTarget>,
    pub(crate) verdict: VerdictKind,
    /// The number of rules that were evaluated; only the first of them are in `rules`.
    pub(crate) tried: usize,
    pub(crate) rules: Vec<TriedRule>,
    /// The role or the setting that refused the action, if it was not a rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refused_by: Option<String>,
    /// The parts of the added context, each with its length in characters.
    pub(crate) parts: Vec<(ContextPart, usize)>,
    /// The first observations that the memory's part is made from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rows: Vec<ObservationId>,
    /// The rows of colleagues that it is made from, by their numbers here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) colleague_rows: Vec<i64>,
    /// The length of the text that was sent to the agent, in characters.
    pub(crate) told: usize,
    pub(crate) recorded: Recorded,
    pub(crate) problems: Vec<String>,
    /// The hint server did not answer within this time, in milliseconds; so no hints were added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) late_hints_ms: Option<u64>,
    /// The rule that says what the memory would have warned of, so that the memory said nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) said_by_rule: Option<String>,
    /// Why the command could not be read as a shell reads it, so that rules looked for words in its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unread_command: Option<String>,
}

/// What a tool was used on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TracedTarget {
    File(String),
    /// An unchanged command.
    Command(String),
    /// A command that was cut or redacted.
    CommandGist(String),
}

/// The kind of reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VerdictKind {
    #[default]
    Pass,
    Guide,
    /// The agent asks a person.
    Ask,
    Block,
    /// The event could not be parsed, so there was no reply.
    Lost,
}

/// A rule that was evaluated for the event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TriedRule {
    pub(crate) rule: String,
    pub(crate) fate: Fate,
    /// What happened earlier in the session, if the rule fired because of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) after: Option<String>,
}

/// The outcome of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fate {
    Blocked,
    Guided,
    /// The agent asks a person.
    Asked,
    /// A person should have been asked, but this agent asks nobody now, so the action was refused.
    AskRefused,
    /// A person had allowed exactly this call with `nudge allow`.
    AllowedOnce,
    /// It fired, but its message was already shown in this session.
    SaidBefore,
    /// It fired, but is only counted.
    Shadowed,
    /// It fired, but its text may not reach the agent, because the user has not trusted it.
    Untrusted,
    /// This field of `match` was not found.
    Unmatched(String),
    /// This condition of `when` was not true.
    Unmet(String),
    Excepted,
    /// It matched, but what it asks about the session was not true.
    Waits(String),
    Unevaluated(String),
}

impl Fate {
    pub(crate) fn fired(&self) -> bool {
        matches!(self, Fate::Blocked | Fate::Guided | Fate::Asked | Fate::AskRefused | Fate::AllowedOnce)
    }
}

/// A part of the context that an agent gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContextPart {
    Rules,
    /// The project itself refused the action: through a role, or a gate in the settings.
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

impl ContextPart {
    /// Returns whether each message of this part says itself which rule or gate it is of.
    pub(crate) fn is_signed(self) -> bool {
        matches!(self, ContextPart::Rules | ContextPart::Refusal)
    }

    /// Returns the name in a signature, as the guides call it.
    pub(crate) fn signature(self) -> &'static str {
        match self {
            ContextPart::Past => "memory",
            other => other.name(),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            ContextPart::Rules => "rules",
            ContextPart::Refusal => "a gate of the project",
            ContextPart::Tags => "tags",
            ContextPart::Mode => "mode",
            ContextPart::Tasks => "tasks",
            ContextPart::Plan => "plan",
            ContextPart::Agents => "agents",
            ContextPart::Role => "role",
            ContextPart::Knowledge => "knowledge",
            ContextPart::Past => "past",
            ContextPart::Hints => "hints",
            ContextPart::Other => "other",
        }
    }
}

/// Whether the event is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Recorded {
    /// It contains nothing worth remembering.
    #[default]
    Nothing,
    Observations(usize),
    /// The memory is disabled in the settings.
    Off,
    /// It should have been recorded, but was not, for this reason.
    Dropped(String),
}
