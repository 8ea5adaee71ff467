//! A rule as programs read it.

use crate::api::rules::RuleJson;
use crate::rules::{FileFilter, Rule, ToolFilter};

/// Returns a rule for a program.
pub(crate) fn to_json(rule: &Rule) -> RuleJson {
    RuleJson {
        name: rule.name.clone(),
        description: rule.description.clone(),
        hook: rule.hook.name(),
        tool: rule.tool.as_ref().map(ToolFilter::written),
        target: rule.file.as_ref().map(FileFilter::written),
        action: rule.action.name(),
        enabled: rule.enabled,
        once: rule.once_per_session.then_some("session"),
        shadow: rule.shadow,
        pack: rule.pack.clone(),
        file: rule.place.file.clone(),
        line: rule.place.line,
    }
}
