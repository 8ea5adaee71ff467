//! Calls: what an event does, unfolded. A shell command that writes files is a command and a write of each file,
//! because agents edit that way too.

use std::borrow::Cow;
use std::ops::Range;

use super::edits::{self, Edited};
use super::glob::FileFilter;
use super::schema::Field;
use super::shell::{self, ShellWrite};
use super::tool::ToolFilter;
use crate::model::{Event, Hook, Target, ToolAction};

/// One thing that an event does, as rules look at it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Call {
    /// The names by which `tool` may mean it.
    names: Vec<String>,
    write: Option<ShellWrite>,
    /// The file it is about, in every form that a glob may mean; filled in by who can look at the disk.
    pub(crate) paths: Vec<Target>,
    /// That file as it is on the disk now, where an edit needs it.
    pub(crate) on_disk: Option<String>,
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
    let mut calls = vec![Call { names: vec![tool.name.clone()], ..Call::default() }];
    if let ToolAction::Command { command } = &tool.action {
        let write = |write| Call {
            names: vec!["Write".to_owned(), tool.name.clone()],
            write: Some(write),
            ..Call::default()
        };
        calls.extend(shell::writes(command).into_iter().map(write));
    }
    calls
}

impl Call {
    /// Returns the file that the call names, as it is written there.
    pub(crate) fn path<'e>(&'e self, event: &'e Event) -> Option<&'e str> {
        match &self.write {
            Some(write) => Some(&write.path),
            None => event.tool.as_ref()?.action.path().filter(|path| !path.is_empty()),
        }
    }

    /// Says whether the resulting file can only be known from the one on the disk.
    pub(crate) fn edits_a_file(&self, event: &Event) -> bool {
        let action = event.tool.as_ref().map(|tool| &tool.action);
        self.write.is_none() && matches!(action, Some(ToolAction::Edit { before: None, .. }))
    }

    /// Returns how long the texts of a field are, without building them.
    pub(super) fn length(&self, event: &Event, field: Field) -> usize {
        let action = event.tool.as_ref().map(|tool| &tool.action);
        match (field, action, &self.write) {
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
            Field::NewString | Field::OldString => match event.tool.as_ref().map(|tool| &tool.action) {
                Some(ToolAction::Edit { replacements, .. }) if self.write.is_none() => replacements
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
        let text = match (&self.write, &event.tool.as_ref()?.action) {
            (Some(write), _) => write.content.as_deref()?,
            (None, ToolAction::Write { content, .. }) => content,
            (None, ToolAction::EditNotebook { source, .. }) => source.as_deref()?,
            (None, ToolAction::Command { command }) => command,
            (None, ToolAction::Edit { replacements, before, .. }) => {
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
            (None, other) => other.given_text()?,
        };
        Some(Subject { text: Cow::Borrowed(text), within: None })
    }
}
