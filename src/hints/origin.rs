//! The origins of hints, stored separately from the hints: the seed's JSON has no field for them.
//!
//! A hint whose scope names no folder, repository or branch applies everywhere. If an agent set it, it is still not
//! pushed to the sessions of other projects: one misled agent would mislead all others.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::table::{HintName, HintTable, StoredHint};
use crate::model::repo;
use crate::model::{HintContext, HintOrigin, HintScope};

/// The origin of each hint that an agent set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Origins(BTreeMap<String, HintOrigin>);

impl Origins {
    /// Records the origin of a hint; a hint that the user set has none.
    pub(crate) fn set(&mut self, place: HintName<'_>, scope: &HintScope, origin: Option<HintOrigin>) {
        match origin {
            Some(origin) => self.0.insert(identity(place, scope), origin),
            None => self.0.remove(&identity(place, scope)),
        };
    }

    /// Records the origin of all hints that are new since `before`.
    pub(crate) fn set_new(
        &mut self,
        table: &HintTable,
        before: &BTreeSet<String>,
        origin: Option<&HintOrigin>,
        now: Timestamp,
    ) {
        for (place, kept) in table.all(now) {
            let scope = &kept.hint.meta.scope;
            if !before.contains(&identity(place, scope)) {
                self.set(place, scope, origin.cloned());
            }
        }
    }

    pub(crate) fn of(&self, place: HintName<'_>, kept: &StoredHint) -> Option<&HintOrigin> {
        self.0.get(&identity(place, &kept.hint.meta.scope))
    }

    /// Deletes the origins of hints that no longer exist.
    pub(crate) fn sweep(&mut self, table: &HintTable, now: Timestamp) {
        let live = identities(table, now);
        self.0.retain(|identity, _| live.contains(identity));
    }
}

/// Returns the identity of each hint: component, key and scope.
pub(crate) fn identities(table: &HintTable, now: Timestamp) -> BTreeSet<String> {
    table.all(now).map(|(place, kept)| identity(place, &kept.hint.meta.scope)).collect()
}

/// Returns whether a hint may be pushed to a session in this context.
pub(super) fn may_push(scope: &HintScope, origin: Option<&HintOrigin>, context: &HintContext) -> bool {
    let is_local = !(scope.cwd_glob.is_empty() && scope.repo.is_empty() && scope.branch.is_empty());
    is_local || origin.is_none_or(|origin| is_same_project(origin, context))
}

/// Describes which agent set a hint, and where.
pub(super) fn in_words(origin: &HintOrigin) -> String {
    let agent = origin.agent.as_deref().map_or("an agent".to_owned(), |agent| format!("the agent `{agent}`"));
    match &origin.cwd {
        Some(cwd) => format!("set by {agent} in `{cwd}`"),
        None => format!("set by {agent} over HTTP"),
    }
}

fn is_same_project(origin: &HintOrigin, context: &HintContext) -> bool {
    let is_same_repo = match (&origin.repo, &context.repo) {
        (Some(origin), Some(here)) => repo::same(origin, &here.value),
        _ => false,
    };
    let is_below = match (&origin.cwd, &context.cwd) {
        (Some(origin), Some(here)) => {
            let rest = here.value.strip_prefix(origin.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }
        _ => false,
    };
    is_same_repo || is_below
}

fn identity(HintName { component, key }: HintName<'_>, scope: &HintScope) -> String {
    format!("{component}\n{key}\n{scope}")
}

#[cfg(test)]
mod tests;
