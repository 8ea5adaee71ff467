//! The hard gate: a hint is eligible only if every condition of its scope is met by a fact that is known.

use std::fmt;

use super::glob::{Case, Glob};
use super::repo;
use crate::model::{Fact, HintContext, HintScope, Os};

/// A scope, ready to be held against a context.
#[derive(Debug, Clone)]
pub(super) struct Gate {
    cwd_glob: Vec<Glob>,
    branch: Vec<Glob>,
}

/// What came of one condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome<'a> {
    Met { evidence: Evidence<'a>, inferred: bool },
    Missing(Asked<'a>),
    Differs { asked: Asked<'a>, inferred: bool },
}

/// The fact that a condition asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asked<'a> {
    Cwd,
    Repo,
    Branch,
    Os,
    Env(&'a str),
}

/// What met a condition.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Evidence<'a> {
    Cwd(&'a str),
    Repo(&'a str),
    Branch { branch: &'a str, glob: &'a str },
    Os(Os),
    EnvSet(&'a str),
    EnvMatch(&'a str),
}

impl Gate {
    pub(super) fn of(scope: &HintScope) -> Gate {
        let globs = |list: &[String]| list.iter().map(|text| Glob::new(text)).collect();
        Gate { cwd_glob: globs(&scope.cwd_glob), branch: globs(&scope.branch) }
    }

    /// Says whether all conditions are met.
    pub(super) fn is_open(&self, scope: &HintScope, context: &HintContext) -> bool {
        self.outcomes(scope, context).all(|outcome| matches!(outcome, Outcome::Met { .. }))
    }

    /// Returns what came of each condition, one after the other.
    pub(super) fn outcomes<'a>(
        &'a self,
        scope: &'a HintScope,
        context: &'a HintContext,
    ) -> impl Iterator<Item = Outcome<'a>> {
        let fields = [
            (!scope.cwd_glob.is_empty()).then(|| self.cwd(context)),
            (!scope.repo.is_empty()).then(|| {
                fact(Asked::Repo, context.repo.as_ref(), |said| {
                    scope.repo.iter().find(|repo| repo::same(repo, said)).map(|repo| Evidence::Repo(repo))
                })
            }),
            (!scope.branch.is_empty()).then(|| self.branch(context)),
            (!scope.os.is_empty()).then(|| {
                fact(Asked::Os, context.os.as_ref(), |said| {
                    scope.os.contains(said).then_some(Evidence::Os(*said))
                })
            }),
        ];
        let required = scope.env_required.iter().map(|name| match context.env.contains_key(name) {
            true => Outcome::Met { evidence: Evidence::EnvSet(name), inferred: false },
            false => Outcome::Missing(Asked::Env(name)),
        });
        let matched = scope.env_match.iter().map(|(name, allowed)| match context.env.get(name) {
            Some(value) if allowed.contains(value) => {
                Outcome::Met { evidence: Evidence::EnvMatch(name), inferred: false }
            }
            Some(_) => Outcome::Differs { asked: Asked::Env(name), inferred: false },
            None => Outcome::Missing(Asked::Env(name)),
        });
        fields.into_iter().flatten().chain(required).chain(matched)
    }

    /// Returns a glob that would also match below the folders that the scope names, where that is what is missing.
    pub(super) fn wider_glob(&self, context: &HintContext) -> Option<String> {
        let cwd = &context.cwd.as_ref()?.value;
        let wider = self.cwd_glob.iter().map(|glob| format!("{}/**", glob.text()));
        wider.into_iter().find(|glob| Glob::new(glob).matches(cwd, case(context)))
    }

    fn cwd<'a>(&'a self, context: &'a HintContext) -> Outcome<'a> {
        fact(Asked::Cwd, context.cwd.as_ref(), |said| {
            self.cwd_glob
                .iter()
                .find(|glob| glob.matches(said, case(context)))
                .map(|glob| Evidence::Cwd(glob.text()))
        })
    }

    fn branch<'a>(&'a self, context: &'a HintContext) -> Outcome<'a> {
        fact(Asked::Branch, context.branch.as_ref(), |said| {
            let exact = self.branch.iter().find(|glob| glob.text() == said);
            let found = exact.or_else(|| self.branch.iter().find(|glob| glob.matches(said, Case::Sensitive)));
            found.map(|glob| Evidence::Branch { branch: said, glob: glob.text() })
        })
    }
}

fn fact<'a, T>(
    asked: Asked<'a>,
    fact: Option<&'a Fact<T>>,
    evidence: impl Fn(&'a T) -> Option<Evidence<'a>>,
) -> Outcome<'a> {
    let Some(Fact { value, inferred }) = fact else { return Outcome::Missing(asked) };
    match evidence(value) {
        Some(evidence) => Outcome::Met { evidence, inferred: *inferred },
        None => Outcome::Differs { asked, inferred: *inferred },
    }
}

impl fmt::Display for Asked<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Asked::Cwd => out.write_str("cwd"),
            Asked::Repo => out.write_str("repo"),
            Asked::Branch => out.write_str("branch"),
            Asked::Os => out.write_str("os"),
            Asked::Env(name) => write!(out, "env {name}"),
        }
    }
}

fn case(context: &HintContext) -> Case {
    match &context.os {
        Some(Fact { value: Os::Windows, .. }) => Case::Insensitive,
        _ => Case::Sensitive,
    }
}

#[cfg(test)]
mod tests;
