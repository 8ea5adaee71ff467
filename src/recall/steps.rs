//! Which of the things that were done after a failure may have put it right.

use super::deed::{command, only_looks};
use crate::model::{Observation, ObservationType};
use crate::shell::{self, Doing};

/// Words of a program or a task that only say whether something is right: where files were changed before, they did not
/// put it right. From the tools of Rust, Go, JavaScript, Python, Elixir, Java, .NET, Ruby, PHP, C and C++.
#[rustfmt::skip]
const CHECKS: [&str; 68] = [
    "test", "tests", "nextest", "build", "compile", "check", "lint", "vet", "typecheck", "type-check", "tsc", "verify",
    "clippy", "doc", "bench", "spec", "rspec", "minitest", "pytest", "tox", "nox", "unittest", "jest", "vitest", "mocha",
    "ava", "karma", "cypress", "playwright", "eslint", "stylelint", "oxlint", "biome", "mypy", "pyright", "pyre", "ruff",
    "flake8", "pylint", "bandit", "golangci-lint", "staticcheck", "govet", "credo", "dialyzer", "rubocop", "sorbet",
    "brakeman", "phpunit", "pest", "phpstan", "psalm", "phpcs", "javac", "gcc", "g++", "clang", "clang-tidy", "cppcheck",
    "ctest", "rustc", "shellcheck", "hadolint", "yamllint", "markdownlint", "actionlint", "coverage", "e2e",
];

/// Programs that write down or hand over what was done: git, forges, trackers.
const BOOKKEEPING: [&str; 12] =
    ["git", "gh", "glab", "hub", "jj", "hg", "bd", "jira", "linear", "acli", "tea", "nudge"];

/// Options by which a check changes what it checks.
const PUTS_RIGHT: [&str; 8] =
    ["--fix", "--write", "-w", "--unsafe-fixes", "--autocorrect", "-A", "--auto-correct", "--update"];

/// Returns what may have put a failure right, of the rows between it and the success: edits, and commands that do
/// something. Where files were changed, a check or a commit in between is no step.
pub(super) fn steps<'r>(failure: &Observation, between: &'r [Observation]) -> Vec<&'r Observation> {
    let mut steps: Vec<&Observation> = between.iter().filter(|row| is_step(row, failure)).collect();
    if steps.iter().any(|row| is_edit(row)) {
        steps.retain(|row| is_edit(row) || !only_says_so(row));
    }
    steps
}

pub(super) fn is_edit(row: &Observation) -> bool {
    matches!(row.obs_type, ObservationType::FileEdit | ObservationType::FileWrite)
}

/// Returns whether a row is part of what was done: an edit, or a command that does something.
fn is_step(row: &Observation, failure: &Observation) -> bool {
    let is_command = || {
        // A subagent that ran meanwhile is stored as a command, and is not one.
        row.obs_type == ObservationType::Command
            && row.metadata.as_ref().is_some_and(|metadata| metadata.command().is_some())
            && !only_looks(row)
            && command(row) != command(failure)
    };
    is_edit(row) || is_command()
}

/// Returns whether everything that a command does is to check or to write down.
fn only_says_so(row: &Observation) -> bool {
    let parts = shell::parts(command(row));
    let mut acting = parts.iter().filter(|part| shell::doing(part) == Doing::Acting);
    acting.all(|part| {
        let program = shell::program(part).unwrap_or_default();
        let mut words = program.split([' ', ':']);
        let is_book = words.clone().next().is_some_and(|name| BOOKKEEPING.contains(&name));
        let puts_right = part.words.iter().any(|word| PUTS_RIGHT.contains(&word.as_str()));
        is_book || !puts_right && words.any(|word| CHECKS.contains(&word))
    })
}

#[cfg(test)]
mod tests {
    use super::only_says_so;
    use crate::recall::fixture::{program_of, ran};

    #[test]
    fn a_check_is_no_remedy_and_a_repair_is() {
        for (command, expected) in [
            ("mix compile", true),
            ("cargo clippy --all-targets 2>&1 | tail -5", true),
            ("npm run lint && npx tsc --noEmit", true),
            ("npm run test:unit", true),
            ("git add -A && git commit -m x", true),
            ("bd close a-1 --reason done", true),
            ("eslint --fix src", false),
            ("cargo fmt", false),
            ("npm install lodash", false),
            ("mix format && mix test", false),
            ("docker compose up -d", false),
            ("rm -rf node_modules", false),
        ] {
            assert_eq!(only_says_so(&ran(1, &program_of(command), command)), expected, "{command}");
        }
    }
}
