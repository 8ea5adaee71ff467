//! What a call does besides what its tool is for: a command that writes files or calls nudge, a tool of an MCP server.

use super::capability::ActionClass::{
    self, FileCreation, FileDeletion, FileModification, NexusTaskCreation, NexusTaskMetadataModification,
    NexusTaskStateTransition,
};
use crate::model::{ToolAction, ToolCall};
use crate::shell::{self, Dialect};

/// Something that a call does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Creates or changes this file, which is relative to the folder that the agent is in.
    Write(String),
    /// Deletes this file; for git, it changes the files below this folder.
    Remove(String),
    AddTask,
    /// Changes the status of a task.
    MoveTask,
    /// Changes anything else of a task.
    EditTask,
    /// Closes the cycle or opens it again.
    CloseCycle,
    /// Starts a plan, which archives the open one.
    StartPlan,
    /// Changes the issues of the plan, or decides on one.
    ChangePlan,
    /// Stores a note or guidance, which are files that people review.
    KeepNote,
    RemoveNote,
}

impl Deed {
    pub(super) fn classes(&self) -> &'static [ActionClass] {
        match self {
            Deed::Write(_) | Deed::KeepNote => &[FileCreation, FileModification],
            Deed::Remove(_) | Deed::RemoveNote => &[FileDeletion],
            Deed::AddTask => &[NexusTaskCreation],
            Deed::MoveTask => &[NexusTaskStateTransition],
            Deed::EditTask => &[NexusTaskMetadataModification],
            Deed::CloseCycle => &[NexusTaskStateTransition, NexusTaskMetadataModification],
            Deed::StartPlan | Deed::ChangePlan => &[],
        }
    }

    /// Returns what to do instead, if only the main conversation may do it: it alone coordinates the others.
    pub(super) fn for_lead(&self) -> Option<&'static str> {
        match self {
            Deed::CloseCycle => Some("say in the final message that the work is done; it closes the cycle"),
            Deed::StartPlan => Some("say in the final message what should be planned; it starts the plan"),
            Deed::ChangePlan => Some("hand back what you recommend; it records the decision"),
            _ => None,
        }
    }

    /// Describes the deed of a command, for the agent that is refused.
    pub(super) fn in_words(&self) -> String {
        match self {
            Deed::Write(path) => format!("writes `{path}`"),
            Deed::Remove(path) if path == "." => "changes files with git".to_owned(),
            Deed::Remove(path) => format!("deletes `{path}`"),
            Deed::AddTask => "adds a task".to_owned(),
            Deed::MoveTask | Deed::EditTask => "changes a task".to_owned(),
            Deed::CloseCycle => "closes the cycle".to_owned(),
            Deed::StartPlan => "starts a plan".to_owned(),
            Deed::ChangePlan => "changes the plan".to_owned(),
            Deed::KeepNote => "stores a note".to_owned(),
            Deed::RemoveNote => "deletes notes".to_owned(),
        }
    }
}

/// Returns what a call does; nothing for one that only reads.
pub(crate) fn deeds(call: &ToolCall) -> Vec<Deed> {
    match &call.action {
        ToolAction::Command { command } => of_command(command),
        ToolAction::Mcp { tool, path, arguments, .. } => of_tool(tool, path.as_deref(), arguments),
        _ => Vec::new(),
    }
}

fn of_command(command: &str) -> Vec<Deed> {
    let found = shell::follow(command, Dialect::Posix);
    let mut deeds: Vec<Deed> = found.writes.into_iter().map(|write| Deed::Write(write.path)).collect();
    deeds.extend(found.patched.into_iter().filter_map(|change| match change {
        ToolAction::Write { path, .. } | ToolAction::Edit { path, .. } => Some(Deed::Write(path)),
        ToolAction::Delete { path } => Some(Deed::Remove(path)),
        _ => None,
    }));
    deeds.extend(shell::removed_files(command).into_iter().map(Deed::Remove));
    deeds.extend(shell::calls_of("nudge", command).iter().filter_map(|words| of_nudge(words)));
    deeds
}

/// Returns what a call of nudge's own command line does.
fn of_nudge(arguments: &[String]) -> Option<Deed> {
    let mut words = arguments.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    let (command, verb) = (words.next()?, words.next()?);
    match (command, verb) {
        ("task", "add") => Some(Deed::AddTask),
        ("task", "start" | "done" | "update" | "claim") => Some(Deed::MoveTask),
        ("task", "edit" | "remove") => Some(Deed::EditTask),
        ("task", "close" | "reopen") | ("history", "reopen") => Some(Deed::CloseCycle),
        ("plan", "start") => Some(Deed::StartPlan),
        ("plan", "decide" | "add" | "edit" | "remove" | "reopen") => Some(Deed::ChangePlan),
        ("note" | "memory", "add" | "rule" | "merge" | "restore") => Some(Deed::KeepNote),
        ("note" | "memory", "gc") => {
            let deletes = |word: &String| matches!(word.as_str(), "--apply" | "--auto");
            arguments.iter().any(deletes).then_some(Deed::RemoveNote)
        }
        _ => None,
    }
}

/// Returns what a tool of an MCP server does, by its name.
fn of_tool(tool: &str, path: Option<&str>, arguments: &str) -> Vec<Deed> {
    let deed = match tool {
        "nx_task_list" => None,
        "nx_task_add" => Some(Deed::AddTask),
        "nx_task_update" | "nx_task_claim" => Some(Deed::MoveTask),
        "nx_task_close" | "nx_task_reopen" => Some(Deed::CloseCycle),
        "nx_plan_start" => Some(Deed::StartPlan),
        "nx_plan_update" | "nx_plan_decide" => Some(Deed::ChangePlan),
        "nx_memory_store" | "nx_rule_store" => Some(Deed::KeepNote),
        // Without paths it only says what could be deleted.
        "nx_memory_gc" => arguments.contains("paths").then_some(Deed::RemoveNote),
        _ if tool.starts_with("nx_task_") => Some(Deed::EditTask),
        _ => edits_files(tool).then(|| Deed::Write(path.unwrap_or_default().to_owned())),
    };
    deed.into_iter().collect()
}

/// Names of tools that change files consist of one of these verbs and one of these objects, as in `write_file`.
#[rustfmt::skip]
const VERBS: [&str; 14] = [
    "write", "edit", "create", "delete", "remove", "move", "rename", "append", "replace", "insert", "patch",
    "overwrite", "update", "save",
];
const OBJECTS: [&str; 12] = [
    "file",
    "files",
    "directory",
    "folder",
    "path",
    "notebook",
    "symbol",
    "lines",
    "line",
    "regex",
    "content",
    "document",
];

/// Returns whether a tool of another server changes files, judged by its name.
fn edits_files(tool: &str) -> bool {
    let separate =
        |c: char| if c.is_ascii_uppercase() { format!("_{}", c.to_ascii_lowercase()) } else { c.into() };
    let name: String = tool.chars().map(separate).collect();
    let words: Vec<&str> = name.split(['_', '-', '.']).filter(|word| !word.is_empty()).collect();
    words.iter().any(|word| VERBS.contains(word)) && words.iter().any(|word| OBJECTS.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(action: ToolAction, expected: &[Deed]) {
        let call = ToolCall { name: "any".into(), action };
        assert_eq!(deeds(&call), expected, "{:?}", call.action);
    }

    #[test]
    fn commands_are_followed() {
        let check = |command: &str, expected: &[Deed]| {
            check(ToolAction::Command { command: command.to_owned() }, expected);
        };
        let write = |path: &str| Deed::Write(path.to_owned());
        let remove = |path: &str| Deed::Remove(path.to_owned());
        check("echo hi > src/c.rs; sed -i s/a/b/ src/d.rs", &[write("src/c.rs"), write("src/d.rs")]);
        check("cat a | tee b >/dev/null && rm c", &[write("b"), remove("c")]);
        check("cargo test 2>&1 | tail; ls > /dev/null; git log", &[]);
        check("git checkout -- src", &[remove(".")]);
        check("nudge task add 'do it' && nudge task done 1", &[Deed::AddTask, Deed::MoveTask]);
        check("nudge --quiet task close", &[Deed::CloseCycle]);
        check("nudge plan start t; nudge plan decide 1 x; nudge plan", &[Deed::StartPlan, Deed::ChangePlan]);
        check(
            "nudge note add x; nudge note gc; nudge memory gc --apply",
            &[Deed::KeepNote, Deed::RemoveNote],
        );
        check("nudge task; nudge task list --json; nudge search add; nudge artifact write a", &[]);
        check("bash -c 'nudge task edit 1 --title x'", &[Deed::EditTask]);
    }

    #[test]
    fn tools_of_servers_are_known_by_their_names() {
        let check = |tool: &str, arguments: &str, expected: &[Deed]| {
            let action = ToolAction::Mcp {
                server: "any".into(),
                tool: tool.to_owned(),
                path: Some("a.rs".into()),
                arguments: arguments.to_owned(),
                text: String::new(),
            };
            check(action, expected);
        };
        check("nx_memory_gc", "{}", &[]);
        check("nx_memory_gc", "paths: [\"a.md\"]", &[Deed::RemoveNote]);
        check("nx_task_edit", "", &[Deed::EditTask]);
        check("nx_task_list", "", &[]);
        for tool in [
            "write_file",
            "edit_file",
            "create_directory",
            "writeFile",
            "replace_symbol_body",
            "create-text-file",
        ] {
            check(tool, "", &[Deed::Write("a.rs".into())]);
        }
        for tool in [
            "read_file",
            "list_directory",
            "create_issue",
            "update_page",
            "search_files",
            "nx_artifact_write",
        ] {
            check(tool, "", &[]);
        }
    }
}
