//! Parses a rule file, each rule separately, so that a broken one costs only itself.

mod commands;
mod conditions;
mod doubts;
mod session;
mod switches;

pub(crate) use self::switches::pack_rules;
use super::glob::FileFilter;
use super::lexer::CodePart;
use super::pattern::{Pattern, PatternOptions};
use super::schema::{self, Action, Example, Field, FileDeed, HOOKS, Key, KeyKind, Matcher, Rule, Sample};
use super::suggest::did_you_mean;
use super::switches::Switches;
use super::tool::ToolFilter;
use super::yaml::{self, Node, YamlValue};
use crate::model::{FilePosition, Hook, Problem};

/// The rules and problems of a rule file.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Loaded {
    /// Its own rules, and those of the packs that it uses; not settled yet.
    pub(crate) rules: Vec<Rule>,
    pub(crate) switches: Switches,
    pub(crate) problems: Vec<Problem>,
    /// The hash of the text, if the caller wants to know it.
    pub(crate) digest: Option<String>,
}

/// How to treat a file without `version`: a hook accepts it, `validate` reports an error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MissingVersion {
    Warn,
    Refuse,
}

/// Parses the text of a rule file; loads all valid rules, and returns a problem for everything else.
pub(crate) fn read(file: &str, text: &str, missing_version: MissingVersion) -> Loaded {
    let mut reader = RuleReader {
        file,
        rule: None,
        switches: Switches::default(),
        problems: Vec::new(),
        faults: 0,
        noted_notebooks: false,
    };
    let rules = reader.parse_file(text, missing_version).unwrap_or_default();
    Loaded { rules, switches: reader.switches, problems: reader.problems, digest: None }
}

/// Names that other tools use for our actions.
const SYNONYMS: [(&str, &str); 11] = [
    ("block", "interrupt"),
    ("confirm", "ask"),
    ("deny", "interrupt"),
    ("forbid", "interrupt"),
    ("reject", "interrupt"),
    ("stop", "interrupt"),
    ("allow", "continue"),
    ("inform", "continue"),
    ("pass", "continue"),
    ("prompt", "ask"),
    ("warn", "continue"),
];

/// What `on` says.
struct Activation {
    hook: Hook,
    tool: Option<ToolFilter>,
    file: Option<FileFilter>,
    does: Option<FileDeed>,
}

/// The problem has already been reported.
struct Reported;

struct RuleReader<'f> {
    file: &'f str,
    rule: Option<String>,
    switches: Switches,
    problems: Vec<Problem>,
    faults: usize,
    /// Whether the note about notebooks was given; once per file is enough.
    noted_notebooks: bool,
}

impl RuleReader<'_> {
    fn parse_file(&mut self, text: &str, missing_version: MissingVersion) -> Result<Vec<Rule>, Reported> {
        let root = match yaml::parse(text) {
            Ok(Some(root)) => root,
            Ok(None) => return Ok(Vec::new()),
            Err(error) => {
                let problem = Problem::error(error.message).at(self.file, error.line, error.column);
                self.problems.push(Problem { hint: error.hint, ..problem });
                return Err(Reported);
            }
        };
        let fields = self.parse_map(&root, schema::FILE, "the file")?;
        match fields.get("version") {
            Some(Node { value: YamlValue::Integer(1), .. }) => {}
            Some(other) => {
                let hint = "only version 1 is supported; the whole file is ignored";
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
        let mut rules = self.parse_switches(&fields);
        match fields.get("rules") {
            Some(Node { value: YamlValue::List(items), .. }) => {
                rules.extend(items.iter().filter_map(|item| self.parse_rule_or_change(item)));
                Ok(rules)
            }
            Some(Node { value: YamlValue::Null, .. }) => Ok(rules),
            Some(other) => {
                let message = format!("`rules` must be a list, but is {}", other.kind());
                Err(self.fault(other, &message, "start each rule with `- name: …`"))
            }
            None if ["packs", "disable", "shadow"].iter().any(|key| fields.get(key).is_some()) => Ok(rules),
            None => Err(self.fault(&root, "`rules` is missing", "add `rules:` and a list of rules")),
        }
    }

    fn parse_rule(&mut self, node: &Node) -> Result<Rule, Reported> {
        self.rule = child(node, "name").and_then(Node::name).map(str::to_owned);
        let faults_before = self.faults;
        let rule = self.parse_rule_fields(node);
        self.rule = None;
        rule.and_then(|rule| if self.faults == faults_before { Ok(rule) } else { Err(Reported) })
    }

    /// Continues after a fault, so that all faults are reported at once.
    fn parse_rule_fields(&mut self, node: &Node) -> Result<Rule, Reported> {
        let faults_before = self.faults;
        let fields = self.parse_map(node, schema::RULE, "a rule")?;
        self.require_keys(&fields, schema::RULE, node);
        let name = self.parse_required_text(&fields, "name");
        let description = self.parse_text(&fields, "description").ok().flatten();
        let on = self.parse_on(&fields);
        let hook = on.as_ref().ok().map(|on| on.hook);
        let matchers = self.parse_matchers(&fields, "match", hook).unwrap_or_default();
        let exceptions = self.parse_matchers(&fields, "unless", hook).unwrap_or_default();
        let commands = self.parse_commands(&fields, "match");
        let excepted_commands = self.parse_commands(&fields, "unless");
        let when = self.parse_conditions(&fields, hook);
        let session = self.parse_session(&fields, hook);
        let action = self.parse_action(&fields, hook);
        let message = self.parse_required_text(&fields, "message");
        let enabled = self.parse_bool(&fields, "enabled");
        let once = self.parse_choice(&fields, "once", &["session"]);
        let on_failure = self.parse_choice(&fields, "on_failure", &["open", "closed"]);
        let shadow = self.parse_bool(&fields, "shadow");
        let examples = self.parse_examples(&fields);
        let Activation { hook, tool, file, does } = on?;
        let rule = Rule {
            name: name?,
            description,
            place: FilePosition { file: self.file.to_owned(), line: node.line, column: node.column },
            hook,
            tool,
            file,
            does,
            matchers,
            exceptions,
            commands,
            excepted_commands,
            action: action?.ok_or(Reported)?,
            message: message?,
            enabled: enabled?.unwrap_or(true),
            once_per_session: once?.is_some(),
            fails_closed: on_failure? == Some("closed"),
            when: when?,
            session: session?,
            shadow: shadow?.unwrap_or(false),
            pack: None,
            examples: examples?,
        };
        if self.faults == faults_before {
            self.doubt(&rule, &fields);
        }
        Ok(rule)
    }

    fn parse_action(&mut self, rule: &MapFields<'_>, hook: Option<Hook>) -> Result<Option<Action>, Reported> {
        let name = self.parse_choice(rule, "action", &Action::NAMES)?;
        let action = Action::ALL.into_iter().find(|action| Some(action.name()) == name);
        if let (Some(Action::Ask), Some(hook), Some(node)) = (action, hook, rule.get("action"))
            && hook != Hook::PreToolUse
        {
            let message = format!("`ask` does not exist on {}", hook.name());
            return Err(self.fault(
                node,
                &message,
                "a person can be asked only before a tool runs, on PreToolUse",
            ));
        }
        Ok(action)
    }

    fn parse_on(&mut self, rule: &MapFields<'_>) -> Result<Activation, Reported> {
        let node = rule.get("on").ok_or(Reported)?;
        let fields = self.parse_map(node, schema::ON, "`on`")?;
        self.require_keys(&fields, schema::ON, node);
        let names = HOOKS.map(Hook::name);
        let hook = self.parse_choice(&fields, "hook", &names);
        let tool = self.parse_tool(&fields)?;
        let file = self.parse_globs(&fields)?;
        let does = self.parse_choice(&fields, "does", &FileDeed::NAMES)?.and_then(FileDeed::named);
        if let (true, None, Some(node)) = (does.is_some(), &file, fields.get("does")) {
            let hint = "name the files, as in `file: \"src/generated/**\"`";
            return Err(self.fault(node, "`does` needs a `file`", hint));
        }
        let hook =
            hook?.and_then(|name| HOOKS.into_iter().find(|hook| hook.name() == name)).ok_or(Reported)?;
        if let (false, Some(node)) = (hook.is_tool_use(), fields.get("file")) {
            let message = format!("`file` never applies on {}", hook.name());
            return Err(self.fault(node, &message, "remove it, or use PreToolUse or PostToolUse"));
        }
        Ok(Activation { hook, tool: tool.filter(|_| hook.is_tool_use()), file, does })
    }

    fn parse_tool(&mut self, on: &MapFields<'_>) -> Result<Option<ToolFilter>, Reported> {
        let Some(node) = on.get("tool") else { return Ok(None) };
        if let YamlValue::List(items) = &node.value {
            let names: Vec<&str> = items.iter().filter_map(Node::name).collect();
            return Err(self.fault(node, "`tool` cannot be a list", &format!("write `{}`", names.join("|"))));
        }
        let source = self.parse_text_of(node, "tool")?;
        ToolFilter::new(source).map(Some).map_err(|error| {
            self.fault(node, &format!("`tool` is not a regex: {error}"), "as in `Write|Edit` or `mcp__.*`")
        })
    }

    fn parse_globs(&mut self, on: &MapFields<'_>) -> Result<Option<FileFilter>, Reported> {
        let Some(node) = on.get("file") else { return Ok(None) };
        let items = if let YamlValue::List(items) = &node.value {
            items.as_slice()
        } else {
            std::slice::from_ref(node)
        };
        if items.is_empty() {
            return Err(self.fault(node, "`file` is an empty list", "name at least one glob, or remove it"));
        }
        let globs: Vec<&str> =
            items.iter().map(|item| self.parse_text_of(item, "file")).collect::<Result<Vec<_>, _>>()?;
        FileFilter::new(globs).map(Some).map_err(|error| {
            self.fault(node, &format!("`file` is not a glob: {error}"), "as in \"src/**/*.ts\"")
        })
    }

    fn parse_matchers(
        &mut self,
        rule: &MapFields<'_>,
        key: &str,
        hook: Option<Hook>,
    ) -> Result<Vec<Matcher>, Reported> {
        let Some(node) = rule.get(key) else { return Ok(Vec::new()) };
        let fields = self.parse_map(node, schema::MATCH, &format!("`{key}`"))?;
        let matchers = self.parse_fields(&fields, hook)?;
        if key == "unless" && Field::ALL.iter().all(|field| fields.get(field.name()).is_none()) {
            self.fault(node, "`unless` is empty", "name a field, as in `content: \"…\"`, or remove it");
        }
        Ok(matchers)
    }

    /// Parses the fields of `match` in a map.
    fn parse_fields(&mut self, fields: &MapFields<'_>, hook: Option<Hook>) -> Result<Vec<Matcher>, Reported> {
        let options = PatternOptions {
            case_sensitive: self.parse_bool(fields, "case_sensitive")?.unwrap_or(true),
            multiline: self.parse_bool(fields, "multiline")?.unwrap_or(true),
        };
        let part = self.parse_part(fields)?;
        let mut matchers = Vec::new();
        for field in Field::ALL {
            let Some(node) = fields.get(field.name()) else { continue };
            if let Some(hook) = hook.filter(|hook| !field.exists_on(*hook)) {
                let known = Field::ALL.into_iter().filter(|field| field.exists_on(hook)).map(Field::name);
                let message = format!("`{}` does not exist on {}", field.name(), hook.name());
                let hint =
                    format!("use {}", known.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "));
                self.fault(node, &message, &hint);
                continue;
            }
            if field == Field::Command {
                continue;
            }
            let Ok(source) = self.parse_text_of(node, field.name()) else { continue };
            match Pattern::new(source, options) {
                Ok(pattern) => {
                    let (line, column) = (node.line, node.column);
                    let part = part.filter(|_| field == Field::Content);
                    matchers.push(Matcher { field, pattern, part, line, column });
                }
                Err(error) => {
                    let message = format!("`{}` is not a regex: {}", field.name(), error.0);
                    self.fault(node, &message, regex_hint(&error.0));
                }
            }
        }
        Ok(matchers)
    }

    /// Parses `in`: the part of a source text that `content` is searched in.
    fn parse_part(&mut self, fields: &MapFields<'_>) -> Result<Option<CodePart>, Reported> {
        let name = self.parse_choice(fields, "in", &CodePart::NAMES)?;
        if let (Some(node), None) = (fields.get("in"), fields.get(Field::Content.name())) {
            return Err(self.fault(
                node,
                "`in` says where `content` is searched",
                "add `content`, or remove it",
            ));
        }
        Ok(CodePart::ALL.into_iter().find(|part| Some(part.name()) == name))
    }

    fn parse_examples(&mut self, rule: &MapFields<'_>) -> Result<Vec<Example>, Reported> {
        let Some(node) = rule.get("examples") else { return Ok(Vec::new()) };
        let fields = self.parse_map(node, schema::EXAMPLES, "`examples`")?;
        let mut examples = Vec::new();
        for (key, fires) in [("fires", true), ("quiet", false)] {
            let Some(node) = fields.get(key) else { continue };
            let YamlValue::List(items) = &node.value else {
                return Err(self.fault(
                    node,
                    &format!("`{key}` must be a list"),
                    "start each case with `- `",
                ));
            };
            for item in items {
                let sample = self.parse_sample(item)?;
                examples.push(Example { fires, sample, line: item.line, column: item.column });
            }
        }
        Ok(examples)
    }

    fn parse_sample(&mut self, node: &Node) -> Result<Sample, Reported> {
        if !matches!(node.value, YamlValue::Map(_)) {
            // A bare text is for whatever field the rule checks; the code that builds the event decides which.
            let text = self.parse_text_of(node, "example")?;
            return Ok(Sample { content: Some(text.to_owned()), ..Sample::default() });
        }
        let fields = self.parse_map(node, schema::EXAMPLE, "an example")?;
        let command = self.parse_text(&fields, "command")?;
        let shell = command.is_some().then(|| "Bash".to_owned());
        Ok(Sample {
            tool: self.parse_text(&fields, "tool")?.or(shell),
            file: self.parse_text(&fields, "file")?,
            content: self.parse_text(&fields, "content")?.or(command),
            new_string: self.parse_text(&fields, "new_string")?,
            old_string: self.parse_text(&fields, "old_string")?,
            prompt: self.parse_text(&fields, "prompt")?,
            message: self.parse_text(&fields, "message")?,
            output: self.parse_text(&fields, "output")?,
            after: self.parse_earlier_calls(&fields)?,
        })
    }

    /// Returns the entries of a map with known keys; unknown keys are reported and skipped.
    fn parse_map<'n>(
        &mut self,
        node: &'n Node,
        keys: &'static [Key],
        what: &str,
    ) -> Result<MapFields<'n>, Reported> {
        let YamlValue::Map(entries) = &node.value else {
            let message = format!("{what} must be a map, but is {}", node.kind());
            return Err(self.fault(node, &message, &format!("its keys are {}", names(keys))));
        };
        let mut fields = MapFields { entries: Vec::new() };
        for (key, value) in entries {
            match &key.value {
                YamlValue::Text { text, .. } if text.starts_with("x-") => {}
                YamlValue::Text { text, .. } if fields.get(text).is_some() => {
                    self.fault(key, &format!("the key `{text}` appears twice"), "keep one of them");
                }
                YamlValue::Text { text, .. } if keys.iter().any(|known| known.name == text) => {
                    fields.entries.push((text, value));
                }
                YamlValue::Text { text, .. } => {
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

    fn require_keys(&mut self, fields: &MapFields<'_>, keys: &'static [Key], node: &Node) {
        for key in keys.iter().filter(|key| key.required && fields.get(key.name).is_none()) {
            let hint = match key.kind {
                KeyKind::Choice(words) => format!("add `{}: {}`", key.name, words.join(" | ")),
                _ => format!("add `{}: …`", key.name),
            };
            self.fault(node, &format!("`{}` is missing", key.name), &hint);
        }
    }

    fn parse_text(&mut self, fields: &MapFields<'_>, key: &str) -> Result<Option<String>, Reported> {
        fields.get(key).map(|node| self.parse_text_of(node, key).map(str::to_owned)).transpose()
    }

    fn parse_required_text(&mut self, fields: &MapFields<'_>, key: &str) -> Result<String, Reported> {
        let node = fields.get(key).ok_or(Reported)?;
        if matches!(&node.value, YamlValue::Text { text, .. } if text.is_empty())
            || node.value == YamlValue::Null
        {
            return Err(self.fault(node, &format!("`{key}` is empty"), "give it a value"));
        }
        self.parse_text_of(node, key).map(str::to_owned)
    }

    fn parse_text_of<'n>(&mut self, node: &'n Node, key: &str) -> Result<&'n str, Reported> {
        match &node.value {
            YamlValue::Text { text, .. } if !text.is_empty() => Ok(text),
            YamlValue::Text { .. } | YamlValue::Null => {
                Err(self.fault(node, &format!("`{key}` is empty"), "give it a value, or remove it"))
            }
            YamlValue::Bool(_) | YamlValue::Integer(_) => Err(self.fault(
                node,
                &format!("`{key}` must be a text, but is {}", node.kind()),
                "quote this",
            )),
            YamlValue::List(_) | YamlValue::Map(_) => {
                let message = format!("`{key}` must be a text, but is {}", node.kind());
                Err(self.fault(node, &message, "quote this if it is meant as one text"))
            }
        }
    }

    fn parse_bool(&mut self, fields: &MapFields<'_>, key: &str) -> Result<Option<bool>, Reported> {
        let Some(node) = fields.get(key) else { return Ok(None) };
        match &node.value {
            YamlValue::Bool(value) => Ok(Some(*value)),
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

    fn parse_choice<'w>(
        &mut self,
        fields: &MapFields<'_>,
        key: &str,
        words: &[&'w str],
    ) -> Result<Option<&'w str>, Reported> {
        let Some(node) = fields.get(key) else { return Ok(None) };
        let YamlValue::Text { text, .. } = &node.value else {
            let hint = match (&node.value, words) {
                (YamlValue::List(_), _) if key == "hook" => "write one rule for each hook".to_owned(),
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

    fn fault(&mut self, node: &Node, message: &str, hint: &str) -> Reported {
        let problem = Problem::error(message).at(self.file, node.line, node.column).hint(hint);
        self.problems.push(Problem { rule: self.rule.clone(), ..problem });
        self.faults += 1;
        Reported
    }
}

struct MapFields<'n> {
    entries: Vec<(&'n str, &'n Node)>,
}

impl<'n> MapFields<'n> {
    fn get(&self, name: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(key, _)| *key == name).map(|(_, node)| *node)
    }
}

/// Returns the value of a key in a map.
fn child<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    let YamlValue::Map(entries) = &node.value else { return None };
    let named = |key: &Node| matches!(&key.value, YamlValue::Text { text, .. } if text == name);
    entries.iter().find(|(key, _)| named(key)).map(|(_, value)| value)
}

/// Returns what to do about a pattern that is not a valid regex.
fn regex_hint(error: &str) -> &'static str {
    if ["unclosed", "unopened", "missing"].iter().any(|word| error.contains(word)) {
        return "to match such a character literally, put a backslash before it";
    }
    "see https://docs.rs/regex/latest/regex/#syntax for the syntax"
}

fn names(keys: &[Key]) -> String {
    keys.iter().map(|key| format!("`{}`", key.name)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
