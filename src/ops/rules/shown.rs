//! A rule as programs read it.

use crate::api::rules::RuleJson;
use crate::rules::Rule;

/// Returns a rule for a program.
pub(crate) fn to_json(rule: &Rule) -> RuleJson {
    RuleJson {
        name: rule.name.clone(),
        description: rule.description.clone(),
        hook: rule.hook.name(),
        action: rule.action.name(),
        enabled: rule.enabled,
        once: rule.once_per_session.then_some("session"),
        file: rule.place.file.clone(),
        line: rule.place.line,
    }
}
