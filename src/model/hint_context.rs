//! The context of a caller that asks for hints: its folder, repository, branch, system and environment.

use std::collections::BTreeMap;

use super::Os;

/// The known facts about the caller; an unknown fact never meets a condition.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct HintContext {
    pub(crate) cwd: Option<Fact<String>>,
    pub(crate) repo: Option<Fact<String>>,
    pub(crate) branch: Option<Fact<String>>,
    pub(crate) os: Option<Fact<Os>>,
    /// Only variables that are set; an empty value counts as set.
    pub(crate) env: BTreeMap<String, String>,
}

/// A fact, and whether the caller sent it or the server inferred it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fact<T> {
    pub(crate) value: T,
    pub(crate) inferred: bool,
}

impl HintContext {
    /// Fills in what the caller did not send; the environment is never inferred.
    #[must_use]
    pub(crate) fn or_inferred(self, inferred: HintContext) -> HintContext {
        fn or_infer<T>(given: Option<Fact<T>>, inferred: Option<Fact<T>>) -> Option<Fact<T>> {
            given.or_else(|| inferred.map(|fact| Fact { inferred: true, ..fact }))
        }
        HintContext {
            cwd: or_infer(self.cwd, inferred.cwd),
            repo: or_infer(self.repo, inferred.repo),
            branch: or_infer(self.branch, inferred.branch),
            os: or_infer(self.os, inferred.os),
            env: self.env,
        }
    }
}

impl<T> Fact<T> {
    pub(crate) fn said(value: T) -> Fact<T> {
        Fact { value, inferred: false }
    }
}
