//! Other tools' memories: what each record of them becomes here.
//!
//! Most of what these tools keep was written by a model. It comes in as evidence with a source, never as an
//! instruction: observations by default, and notes only when the user asks for them. `ops` finds and reads the files, and
//! the store the databases; everything here is pure.

mod beads;
mod claude_mem;
mod claude_permissions;
mod codex_rules;
mod draft;
mod engram;
mod hookify;
mod markdown;
mod mcp_memory;
mod nmem;
mod safety_net;
mod starlark;
mod yaml;

use std::path::{Path, PathBuf};

pub(crate) use draft::{ImportDraft, LeftOut, Mapped, ProjectHint, SourceRecord};

/// A tool whose memory or rules can be imported.
#[derive(Debug)]
pub(crate) struct ImportTool {
    /// The name after `--from`.
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// Returns where it keeps them; nothing if the user has to say.
    pub(crate) paths: fn(&ImportPlace<'_>) -> Vec<PathBuf>,
    pub(crate) store: ToolStore,
    /// What has no place here, whatever is in the store; the report says so.
    pub(crate) not_carried: &'static str,
}

/// How a tool keeps what it knows, and what becomes of it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ToolStore {
    /// Tables of an SQLite database.
    Tables(&'static [SourceTable], Map),
    /// A JSON object per line.
    Lines(Map),
    /// Markdown files in a folder.
    Files(Map),
    /// Rules, one file each or all in one; the texts of all files become one file of rules.
    Rules(fn(&[SourceRecord]) -> RuleImport),
}

/// Turns all records of a store into observations.
pub(crate) type Map = fn(&[SourceRecord]) -> Vec<Mapped>;

/// A table and the columns that are read, if they exist.
#[derive(Debug)]
pub(crate) struct SourceTable {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [&'static str],
}

/// Rules of another tool, as a file of ours.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RuleImport {
    /// The text of the file; empty without a rule.
    pub(crate) text: String,
    pub(crate) rules: usize,
    pub(crate) left_out: Vec<LeftOut>,
    /// What works differently here.
    pub(crate) changes: Vec<String>,
}

/// The folders in which stores are looked for.
pub(crate) struct ImportPlace<'p> {
    pub(crate) home: &'p Path,
    /// The root of the project that the user is in.
    pub(crate) root: &'p Path,
    /// Looks up a path that the user has moved with an environment variable.
    pub(crate) moved: fn(&str) -> Option<PathBuf>,
}

impl ImportPlace<'_> {
    fn moved_or(&self, variable: &str, folder: &str) -> PathBuf {
        (self.moved)(variable).unwrap_or_else(|| self.home.join(folder))
    }
}

/// All tools, in the order in which they are shown.
pub(crate) static TOOLS: &[ImportTool] = &[
    ImportTool {
        id: "claude-mem",
        title: "claude-mem",
        paths: |place| vec![place.moved_or("CLAUDE_MEM_DATA_DIR", ".claude-mem").join("claude-mem.db")],
        store: ToolStore::Tables(claude_mem::TABLES, claude_mem::map),
        not_carried: "concepts, token counts and vectors",
    },
    ImportTool {
        id: "engram",
        title: "engram",
        paths: |place| vec![place.moved_or("ENGRAM_DATA_DIR", ".engram").join("engram.db")],
        store: ToolStore::Tables(engram::TABLES, engram::map),
        not_carried: "earlier revisions of an observation",
    },
    ImportTool {
        id: "nmem",
        title: "nmem",
        paths: |place| vec![place.home.join(".nmem/nmem.db")],
        store: ToolStore::Tables(nmem::TABLES, nmem::map),
        not_carried: "what the agent thought, tasks, work units and the classes of rows",
    },
    ImportTool {
        id: "mcp-memory",
        title: "the MCP reference memory",
        paths: |place| (place.moved)("MEMORY_FILE_PATH").into_iter().collect(),
        store: ToolStore::Lines(mcp_memory::map),
        not_carried: "the graph itself: relations become lines of their first entity",
    },
    ImportTool {
        id: "beads",
        title: "beads",
        paths: |place| vec![place.root.join(".beads/issues.jsonl")],
        store: ToolStore::Lines(beads::map),
        not_carried: "priorities, labels, comments and the kinds of dependencies",
    },
    ImportTool {
        id: "serena",
        title: "Serena",
        paths: |place| vec![place.root.join(".serena/memories"), place.home.join(".serena/memories/global")],
        store: ToolStore::Files(markdown::serena),
        not_carried: "links between memories, which stay as text",
    },
    ImportTool {
        id: "claude-memory",
        title: "Claude Code's own memory",
        paths: |place| {
            let claude = place.moved_or("CLAUDE_CONFIG_DIR", ".claude");
            vec![claude.join("projects").join(claude_slug(place.root)).join("memory")]
        },
        store: ToolStore::Files(markdown::claude_memory),
        not_carried: "links between memories, which stay as text",
    },
    ImportTool {
        id: "codex-memory",
        title: "Codex's own memory",
        paths: |place| vec![place.moved_or("CODEX_HOME", ".codex").join("memories")],
        store: ToolStore::Files(markdown::codex_memory),
        not_carried: "how often a memory was used",
    },
    ImportTool {
        id: "basic-memory",
        title: "basic-memory",
        paths: |_| Vec::new(),
        store: ToolStore::Files(markdown::basic_memory),
        not_carried: "relations between notes, which stay as text",
    },
    ImportTool {
        id: "hookify",
        title: "hookify",
        paths: |place| vec![place.root.join(".claude")],
        store: ToolStore::Rules(hookify::rules),
        not_carried: "conditions on the transcript",
    },
    ImportTool {
        id: "cc-safety-net",
        title: "cc-safety-net",
        paths: |place| {
            vec![place.root.join(".safety-net.json"), place.home.join(".cc-safety-net/config.json")]
        },
        store: ToolStore::Rules(safety_net::rules),
        not_carried: "its built-in rules, for which there are packs",
    },
    ImportTool {
        id: "claude-permissions",
        title: "Claude Code's permissions",
        paths: |place| {
            let claude = place.root.join(".claude");
            vec![claude.join("settings.json"), claude.join("settings.local.json")]
        },
        store: ToolStore::Rules(claude_permissions::rules),
        not_carried: "`allow`, which a rule cannot give, and the mode and folders of the settings",
    },
    ImportTool {
        id: "codex-rules",
        title: "Codex's rules",
        paths: |place| {
            vec![place.root.join(".codex/rules"), place.moved_or("CODEX_HOME", ".codex").join("rules")]
        },
        store: ToolStore::Rules(codex_rules::rules),
        not_carried: "`allow`, which a rule cannot give, and what a file computes",
    },
];

/// Finds the tool that wrote a file of rules, by its name and what is in it.
pub(crate) fn rule_tool_of(name: &str, text: &str) -> Option<&'static ImportTool> {
    let id = if hookify::is_rule(name) {
        "hookify"
    } else if name.ends_with(".rules") || name.ends_with(".codexpolicy") {
        "codex-rules"
    } else {
        let parsed: serde_json::Value = serde_json::from_str(text).ok()?;
        match (&parsed["permissions"], &parsed["rules"]) {
            (permissions, _) if permissions.is_object() => "claude-permissions",
            (_, rules) if rules.is_array() => "cc-safety-net",
            _ => return None,
        }
    };
    tool(id)
}

/// Finds a tool by the name after `--from`.
pub(crate) fn tool(id: &str) -> Option<&'static ImportTool> {
    TOOLS.iter().find(|tool| tool.id == id)
}

/// Returns the name that Claude Code gives to the folder of a project.
fn claude_slug(root: &Path) -> String {
    root.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests;
