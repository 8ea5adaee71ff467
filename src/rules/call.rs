//! Splits an event into calls. A shell command that writes files becomes a command plus one write per file, because
//! agents edit that way too; a patch becomes one change per file.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::edits::{self, Edited};
use super::glob::FileFilter;
use super::language::{self, Language};
use super::schema::{Field, FileDeed};
use super::tool::ToolFilter;
use super::touch::{self, CallTouch};
use crate::model::{APPLY_PATCH, Event, Hook, Target, ToolAction, ToolCall, usual_tool_names};
use crate::shell::{self, CommandMatch, CommandPatterns, Dialect, RunPrograms, ShellRun, ShellWrite, Unread};

/// One action of an event, as rules see it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Call {
    /// The tool names that a `tool` filter may match.
    names: Vec<String>,
    part: CallPart,
    /// What the command of the call runs, read once for all rules.
    shell: Option<Arc<ShellRun>>,
    /// The files that it names, for rules with `does`.
    pub(crate) touches: Vec<CallTouch>,
    /// The file it is about, in every form that a glob may match; the caller fills it in, since it can access the disk.
    pub(crate) paths: Vec<Target>,
    /// The current content of that file, if an edit needs it.
    pub(crate) on_disk: Option<String>,
}

/// Which part of the event a call is.
#[derive(Debug, Clone, PartialEq, Default)]
enum CallPart {
    #[default]
    Whole,
    /// The change with this index in a patch.
    Change(usize),
    /// A file that a shell command writes.
    ShellWrite(ShellWrite),
    ShellPatch(ToolAction),
}

/// A text that a pattern is searched in.
#[derive(Debug)]
pub(super) struct Subject<'e> {
    pub(super) text: Cow<'e, str>,
    /// If set, only matches that touch these ranges count.
    pub(super) within: Option<Vec<Range<usize>>>,
}

/// Splits an event into calls; an event without a tool is one call without a name.
pub(crate) fn calls(event: &Event) -> Vec<Call> {
    let Some(tool) = &event.tool else { return vec![Call::default()] };
    let names = names(tool);
    match &tool.action {
        ToolAction::Patch { changes } => {
            let part = |(index, change)| Call {
                names: names.clone(),
                part: CallPart::Change(index),
                touches: touch::of_action(change),
                ..Call::default()
            };
            changes.iter().enumerate().map(part).collect()
        }
        ToolAction::Command { command } => {
            let mut run = shell::follow(command, dialect(&tool.name));
            let touches = touch::of_shell(&run);
            let writes = std::mem::take(&mut run.writes)
                .into_iter()
                .map(|write| (vec!["Write"], CallPart::ShellWrite(write)));
            let patched = std::mem::take(&mut run.patched).into_iter().map(|change| {
                let means = [&[APPLY_PATCH], usual_tool_names(APPLY_PATCH)].concat();
                (means, CallPart::ShellPatch(change))
            });
            let inner = writes.chain(patched).map(|(also, part)| {
                let also = also.into_iter().map(str::to_owned);
                let touches = match &part {
                    CallPart::ShellPatch(change) => touch::of_action(change),
                    _ => Vec::new(),
                };
                Call { names: also.chain(names.iter().cloned()).collect(), part, touches, ..Call::default() }
            });
            let whole = Call { names: names.clone(), shell: Some(Arc::new(run)), touches, ..Call::default() };
            std::iter::once(whole).chain(inner.collect::<Vec<_>>()).collect()
        }
        _ => vec![Call { names, touches: touch::of_call(tool), ..Call::default() }],
    }
}

/// Returns the language of a tool's commands.
fn dialect(tool: &str) -> Dialect {
    match tool.to_ascii_lowercase().as_str() {
        "powershell" | "pwsh" => Dialect::PowerShell,
        "cmd" => Dialect::Cmd,
        _ => Dialect::Posix,
    }
}

/// Tools of which only the name is known.
const WITHOUT_ACTION: [&str; 2] = ["LS", "TodoWrite"];

/// Returns every name that a rule may use for a tool: its own, and the usual ones.
fn names(tool: &ToolCall) -> Vec<String> {
    let mut names = vec![tool.name.clone()];
    // An unknown tool that shares its name with another agent's tool may do something different.
    let is_unknown = matches!(tool.action, ToolAction::Other { .. });
    let usual =
        usual_tool_names(&tool.name).iter().filter(|usual| !is_unknown || WITHOUT_ACTION.contains(usual));
    names.extend(usual.map(|name| (*name).to_owned()));
    if let ToolAction::Mcp { server, tool: called, .. } = &tool.action {
        let usual = format!("mcp__{server}__{called}");
        names.extend((usual != tool.name).then_some(usual));
    }
    names
}

impl Call {
    /// Returns the file that the call names, exactly as given.
    pub(crate) fn path<'e>(&'e self, event: &'e Event) -> Option<&'e str> {
        match &self.part {
            CallPart::ShellWrite(write) => Some(&write.path),
            _ => {
                let action = self.action(event)?;
                // A search in one file reads that file.
                let searched = || match action {
                    ToolAction::Search { place, kind: None, .. } => place.as_deref(),
                    _ => None,
                };
                action.path().or_else(searched).filter(|path| !path.is_empty())
            }
        }
    }

    /// Returns the language of the text, if it is known: that of the file, or of commands.
    pub(super) fn language(&self, event: &Event) -> Option<&'static Language> {
        match self.path(event) {
            Some(path) => language::language_of(path),
            None if matches!(self.action(event), Some(ToolAction::Command { .. })) => language::shell(),
            None => None,
        }
    }

    /// Returns whether the resulting file can only be computed from the file on disk.
    pub(crate) fn edits_a_file(&self, event: &Event) -> bool {
        self.shell_write().is_some_and(|write| write.appends || write.content.is_none())
            || matches!(self.action(event), Some(ToolAction::Edit { before: None, .. }))
    }

    /// Returns the action of the call, unless it is a write by a shell.
    fn action<'e>(&'e self, event: &'e Event) -> Option<&'e ToolAction> {
        let action = event.tool.as_ref().map(|tool| &tool.action)?;
        match (&self.part, action) {
            (CallPart::Whole, action) => Some(action),
            (CallPart::Change(index), ToolAction::Patch { changes }) => changes.get(*index),
            (CallPart::ShellPatch(change), _) => Some(change),
            (CallPart::Change(_) | CallPart::ShellWrite(_), _) => None,
        }
    }

    fn shell_write(&self) -> Option<&ShellWrite> {
        match &self.part {
            CallPart::ShellWrite(write) => Some(write),
            _ => None,
        }
    }

    /// Returns the length of a field's texts, without building them.
    pub(super) fn length(&self, event: &Event, field: Field) -> usize {
        match (field, self.action(event), self.shell_write()) {
            (Field::Prompt, ..) => event.prompt.as_ref().map_or(0, String::len),
            (Field::Message, ..) => event.closing_message.as_ref().map_or(0, String::len),
            (Field::Output, ..) => event.result.as_ref().map_or(0, |result| result.output.len()),
            (_, _, Some(write)) => {
                let texts = [&write.content, &self.on_disk];
                texts.into_iter().flatten().map(String::len).sum()
            }
            (_, Some(ToolAction::Edit { replacements, before, .. }), None) => {
                let texts = replacements.iter().map(|one| one.new.len() + one.old.len()).sum::<usize>();
                texts + before.as_ref().map_or(0, String::len) + self.on_disk.as_ref().map_or(0, String::len)
            }
            (_, Some(ToolAction::Write { content: text, .. }), None)
            | (_, Some(ToolAction::EditNotebook { source: Some(text), .. }), None)
            | (_, Some(ToolAction::Command { command: text }), None) => text.len(),
            (_, action, None) => action.and_then(ToolAction::given_text).map_or(0, str::len),
        }
    }

    /// Returns why the command of the call could not be read as a shell reads it.
    pub(crate) fn unread_command(&self) -> Option<&'static str> {
        self.shell.as_ref().and_then(|run| run.unread).map(Unread::reason)
    }

    /// Lets patterns also see what the call's commands delete under the other names that `name` knows.
    pub(crate) fn add_names(&mut self, name: impl Fn(&str) -> Option<String>) {
        if let Some(run) = self.shell.as_ref().and_then(|run| run.with_other_names(name)) {
            self.shell = Some(Arc::new(run));
        }
    }

    /// Returns the commands of the call that one of the patterns matches.
    pub(super) fn commands(&self, patterns: &CommandPatterns) -> Vec<CommandMatch> {
        self.shell.as_ref().map(|run| patterns.find(run)).unwrap_or_default()
    }

    /// Returns what the call runs, if it is a command.
    pub(super) fn programs(&self) -> Option<RunPrograms<'_>> {
        self.shell.as_ref().map(|run| run.programs())
    }

    pub(super) fn is_by(&self, tool: &ToolFilter) -> bool {
        self.names.iter().any(|name| tool.accepts(name))
    }

    pub(super) fn is_about(&self, file: &FileFilter) -> bool {
        self.paths.iter().any(|path| file.accepts(path))
    }

    /// Returns the first file of these that the call does this to; a folder around them counts, too.
    pub(super) fn touched(&self, file: &FileFilter, deed: FileDeed) -> Option<&str> {
        let is_it = |touch: &&CallTouch| {
            touch.is(deed)
                && touch.targets.iter().any(|target| file.accepts(target) || file.is_inside(target))
        };
        self.touches.iter().find(is_it).map(|touch| touch.path.as_str())
    }

    /// Returns the texts of one field; empty if the call does not have it.
    pub(super) fn subjects<'e>(&'e self, event: &'e Event, field: Field) -> Vec<Subject<'e>> {
        let whole = |text: &'e str| Subject { text: Cow::Borrowed(text), within: None };
        match field {
            Field::Prompt => event.prompt.as_deref().map(whole).into_iter().collect(),
            Field::Message => event.closing_message.as_deref().map(whole).into_iter().collect(),
            Field::Output => event.result.iter().map(|result| whole(&result.output)).collect(),
            Field::Content => self.content(event).into_iter().collect(),
            Field::Command => Vec::new(),
            Field::NewString | Field::OldString => match self.action(event) {
                Some(ToolAction::Edit { replacements, .. }) => replacements
                    .iter()
                    .map(|one| whole(if field == Field::NewString { &one.new } else { &one.old }))
                    .collect(),
                Some(ToolAction::EditNotebook { source: Some(source), .. }) if field == Field::NewString => {
                    vec![whole(source)]
                }
                _ => Vec::new(),
            },
        }
    }

    /// Returns the file as it will be: an appended text comes after what is there. If the command does not show what
    /// it writes, only the file as it is now can be searched, and nothing in it counts as added.
    fn shell_content<'e>(&'e self, event: &Event, write: &'e ShellWrite) -> Option<Subject<'e>> {
        match (&write.content, &self.on_disk) {
            (Some(added), Some(now)) if write.appends => {
                let is_done = event.hook != Hook::PreToolUse && now.ends_with(added.as_str());
                let text = if is_done { now.clone() } else { format!("{now}{added}") };
                let within = std::iter::once(text.len() - added.len()..text.len()).collect();
                Some(Subject { text: Cow::Owned(text), within: Some(within) })
            }
            (Some(content), _) => Some(Subject { text: Cow::Borrowed(content), within: None }),
            (None, Some(now)) => Some(Subject { text: Cow::Borrowed(now), within: Some(Vec::new()) }),
            (None, None) => None,
        }
    }

    fn content<'e>(&'e self, event: &'e Event) -> Option<Subject<'e>> {
        if let Some(write) = self.shell_write() {
            return self.shell_content(event, write);
        }
        let text = match self.action(event)? {
            ToolAction::Write { content, .. } => content,
            ToolAction::EditNotebook { source, .. } => source.as_deref()?,
            ToolAction::Command { command } => command,
            ToolAction::Edit { replacements, before, .. } => {
                let edited = match (before, &self.on_disk, event.hook) {
                    (Some(before), _, _) => edits::apply(before, replacements),
                    (None, Some(now), Hook::PostToolUse) => edits::locate(now, replacements),
                    (None, Some(now), _) => edits::apply(now, replacements),
                    (None, None, _) => None,
                };
                return Some(match edited {
                    Some(Edited { text, inserted }) => {
                        Subject { text: Cow::Owned(text), within: Some(inserted) }
                    }
                    // Without the file, only the new texts are known.
                    None => {
                        let texts: Vec<&str> = replacements.iter().map(|one| one.new.as_str()).collect();
                        Subject { text: Cow::Owned(texts.join("\n")), within: None }
                    }
                });
            }
            other => other.given_text()?,
        };
        Some(Subject { text: Cow::Borrowed(text), within: None })
    }
}
