//! The files that a call names, and what it does to them, for rules with `does`.

use super::schema::FileDeed;
use crate::model::{Target, ToolAction, ToolCall};
use crate::shell::{self, FileDeeds, ShellRun};

/// A file that a call names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CallTouch {
    /// As the agent wrote it.
    pub(crate) path: String,
    deeds: FileDeeds,
    /// In every form that a glob may match; the caller fills it in, since it can access the disk.
    pub(crate) targets: Vec<Target>,
}

impl CallTouch {
    pub(super) fn is(&self, deed: FileDeed) -> bool {
        match deed {
            FileDeed::Change => self.deeds.changes,
            FileDeed::Read => self.deeds.reads,
            FileDeed::Delete => self.deeds.deletes,
        }
    }

    fn new(path: &str, deeds: FileDeeds) -> Option<CallTouch> {
        let is_path = !path.is_empty() && deeds != FileDeeds::NOTHING;
        is_path.then(|| CallTouch { path: path.to_owned(), deeds, targets: Vec::new() })
    }
}

/// Returns the files that a command line names.
pub(super) fn of_shell(run: &ShellRun) -> Vec<CallTouch> {
    shell::touches(run).iter().filter_map(|touch| CallTouch::new(&touch.path, touch.deeds)).collect()
}

/// Returns the files that a call names, unless it is a command.
pub(super) fn of_call(call: &ToolCall) -> Vec<CallTouch> {
    match &call.action {
        ToolAction::Mcp { tool, path, arguments, .. } => {
            let deeds = deeds_of_name(tool);
            let named = path.iter().cloned().chain(paths_in(arguments));
            let mut touches: Vec<CallTouch> = Vec::new();
            for touch in named.filter_map(|path| CallTouch::new(&path, deeds)) {
                if !touches.contains(&touch) {
                    touches.push(touch);
                }
            }
            touches
        }
        ToolAction::Other { path: Some(path), .. } => {
            CallTouch::new(path, deeds_of_name(&call.name)).into_iter().collect()
        }
        action => of_action(action),
    }
}

/// Returns the files that an action names by itself.
pub(super) fn of_action(action: &ToolAction) -> Vec<CallTouch> {
    let (path, deeds) = match action {
        ToolAction::Write { path, .. }
        | ToolAction::Edit { path, .. }
        | ToolAction::EditNotebook { path, .. } => (path.as_str(), FileDeeds::CHANGES),
        ToolAction::Delete { path } => (path.as_str(), FileDeeds::DELETES),
        ToolAction::Read { path, .. } => (path.as_str(), FileDeeds::READS),
        ToolAction::Search { place: Some(place), kind: None, .. } => (place.as_str(), FileDeeds::READS),
        _ => return Vec::new(),
    };
    CallTouch::new(path, deeds).into_iter().collect()
}

/// Says what a tool does by the words of its name, as in `read_text_file`; one that says nothing may do anything.
fn deeds_of_name(name: &str) -> FileDeeds {
    const READING: [&str; 14] = [
        "read", "get", "list", "search", "find", "view", "show", "stat", "info", "tree", "fetch", "grep",
        "glob", "ls",
    ];
    const DELETING: [&str; 4] = ["delete", "remove", "unlink", "move"];
    let name = name.to_ascii_lowercase();
    let has =
        |words: &[&str]| name.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| words.contains(&part));
    match () {
        () if has(&DELETING) => FileDeeds::DELETES,
        () if has(&READING) => FileDeeds::READS,
        () => FileDeeds::ANY,
    }
}

/// Maximum number of paths in the arguments of one call.
const MAX_PATHS: usize = 50;

/// Returns the arguments that look like paths.
fn paths_in(arguments: &str) -> Vec<String> {
    let looks_like_path = |text: &str| {
        text.len() < 1_000
            && text.contains(['/', '\\', '.'])
            && !text.contains(|c: char| c.is_whitespace() || c == '\0')
            && !text.contains("://")
    };
    let mut found = Vec::new();
    let mut open: Vec<serde_json::Value> = serde_json::from_str(arguments).into_iter().collect();
    while let Some(value) = open.pop() {
        match value {
            serde_json::Value::String(text) if looks_like_path(&text) && found.len() < MAX_PATHS => {
                found.push(text);
            }
            serde_json::Value::Array(items) => open.extend(items),
            serde_json::Value::Object(fields) => open.extend(fields.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    found
}
