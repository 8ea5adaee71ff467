//! Reads a rule file: every rule on its own, so that a broken one costs only itself.

use super::glob::FileFilter;
use super::message;
use super::pattern::{Options, Pattern};
use super::schema::{self, Action, Example, Field, HOOKS, Key, Kind, Matcher, Rule, Sample};
use super::suggest::did_you_mean;
use super::tool::ToolFilter;
use super::yaml::{self, Node, Value};
use crate::model::{Hook, Place, Problem};

/// What a rule file gave.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Loaded {
    pub(crate) rules: Vec<Rule>,
    pub(crate) problems: Vec<Problem>,
}

/// What to make of a file without `version`: a hook takes it as it is, `validate` wants it mended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MissingVersion {
    Warn,
    Refuse,
}

/// Reads a file's text; whatever is wrong is among the problems, and everything else is loaded.
pub(crate) fn read(file: &str, text: &str, missing_version: MissingVersion) -> Loaded {
    let mut reader = Reader { file, rule: None, problems: Vec::new(), faults: 0 };
    let rules = reader.file(text, missing_version).unwrap_or_default();
    Loaded { rules, problems: reader.problems }
}

/// What was wrong has been told.
struct Told;

struct Reader<'f> {
    file: &'f str,
    rule: Option<String>,
    problems: Vec<Problem>,
    faults: usize,
}

impl Reader<'_> {
    fn file(&mut self, text: &str, missing_version: MissingVersion) -> Result<Vec<Rule>, Told> {
        let root = match yaml::parse(text) {
            Ok(Some(root)) => root,
            Ok(None) => return Ok(Vec::new()),
            Err(error) => {
                let problem = Problem::error(error.message).at(self.file, error.line, error.column);
                self.problems.push(Problem { hint: error.hint, ..problem });
                return Err(Told);
            }
        };
        let fields = self.map(&root, schema::FILE, "the file")?;
        match fields.get("version") {
            Some(Node { value: Value::Integer(1), .. }) => {}
            Some(other) => {
                let hint = "this program reads version 1 only; the whole file is off";
                return Err(self.fault(other, "`version` must be the number 1", hint));
            }
            None => {
                let problem = match missing_version {
                    MissingVersion::Warn => Problem::warning("`version` is missing"),
                    MissingVersion::Refuse => Problem::error("`version` is missing"),
                };
                let hint = "add `version: 1` as the first line";
                self.problems.push(problem.at(self.file, root.line, root.column).hint(hint));
            }
        }
        match fields.get("rules") {
            Some(Node { value: Value::List(items), .. }) => {
                Ok(items.iter().filter_map(|item| self.rule(item).ok()).collect())
            }
            Some(Node { value: Value::Null, .. }) => Ok(Vec::new()),
            Some(other) => {
                let message = format!("`rules` must be a list, but is {}", other.kind());
                Err(self.fault(other, &message, "start each rule with `- name: …`"))
            }
            None => Err(self.fault(&root, "`rules` is missing", "add `rules:` and a list of rules")),
        }
    }

    fn rule(&mut self, node: &Node) -> Result<Rule, Told> {
        self.rule = None;
        if let Value::Map(entries) = &node.value {
            self.rule = entries.iter().find_map(|(key, value)| match (&key.value, &value.value) {
                (Value::Text { text: key, .. }, Value::Text { text, .. }) if key == "name" => {
                    Some(text.clone())
                }
                _ => None,
            });
        }
        let faults_before = self.faults;
        let rule = self.rule_fields(node);
        self.rule = None;
        rule.and_then(|rule| if self.faults == faults_before { Ok(rule) } else { Err(Told) })
    }

    /// Reads on after a fault, so that one look at the file shows all of them.
    fn rule_fields(&mut self, node: &Node) -> Result<Rule, Told> {
        let fields = self.map(node, schema::RULE, "a rule")?;
        self.require(&fields, schema::RULE, node);
        let name = self.text(&fields, "name");
        let description = self.text(&fields, "description").ok().flatten();
        let on = self.on(&fields);
        let hook = on.as_ref().ok().map(|on| on.0);
        let matchers = self.matchers(&fields, "match", hook).unwrap_or_default();
        let exceptions = self.matchers(&fields, "unless", hook).unwrap_or_default();
        let action = self.choice(&fields, "action", &["interrupt", "continue"]);
        let message = self.text(&fields, "message");
        let enabled = self.truth(&fields, "enabled");
        let once = self.choice(&fields, "once", &["session"]);
        let on_failure = self.choice(&fields, "on_failure", &["open", "closed"]);
        let examples = self.examples(&fields);
        let (hook, tool, file) = on?;
        let rule = Rule {
            name: name?.ok_or(Told)?,
            description,
            place: Place { file: self.file.to_owned(), line: node.line, column: node.column },
            hook,
            tool,
            file,
            matchers,
            exceptions,
            action: match action?.ok_or(Told)? {
                "interrupt" => Action::Interrupt,
                _ => Action::Continue,
            },
            message: message?.ok_or(Told)?,
            enabled: enabled?.unwrap_or(true),
            once_per_session: once?.is_some(),
            fails_closed: on_failure? == Some("closed"),
            examples: examples?,
        };
        self.notes(&rule, &fields);
        Ok(rule)
    }

    fn on(&mut self, rule: &Fields<'_>) -> Result<(Hook, Option<ToolFilter>, Option<FileFilter>), Told> {
        let node = rule.get("on").ok_or(Told)?;
        let fields = self.map(node, schema::ON, "`on`")?;
        self.require(&fields, schema::ON, node);
        let names = HOOKS.map(Hook::name);
        let hook = self.choice(&fields, "hook", &names);
        let tool = match self.text(&fields, "tool")? {
            None => None,
            Some(source) => Some(ToolFilter::new(&source).map_err(|error| {
                let node = fields.get("tool").unwrap_or(node);
                self.fault(
                    node,
                    &format!("`tool` is not a regex: {error}"),
                    "as in `Write|Edit` or `mcp__.*`",
                )
            })?),
        };
        let file = self.globs(&fields)?;
        let hook = hook?.and_then(|name| HOOKS.into_iter().find(|hook| hook.name() == name)).ok_or(Told)?;
        if let (false, Some(node)) = (hook.is_tool_use(), fields.get("file")) {
            let message = format!("`file` never holds on {}", hook.name());
            return Err(self.fault(node, &message, "remove it, or use PreToolUse or PostToolUse"));
        }
        Ok((hook, tool.filter(|_| hook.is_tool_use()), file))
    }

    fn globs(&mut self, on: &Fields<'_>) -> Result<Option<FileFilter>, Told> {
        let Some(node) = on.get("file") else { return Ok(None) };
        let items =
            if let Value::List(items) = &node.value { items.as_slice() } else { std::slice::from_ref(node) };
        if items.is_empty() {
            return Err(self.fault(node, "`file` is an empty list", "name at least one glob, or remove it"));
        }
        let globs: Vec<&str> =
            items.iter().map(|item| self.text_of(item, "file")).collect::<Result<Vec<_>, _>>()?;
        FileFilter::new(globs).map(Some).map_err(|error| {
            self.fault(node, &format!("`file` is not a glob: {error}"), "as in \"src/**/*.ts\"")
        })
    }

    fn matchers(&mut self, rule: &Fields<'_>, key: &str, hook: Option<Hook>) -> Result<Vec<Matcher>, Told> {
        let Some(node) = rule.get(key) else { return Ok(Vec::new()) };
        let fields = self.map(node, schema::MATCH, &format!("`{key}`"))?;
        let options = Options {
            case_sensitive: self.truth(&fields, "case_sensitive")?.unwrap_or(true),
            multiline: self.truth(&fields, "multiline")?.unwrap_or(true),
        };
        let mut matchers = Vec::new();
        for field in Field::ALL {
            let Ok(Some(source)) = self.text(&fields, field.name()) else { continue };
            let node = fields.get(field.name()).unwrap_or(node);
            if let Some(hook) = hook.filter(|hook| !field.exists_on(*hook)) {
                let known = Field::ALL.into_iter().filter(|field| field.exists_on(hook)).map(Field::name);
                let message = format!("`{}` does not exist on {}", field.name(), hook.name());
                let hint =
                    format!("use {}", known.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "));
                self.fault(node, &message, &hint);
                continue;
            }
            match Pattern::new(&source, options) {
                Ok(pattern) => matchers.push(Matcher { field, pattern }),
                Err(error) => {
                    let message = format!("`{}` is not a regex: {}", field.name(), error.0);
                    self.fault(node, &message, "to find such a character itself, put a backslash before it");
                }
            }
        }
        if key == "unless" && Field::ALL.iter().all(|field| fields.get(field.name()).is_none()) {
            self.fault(node, "`unless` is empty", "name a field, as in `content: \"…\"`, or remove it");
        }
        Ok(matchers)
    }

    fn examples(&mut self, rule: &Fields<'_>) -> Result<Vec<Example>, Told> {
        let Some(node) = rule.get("examples") else { return Ok(Vec::new()) };
        let fields = self.map(node, schema::EXAMPLES, "`examples`")?;
        let mut examples = Vec::new();
        for (key, fires) in [("fires", true), ("quiet", false)] {
            let Some(node) = fields.get(key) else { continue };
            let Value::List(items) = &node.value else {
                return Err(self.fault(
                    node,
                    &format!("`{key}` must be a list"),
                    "start each case with `- `",
                ));
            };
            for item in items {
                let sample = self.sample(item)?;
                examples.push(Example { fires, sample, line: item.line, column: item.column });
            }
        }
        Ok(examples)
    }

    fn sample(&mut self, node: &Node) -> Result<Sample, Told> {
        if !matches!(node.value, Value::Map(_)) {
            // A bare text is whatever the rule looks at; who builds the event knows what that is.
            let text = self.text_of(node, "example")?;
            return Ok(Sample { content: Some(text.to_owned()), ..Sample::default() });
        }
        let fields = self.map(node, schema::EXAMPLE, "an example")?;
        Ok(Sample {
            tool: self.text(&fields, "tool")?,
            file: self.text(&fields, "file")?,
            content: self.text(&fields, "content")?,
            new_string: self.text(&fields, "new_string")?,
            old_string: self.text(&fields, "old_string")?,
            prompt: self.text(&fields, "prompt")?,
            message: self.text(&fields, "message")?,
        })
    }

    /// Says what works, but perhaps not as its author thinks.
    fn notes(&mut self, rule: &Rule, fields: &Fields<'_>) {
        let mut note = |key: &str, message: String, hint: String| {
            let node = fields.get(key);
            let (line, column) =
                node.map_or((rule.place.line, rule.place.column), |node| (node.line, node.column));
            self.problems
                .push(Problem::note(message).at(self.file, line, column).of_rule(&rule.name).hint(hint));
        };
        for variable in message::unknown_variables(&rule.message) {
            let known = message::NAMES.iter().map(|(name, _)| *name);
            note(
                "message",
                format!("`{{{{ {variable} }}}}` is left as it is"),
                did_you_mean(variable, known),
            );
        }
        if let Some(tool @ ToolFilter::Names(_)) = &rule.tool
            && tool.accepts("Edit")
            && !tool.accepts("NotebookEdit")
        {
            let others =
                if tool.accepts("MultiEdit") { "NotebookEdit is" } else { "MultiEdit and NotebookEdit are" };
            let message = format!("`Edit` means that tool only: {others} not covered");
            note("on", message, "write `Edit|MultiEdit|NotebookEdit` to cover them".to_owned());
        }
        let names_tool = fields.get("on").is_some_and(|on| has_key(on, "tool"));
        if names_tool && !rule.hook.is_tool_use() {
            note("on", format!("`tool` is ignored on {}", rule.hook.name()), "remove it".to_owned());
        }
    }

    /// Returns the entries of a map whose keys are all known; unknown ones are told and passed over.
    fn map<'n>(&mut self, node: &'n Node, keys: &'static [Key], what: &str) -> Result<Fields<'n>, Told> {
        let Value::Map(entries) = &node.value else {
            let message = format!("{what} must be a map, but is {}", node.kind());
            return Err(self.fault(node, &message, &format!("its keys are {}", names(keys))));
        };
        let mut fields = Fields { entries: Vec::new() };
        for (key, value) in entries {
            match &key.value {
                Value::Text { text, .. } if text.starts_with("x-") => {}
                Value::Text { text, .. } if keys.iter().any(|known| known.name == text) => {
                    fields.entries.push((text, value));
                }
                Value::Text { text, .. } => {
                    let hint = did_you_mean(text, keys.iter().map(|key| key.name));
                    self.fault(key, &format!("unknown key `{text}` in {what}"), &hint);
                }
                _ => {
                    let message = format!("a key in {what} must be a word, but is {}", key.kind());
                    self.fault(key, &message, &format!("its keys are {}", names(keys)));
                }
            }
        }
        Ok(fields)
    }

    fn require(&mut self, fields: &Fields<'_>, keys: &'static [Key], node: &Node) {
        for key in keys.iter().filter(|key| key.required && fields.get(key.name).is_none()) {
            let hint = match key.kind {
                Kind::Choice(words) => format!("add `{}: {}`", key.name, words.join(" | ")),
                _ => format!("add `{}: …`", key.name),
            };
            self.fault(node, &format!("`{}` is missing", key.name), &hint);
        }
    }

    fn text(&mut self, fields: &Fields<'_>, key: &str) -> Result<Option<String>, Told> {
        fields.get(key).map(|node| self.text_of(node, key).map(str::to_owned)).transpose()
    }

    fn text_of<'n>(&mut self, node: &'n Node, key: &str) -> Result<&'n str, Told> {
        match &node.value {
            Value::Text { text, .. } if !text.is_empty() => Ok(text),
            Value::Text { .. } | Value::Null => {
                Err(self.fault(node, &format!("`{key}` is empty"), "give it a value, or remove it"))
            }
            Value::Bool(_) | Value::Integer(_) => Err(self.fault(
                node,
                &format!("`{key}` must be a text, but is {}", node.kind()),
                "quote this",
            )),
            Value::List(_) | Value::Map(_) => {
                let message = format!("`{key}` must be a text, but is {}", node.kind());
                Err(self.fault(node, &message, "quote this if it is meant as one text"))
            }
        }
    }

    fn truth(&mut self, fields: &Fields<'_>, key: &str) -> Result<Option<bool>, Told> {
        let Some(node) = fields.get(key) else { return Ok(None) };
        match &node.value {
            Value::Bool(truth) => Ok(Some(*truth)),
            _ => {
                let message = format!("`{key}` must be true or false, but is {}", node.kind());
                Err(self.fault(
                    node,
                    &message,
                    &format!("write `{key}: true` or `{key}: false`, without quotes"),
                ))
            }
        }
    }

    fn choice<'w>(
        &mut self,
        fields: &Fields<'_>,
        key: &str,
        words: &[&'w str],
    ) -> Result<Option<&'w str>, Told> {
        let Some(node) = fields.get(key) else { return Ok(None) };
        let text = self.text_of(node, key)?;
        match words.iter().find(|word| **word == text) {
            Some(word) => Ok(Some(word)),
            None => {
                let hint = did_you_mean(text, words.iter().copied());
                Err(self.fault(node, &format!("`{key}` cannot be `{text}`"), &hint))
            }
        }
    }

    fn fault(&mut self, node: &Node, message: &str, hint: &str) -> Told {
        let problem = Problem::error(message).at(self.file, node.line, node.column).hint(hint);
        self.problems.push(Problem { rule: self.rule.clone(), ..problem });
        self.faults += 1;
        Told
    }
}

struct Fields<'n> {
    entries: Vec<(&'n str, &'n Node)>,
}

impl<'n> Fields<'n> {
    fn get(&self, name: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(key, _)| *key == name).map(|(_, node)| *node)
    }
}

fn has_key(node: &Node, name: &str) -> bool {
    let Value::Map(entries) = &node.value else { return false };
    entries.iter().any(|(key, _)| matches!(&key.value, Value::Text { text, .. } if text == name))
}

fn names(keys: &[Key]) -> String {
    keys.iter().map(|key| format!("`{}`", key.name)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
