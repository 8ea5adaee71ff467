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
    /// Any touch of this kind, by whatever tool: `change` or `read`.
    pub(super) does: Option<&'static str>,
    /// The words of commands, one of which is enough.
    pub(super) commands: Vec<String>,
    /// Fields of `match` and `unless`, with their patterns.
    pub(super) matches: Vec<(&'static str, String)>,
    pub(super) unless: Vec<(&'static str, String)>,
    pub(super) is_case_sensitive: bool,
    pub(super) action: DraftAction,
    pub(super) message: String,
    /// Commands that it fires on, and that it does not.
    pub(super) fires: Vec<String>,
    pub(super) quiet: Vec<String>,
}

/// What a rule does, in our words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum DraftAction {
    Interrupt,
    Ask,
    #[default]
    Continue,
}

/// Returns a file of rules.
pub(super) fn file(rules: &[RuleDraft], from: &str) -> String {
    let mut text = format!(
        "# Imported from {from}. Read it, move it to `.nudge.yaml`, and remove `shadow` to switch a rule on.\nversion: 1\nrules:\n"
    );
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
        self.does.iter().for_each(|does| line(6, format!("does: {does}")));
        self.file.iter().for_each(|file| line(6, format!("file: {}", quoted(file))));
        if !self.commands.is_empty() {
            let words: Vec<String> = self.commands.iter().map(|words| quoted(words)).collect();
            line(4, "match:".to_owned());
            line(6, format!("command: [{}]", words.join(", ")));
        }
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
        let action = match self.action {
            DraftAction::Interrupt => "interrupt",
            DraftAction::Ask => "ask",
            DraftAction::Continue => "continue",
        };
        line(4, format!("action: {action}"));
        // It is counted, and says nothing until somebody has looked at what it would have done.
        line(4, "shadow: true".to_owned());
        line(4, format!("message: {}", quoted(&self.message)));
        if self.fires.is_empty() && self.quiet.is_empty() {
            return;
        }
        line(4, "examples:".to_owned());
        for (key, commands) in [("fires", &self.fires), ("quiet", &self.quiet)] {
            if !commands.is_empty() {
                line(6, format!("{key}:"));
            }
            commands
                .iter()
                .for_each(|command| line(8, format!("- {{ tool: Bash, content: {} }}", quoted(command))));
        }
    }
}

/// Returns a text in double quotes; JSON's escapes are YAML's too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
