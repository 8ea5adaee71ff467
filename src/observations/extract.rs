//! Extracts what is worth remembering from each kind of event: one draft for most, none if nobody would search for it.

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Value, json};

use super::notes::{MAX_VALUE, Notes};
use super::signature::Varying;
use super::{command, failure, gist, runners, window};
use crate::model::{
    ANSWER, BLOCKED, CallNews, Event, FAILED_TOOL, Hook, ObservationType, Project, TODO, Timestamp,
    TodoChange, TodoItem, ToolAction, ToolCall, ToolResult, changed_list, list_text,
};
use crate::redact::OwnPatterns;
use crate::shell;

/// The program is searched in this many bytes of a command line.
const MAX_COMMAND: usize = 4 << 10;
/// Maximum length of a subagent's task, in characters.
const MAX_TASK: usize = 500;
/// Items of a list of what is to do: how many, and their maximum length in characters.
const MAX_TODO_ITEMS: usize = 40;
const MAX_TODO_TEXT: usize = 160;
const MAX_TODO_ID: usize = 40;

/// The circumstances of an event.
#[derive(Debug, Clone, Default)]
pub(crate) struct Circumstances<'c> {
    pub(crate) now: Timestamp,
    pub(crate) project: Option<Project>,
    /// The folder that paths are relative to.
    pub(crate) root: Option<&'c Path>,
    pub(crate) branch: Option<String>,
    /// The name of a linked git worktree; `None` in the repository's own folder.
    pub(crate) worktree: Option<String>,
    /// What a rule did with the event.
    pub(crate) rule: Option<RuleWord>,
    /// The name of that rule; `None` if a gate of the project refused the event.
    pub(crate) rule_name: Option<String>,
    /// How long the call took, for agents that do not say it.
    pub(crate) took_ms: Option<u64>,
}

impl Circumstances<'_> {
    fn duration(&self, result: Option<&ToolResult>) -> Option<(&'static str, Value)> {
        let took = result.and_then(|result| result.duration_ms).or(self.took_ms)?;
        Some(("duration_ms", json!(took)))
    }
}

/// What a rule did with an event, with its message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RuleWord {
    Blocked(String),
    Guided(String),
}

/// An observation before its texts are redacted and cut; excerpts of texts are redacted already.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ObservationDraft {
    pub(super) kind: ObservationType,
    pub(super) content: String,
    pub(super) path: Option<String>,
    pub(super) metadata: Vec<(&'static str, Value)>,
    pub(super) program: Option<String>,
    pub(super) signature: Option<String>,
    /// What was redacted and cut in the excerpts.
    pub(super) notes: Notes,
}

pub(super) fn drafts(event: &Event, at: &Circumstances<'_>, own: &OwnPatterns) -> Vec<ObservationDraft> {
    let mut drafts = match (&at.rule, event.hook) {
        (Some(RuleWord::Blocked(message)), Hook::PreToolUse | Hook::UserPromptSubmit | Hook::Stop) => {
            blocked_event(event, message, at, own).into_iter().collect()
        }
        (rule, Hook::PostToolUse) => {
            let mut drafts = event
                .tool
                .as_ref()
                .map(|tool| tool_use(tool, event.result.as_ref(), at, own))
                .unwrap_or_default();
            drafts.extend(event.news.as_ref().and_then(|news| news_draft(news, own)));
            // The tool has run, and the rule objected afterwards: both happened.
            if let Some(RuleWord::Blocked(message)) = rule {
                drafts.extend(blocked_event(event, message, at, own));
            }
            drafts
        }
        (_, Hook::PostToolUseFailure) => {
            event.tool.iter().filter_map(|tool| failed_use(tool, event.result.as_ref(), at, own)).collect()
        }
        (_, Hook::UserPromptSubmit) => user_prompt(event).into_iter().collect(),
        (_, Hook::Stop) => agent_text(event, ObservationType::Outcome).into_iter().collect(),
        (_, Hook::PostCompact) => agent_text(event, ObservationType::Summary).into_iter().collect(),
        (_, Hook::SessionStart) => {
            vec![session_boundary(event, ObservationType::SessionStart, "session started")]
        }
        (_, Hook::SessionEnd) => vec![session_boundary(event, ObservationType::SessionEnd, "session ended")],
        _ => Vec::new(),
    };
    for draft in &mut drafts {
        draft.metadata.extend((!event.harness.is_empty()).then(|| ("harness", json!(event.harness))));
        draft.metadata.extend(at.branch.iter().map(|branch| ("branch", json!(branch))));
        draft.metadata.extend(at.worktree.iter().map(|name| ("worktree", json!(name))));
        draft.metadata.extend(event.agent_id.iter().map(|id| ("agent_id", json!(id))));
        draft.metadata.extend(event.tool_use_id.iter().map(|id| ("tool_use_id", json!(id))));
        if let Some(RuleWord::Guided(message)) = &at.rule {
            let message = gist::first_line(message, &mut draft.notes, own);
            draft.metadata.push(("guided", json!(message)));
            draft.metadata.extend(at.rule_name.iter().map(|name| ("rule", json!(name))));
        }
    }
    drafts
}

fn tool_use(
    tool: &ToolCall,
    result: Option<&ToolResult>,
    at: &Circumstances<'_>,
    own: &OwnPatterns,
) -> Vec<ObservationDraft> {
    let failed_quietly = result.is_some_and(|result| result.failed);
    if failed_quietly || failed_unreported(tool, result) {
        return failed_use(tool, result, at, own).into_iter().collect();
    }
    let duration = at.duration(result);
    let mut drafts: Vec<ObservationDraft> = match &tool.action {
        ToolAction::Patch { changes } => {
            changes.iter().filter_map(|change| completed_action(change, result, own)).collect()
        }
        action => completed_action(action, result, own).into_iter().collect(),
    };
    drafts.iter_mut().for_each(|draft| draft.metadata.extend(duration.clone()));
    drafts
}

fn completed_action(
    action: &ToolAction,
    result: Option<&ToolResult>,
    own: &OwnPatterns,
) -> Option<ObservationDraft> {
    let mut notes = Notes::default();
    let draft = match action {
        ToolAction::Read { path, .. } => file_draft(ObservationType::FileRead, path, path.clone()),
        ToolAction::Write { path, content } => {
            let mut draft = file_draft(
                ObservationType::FileWrite,
                path,
                format!("{path}: {}", gist::of_content(path, content, &mut notes, own)),
            );
            draft.metadata.extend([("bytes", json!(content.len())), ("hash", json!(gist::hash(content)))]);
            draft
        }
        ToolAction::Edit { path, replacements, .. } => file_draft(
            ObservationType::FileEdit,
            path,
            format!("{path}: {}", gist::of_edits(path, replacements, &mut notes, own)),
        ),
        ToolAction::EditNotebook { path, source } => {
            let what = match source {
                Some(source) => gist::of_content(path, source, &mut notes, own),
                None => "a cell was deleted".to_owned(),
            };
            file_draft(ObservationType::FileEdit, path, format!("{path}: {what}"))
        }
        ToolAction::Command { command } => return Some(completed_command(command, result, own)),
        ToolAction::Search { query, place, kind, .. } => {
            let place = place.as_ref().map(|place| format!(" in {place}")).unwrap_or_default();
            let hits = result.and_then(|result| result.hits);
            let count = hits
                .map(|hits| format!(" ({hits} hit{})", if hits == 1 { "" } else { "s" }))
                .unwrap_or_default();
            let mut draft = new_draft(ObservationType::Search, format!("{query}{place}{count}"));
            draft.metadata.extend(kind.map(|kind| ("kind", json!(kind))));
            draft.metadata.extend(hits.map(|hits| ("hits", json!(hits))));
            draft
        }
        ToolAction::Mcp { server, tool, arguments, .. } => {
            let mut draft = new_draft(ObservationType::McpCall, format!("{server} {tool} {arguments}"));
            draft.metadata.extend([("server", json!(server)), ("mcp_tool", json!(tool))]);
            draft.program = Some(format!("{server} {tool}"));
            draft
        }
        ToolAction::Agent { task, agent_type, .. } => {
            let who = agent_type.as_deref().unwrap_or("agent");
            let task = gist::clean_short(task, MAX_TASK, &mut notes, own);
            let mut draft = new_draft(ObservationType::Command, format!("{who}: {task}"));
            draft.metadata.push(("kind", json!("agent")));
            draft
        }
        ToolAction::Delete { path } => {
            file_draft(ObservationType::FileEdit, path, format!("{path}: deleted"))
        }
        ToolAction::Patch { .. } | ToolAction::Other { .. } => return None,
    };
    Some(ObservationDraft { notes, ..draft })
}

fn completed_command(line: &str, result: Option<&ToolResult>, own: &OwnPatterns) -> ObservationDraft {
    let mut notes = Notes::default();
    let output = result.map(|result| result.output.as_str()).unwrap_or_default();
    let unfinished = result.is_some_and(|result| result.unfinished);
    let summary = gist::summarize_output(line, output, &mut notes, own);
    let summary = summary.or_else(|| gist::quiet_commit(line, unfinished, &mut notes, own));
    let content = match &summary {
        Some(summary) if !summary.text.is_empty() => format!("{line}\n{}", summary.text),
        _ => line.to_owned(),
    };
    let mut draft = new_draft(ObservationType::Command, content);
    draft.metadata.push(("command", json!(line)));
    // A command that still runs in the background has no exit code.
    if !unfinished {
        draft.metadata.push(("exit_code", json!(result.and_then(|result| result.exit_code).unwrap_or(0))));
    }
    draft.metadata.extend(summary.into_iter().flat_map(|summary| summary.metadata));
    let line = window::head(line, MAX_COMMAND, &mut notes, own);
    let parts = shell::parts(&line);
    draft.program = command::program(&parts);
    draft.metadata.extend(command::programs(&parts).map(|programs| ("programs", json!(programs))));
    draft.notes = notes;
    draft
}

/// Returns whether a command failed although nobody says so: a pipe or `|| true` hides its exit code, or the agent does
/// not send one and the output shows it.
pub(crate) fn failed_unreported(tool: &ToolCall, result: Option<&ToolResult>) -> bool {
    let (ToolAction::Command { command }, Some(result)) = (&tool.action, result) else { return false };
    if result.exit_code.unwrap_or(0) != 0 {
        return false;
    }
    // A line without a pipe, a `;` or a second line has the exit code of what it runs.
    let may_hide = command.contains(['|', ';', '\n']) && !result.unfinished;
    let is_unknown = result.exit_code.is_none();
    if !may_hide && !is_unknown {
        return false;
    }
    let parts = shell::parts(command);
    may_hide && runners::hidden_failure(&parts, command, &result.output).is_some()
        || is_unknown && runners::says_failed(&parts, command, &result.output)
}

fn failed_use(
    tool: &ToolCall,
    result: Option<&ToolResult>,
    at: &Circumstances<'_>,
    own: &OwnPatterns,
) -> Option<ObservationDraft> {
    let result = result?;
    // An edit that failed because the agent misquoted the file is of no interest to the next session.
    let is_kept = matches!(
        tool.action,
        ToolAction::Command { .. }
            | ToolAction::Mcp { .. }
            | ToolAction::Read { .. }
            | ToolAction::Search { .. }
    );
    if !is_kept || result.interrupted && !matches!(tool.action, ToolAction::Command { .. }) {
        return None;
    }
    let mut notes = Notes::default();
    let folder = at.root.and_then(Path::file_name).and_then(|name| name.to_str());
    let line = match &tool.action {
        ToolAction::Command { command } => window::head(command, MAX_COMMAND, &mut notes, own),
        _ => Cow::Borrowed(""),
    };
    let varying = Varying { branch: at.branch.as_deref(), folder, command: &line };
    let failure = failure::parse_failure(&result.output, varying, &mut notes, own);
    let excerpt = failure.excerpt;
    let mut draft = match &tool.action {
        ToolAction::Command { command } => {
            // A long script must leave room for what it printed, and the output must be found behind it again.
            let shown = if excerpt.is_empty() {
                Cow::Borrowed(command.as_str())
            } else {
                notes.clean(command, MAX_VALUE, own)
            };
            let mut draft = new_draft(ObservationType::CommandError, with_output(&shown, &excerpt));
            draft.metadata.push(("command", json!(command)));
            draft.program = command::failed_program(&line, &excerpt);
            if !result.failed && result.exit_code.unwrap_or(0) == 0 {
                let is_piped = command.contains(['|', ';', '\n']);
                let how = if is_piped { "behind a pipe" } else { "by its output" };
                draft.metadata.push(("failed", json!(how)));
                draft.metadata.extend(is_piped.then(|| ("exit_code", json!(0))));
            }
            draft
        }
        ToolAction::Mcp { server, tool, arguments, .. } => {
            let content = with_output(&format!("{server} {tool} {arguments}"), &excerpt);
            let mut draft = new_draft(ObservationType::CommandError, content);
            draft.metadata.extend([("server", json!(server)), ("mcp_tool", json!(tool))]);
            draft.program = Some(format!("{server} {tool}"));
            draft
        }
        ToolAction::Read { path, .. } => {
            let mut draft = failed_look(tool, &format!("{} {path}", tool.name), &excerpt);
            draft.path = Some(path.clone());
            draft
        }
        ToolAction::Search { query, .. } => failed_look(tool, &format!("{} {query}", tool.name), &excerpt),
        _ => return None,
    };
    draft.metadata.extend(result.exit_code.map(|code| ("exit_code", json!(code))));
    draft.metadata.extend(result.interrupted.then(|| ("interrupted", json!(true))));
    draft.metadata.extend(at.duration(Some(result)));
    // What the user stopped has not failed, so it is no failure that could come back.
    draft.signature = failure.signature.filter(|_| !result.interrupted);
    draft.notes = notes;
    Some(draft)
}

/// Returns what a call says about the work itself: the user's answers, the agent's list.
fn news_draft(news: &CallNews, own: &OwnPatterns) -> Option<ObservationDraft> {
    match news {
        CallNews::Answers(answers) => {
            let mut draft = new_draft(ObservationType::UserPrompt, answers.clone());
            draft.metadata.push(("kind", json!(ANSWER)));
            Some(draft)
        }
        CallNews::Todo(change) => {
            let mut notes = Notes::default();
            let mut clean = |items: &[TodoItem]| -> Vec<TodoItem> {
                let items = items.iter().take(MAX_TODO_ITEMS);
                let clean = |item: &TodoItem| TodoItem {
                    id: item.id.as_deref().map(|id| gist::clean_short(id, MAX_TODO_ID, &mut notes, own)),
                    text: gist::clean_short(&item.text, MAX_TODO_TEXT, &mut notes, own),
                    state: item.state,
                };
                items.map(clean).collect()
            };
            let change = match change {
                TodoChange::Whole(items) => TodoChange::Whole(clean(items)),
                TodoChange::Some(items) => TodoChange::Some(clean(items)),
            };
            // A part of a list is joined with the rest when it is stored.
            let list = changed_list(Vec::new(), change.clone());
            let mut draft = new_draft(ObservationType::Summary, list_text(&list));
            draft.metadata.extend([("kind", json!(TODO)), (TODO, json!(change))]);
            draft.notes = notes;
            Some(draft)
        }
    }
}

/// Appends the output to the command; often there is none.
fn with_output(what: &str, output: &str) -> String {
    if output.is_empty() { what.to_owned() } else { format!("{what}\n{output}") }
}

/// Returns the failure of a tool that only looks: it comes back in other sessions, but nothing is broken by it.
fn failed_look(tool: &ToolCall, what: &str, excerpt: &str) -> ObservationDraft {
    let mut draft = new_draft(ObservationType::CommandError, with_output(what, excerpt));
    draft.metadata.push(("kind", json!(FAILED_TOOL)));
    draft.program = Some(tool.name.clone());
    draft
}

fn blocked_event(
    event: &Event,
    message: &str,
    at: &Circumstances<'_>,
    own: &OwnPatterns,
) -> Option<ObservationDraft> {
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
    let mut draft = new_draft(
        ObservationType::CommandError,
        format!("blocked by a rule: {}\n{message}", what.trim_end()),
    );
    draft.path = event.tool.as_ref().and_then(|tool| tool.action.path()).map(str::to_owned);
    draft.metadata.push(("kind", json!(BLOCKED)));
    draft.metadata.extend(at.rule_name.iter().map(|name| ("rule", json!(name))));
    draft.notes = notes;
    Some(draft)
}

fn user_prompt(event: &Event) -> Option<ObservationDraft> {
    let text = crate::redact::without_private(event.prompt.as_deref()?);
    let text = text.trim();
    let mut draft = new_draft(ObservationType::UserPrompt, text.to_owned());
    // Words with which the user refused a change belong to its file.
    let is_change = |action: &&ToolAction| {
        matches!(action, ToolAction::Write { .. } | ToolAction::Edit { .. } | ToolAction::EditNotebook { .. })
    };
    let change = event.tool.as_ref().map(|tool| &tool.action).filter(is_change);
    draft.path = change.and_then(ToolAction::path).map(str::to_owned);
    (!text.is_empty()).then_some(draft)
}

/// Returns what the agent said at the end of a turn, or how it summarized the conversation.
fn agent_text(event: &Event, kind: ObservationType) -> Option<ObservationDraft> {
    let text = crate::redact::without_private(event.closing_message.as_deref()?);
    let text = text.trim();
    (!text.is_empty()).then(|| new_draft(kind, text.to_owned()))
}

fn session_boundary(event: &Event, kind: ObservationType, what: &str) -> ObservationDraft {
    let mut draft = new_draft(
        kind,
        event.cause.as_ref().map_or_else(|| what.to_owned(), |cause| format!("{what} ({cause})")),
    );
    draft.metadata.extend(event.cause.iter().map(|cause| ("cause", json!(cause))));
    draft
}

fn file_draft(kind: ObservationType, path: &str, content: String) -> ObservationDraft {
    ObservationDraft { path: Some(path.to_owned()), ..new_draft(kind, content) }
}

fn new_draft(kind: ObservationType, content: String) -> ObservationDraft {
    ObservationDraft {
        kind,
        content,
        path: None,
        metadata: Vec::new(),
        program: None,
        signature: None,
        notes: Notes::default(),
    }
}
