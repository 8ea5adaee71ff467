//! What each kind of event says: one draft for most, none for what nobody would look for.

use std::path::Path;

use serde_json::{Value, json};

use super::finish::Notes;
use super::{command, failure, gist, window};
use crate::model::{Event, Hook, ObservationType, Project, Timestamp, ToolAction, ToolCall, ToolResult};
use crate::redact::OwnPatterns;

/// The program of a command line is looked for in so many of its bytes.
const MAX_COMMAND: usize = 4 << 10;
/// The most characters of a subagent's task.
const MAX_TASK: usize = 500;

/// What is known of an event from around it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Circumstances<'c> {
    pub(crate) now: Timestamp,
    pub(crate) project: Option<Project>,
    /// The folder that paths are told relative to.
    pub(crate) root: Option<&'c Path>,
    pub(crate) branch: Option<String>,
    /// What a rule said to the event.
    pub(crate) rule: Option<RuleWord>,
}

/// A rule's part in an event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RuleWord {
    Blocked(String),
    Guided(String),
}

/// An observation before its whole texts are redacted and cut; what is only a part of a text is redacted already.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Draft {
    pub(super) kind: ObservationType,
    pub(super) content: String,
    pub(super) path: Option<String>,
    pub(super) metadata: Vec<(&'static str, Value)>,
    pub(super) program: Option<String>,
    pub(super) signature: Option<String>,
    /// What was done to the parts.
    pub(super) notes: Notes,
}

pub(super) fn drafts(event: &Event, at: &Circumstances<'_>, own: &OwnPatterns) -> Vec<Draft> {
    let mut drafts = match (&at.rule, event.hook) {
        (Some(RuleWord::Blocked(message)), Hook::PreToolUse | Hook::UserPromptSubmit | Hook::Stop) => {
            blocked(event, message, own).into_iter().collect()
        }
        (rule, Hook::PostToolUse) => {
            let mut drafts =
                event.tool.as_ref().map(|tool| used(tool, event.result.as_ref(), own)).unwrap_or_default();
            // The tool has run, and the rule has objected afterwards: both happened.
            if let Some(RuleWord::Blocked(message)) = rule {
                drafts.extend(blocked(event, message, own));
            }
            drafts
        }
        (_, Hook::PostToolUseFailure) => {
            event.tool.iter().filter_map(|tool| failed(tool, event.result.as_ref(), own)).collect()
        }
        (_, Hook::UserPromptSubmit) => prompt(event).into_iter().collect(),
        (_, Hook::SessionStart) => vec![session(event, ObservationType::SessionStart, "session started")],
        (_, Hook::SessionEnd) => vec![session(event, ObservationType::SessionEnd, "session ended")],
        _ => Vec::new(),
    };
    for draft in &mut drafts {
        draft.metadata.extend(at.branch.iter().map(|branch| ("branch", json!(branch))));
        draft.metadata.extend(event.agent_id.iter().map(|id| ("agent_id", json!(id))));
        draft.metadata.extend(event.tool_use_id.iter().map(|id| ("tool_use_id", json!(id))));
        if let Some(RuleWord::Guided(message)) = &at.rule {
            let message = gist::first_line(message, &mut draft.notes, own);
            draft.metadata.push(("guided", json!(message)));
        }
    }
    drafts
}

fn used(tool: &ToolCall, result: Option<&ToolResult>, own: &OwnPatterns) -> Vec<Draft> {
    let failed_quietly = result.is_some_and(|result| result.failed);
    if failed_quietly {
        return failed(tool, result, own).into_iter().collect();
    }
    let duration = result.and_then(|result| result.duration_ms).map(|time| ("duration_ms", json!(time)));
    let mut drafts: Vec<Draft> = match &tool.action {
        ToolAction::Patch { changes } => {
            changes.iter().filter_map(|change| done(change, result, own)).collect()
        }
        action => done(action, result, own).into_iter().collect(),
    };
    drafts.iter_mut().for_each(|draft| draft.metadata.extend(duration.clone()));
    drafts
}

fn done(action: &ToolAction, result: Option<&ToolResult>, own: &OwnPatterns) -> Option<Draft> {
    let mut notes = Notes::default();
    let draft = match action {
        ToolAction::Read { path, .. } => about(ObservationType::FileRead, path, path.clone()),
        ToolAction::Write { path, content } => {
            let mut draft =
                about(ObservationType::FileWrite, path, format!("{path}: {}", gist::of_content(content)));
            draft.metadata.extend([("bytes", json!(content.len())), ("hash", json!(gist::hash(content)))]);
            draft
        }
        ToolAction::Edit { path, replacements, .. } => about(
            ObservationType::FileEdit,
            path,
            format!("{path}: {}", gist::of_edits(replacements, &mut notes, own)),
        ),
        ToolAction::EditNotebook { path, source } => {
            let what = source.as_deref().map_or_else(|| "a cell was deleted".to_owned(), gist::of_content);
            about(ObservationType::FileEdit, path, format!("{path}: {what}"))
        }
        ToolAction::Command { command } => return Some(ran(command, result, own)),
        ToolAction::Search { query, place, kind, .. } => {
            let place = place.as_ref().map(|place| format!(" in {place}")).unwrap_or_default();
            let hits = result.and_then(|result| result.hits);
            let count = hits.map(|hits| format!(" ({hits} hits)")).unwrap_or_default();
            let mut draft = draft(ObservationType::Search, format!("{query}{place}{count}"));
            draft.metadata.extend(kind.map(|kind| ("kind", json!(kind))));
            draft.metadata.extend(hits.map(|hits| ("hits", json!(hits))));
            draft
        }
        ToolAction::Mcp { server, tool, arguments, .. } => {
            let mut draft = draft(ObservationType::McpCall, format!("{server} {tool} {arguments}"));
            draft.metadata.extend([("server", json!(server)), ("mcp_tool", json!(tool))]);
            draft
        }
        ToolAction::Agent { task, agent_type, .. } => {
            let who = agent_type.as_deref().unwrap_or("agent");
            let task = gist::clean_short(task, MAX_TASK, &mut notes, own);
            let mut draft = draft(ObservationType::Command, format!("{who}: {task}"));
            draft.metadata.push(("kind", json!("agent")));
            draft
        }
        ToolAction::Delete { path } => about(ObservationType::FileEdit, path, format!("{path}: deleted")),
        ToolAction::Patch { .. } | ToolAction::Other { .. } => return None,
    };
    Some(Draft { notes, ..draft })
}

fn ran(line: &str, result: Option<&ToolResult>, own: &OwnPatterns) -> Draft {
    let mut notes = Notes::default();
    let output = result.map(|result| result.output.as_str()).unwrap_or_default();
    let told = gist::telling_output(line, output, &mut notes, own);
    let content = match &told {
        Some(told) => format!("{line}\n{}", told.text),
        None => line.to_owned(),
    };
    let mut draft = draft(ObservationType::Command, content);
    draft.metadata.push(("command", json!(line)));
    // A command whose end nobody has seen (it goes on in the background) has no exit code.
    if !result.is_some_and(|result| result.unfinished) {
        draft.metadata.push(("exit_code", json!(result.and_then(|result| result.exit_code).unwrap_or(0))));
    }
    draft.metadata.extend(told.into_iter().flat_map(|told| told.metadata));
    draft.program = command::program(&window::head(line, MAX_COMMAND, &mut notes, own));
    draft.notes = notes;
    draft
}

fn failed(tool: &ToolCall, result: Option<&ToolResult>, own: &OwnPatterns) -> Option<Draft> {
    let result = result?;
    // That an agent misquoted a file when editing it says nothing to the next session.
    if !matches!(tool.action, ToolAction::Command { .. } | ToolAction::Mcp { .. }) {
        return None;
    }
    let mut notes = Notes::default();
    let failure = failure::read(&result.output, &mut notes, own);
    let excerpt = failure.excerpt;
    let mut draft = match &tool.action {
        ToolAction::Command { command: line } => {
            let mut draft = draft(ObservationType::CommandError, with_output(line, &excerpt));
            draft.metadata.push(("command", json!(line)));
            draft.program = command::program(&window::head(line, MAX_COMMAND, &mut notes, own));
            draft
        }
        ToolAction::Mcp { server, tool, arguments, .. } => {
            let content = with_output(&format!("{server} {tool} {arguments}"), &excerpt);
            let mut draft = draft(ObservationType::CommandError, content);
            draft.metadata.extend([("server", json!(server)), ("mcp_tool", json!(tool))]);
            draft.program = Some(format!("{server} {tool}"));
            draft
        }
        _ => return None,
    };
    draft.metadata.extend(result.exit_code.map(|code| ("exit_code", json!(code))));
    draft.metadata.extend(result.interrupted.then(|| ("interrupted", json!(true))));
    draft.metadata.extend(result.duration_ms.map(|time| ("duration_ms", json!(time))));
    draft.signature = failure.signature;
    draft.notes = notes;
    Some(draft)
}

/// Puts what was printed below what was done; often nothing was.
fn with_output(what: &str, output: &str) -> String {
    if output.is_empty() { what.to_owned() } else { format!("{what}\n{output}") }
}

fn blocked(event: &Event, message: &str, own: &OwnPatterns) -> Option<Draft> {
    let mut notes = Notes::default();
    let what = match (&event.tool, event.hook) {
        (Some(tool), _) => match &tool.action {
            ToolAction::Command { command } => {
                format!("{} {}", tool.name, gist::first_line(command, &mut notes, own))
            }
            action => format!("{} {}", tool.name, action.path().unwrap_or_default()),
        },
        (None, Hook::UserPromptSubmit) => "a prompt".to_owned(),
        (None, _) => "the end of a turn".to_owned(),
    };
    let mut draft =
        draft(ObservationType::CommandError, format!("blocked by a rule: {}\n{message}", what.trim_end()));
    draft.path = event.tool.as_ref().and_then(|tool| tool.action.path()).map(str::to_owned);
    draft.metadata.push(("kind", json!("rule")));
    draft.notes = notes;
    Some(draft)
}

fn prompt(event: &Event) -> Option<Draft> {
    let text = crate::redact::without_private(event.prompt.as_deref()?);
    let text = text.trim();
    (!text.is_empty()).then(|| draft(ObservationType::UserPrompt, text.to_owned()))
}

fn session(event: &Event, kind: ObservationType, what: &str) -> Draft {
    let mut draft = draft(
        kind,
        event.cause.as_ref().map_or_else(|| what.to_owned(), |cause| format!("{what} ({cause})")),
    );
    draft.metadata.extend(event.cause.iter().map(|cause| ("cause", json!(cause))));
    draft
}

fn about(kind: ObservationType, path: &str, content: String) -> Draft {
    Draft { path: Some(path.to_owned()), ..draft(kind, content) }
}

fn draft(kind: ObservationType, content: String) -> Draft {
    Draft {
        kind,
        content,
        path: None,
        metadata: Vec::new(),
        program: None,
        signature: None,
        notes: Notes::default(),
    }
}
