//! Samples: an event as described by a person, for `examples:` in a rule and for `nudge test`.

use std::path::PathBuf;

use super::glob::FileFilter;
use super::schema::{Field, Rule, Sample};
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

fn tool_call(rule: &Rule, sample: &Sample) -> Result<ToolCall, String> {
    let name = match &sample.tool {
        Some(name) => name.clone(),
        None => usual_tool(rule, sample).ok_or("name a `tool` that the rule is for")?,
    };
    let file = match (&sample.file, &rule.file) {
        (Some(file), _) => Some(file.clone()),
        (None, Some(filter)) => Some(usual_file(filter).ok_or("name a `file` that the rule is for")?),
        (None, None) => None,
    };
    let path = file.clone().unwrap_or_else(|| "example.txt".to_owned());
    let content = || sample.content.clone().or_else(|| sample.new_string.clone()).unwrap_or_default();
    // Another agent's tool name means the usual tool.
    let usual = usual_tool_names(&name).first().copied().unwrap_or(&name);
    let action = match usual {
        "Write" => ToolAction::Write { path, content: content() },
        "Edit" | "MultiEdit" => {
            let new = sample.new_string.clone().or_else(|| sample.content.clone()).unwrap_or_default();
            let bare = || sample.content.clone().filter(|_| looks_at(rule, Field::OldString));
            let old = sample.old_string.clone().or_else(bare).unwrap_or_default();
            ToolAction::Edit { path, replacements: vec![Replacement { old, new, all: false }], before: None }
        }
        "NotebookEdit" => ToolAction::EditNotebook { path, source: Some(content()) },
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
