//! Calls: what an event does, unfolded. A shell command that writes files is a command and a write of each file,
//! because agents edit that way too; a patch is a change of each of its files.

use std::borrow::Cow;
use std::ops::Range;

use super::edits::{self, Edited};
use super::glob::FileFilter;
use super::schema::Field;
use super::shell::{self, ShellWrite};
use super::tool::ToolFilter;
use crate::model::{APPLY_PATCH, Event, Hook, Target, ToolAction, ToolCall, usual_tool_names};

/// One thing that an event does, as rules look at it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Call {
    /// The names by which `tool` may mean it.
    names: Vec<String>,
    part: Part,
    /// The file it is about, in every form that a glob may mean; filled in by who can look at the disk.
    pub(crate) paths: Vec<Target>,
    /// That file as it is on the disk now, where an edit needs it.
    pub(crate) on_disk: Option<String>,
}

/// Which part of the event a call is.
#[derive(Debug, Clone, PartialEq, Default)]
enum Part {
    #[default]
    Whole,
    /// The change of a patch with this number.
    Change(usize),
    /// What a shell command does to a file by the way.
    ShellWrite(ShellWrite),
    ShellPatch(ToolAction),
}

/// A text that a pattern is searched in.
#[derive(Debug)]
pub(super) struct Subject<'e> {
    pub(super) text: Cow<'e, str>,
    /// Only matches that touch these parts count.
    pub(super) within: Option<Vec<Range<usize>>>,
}

/// Unfolds an event; an event without a tool is one call without a name.
pub(crate) fn calls(event: &Event) -> Vec<Call> {
    let Some(tool) = &event.tool else { return vec![Call::default()] };
    let names = names(tool);
    match &tool.action {
        ToolAction::Patch { changes } => {
            let part = |index| Call { names: names.clone(), part: Part::Change(index), ..Call::default() };
            (0..changes.len()).map(part).collect()
        }
        ToolAction::Command { command } => {
            let found = shell::changes(command);
            let writes = found.writes.into_iter().map(|write| (vec!["Write"], Part::ShellWrite(write)));
            let patched = found.patched.into_iter().map(|change| {
                let means = [&[APPLY_PATCH], usual_tool_names(APPLY_PATCH)].concat();
                (means, Part::ShellPatch(change))
            });
            let inner = writes.chain(patched).map(|(also, part)| {
                let also = also.into_iter().map(str::to_owned);
                Call { names: also.chain(names.iter().cloned()).collect(), part, ..Call::default() }
            });
            let whole = Call { names: names.clone(), ..Call::default() };
            std::iter::once(whole).chain(inner.collect::<Vec<_>>()).collect()
        }
        _ => vec![Call { names, ..Call::default() }],
    }
}

/// Tools of which nothing is known but their name.
const WITHOUT_ACTION: [&str; 2] = ["LS", "TodoWrite"];

/// Returns every name that a rule may mean a tool by: its own, and the usual ones.
fn names(tool: &ToolCall) -> Vec<String> {
    let mut names = vec![tool.name.clone()];
    // What only shares a name with another agent's tool does something that its own agent could not tell.
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
    /// Returns the file that the call names, as it is written there.
    pub(crate) fn path<'e>(&'e self, event: &'e Event) -> Option<&'e str> {
        match &self.part {
            Part::ShellWrite(write) => Some(&write.path),
            _ => self.action(event)?.path().filter(|path| !path.is_empty()),
        }
    }

    /// Says whether the resulting file can only be known from the one on the disk.
    pub(crate) fn edits_a_file(&self, event: &Event) -> bool {
        matches!(self.action(event), Some(ToolAction::Edit { before: None, .. }))
    }

    /// Returns what the call does, unless it is a write by a shell.
    fn action<'e>(&'e self, event: &'e Event) -> Option<&'e ToolAction> {
        let action = event.tool.as_ref().map(|tool| &tool.action)?;
        match (&self.part, action) {
            (Part::Whole, action) => Some(action),
            (Part::Change(index), ToolAction::Patch { changes }) => changes.get(*index),
            (Part::ShellPatch(change), _) => Some(change),
            (Part::Change(_) | Part::ShellWrite(_), _) => None,
        }
    }

    fn shell_write(&self) -> Option<&ShellWrite> {
        match &self.part {
            Part::ShellWrite(write) => Some(write),
            _ => None,
        }
    }

    /// Returns how long the texts of a field are, without building them.
    pub(super) fn length(&self, event: &Event, field: Field) -> usize {
        match (field, self.action(event), self.shell_write()) {
            (Field::Prompt, ..) => event.prompt.as_ref().map_or(0, String::len),
            (Field::Message, ..) => event.closing_message.as_ref().map_or(0, String::len),
            (_, _, Some(write)) => write.content.as_ref().map_or(0, String::len),
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

    pub(super) fn is_by(&self, tool: &ToolFilter) -> bool {
        self.names.iter().any(|name| tool.accepts(name))
    }

    pub(super) fn is_about(&self, file: &FileFilter) -> bool {
        self.paths.iter().any(|path| file.accepts(path))
    }

    /// Returns the texts of one field; none if the call has no such thing.
    pub(super) fn subjects<'e>(&'e self, event: &'e Event, field: Field) -> Vec<Subject<'e>> {
        let whole = |text: &'e str| Subject { text: Cow::Borrowed(text), within: None };
        match field {
            Field::Prompt => event.prompt.as_deref().map(whole).into_iter().collect(),
            Field::Message => event.closing_message.as_deref().map(whole).into_iter().collect(),
            Field::Content => self.content(event).into_iter().collect(),
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

    fn content<'e>(&'e self, event: &'e Event) -> Option<Subject<'e>> {
        if let Some(write) = self.shell_write() {
            return Some(Subject { text: Cow::Borrowed(write.content.as_deref()?), within: None });
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
                    // Without the file, the new texts are all there is to see.
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
