//! What loads, but will not do what its author wants: said while a file is read, so that no rule is dead in silence.
//!
//! A warning is for a rule that cannot fire as it stands, a note for one that may mean something else.

use super::{Fields, Reader, child};
use crate::model::{Problem, Target};
use crate::rules::glob::FileFilter;
use crate::rules::message;
use crate::rules::schema::{Field, Rule};
use crate::rules::suggest::did_you_mean;
use crate::rules::tool::{self, ToolFilter};
use crate::rules::yaml::{Node, Value};

impl Reader<'_> {
    /// Says what is doubtful about a rule that loads.
    pub(super) fn doubt(&mut self, rule: &Rule, fields: &Fields<'_>) {
        self.doubt_variables(rule, fields);
        self.doubt_tool(rule, fields);
        self.doubt_globs(fields);
        for key in ["match", "unless"] {
            if let Some(node) = fields.get(key) {
                self.doubt_match(rule, node, key);
            }
        }
    }

    fn doubt_variables(&mut self, rule: &Rule, fields: &Fields<'_>) {
        let Some(node) = fields.get("message") else { return };
        for variable in message::unknown_variables(&rule.message) {
            let known = message::NAMES.iter().map(|(name, _)| *name);
            let message = format!("`{{{{ {variable} }}}}` is left as it is");
            self.say(node, Problem::note(message), &did_you_mean(variable, known));
        }
    }

    fn doubt_tool(&mut self, rule: &Rule, fields: &Fields<'_>) {
        let Some(node) = fields.get("on").and_then(|on| child(on, "tool")) else { return };
        let Value::Text { text: source, .. } = &node.value else { return };
        self.doubt_controls(node, "tool");
        if !rule.hook.is_tool_use() {
            let message = format!("`tool` is ignored on {}", rule.hook.name());
            return self.say(node, Problem::note(message), "remove it");
        }
        if let Some((wrong, meant)) = tool::meant(source) {
            let message = format!("no tool is called `{wrong}`");
            return self.say(node, Problem::warning(message), &format!("write `{meant}`"));
        }
        if let Some(filter @ ToolFilter::Names(_)) = &rule.tool
            && filter.accepts("Edit")
            && !filter.accepts("NotebookEdit")
            && rule.file.as_ref().is_none_or(may_mean_notebooks)
            && !std::mem::replace(&mut self.told_of_notebooks, true)
        {
            let others = if filter.accepts("MultiEdit") {
                "NotebookEdit is"
            } else {
                "MultiEdit and NotebookEdit are"
            };
            let message = format!("`Edit` means that tool only: {others} not covered");
            self.say(node, Problem::note(message), "write `Edit|MultiEdit|NotebookEdit` to cover them");
        }
    }

    fn doubt_globs(&mut self, fields: &Fields<'_>) {
        let Some(node) = fields.get("on").and_then(|on| child(on, "file")) else { return };
        let items =
            if let Value::List(items) = &node.value { items.as_slice() } else { std::slice::from_ref(node) };
        for item in items {
            self.doubt_controls(item, "file");
            let Value::Text { text: glob, .. } = &item.value else { continue };
            if let Some((message, hint)) = doubtful_glob(glob) {
                self.say(item, Problem::warning(format!("`{glob}` matches nothing: {message}")), &hint);
            }
        }
    }

    fn doubt_match(&mut self, rule: &Rule, node: &Node, key: &str) {
        let is_empty = matches!(&node.value, Value::Map(entries) if entries.is_empty());
        if !is_empty && Field::ALL.iter().all(|field| child(node, field.name()).is_none()) {
            let hint = "name a field, as in `content: \"…\"`, or remove it";
            return self.say(node, Problem::note(format!("`{key}` looks at nothing")), hint);
        }
        for field in Field::ALL {
            let Some(node) = child(node, field.name()) else { continue };
            self.doubt_controls(node, field.name());
            let Some(tools) = field.tools() else { continue };
            if rule.tool.as_ref().is_some_and(|filter| !tools.iter().any(|tool| filter.accepts(tool))) {
                let message = format!("`{}` is never there for this `tool`", field.name());
                let hint = format!("use `content`, or name `{}` as its tool", tools.join("|"));
                self.say(node, Problem::warning(message), &hint);
            }
        }
    }

    /// In double quotes YAML makes a backspace of `\b`, which no text contains.
    fn doubt_controls(&mut self, node: &Node, key: &str) {
        let Value::Text { text, .. } = &node.value else { return };
        let strange = |c: &char| c.is_control() && !matches!(c, '\n' | '\t' | '\r');
        let Some(control) = text.chars().find(strange) else { return };
        let hint = match control {
            '\0' => "write `\\\\0`",
            '\u{7}' => "write `\\\\a`",
            '\u{8}' => "write `\\\\b`",
            '\u{b}' => "write `\\\\v`",
            '\u{c}' => "write `\\\\f`",
            '\u{1b}' => "write `\\\\e`",
            _ => "double the backslash",
        };
        let message = format!("`{key}` contains the control character U+{:04X}", u32::from(control));
        self.say(node, Problem::warning(message), &format!("{hint}, or use single quotes"));
    }

    fn say(&mut self, node: &Node, problem: Problem, hint: &str) {
        let problem = problem.at(self.file, node.line, node.column).hint(hint);
        self.problems.push(Problem { rule: self.rule.clone(), ..problem });
    }
}

/// Says why a glob can match no path, and what was meant.
fn doubtful_glob(glob: &str) -> Option<(&'static str, String)> {
    let separates = |(at, _): (usize, &str)| {
        glob[at + 1..].starts_with(|next: char| next.is_alphanumeric() || matches!(next, '*' | '_' | '.'))
    };
    if glob.match_indices('\\').any(separates) {
        return Some(("folders are separated by `/`", format!("write `{}`", glob.replace('\\', "/"))));
    }
    if glob.trim_start_matches('!').split('/').any(|part| part == "..") {
        let hint = "paths are relative to the project's root, and have no `..` in them";
        return Some(("`..` is in no path", hint.to_owned()));
    }
    let folder = glob.ends_with('/');
    folder.then(|| ("no file's path ends with `/`", format!("write `{glob}**` for all that is in there")))
}

fn may_mean_notebooks(filter: &FileFilter) -> bool {
    let accepts = |path: String| {
        let target = Target { absolute: format!("/{path}"), relative: Some(path) };
        target.absolute.ends_with(".ipynb") && filter.accepts(&target)
    };
    filter.examples().any(|path| accepts(format!("{path}.ipynb")) || accepts(path))
}
