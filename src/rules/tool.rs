//! Which tools a rule is for: an anchored regex, which is not compiled if it is only a list of names.

use std::rc::Rc;

use regex_syntax::hir::literal::{ExtractKind, Extractor};
use serde::{Deserialize, Serialize};

use super::compiled::compiled;
use crate::model::{other_tool_names, usual_tool_names};

/// The `tool` of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum ToolFilter {
    /// `Write|Edit`: these names and no others.
    Names(Vec<String>),
    /// Anything else; every match begins with one of `prefixes`, unless that list is empty.
    Pattern { source: String, prefixes: Vec<String> },
}

impl ToolFilter {
    /// Returns the filter as a regex.
    pub(crate) fn written(&self) -> String {
        match self {
            ToolFilter::Names(names) => names.join("|"),
            ToolFilter::Pattern { source, .. } => source.clone(),
        }
    }

    /// Parses the regex; the error is the message of the regex parser.
    pub(crate) fn new(source: &str) -> Result<ToolFilter, String> {
        let hir = regex_syntax::parse(source).map_err(|error| super::pattern::syntax_message(&error))?;
        let literals = Extractor::new().kind(ExtractKind::Prefix).extract(&hir);
        let texts = |all: &[regex_syntax::hir::literal::Literal]| {
            all.iter().map(|one| String::from_utf8(one.as_bytes().to_vec()).ok()).collect::<Option<Vec<_>>>()
        };
        let prefixes = literals.literals().and_then(texts).unwrap_or_default();
        // The extractor ignores `^` and `\b`.
        if !prefixes.is_empty() && literals.is_exact() && hir.properties().look_set().is_empty() {
            return Ok(ToolFilter::Names(prefixes));
        }
        // A regex that cannot be compiled would silently never match.
        anchored(source).map_err(|error| match error {
            regex::Error::CompiledTooBig(limit) => format!("it needs more than {} MB", limit >> 20),
            error => error.to_string(),
        })?;
        let prefixes = if prefixes.iter().any(String::is_empty) { Vec::new() } else { prefixes };
        Ok(ToolFilter::Pattern { source: source.to_owned(), prefixes })
    }

    /// Returns whether the filter accepts a tool; another agent's name for a tool also accepts Claude Code's tool.
    pub(crate) fn accepts(&self, tool: &str) -> bool {
        match self {
            ToolFilter::Names(names) => {
                names.iter().any(|name| name == tool || usual_tool_names(name).contains(&tool))
            }
            ToolFilter::Pattern { source, prefixes } => {
                (prefixes.is_empty() || prefixes.iter().any(|prefix| tool.starts_with(prefix)))
                    && (source == ".*" || anchored(source).is_ok_and(|regex| regex.is_match(tool)))
            }
        }
    }

    /// Returns the first name, if the filter is a list of names.
    pub(crate) fn first_name(&self) -> Option<&str> {
        match self {
            ToolFilter::Names(names) => names.first().map(String::as_str),
            ToolFilter::Pattern { .. } => None,
        }
    }
}

/// The known tools of Claude Code, used to detect names that are nearly right.
const KNOWN_TOOLS: [&str; 22] = [
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Edit",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "LS",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "Read",
    "Skill",
    "SlashCommand",
    "Task",
    "TaskCreate",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// Returns whether this is exactly the name of a tool: of an agent's own, or of an MCP server.
pub(crate) fn is_known(name: &str) -> bool {
    // Other agents have tools such as `bash` and `grep`, which are programs too.
    let is_of_others = || name.contains('_') && other_tool_names().any(|other| other == name);
    KNOWN_TOOLS.contains(&name) || name.starts_with("mcp__") || is_of_others()
}

/// Returns the part of a `tool` that is not the name of any tool, and a corrected `tool`.
pub(crate) fn correction(source: &str) -> Option<(&str, String)> {
    let parts: Vec<(&str, String)> = source.split('|').map(|part| (part, corrected(part))).collect();
    let (wrong, _) = parts.iter().find(|(part, corrected)| part != corrected)?;
    let all: Vec<&str> = parts.iter().map(|(_, corrected)| corrected.as_str()).collect();
    Some((wrong, all.join("|")))
}

/// Corrects one alternative: spaces, commas, a star as in a shell, capitals, separators between words.
fn corrected(part: &str) -> String {
    let is_simple = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | ',' | '*');
    if !part.chars().all(is_simple) {
        return part.to_owned();
    }
    let names =
        part.split([',', ' ']).filter(|name| !name.is_empty()).map(|name| match name.strip_suffix('*') {
            Some(start) => format!("{start}.*"),
            None => known_tool(name).unwrap_or(name).to_owned(),
        });
    names.collect::<Vec<_>>().join("|")
}

/// Returns the known tool with this name in any spelling: the very name if an agent uses it, else Claude Code's, else
/// that of another agent.
fn known_tool(name: &str) -> Option<&'static str> {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_'], "");
    let others = || other_tool_names().filter(|other| plain(other) == plain(name));
    let own = KNOWN_TOOLS.iter().copied().find(|known| plain(known) == plain(name));
    others().find(|other| *other == name).or(own).or_else(|| others().next())
}

/// The group is needed because `^Write|Edit$` would bind wrongly.
fn anchored(source: &str) -> Result<Rc<regex::Regex>, regex::Error> {
    compiled(|| format!("tool {source}"), || regex::Regex::new(&format!("^(?:{source})$")))
}

#[cfg(test)]
mod tests;
