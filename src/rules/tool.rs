//! Which tools a rule is for: an anchored regex, settled without compiling one wherever it is a list of names.

use regex_syntax::hir::literal::{ExtractKind, Extractor};
use serde::{Deserialize, Serialize};

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
    /// Reads the regex; the error is the regex parser's own sentence.
    pub(crate) fn new(source: &str) -> Result<ToolFilter, String> {
        let hir = regex_syntax::parse(source).map_err(|error| super::pattern::syntax_message(&error))?;
        let literals = Extractor::new().kind(ExtractKind::Prefix).extract(&hir);
        let texts = |all: &[regex_syntax::hir::literal::Literal]| {
            all.iter().map(|one| String::from_utf8(one.as_bytes().to_vec()).ok()).collect::<Option<Vec<_>>>()
        };
        let prefixes = literals.literals().and_then(texts).unwrap_or_default();
        // The extractor passes over `^` and `\b` as if they were nothing.
        if !prefixes.is_empty() && literals.is_exact() && hir.properties().look_set().is_empty() {
            return Ok(ToolFilter::Names(prefixes));
        }
        // A regex that cannot be compiled would never accept anything, and nobody would hear of it.
        anchored(source).map_err(|error| match error {
            regex::Error::CompiledTooBig(limit) => format!("it needs more than {} MB", limit >> 20),
            error => error.to_string(),
        })?;
        let prefixes = if prefixes.iter().any(String::is_empty) { Vec::new() } else { prefixes };
        Ok(ToolFilter::Pattern { source: source.to_owned(), prefixes })
    }

    /// Says whether the filter means a tool; a name that another agent uses means Claude Code's tool as well.
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

    /// Returns a name that the filter spells out.
    pub(crate) fn first_name(&self) -> Option<&str> {
        match self {
            ToolFilter::Names(names) => names.first().map(String::as_str),
            ToolFilter::Pattern { .. } => None,
        }
    }
}

/// The tools that Claude Code is known to have, to tell a name from one that is nearly right.
const KNOWN: [&str; 22] = [
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

/// Returns the part of a `tool` that can be the name of none, and the `tool` that was meant.
pub(crate) fn meant(source: &str) -> Option<(&str, String)> {
    let parts: Vec<(&str, String)> = source.split('|').map(|part| (part, mended(part))).collect();
    let (wrong, _) = parts.iter().find(|(part, mended)| part != mended)?;
    let meant: Vec<&str> = parts.iter().map(|(_, mended)| mended.as_str()).collect();
    Some((wrong, meant.join("|")))
}

/// Mends one alternative: spaces, commas, a star that is meant as in a shell, capitals, how words are joined.
fn mended(part: &str) -> String {
    let is_simple = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | ',' | '*');
    if !part.chars().all(is_simple) {
        return part.to_owned();
    }
    let names =
        part.split([',', ' ']).filter(|name| !name.is_empty()).map(|name| match name.strip_suffix('*') {
            Some(start) => format!("{start}.*"),
            None => known(name).unwrap_or(name).to_owned(),
        });
    names.collect::<Vec<_>>().join("|")
}

/// Returns the tool that a name means, if it is one; Claude Code's before those of others.
fn known(name: &str) -> Option<&'static str> {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_'], "");
    let others = || other_tool_names().filter(|other| plain(other) == plain(name));
    let own = KNOWN.iter().copied().find(|known| plain(known) == plain(name));
    own.or_else(|| others().find(|other| *other == name)).or_else(|| others().next())
}

/// `Write|Edit` in the middle of `^…$` would bind wrongly, hence the group.
fn anchored(source: &str) -> Result<regex::Regex, regex::Error> {
    regex::Regex::new(&format!("^(?:{source})$"))
}

#[cfg(test)]
mod tests;
