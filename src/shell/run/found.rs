//! The files found so far, and how many more bytes may be stored for them.

use super::ShellOutput;
use crate::model::{ToolAction, read_diff, read_patch};
use crate::shell::tables::TEMPORARY;

/// One file that a shell command would write.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ShellWrite {
    /// As written, relative to the folder in which the whole command starts.
    pub(crate) path: String,
    /// The text that is written, whether it replaces the file or is appended; `None` if only running the command would
    /// show it.
    pub(crate) content: Option<String>,
    /// The text is added at the end of the file.
    pub(crate) appends: bool,
}

pub(super) struct FoundWrites {
    pub(super) writes: Vec<ShellWrite>,
    /// The changes from `apply_patch` and of diffs, one for each file.
    pub(super) patched: Vec<ToolAction>,
    /// The output of each `<(…)` that the line shows.
    printed: Vec<(String, String)>,
    /// How many bytes may still be copied: one text for a thousand files would become a thousand copies.
    budget: usize,
}

/// Maximum number of outputs that are kept.
const MAX_PRINTED: usize = 64;

impl FoundWrites {
    pub(super) fn new(command_length: usize) -> FoundWrites {
        FoundWrites {
            writes: Vec::new(),
            patched: Vec::new(),
            printed: Vec::new(),
            budget: command_length.saturating_mul(16).saturating_add(64 << 10),
        }
    }

    /// Records a file, unless its name is unknown or it is not a regular file.
    pub(super) fn write(&mut self, directory: &str, output: &ShellOutput, content: Option<&str>) {
        let ShellOutput { file, appends } = output;
        let is_device = file.text.starts_with("/dev/") && !file.text.starts_with("/dev/shm/");
        if !file.is_known || file.text.is_empty() || is_device {
            return;
        }
        if self.affords(directory.len() + file.text.len())
            && let Some(path) = join(directory, &file.text)
        {
            let content = content.filter(|content| self.affords(content.len())).map(str::to_owned);
            self.writes.push(ShellWrite { path, content, appends: *appends });
        }
    }

    /// Records the changes of a patch or a diff, whose paths are relative to a folder.
    pub(super) fn patch(&mut self, directory: &str, text: &str) {
        if !self.affords(text.len()) {
            return;
        }
        let mut changes = read_patch(text);
        if changes.is_empty() {
            changes = read_diff(text);
        }
        for mut change in changes {
            let (ToolAction::Write { path, .. }
            | ToolAction::Edit { path, .. }
            | ToolAction::Delete { path }) = &mut change
            else {
                continue;
            };
            if let Some(joined) = join(directory, path) {
                *path = joined;
                self.patched.push(change);
            }
        }
    }

    /// Records what a `<(…)` prints, if that is known.
    pub(super) fn print(&mut self, written: &str, text: Option<String>) {
        let text = text.filter(|text| !text.is_empty() && self.printed.len() < MAX_PRINTED);
        if let Some(text) = text.filter(|text| self.affords(text.len() + written.len())) {
            self.printed.push((written.to_owned(), text));
        }
    }

    /// Returns what a `<(…)` prints.
    pub(super) fn printed(&self, written: &str) -> Option<&str> {
        self.printed.iter().find(|(known, _)| known == written).map(|(_, text)| text.as_str())
    }

    /// Returns what was written last to a file; a `*` in its name stands for anything.
    pub(super) fn content_of(&self, path: &str) -> Option<&str> {
        let is_it = |write: &&ShellWrite| match path.split_once('*') {
            None => write.path.trim_start_matches("./") == path,
            Some((before, after)) => {
                write.path.len() >= before.len() + after.len()
                    && write.path.starts_with(before)
                    && write.path.ends_with(after)
            }
        };
        self.writes.iter().rev().find(is_it).and_then(|write| write.content.as_deref())
    }

    /// Subtracts the bytes from the budget; returns whether they fit.
    pub(super) fn affords(&mut self, length: usize) -> bool {
        let rest = self.budget.checked_sub(length);
        self.budget = rest.unwrap_or(self.budget);
        rest.is_some()
    }
}

/// The longest path that Linux accepts.
pub(super) const MAX_PATH: usize = 4096;

/// Returns the path relative to the starting folder, unless it is too long to exist.
pub(in crate::shell) fn join(directory: &str, path: &str) -> Option<String> {
    let path = ["$PWD/", "${PWD}/"].iter().find_map(|here| path.strip_prefix(here)).unwrap_or(path);
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    let is_absolute = is_drive
        || ["/", "~", "$HOME", "${HOME}"].iter().chain(&TEMPORARY).any(|root| path.starts_with(root));
    let joined = if directory.is_empty() || is_absolute {
        path.to_owned()
    } else {
        format!("{}/{path}", directory.trim_end_matches('/'))
    };
    (joined.len() < MAX_PATH).then_some(joined)
}
