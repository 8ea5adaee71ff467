//! Writes rules as YAML: every text in double quotes, so that nothing in it can be taken for anything else.

use std::fmt::Write;

/// A rule to be written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RuleDraft {
    pub(super) name: String,
    pub(super) enabled: bool,
    pub(super) hook: &'static str,
    pub(super) tool: Option<String>,
    pub(super) file: Option<String>,
    /// Fields of `match` and `unless`, with their patterns.
    pub(super) matches: Vec<(&'static str, String)>,
    pub(super) unless: Vec<(&'static str, String)>,
    pub(super) is_case_sensitive: bool,
    pub(super) blocks: bool,
    pub(super) message: String,
}

/// Returns a file of rules.
pub(super) fn file(rules: &[RuleDraft], from: &str) -> String {
    let mut text =
        format!("# Imported from {from}. Read it, then move it to `.nudge.yaml`.\nversion: 1\nrules:\n");
    for rule in rules {
        rule.write(&mut text);
    }
    text
}

impl RuleDraft {
    fn write(&self, text: &mut String) {
        let mut line = |indent: usize, line: String| {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{:indent$}{line}", "");
        };
        line(2, format!("- name: {}", quoted(&self.name)));
        if !self.enabled {
            line(4, "enabled: false".to_owned());
        }
        line(4, "on:".to_owned());
        line(6, format!("hook: {}", self.hook));
        self.tool.iter().for_each(|tool| line(6, format!("tool: {}", quoted(tool))));
        self.file.iter().for_each(|file| line(6, format!("file: {}", quoted(file))));
        for (key, patterns) in [("match", &self.matches), ("unless", &self.unless)] {
            if patterns.is_empty() {
                continue;
            }
            line(4, format!("{key}:"));
            patterns.iter().for_each(|(field, pattern)| line(6, format!("{field}: {}", quoted(pattern))));
            if !self.is_case_sensitive {
                line(6, "case_sensitive: false".to_owned());
            }
        }
        line(4, format!("action: {}", if self.blocks { "interrupt" } else { "continue" }));
        line(4, format!("message: {}", quoted(&self.message)));
    }
}

/// Returns a text in double quotes; JSON's escapes are YAML's too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
