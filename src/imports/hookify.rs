//! hookify's rules, according to its source of August 2026: a Markdown file each, with conditions at the beginning.

use super::RuleImport;
use super::draft::{LeftOut, SourceRecord};
use super::yaml::{self, DraftAction, RuleDraft};

/// A condition of a rule.
#[derive(Debug, Clone, Default)]
struct Condition {
    field: String,
    operator: String,
    pattern: String,
}

/// The first lines of a file, as hookify reads them: not YAML, values are bare.
#[derive(Debug, Default)]
struct HookifyHeader {
    name: String,
    enabled: bool,
    event: String,
    action: String,
    tool_matcher: Option<String>,
    conditions: Vec<Condition>,
}

pub(super) fn rules(files: &[SourceRecord]) -> RuleImport {
    let mut import = RuleImport::default();
    let mut drafts = Vec::new();
    for file in files.iter().filter(|file| is_rule(&file.name)) {
        match rules_of(&file.text) {
            Ok(rules) => drafts.extend(rules),
            Err(why) => import.left_out.push(LeftOut { what: file.name.clone(), why }),
        }
    }
    import.rules = drafts.len();
    if !drafts.is_empty() {
        import.text = yaml::file(&drafts, "hookify");
        import.changes = [
            "hookify's `new_text` never saw what `Write` writes; `content` does",
            "hookify's rules on prompts never matched; here they do",
            "a block reaches the agent, not only you",
        ]
        .map(str::to_owned)
        .into();
    }
    import
}

pub(super) fn is_rule(name: &str) -> bool {
    name.starts_with("hookify.") && name.ends_with(".local.md")
}

fn rules_of(text: &str) -> Result<Vec<RuleDraft>, String> {
    let header =
        text.trim_start_matches('\u{feff}').strip_prefix("---").and_then(|rest| rest.split_once("\n---"));
    let Some((header, body)) = header else { return Err("it has no first lines between `---`".to_owned()) };
    let header = parse_header(header);
    if header.name.is_empty() || body.trim().is_empty() {
        return Err("it has no name or no message".to_owned());
    }
    let hooks: &[(&str, Option<&str>)] = match header.event.as_str() {
        "bash" => &[("PreToolUse", Some("Bash"))],
        "file" => &[("PreToolUse", Some("Edit|Write|MultiEdit"))],
        "prompt" => &[("UserPromptSubmit", None)],
        "stop" => &[("Stop", None)],
        "all" | "" => &[("PreToolUse", None), ("UserPromptSubmit", None), ("Stop", None)],
        other => return Err(format!("the event `{other}` is not known")),
    };
    let hooks = hooks.iter().filter(|(hook, _)| {
        // One rule for each event that all of its conditions can be checked at.
        header.conditions.iter().all(|one| field_at(&one.field, hook).is_some() || one.field == "file_path")
    });
    let rules: Result<Vec<RuleDraft>, String> = hooks
        .map(|(hook, tool)| {
            let mut rule = RuleDraft {
                name: header.name.clone(),
                enabled: header.enabled,
                hook,
                tool: header.tool_matcher.clone().or_else(|| tool.map(str::to_owned)),
                action: if header.action == "block" { DraftAction::Interrupt } else { DraftAction::Continue },
                message: body.trim().replace("{{", "{ {"),
                is_case_sensitive: header.conditions.iter().all(|one| one.operator != "regex_match"),
                ..RuleDraft::default()
            };
            header.conditions.iter().try_for_each(|one| add(&mut rule, one, hook))?;
            Ok(rule)
        })
        .collect();
    let rules = rules?;
    if rules.is_empty() {
        return Err("its conditions need the transcript or a reason, which a rule cannot look at".to_owned());
    }
    Ok(rules)
}

/// Returns the field of ours that a field of hookify is, at an event.
fn field_at(field: &str, hook: &str) -> Option<&'static str> {
    Some(match (field, hook) {
        ("command" | "new_text" | "content" | "new_string", "PreToolUse") => "content",
        ("old_text" | "old_string", "PreToolUse") => "old_string",
        ("user_prompt" | "prompt", "UserPromptSubmit") => "prompt",
        _ => return None,
    })
}

fn add(rule: &mut RuleDraft, condition: &Condition, hook: &str) -> Result<(), String> {
    let Condition { field, operator, pattern } = condition;
    if field == "file_path" {
        let glob = glob_of(operator, pattern)
            .ok_or_else(|| format!("the path condition `{pattern}` is not a plain name or ending"))?;
        return match rule.file.replace(glob) {
            Some(_) => Err("it has two conditions on the path".to_owned()),
            None => Ok(()),
        };
    }
    let Some(own) = field_at(field, hook) else { return Err(format!("the field `{field}` is not known")) };
    let escaped = regex::escape(pattern);
    let (list, pattern) = match operator.as_str() {
        "regex_match" => (&mut rule.matches, pattern.clone()),
        "contains" => (&mut rule.matches, escaped),
        "equals" => (&mut rule.matches, format!(r"\A{escaped}\z")),
        "starts_with" => (&mut rule.matches, format!(r"\A{escaped}")),
        "ends_with" => (&mut rule.matches, format!(r"{escaped}\z")),
        "not_contains" => (&mut rule.unless, escaped),
        other => return Err(format!("the operator `{other}` is not known")),
    };
    match list.iter_mut().find(|(name, _)| *name == own) {
        // Both must be found, in any order.
        Some((_, first)) => *first = format!("(?s)(?=.*{first})(?=.*{pattern})"),
        None => list.push((own, pattern)),
    }
    Ok(())
}

/// Returns a glob for a condition on a path, if it is a plain ending or name.
fn glob_of(operator: &str, pattern: &str) -> Option<String> {
    let plain = match operator {
        "regex_match" => pattern.strip_suffix('$')?.strip_prefix('\\')?,
        "ends_with" => pattern,
        _ => return None,
    };
    let is_plain = plain.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    (is_plain && plain.starts_with('.')).then(|| format!("**/*{plain}"))
}

fn parse_header(text: &str) -> HookifyHeader {
    let mut header = HookifyHeader { enabled: true, ..HookifyHeader::default() };
    let mut in_conditions = false;
    for line in text.lines() {
        let trimmed = line.trim();
        let is_item = trimmed.starts_with("- ");
        let Some((key, value)) = trimmed.trim_start_matches("- ").split_once(':') else { continue };
        let value = bare(value);
        if in_conditions && (is_item || line.starts_with(' ')) {
            if is_item {
                header
                    .conditions
                    .push(Condition { operator: "regex_match".to_owned(), ..Condition::default() });
            }
            let Some(condition) = header.conditions.last_mut() else { continue };
            match key.trim() {
                "field" => condition.field = value,
                "operator" => condition.operator = value,
                "pattern" => condition.pattern = value,
                _ => {}
            }
            continue;
        }
        in_conditions = key == "conditions";
        match key {
            "name" => header.name = value,
            "enabled" => header.enabled = value != "false",
            "event" => header.event = value,
            "action" => header.action = value,
            "tool_matcher" => header.tool_matcher = Some(value).filter(|value| value != "*"),
            // The short form: one pattern for the field of the event.
            "pattern" => header.conditions.push(Condition {
                field: String::new(),
                operator: "regex_match".to_owned(),
                pattern: value,
            }),
            _ => {}
        }
    }
    let usual = match header.event.as_str() {
        "file" => "new_text",
        "prompt" => "user_prompt",
        _ => "command",
    };
    let unnamed = header.conditions.iter_mut().filter(|one| one.field.is_empty());
    unnamed.for_each(|one| one.field = usual.to_owned());
    header
}

/// Returns a value without one pair of quotes.
fn bare(value: &str) -> String {
    let value = value.trim();
    let inner = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.unwrap_or(value).to_owned()
}
