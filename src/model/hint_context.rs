//! The facts that a caller supplies: where it stands when it asks for hints.

use std::collections::BTreeMap;

use super::Os;

/// What is known of the caller's place; a fact that is not known satisfies no condition.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct HintContext {
    pub(crate) cwd: Option<Fact<String>>,
    pub(crate) repo: Option<Fact<String>>,
    pub(crate) branch: Option<Fact<String>>,
    pub(crate) os: Option<Fact<Os>>,
    /// Only what is set; an empty text is set.
    pub(crate) env: BTreeMap<String, String>,
}

/// A fact, and whether the caller said it or the server guessed it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fact<T> {
    pub(crate) value: T,
    pub(crate) inferred: bool,
}

impl HintContext {
    /// Fills in what the caller did not say; the environment is never guessed.
    #[must_use]
    pub(crate) fn or_inferred(self, inferred: HintContext) -> HintContext {
        fn guess<T>(said: Option<Fact<T>>, guessed: Option<Fact<T>>) -> Option<Fact<T>> {
            said.or_else(|| guessed.map(|fact| Fact { inferred: true, ..fact }))
        }
        HintContext {
            cwd: guess(self.cwd, inferred.cwd),
            repo: guess(self.repo, inferred.repo),
            branch: guess(self.branch, inferred.branch),
            os: guess(self.os, inferred.os),
            env: self.env,
        }
    }
}

impl<T> Fact<T> {
    pub(crate) fn said(value: T) -> Fact<T> {
        Fact { value, inferred: false }
    }
}
