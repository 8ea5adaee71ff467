//! Samples: an event as described by a person, for `examples:` in a rule and for `nudge test`.

use std::path::PathBuf;

use super::glob::FileFilter;
use super::schema::{EarlierCall, Field, FileDeed, Rule, Sample};
use super::tool::{self, ToolFilter};
use crate::model::{Event, Hook, Replacement, Target, ToolAction, ToolCall, ToolResult, usual_tool_names};

/// Builds the event that a sample describes; what the sample leaves out is chosen so that the rule applies.
pub(crate) fn describe(rule: &Rule, sample: &Sample) -> Result<Event, String> {
    let mut event = Event { hook: rule.hook, cwd: PathBuf::from("/"), ..Event::default() };
    let text = sample.content.clone();
    match rule.hook {
        Hook::UserPromptSubmit => event.prompt = sample.prompt.clone().or(text),
        Hook::Stop => event.closing_message = sample.message.clone().or(text),
        _ => event.tool = Some(tool_call(rule, sample)?),
    }
    if rule.hook == Hook::PostToolUse {
        // A plain text is what the rule looks for: the output, if it looks for that.
        let plain = || sample.content.clone().filter(|_| looks_at(rule, Field::Output));
        let output = sample.output.clone().or_else(plain);
        event.result = output.map(|output| ToolResult { output, ..ToolResult::default() });
    }
    Ok(event)
}

/// Builds the event of something that happened before a sample.
pub(crate) fn describe_earlier(earlier: &EarlierCall) -> Result<Event, String> {
    let hook = if earlier.sample.prompt.is_some() { Hook::UserPromptSubmit } else { Hook::PostToolUse };
    let mut event = describe(&Rule::bare(hook), &earlier.sample)?;
    if hook == Hook::PostToolUse {
        let output = earlier.sample.output.clone().unwrap_or_default();
        event.result = Some(ToolResult { output, failed: earlier.failed, ..ToolResult::default() });
        if earlier.failed {
            event.hook = Hook::PostToolUseFailure;
        }
    }
    Ok(event)
}

/// Parses what happened before a sample, as a person writes it: `Write src/a.rs`, `failed cargo test`,
/// `20m ago cargo test`, `prompt you may deploy`.
pub(crate) fn parse_earlier(text: &str) -> Result<EarlierCall, String> {
    let mut rest = text.trim();
    let mut earlier = EarlierCall::default();
    if let Some((span, after)) = rest.split_once(" ago ")
        && let Some(seconds) = parse_span(span)
    {
        (earlier.ago, rest) = (seconds, after.trim_start());
    }
    if let Some(after) = rest.strip_prefix("failed ") {
        (earlier.failed, rest) = (true, after.trim_start());
    }
    if rest.is_empty() {
        return Err("this says nothing that happened".to_owned());
    }
    let (word, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let argument = Some(argument.trim().to_owned()).filter(|argument| !argument.is_empty());
    let sample = &mut earlier.sample;
    if word == "prompt" {
        sample.prompt = Some(argument.unwrap_or_default());
    } else if tool::is_known(word) {
        let is_command = usual_tool_names(word).first().copied().unwrap_or(word) == "Bash";
        (sample.content, sample.file) = if is_command { (argument, None) } else { (None, argument) };
        sample.tool = Some(word.to_owned());
    } else {
        (sample.tool, sample.content) = (Some("Bash".to_owned()), Some(rest.to_owned()));
    }
    Ok(earlier)
}

/// Parses a time such as `10m` into seconds.
pub(super) fn parse_span(text: &str) -> Option<i64> {
    let span = text.trim().parse::<jiff::Span>().ok().filter(|_| text.contains(char::is_alphabetic))?;
    let seconds = span.total((jiff::Unit::Second, jiff::SpanRelativeTo::days_are_24_hours())).ok()?;
    (seconds >= 1.0).then_some(seconds as i64)
}

fn tool_call(rule: &Rule, sample: &Sample) -> Result<ToolCall, String> {
    let name = match &sample.tool {
        Some(name) => name.clone(),
        None => usual_tool(rule, sample).ok_or("name a `tool` that the rule is for")?,
    };
    // Another agent's tool name means the usual tool.
    let usual = usual_tool_names(&name).first().copied().unwrap_or(&name);
    let file = match (&sample.file, &rule.file) {
        (Some(file), _) => Some(file.clone()),
        // A command names its files itself.
        (None, _) if usual == "Bash" => None,
        (None, Some(filter)) => Some(usual_file(filter).ok_or("name a `file` that the rule is for")?),
        (None, None) => None,
    };
    let path = file.clone().unwrap_or_else(|| "example.txt".to_owned());
    let content = || sample.content.clone().or_else(|| sample.new_string.clone()).unwrap_or_default();
    let action = match usual {
        "Write" => ToolAction::Write { path, content: content() },
        "Edit" | "MultiEdit" => {
            let new = sample.new_string.clone().or_else(|| sample.content.clone()).unwrap_or_default();
            let bare = || sample.content.clone().filter(|_| looks_at(rule, Field::OldString));
            let old = sample.old_string.clone().or_else(bare).unwrap_or_default();
            ToolAction::Edit { path, replacements: vec![Replacement { old, new, all: false }], before: None }
        }
        "NotebookEdit" => ToolAction::EditNotebook { path, source: Some(content()) },
        "Read" if file.is_some() => ToolAction::Read { path, text: content() },
        "Bash" => ToolAction::Command { command: content() },
        _ => ToolAction::Other { path: file, text: content() },
    };
    Ok(ToolCall { name, action })
}

/// Returns the first of the usual tools that the rule is for.
fn usual_tool(rule: &Rule, sample: &Sample) -> Option<String> {
    let edits = sample.old_string.is_some()
        || sample.new_string.is_some()
        || looks_at(rule, Field::NewString)
        || looks_at(rule, Field::OldString);
    let named_file = sample.file.is_some();
    if let (Some(does), None, true) = (rule.does, &rule.tool, named_file) {
        return Some(if does == FileDeed::Read { "Read" } else { "Write" }.to_owned());
    }
    // The example of a rule for any touch is a command, unless it names a file.
    let is_about_commands = rule.commands.is_some() || rule.excepted_commands.is_some();
    if is_about_commands || rule.does.is_some() && !named_file {
        let accepts = |filter: &ToolFilter| filter.accepts("Bash");
        if rule.tool.as_ref().is_none_or(accepts) {
            return Some("Bash".to_owned());
        }
    }
    let usual =
        if edits { ["Edit", "MultiEdit", "Write", "Bash"] } else { ["Write", "Edit", "Bash", "Read"] };
    match &rule.tool {
        None => Some(usual[0].to_owned()),
        Some(filter) => {
            let name = usual.into_iter().find(|name| filter.accepts(name));
            name.or_else(|| filter.first_name()).map(str::to_owned)
        }
    }
}

fn looks_at(rule: &Rule, field: Field) -> bool {
    rule.matchers.iter().any(|matcher| matcher.field == field)
}

/// Returns a path that the globs accept, by filling in their wildcards.
fn usual_file(filter: &FileFilter) -> Option<String> {
    filter.examples().find(|path| {
        let absolute = format!("/{path}");
        filter.accepts(&Target { absolute, relative: Some(path.clone()) })
    })
}

#[cfg(test)]
mod tests;
