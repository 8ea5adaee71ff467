//! One agent: everything that differs between agents, as data and plain functions.

use std::fmt;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::caller::MarksWire;
use super::place::InstallPlace;
use super::team::TeamForm;
use super::transcript::Transcripts;
use super::{Unreadable, json};
use crate::model::{Abilities, AgentManner, Asking, Connection, Event, Hook, RefusedCall, Verdict};

/// A coding agent whose hooks call nudge.
///
/// To add one:
///
/// 1. Record what it writes to its hooks, one file for each event: `tests/fixtures/NAME/EVENT.json`.
/// 2. Write its folder here, next to the others: `wire.rs` (a payload becomes an [`Event`]), `render.rs` (a verdict
///    becomes a reply), `install.rs` (its files, and nudge's entries in them) and `mod.rs` with `AGENT`, its row.
/// 3. Add `&folder::AGENT` to [`AGENTS`](super::AGENTS).
/// 4. Run `UPDATE_EXPECT=1 cargo test --lib harness` and read what it wrote beside the payloads: the events, every
///    reply, and what setup installs.
/// 5. Describe it in `docs/harnesses/ID.md`, and add its line to the table in `docs/harnesses/README.md`.
///
/// Nothing else lists agents: commands, completions, setup, doctor and the notes read this table, and
/// `tests/it/tidy/agents.rs` reports what was forgotten. Only a tool whose name no other agent uses also needs a word in
/// `model/tool_name.rs`, so that rules about that kind of tool apply to it.
pub(crate) struct Agent {
    /// The name after `--harness`, in the memory, and of its folder in `.nexus/state/`.
    pub(crate) id: &'static str,
    /// The name after `nudge setup`, and of its folder in `tests/fixtures/`.
    pub(crate) name: &'static str,
    /// Its name in sentences.
    pub(crate) title: &'static str,
    /// Its program on the `PATH`.
    pub(crate) program: &'static str,
    /// The environment variable in which it names the project's folder.
    pub(crate) project_variable: Option<&'static str>,
    /// The environment variable in which it names the folder of the plugin that calls a hook.
    pub(crate) plugin_variable: Option<&'static str>,
    /// Folders that it creates in the user's home or in a project; if one exists, the agent is in use.
    pub(crate) folders: &'static [&'static str],
    /// What it lets a hook do at each event.
    pub(crate) abilities: Abilities,
    /// Whether it asks a person when a hook says so.
    pub(crate) asking: Asking,
    /// The variable and its value which say that nobody sits before it to answer a question.
    pub(crate) unattended: Option<(&'static str, &'static str)>,
    /// How a program finds out that this agent has started it.
    pub(crate) children: ChildMarks,
    /// The events at which its screen shows nothing of a refusal; there the user is told in a line.
    pub(crate) hides_refusals: &'static [Hook],
    /// Its hooks report every file that it reads; otherwise nobody knows which notes are in use.
    pub(crate) sees_reads: bool,
    /// It says how long a call took; otherwise that is measured from the call's first event to its last.
    pub(crate) says_duration: bool,
    /// Its hooks name the subagent that an event is of; otherwise only the call that starts one is seen.
    pub(crate) names_subagents: bool,
    /// Returns whether it wrote a payload that came through the hooks in Claude Code's settings, which some agents also
    /// run.
    pub(super) claims: fn(&MarksWire) -> bool,
    /// Chooses the row for a payload, if the agent has more than one dialect.
    pub(super) dialect: Option<fn(&MarksWire) -> &'static Agent>,
    /// Parses a payload; `None` for an unknown event, which is not an error. The name comes from the command line, for
    /// payloads without one.
    pub(crate) parse: fn(&[u8], Option<&str>) -> Parsed,
    /// Parses a payload that was made from a record of a transcript.
    pub(crate) parse_value: fn(Value, Option<&str>) -> Option<Event>,
    /// Its transcripts of earlier sessions, if nudge can read them.
    pub(crate) transcripts: Option<&'static Transcripts>,
    /// Returns the verdict in the agent's format; may be empty.
    pub(crate) render: fn(&Event, &Verdict) -> String,
    /// Returns whether its transcript has something about this event that the payload lacks.
    pub(crate) needs_transcript: fn(&Event) -> bool,
    /// Adds that to the event, from the end of the transcript.
    pub(crate) complete: fn(&mut Event, &str),
    /// Returns the model's text in one line of the transcript, for versions that do not send the last message.
    pub(super) spoken: fn(&str) -> Option<String>,
    /// Returns the calls that the user refused with words, from the end of the transcript; hooks do not report them.
    pub(crate) refusals: fn(&str) -> Vec<RefusedCall>,
    /// Returns the folder with its settings.
    pub(crate) settings_folder: fn(&InstallPlace<'_>) -> PathBuf,
    /// Returns the entries that connect it to nudge.
    pub(crate) connection: fn(&InstallPlace<'_>) -> Connection,
    /// How it talks about other agents and about nudge's tools.
    pub(crate) manner: &'static AgentManner,
    /// The form of its own files for roles and skills, if it has such files.
    pub(crate) team: Option<&'static TeamForm>,
    /// How it keeps which hooks its user trusts, if it runs no others.
    pub(crate) trust: Option<&'static HookTrust>,
}

/// How a program finds out that an agent has started it.
pub(crate) struct ChildMarks {
    /// Variables that only the commands of an agent have.
    pub(crate) variables: &'static [&'static str],
    /// Names of its programs, which are then above a command; not those of an editor, whose terminal is the user's.
    pub(crate) programs: &'static [&'static str],
}

/// How an agent keeps which hooks its user trusts.
pub(crate) struct HookTrust {
    /// The file in its settings folder.
    pub(crate) file: &'static str,
    /// Counts the hooks that call a command: takes the names of the file with the hooks, its text, the command, and the text
    /// of the file above.
    pub(crate) count: fn(&[String], &str, &str, &str) -> TrustedHooks,
    /// What the user does to trust them.
    pub(crate) way_out: &'static str,
}

/// How many hooks the user trusts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TrustedHooks {
    pub(crate) trusted: usize,
    /// The user was not asked yet.
    pub(crate) unknown: usize,
    /// The user trusted something else in their place.
    pub(crate) changed: usize,
    pub(crate) disabled: usize,
}

/// The result of parsing a payload: an event, an unknown event (`None`), or an error.
pub(crate) type Parsed = Result<Option<Event>, Unreadable>;

impl fmt::Debug for Agent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.id)
    }
}

impl Agent {
    /// Finds the model's last message in the end of a transcript.
    pub(crate) fn last_message(&self, transcript_end: &str) -> Option<String> {
        transcript_end.lines().rev().find_map(self.spoken)
    }
}

/// A payload, field by field as the agent writes it.
pub(super) trait Wire: DeserializeOwned {
    /// Converts it to an event; `None` if the event's name is unknown.
    fn into_event(self, event_name: Option<&str>) -> Option<Event>;
}

/// Parses a payload of this type.
pub(super) fn parse<W: Wire>(input: &[u8], event_name: Option<&str>) -> Parsed {
    Ok(json::parse_object::<W>(input)?.into_event(event_name))
}

/// Parses a payload of this type that is already a value.
pub(super) fn parse_value<W: Wire>(payload: Value, event_name: Option<&str>) -> Option<Event> {
    serde_json::from_value::<W>(payload).ok()?.into_event(event_name)
}
