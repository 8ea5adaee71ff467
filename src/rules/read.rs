//! Reads a rule file: every rule on its own, so that a broken one costs only itself.

mod doubts;

use super::glob::FileFilter;
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
    let mut reader = Reader { file, rule: None, problems: Vec::new(), faults: 0, told_of_notebooks: false };
    let rules = reader.file(text, missing_version).unwrap_or_default();
    Loaded { rules, problems: reader.problems }
}

/// What other tools call our actions.
const SYNONYMS: [(&str, &str); 9] = [
    ("block", "interrupt"),
    ("deny", "interrupt"),
    ("forbid", "interrupt"),
    ("reject", "interrupt"),
    ("stop", "interrupt"),
    ("allow", "continue"),
    ("inform", "continue"),
    ("pass", "continue"),
    ("warn", "continue"),
];

/// What was wrong has been told.
struct Told;

struct Reader<'f> {
    file: &'f str,
    rule: Option<String>,
    problems: Vec<Problem>,
    faults: usize,
    /// Once in a file is enough.
    told_of_notebooks: bool,
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
        let faults_before = self.faults;
        let fields = self.map(node, schema::RULE, "a rule")?;
        self.require(&fields, schema::RULE, node);
        let name = self.required_text(&fields, "name");
        let description = self.text(&fields, "description").ok().flatten();
        let on = self.on(&fields);
        let hook = on.as_ref().ok().map(|on| on.0);
        let matchers = self.matchers(&fields, "match", hook).unwrap_or_default();
        let exceptions = self.matchers(&fields, "unless", hook).unwrap_or_default();
        let action = self.choice(&fields, "action", &["interrupt", "continue"]);
        let message = self.required_text(&fields, "message");
        let enabled = self.truth(&fields, "enabled");
        let once = self.choice(&fields, "once", &["session"]);
        let on_failure = self.choice(&fields, "on_failure", &["open", "closed"]);
        let examples = self.examples(&fields);
        let (hook, tool, file) = on?;
        let rule = Rule {
            name: name?,
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
            message: message?,
            enabled: enabled?.unwrap_or(true),
            once_per_session: once?.is_some(),
            fails_closed: on_failure? == Some("closed"),
            examples: examples?,
        };
        if self.faults == faults_before {
            self.doubt(&rule, &fields);
        }
        Ok(rule)
    }

    fn on(&mut self, rule: &Fields<'_>) -> Result<(Hook, Option<ToolFilter>, Option<FileFilter>), Told> {
        let node = rule.get("on").ok_or(Told)?;
        let fields = self.map(node, schema::ON, "`on`")?;
        self.require(&fields, schema::ON, node);
        let names = HOOKS.map(Hook::name);
        let hook = self.choice(&fields, "hook", &names);
        let tool = self.tool(&fields)?;
        let file = self.globs(&fields)?;
        let hook = hook?.and_then(|name| HOOKS.into_iter().find(|hook| hook.name() == name)).ok_or(Told)?;
        if let (false, Some(node)) = (hook.is_tool_use(), fields.get("file")) {
            let message = format!("`file` never holds on {}", hook.name());
            return Err(self.fault(node, &message, "remove it, or use PreToolUse or PostToolUse"));
        }
        Ok((hook, tool.filter(|_| hook.is_tool_use()), file))
    }

    fn tool(&mut self, on: &Fields<'_>) -> Result<Option<ToolFilter>, Told> {
        let Some(node) = on.get("tool") else { return Ok(None) };
        if let Value::List(items) = &node.value {
            let names: Vec<&str> = items.iter().filter_map(Node::name).collect();
            return Err(self.fault(node, "`tool` cannot be a list", &format!("write `{}`", names.join("|"))));
        }
        let source = self.text_of(node, "tool")?;
        ToolFilter::new(source).map(Some).map_err(|error| {
            self.fault(node, &format!("`tool` is not a regex: {error}"), "as in `Write|Edit` or `mcp__.*`")
        })
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
                Ok(pattern) => {
                    let (line, column) = (node.line, node.column);
                    matchers.push(Matcher { field, pattern, line, column });
                }
                Err(error) => {
                    let message = format!("`{}` is not a regex: {}", field.name(), error.0);
                    self.fault(node, &message, regex_hint(&error.0));
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
                Value::Text { text, .. } if fields.get(text).is_some() => {
                    self.fault(key, &format!("the key `{text}` stands twice"), "keep one of them");
                }
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

    fn required_text(&mut self, fields: &Fields<'_>, key: &str) -> Result<String, Told> {
        let node = fields.get(key).ok_or(Told)?;
        if matches!(&node.value, Value::Text { text, .. } if text.is_empty()) || node.value == Value::Null {
            return Err(self.fault(node, &format!("`{key}` is empty"), "give it a value"));
        }
        self.text_of(node, key).map(str::to_owned)
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
        let Value::Text { text, .. } = &node.value else {
            let hint = match (&node.value, words) {
                (Value::List(_), _) if key == "hook" => "write one rule for each hook".to_owned(),
                (_, [word]) => format!("write `{key}: {word}`"),
                _ => format!("write `{key}: {}`", words.join(" | ")),
            };
            return Err(self.fault(node, &format!("`{key}` cannot be {}", node.kind()), &hint));
        };
        match words.iter().find(|word| **word == text) {
            Some(word) => Ok(Some(word)),
            None => {
                let synonym = SYNONYMS.iter().find(|(word, ours)| word == text && words.contains(ours));
                let meant = synonym.map_or(text.as_str(), |(_, ours)| ours);
                let hint = did_you_mean(meant, words.iter().copied());
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

/// Returns the value of a key in a map.
fn child<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    let Value::Map(entries) = &node.value else { return None };
    let named = |key: &Node| matches!(&key.value, Value::Text { text, .. } if text == name);
    entries.iter().find(|(key, _)| named(key)).map(|(_, value)| value)
}

/// Says what to do about a pattern that is no regex.
fn regex_hint(error: &str) -> &'static str {
    if ["unclosed", "unopened", "missing"].iter().any(|word| error.contains(word)) {
        return "to find such a character itself, put a backslash before it";
    }
    "https://docs.rs/regex/latest/regex/#syntax says what a pattern may contain"
}

fn names(keys: &[Key]) -> String {
    keys.iter().map(|key| format!("`{}`", key.name)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
