//! The context of a caller that asks for hints: its folder, repository, branch, system and environment.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Os;

/// The known facts about the caller; an unknown fact never meets a condition.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct HintContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cwd: Option<Fact<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) repo: Option<Fact<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<Fact<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) os: Option<Fact<Os>>,
    /// Only variables that are set; an empty value counts as set.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) env: BTreeMap<String, String>,
}

/// A fact, and whether the caller sent it or the server inferred it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Fact<T> {
    pub(crate) value: T,
    #[serde(skip)]
    pub(crate) inferred: bool,
}

impl HintContext {
    /// Fills in what the caller did not send, and marks it as inferred; the environment is never inferred.
    #[must_use]
    pub(crate) fn or_inferred(self, inferred: HintContext) -> HintContext {
        fn mark<T>(fact: Option<Fact<T>>) -> Option<Fact<T>> {
            fact.map(|fact| Fact { inferred: true, ..fact })
        }
        let HintContext { cwd, repo, branch, os, .. } = inferred;
        let env = BTreeMap::new();
        self.or(HintContext { cwd: mark(cwd), repo: mark(repo), branch: mark(branch), os: mark(os), env })
    }

    /// Fills in what is unknown.
    #[must_use]
    pub(crate) fn or(self, other: HintContext) -> HintContext {
        let mut env = other.env;
        env.extend(self.env);
        HintContext {
            cwd: self.cwd.or(other.cwd),
            repo: self.repo.or(other.repo),
            branch: self.branch.or(other.branch),
            os: self.os.or(other.os),
            env,
        }
    }
}

impl<T> Fact<T> {
    pub(crate) fn said(value: T) -> Fact<T> {
        Fact { value, inferred: false }
    }
}
