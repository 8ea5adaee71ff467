//! Decides whether a hint is eligible: every condition of its scope must be met by a known fact.

use std::fmt;

use super::glob::{Glob, GlobCase};
use crate::model::repo;
use crate::model::{Fact, HintContext, HintScope, Os};

/// A scope with compiled globs, ready to be matched against a context.
#[derive(Debug, Clone)]
pub(super) struct ScopeMatcher {
    cwd_glob: Vec<Glob>,
    branch: Vec<Glob>,
}

/// The result of one condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ConditionOutcome<'a> {
    Met { evidence: Evidence<'a>, inferred: bool },
    Missing(RequiredFact<'a>),
    Differs { asked: RequiredFact<'a>, inferred: bool },
}

/// The fact that a condition requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RequiredFact<'a> {
    Cwd,
    Repo,
    Branch,
    Os,
    Env(&'a str),
}

/// The value that met a condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Evidence<'a> {
    Cwd(&'a str),
    Repo(&'a str),
    Branch { branch: &'a str, glob: &'a str },
    Os(Os),
    EnvSet(&'a str),
    EnvMatch(&'a str),
}

impl ScopeMatcher {
    pub(super) fn of(scope: &HintScope) -> ScopeMatcher {
        let globs = |list: &[String]| list.iter().map(|text| Glob::new(text)).collect();
        ScopeMatcher { cwd_glob: globs(&scope.cwd_glob), branch: globs(&scope.branch) }
    }

    /// Returns whether all conditions are met.
    pub(super) fn is_open(&self, scope: &HintScope, context: &HintContext) -> bool {
        self.outcomes(scope, context).all(|outcome| matches!(outcome, ConditionOutcome::Met { .. }))
    }

    /// Returns the result of each condition, in order.
    pub(super) fn outcomes<'a>(
        &'a self,
        scope: &'a HintScope,
        context: &'a HintContext,
    ) -> impl Iterator<Item = ConditionOutcome<'a>> {
        let fields = [
            (!scope.cwd_glob.is_empty()).then(|| self.check_cwd(context)),
            (!scope.repo.is_empty()).then(|| {
                check_fact(RequiredFact::Repo, context.repo.as_ref(), |value| {
                    scope.repo.iter().find(|repo| repo::same(repo, value)).map(|repo| Evidence::Repo(repo))
                })
            }),
            (!scope.branch.is_empty()).then(|| self.check_branch(context)),
            (!scope.os.is_empty()).then(|| {
                check_fact(RequiredFact::Os, context.os.as_ref(), |value| {
                    scope.os.contains(value).then_some(Evidence::Os(*value))
                })
            }),
        ];
        let required = scope.env_required.iter().map(|name| match context.env.contains_key(name) {
            true => ConditionOutcome::Met { evidence: Evidence::EnvSet(name), inferred: false },
            false => ConditionOutcome::Missing(RequiredFact::Env(name)),
        });
        let matched = scope.env_match.iter().map(|(name, allowed)| match context.env.get(name) {
            Some(value) if allowed.contains(value) => {
                ConditionOutcome::Met { evidence: Evidence::EnvMatch(name), inferred: false }
            }
            Some(_) => ConditionOutcome::Differs { asked: RequiredFact::Env(name), inferred: false },
            None => ConditionOutcome::Missing(RequiredFact::Env(name)),
        });
        fields.into_iter().flatten().chain(required).chain(matched)
    }

    /// Returns a wider glob that matches the context, if the current folder is below a folder that the scope names.
    pub(super) fn wider_glob(&self, context: &HintContext) -> Option<String> {
        let cwd = &context.cwd.as_ref()?.value;
        let wider = self.cwd_glob.iter().map(|glob| format!("{}/**", glob.text()));
        wider.into_iter().find(|glob| Glob::new(glob).matches(cwd, path_case(context)))
    }

    fn check_cwd<'a>(&'a self, context: &'a HintContext) -> ConditionOutcome<'a> {
        check_fact(RequiredFact::Cwd, context.cwd.as_ref(), |value| {
            self.cwd_glob
                .iter()
                .find(|glob| glob.matches(value, path_case(context)))
                .map(|glob| Evidence::Cwd(glob.text()))
        })
    }

    fn check_branch<'a>(&'a self, context: &'a HintContext) -> ConditionOutcome<'a> {
        check_fact(RequiredFact::Branch, context.branch.as_ref(), |value| {
            let exact = self.branch.iter().find(|glob| glob.text() == value);
            let found =
                exact.or_else(|| self.branch.iter().find(|glob| glob.matches(value, GlobCase::Sensitive)));
            found.map(|glob| Evidence::Branch { branch: value, glob: glob.text() })
        })
    }
}

fn check_fact<'a, T>(
    asked: RequiredFact<'a>,
    fact: Option<&'a Fact<T>>,
    evidence: impl Fn(&'a T) -> Option<Evidence<'a>>,
) -> ConditionOutcome<'a> {
    let Some(Fact { value, inferred }) = fact else { return ConditionOutcome::Missing(asked) };
    match evidence(value) {
        Some(evidence) => ConditionOutcome::Met { evidence, inferred: *inferred },
        None => ConditionOutcome::Differs { asked, inferred: *inferred },
    }
}

impl fmt::Display for RequiredFact<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequiredFact::Cwd => out.write_str("cwd"),
            RequiredFact::Repo => out.write_str("repo"),
            RequiredFact::Branch => out.write_str("branch"),
            RequiredFact::Os => out.write_str("os"),
            RequiredFact::Env(name) => write!(out, "env {name}"),
        }
    }
}

fn path_case(context: &HintContext) -> GlobCase {
    match &context.os {
        Some(Fact { value: Os::Windows, .. }) => GlobCase::Insensitive,
        _ => GlobCase::Sensitive,
    }
}

#[cfg(test)]
mod tests;
