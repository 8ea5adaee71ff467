//! Tool names: agents call the same tool by different names, and a rule may use any of them.

/// The names that rules use, which are Claude Code's, and the names of the same tool in other agents.
const FAMILIES: [(&[&str], &[&str]); 12] = [
    // A file that is deleted is changed like one that is written.
    (&["Write"], &["write_file", "write", "create", "create_file", "Delete", "delete_file"]),
    (
        &["Edit"],
        &[
            "replace",
            "edit",
            "edit_file",
            "search_replace",
            "str_replace",
            "StrReplace",
            "str_replace_editor",
        ],
    ),
    // It makes any change to any number of files.
    (&["Write", "Edit"], &[APPLY_PATCH]),
    (
        &["Bash"],
        &[
            "run_shell_command",
            "shell",
            "Shell",
            "bash",
            "exec_command",
            "local_shell",
            "PowerShell",
            "powershell",
            "pwsh",
            "cmd",
        ],
    ),
    (&["Read"], &["read_file", "read", "view"]),
    (&["Grep"], &["grep_search", "search_file_content", "grep", "rg"]),
    (&["Glob"], &["glob", "file_search"]),
    (&["LS"], &["list_directory", "list", "list_dir"]),
    (&["WebFetch"], &["web_fetch", "webfetch", "fetch"]),
    (&["WebSearch"], &["google_web_search", "web_search", "websearch"]),
    (&["TodoWrite"], &["write_todos", "todowrite", "update_plan"]),
    (&["Agent"], &["Task", "invoke_agent", "spawn_agent", "collaborationspawn_agent", "task", "subagent"]),
];

pub(crate) const APPLY_PATCH: &str = "apply_patch";

/// Returns the names that rules use for another agent's tool; empty if the name is a usual or unknown one.
pub(crate) fn usual_tool_names(name: &str) -> &'static [&'static str] {
    FAMILIES.iter().find(|(_, others)| others.contains(&name)).map_or(&[], |(usual, _)| usual)
}

/// Returns every name that agents other than Claude Code use.
pub(crate) fn other_tool_names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().flat_map(|(_, others)| others.iter().copied())
}

#[cfg(test)]
mod tests;
