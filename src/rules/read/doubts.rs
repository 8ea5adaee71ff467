//! Reports rules that load but will not do what their author wants, so that no rule is silently dead.
//!
//! A warning is for a rule that cannot fire as written, a note for one that may mean something else.

use super::{MapFields, RuleReader, child};
use crate::model::{Problem, Target};
use crate::rules::glob::FileFilter;
use crate::rules::language::language_of;
use crate::rules::message;
use crate::rules::schema::{Field, Rule};
use crate::rules::suggest::did_you_mean;
use crate::rules::tool::{self, ToolFilter};
use crate::rules::yaml::{Node, YamlValue};

impl RuleReader<'_> {
    /// Reports what is doubtful about a rule that loads.
    pub(super) fn doubt(&mut self, rule: &Rule, fields: &MapFields<'_>) {
        self.doubt_variables(rule, fields);
        self.doubt_tool(rule, fields);
        self.doubt_globs(fields);
        self.doubt_part(rule);
        for key in ["match", "unless"] {
            if let Some(node) = fields.get(key) {
                self.doubt_match(rule, node, key);
            }
        }
    }

    fn doubt_variables(&mut self, rule: &Rule, fields: &MapFields<'_>) {
        let Some(node) = fields.get("message") else { return };
        for variable in message::unknown_variables(&rule.message) {
            let known = message::NAMES.iter().map(|(name, _)| *name);
            let message = format!("`{{{{ {variable} }}}}` is not a variable and stays as written");
            self.report(node, Problem::note(message), &did_you_mean(variable, known));
        }
    }

    fn doubt_tool(&mut self, rule: &Rule, fields: &MapFields<'_>) {
        let Some(node) = fields.get("on").and_then(|on| child(on, "tool")) else { return };
        let YamlValue::Text { text: source, .. } = &node.value else { return };
        self.doubt_controls(node, "tool");
        if !rule.hook.is_tool_use() {
            let message = format!("`tool` is ignored on {}", rule.hook.name());
            return self.report(node, Problem::note(message), "remove it");
        }
        if let Some((wrong, meant)) = tool::correction(source) {
            let message = format!("no tool is called `{wrong}`");
            return self.report(node, Problem::warning(message), &format!("write `{meant}`"));
        }
        if let Some(filter @ ToolFilter::Names(_)) = &rule.tool
            && filter.accepts("Edit")
            && !filter.accepts("NotebookEdit")
            && rule.file.as_ref().is_none_or(may_match_notebooks)
            && !std::mem::replace(&mut self.noted_notebooks, true)
        {
            let others = if filter.accepts("MultiEdit") {
                "NotebookEdit is"
            } else {
                "MultiEdit and NotebookEdit are"
            };
            let message = format!("`Edit` matches only that tool: {others} not covered");
            self.report(node, Problem::note(message), "write `Edit|MultiEdit|NotebookEdit` to cover them");
        }
    }

    fn doubt_globs(&mut self, fields: &MapFields<'_>) {
        let Some(node) = fields.get("on").and_then(|on| child(on, "file")) else { return };
        let items = if let YamlValue::List(items) = &node.value {
            items.as_slice()
        } else {
            std::slice::from_ref(node)
        };
        for item in items {
            self.doubt_controls(item, "file");
            let YamlValue::Text { text: glob, .. } = &item.value else { continue };
            if let Some((message, hint)) = doubtful_glob(glob) {
                self.report(item, Problem::warning(format!("`{glob}` matches nothing: {message}")), &hint);
            }
        }
    }

    /// Notes files in which `in` means nothing, because their language is not known.
    fn doubt_part(&mut self, rule: &Rule) {
        let mut matchers = rule.matchers.iter().chain(&rule.exceptions);
        let Some(matcher) = matchers.find(|matcher| matcher.part.is_some()) else { return };
        let Some(filter) = &rule.file else { return };
        let accepts = |path: &String| {
            filter.accepts(&Target { absolute: format!("/{path}"), relative: Some(path.clone()) })
        };
        let unknown = filter.examples().find(|path| language_of(path).is_none() && accepts(path));
        let Some(path) = unknown else { return };
        let message =
            format!("the language of files such as `{path}` is not known, so `in` means all of their text");
        let problem = Problem::note(message).at(self.file, matcher.line, matcher.column);
        let problem = problem.hint("name files with the ending of a language, as in \"**/*.rs\"");
        self.problems.push(Problem { rule: self.rule.clone(), ..problem });
    }

    fn doubt_match(&mut self, rule: &Rule, node: &Node, key: &str) {
        let is_empty = matches!(&node.value, YamlValue::Map(entries) if entries.is_empty());
        if !is_empty && Field::ALL.iter().all(|field| child(node, field.name()).is_none()) {
            let hint = "name a field, as in `content: \"…\"`, or remove it";
            return self.report(node, Problem::note(format!("`{key}` names no field")), hint);
        }
        for field in Field::ALL {
            let Some(node) = child(node, field.name()) else { continue };
            self.doubt_controls(node, field.name());
            let Some(tools) = field.tools() else { continue };
            if rule.tool.as_ref().is_some_and(|filter| !tools.iter().any(|tool| filter.accepts(tool))) {
                let message = format!("calls of this `tool` never have `{}`", field.name());
                let hint = format!("use `content`, or set `tool` to `{}`", tools.join("|"));
                self.report(node, Problem::warning(message), &hint);
            }
        }
    }

    /// In double quotes YAML turns `\b` into a backspace, which no text contains.
    fn doubt_controls(&mut self, node: &Node, key: &str) {
        let YamlValue::Text { text, .. } = &node.value else { return };
        let is_unexpected = |c: &char| c.is_control() && !matches!(c, '\n' | '\t' | '\r');
        let Some(control) = text.chars().find(is_unexpected) else { return };
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
        self.report(node, Problem::warning(message), &format!("{hint}, or use single quotes"));
    }

    fn report(&mut self, node: &Node, problem: Problem, hint: &str) {
        let problem = problem.at(self.file, node.line, node.column).hint(hint);
        self.problems.push(Problem { rule: self.rule.clone(), ..problem });
    }
}

/// Returns why a glob cannot match any path, and what was probably meant.
fn doubtful_glob(glob: &str) -> Option<(&'static str, String)> {
    let separates = |(at, _): (usize, &str)| {
        glob[at + 1..].starts_with(|next: char| next.is_alphanumeric() || matches!(next, '*' | '_' | '.'))
    };
    if glob.match_indices('\\').any(separates) {
        return Some(("folders are separated by `/`", format!("write `{}`", glob.replace('\\', "/"))));
    }
    if glob.trim_start_matches('!').split('/').any(|part| part == "..") {
        let hint = "paths are relative to the project's root";
        return Some(("paths never contain `..`", hint.to_owned()));
    }
    let folder = glob.ends_with('/');
    folder.then(|| ("no file's path ends with `/`", format!("write `{glob}**` for everything in it")))
}

fn may_match_notebooks(filter: &FileFilter) -> bool {
    let accepts = |path: String| {
        let target = Target { absolute: format!("/{path}"), relative: Some(path) };
        target.absolute.ends_with(".ipynb") && filter.accepts(&target)
    };
    filter.examples().any(|path| accepts(format!("{path}.ipynb")) || accepts(path))
}
