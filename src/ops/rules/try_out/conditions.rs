//! Which rules a `when` leaves out: the branch, the agent, its mode, and whether the file is new.

use std::cell::OnceCell;
use std::path::Path;

use super::{RuleTry, Tried};
use crate::config::paths;
use crate::rules::{Call, Candidate, Conditions, RuleOutcome, ToolFilter};
use crate::system::{repository, target};

/// Returns the rules whose conditions are true, and the others with their outcome.
pub(super) fn sort_out(
    candidates: Vec<Candidate>,
    calls: &[Call],
    trying: &RuleTry<'_>,
) -> (Vec<Candidate>, Vec<Tried>) {
    let (mut kept, mut unmet) = (Vec::new(), Vec::new());
    // Read once, and only if a rule asks.
    let branch = OnceCell::new();
    for mut candidate in candidates {
        let when = &candidate.rule.when;
        if *when != Conditions::default() {
            if let Some(wanted) = when.new_file {
                candidate.calls.retain(|call| is_new(&calls[*call], trying) == Some(wanted));
            }
            let condition =
                if candidate.calls.is_empty() { Some("new_file") } else { untrue(when, trying, &branch) };
            if let Some(condition) = condition {
                unmet.push(Tried { rule: candidate.rule, outcome: RuleOutcome::Unmet(condition) });
                continue;
            }
        }
        kept.push(candidate);
    }
    (kept, unmet)
}

/// Returns the first condition that is not true.
fn untrue(
    when: &Conditions,
    trying: &RuleTry<'_>,
    branch: &OnceCell<Option<String>>,
) -> Option<&'static str> {
    let event = trying.event;
    let differs = |filter: &Option<ToolFilter>, value: Option<&str>| {
        filter.as_ref().is_some_and(|filter| !value.is_some_and(|value| filter.accepts(value)))
    };
    if differs(&when.agent, Some(event.harness)) {
        return Some("agent");
    }
    if differs(&when.mode, event.permission_mode.as_deref()) {
        return Some("mode");
    }
    if differs(&when.subagent, event.agent_type.as_deref()) {
        return Some("subagent");
    }
    let branch = || branch.get_or_init(|| repository::branch(&event.cwd)).as_deref();
    (when.branch.is_some() && differs(&when.branch, branch())).then_some("branch")
}

/// Returns whether the file of a call does not exist yet; `None` for a call without a file.
fn is_new(call: &Call, trying: &RuleTry<'_>) -> Option<bool> {
    let path = call.path(trying.event)?;
    let home = paths::home_dir();
    let target = target::resolve(trying.root, &trying.event.cwd, path, home.as_deref());
    target.first().map(|target| Path::new(&target.absolute).symlink_metadata().is_err())
}
