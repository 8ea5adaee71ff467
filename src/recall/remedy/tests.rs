//! How a failure was overcome.

use serde_json::json;

use super::remedy;
use crate::model::{Observation, ObservationType};
use crate::recall::fixture::{edited, failed, program_of, ran, row};

fn found(after: &[Observation]) -> Option<(Vec<i64>, i64, bool)> {
    let failure = failed(1, "go build", "go build -tags=e2e ./cmd/app");
    let remedy = remedy(&failure, after)?;
    let steps = remedy.steps.iter().map(|step| step.id.0).collect();
    Some((steps, remedy.success.id.0, remedy.is_visible(&failure)))
}

#[test]
fn the_way_to_the_success_is_shown() {
    let after = vec![
        edited(2, "go.mod"),
        ran(3, "ls", "ls"),
        failed(4, "go build", "go build -tags=e2e ./cmd/app"),
        ran(5, "go mod", "go mod tidy"),
        ran(6, "go build", "go build -tags=e2e ./cmd/app"),
    ];
    assert_eq!(found(&after), Some((vec![2, 5], 6, true)));
}

#[test]
fn a_success_behind_other_programs_counts() {
    let compound =
        ran(2, "go test", "go build ./... && go test").with("programs", json!(["go build", "go test"]));
    assert_eq!(found(&[compound]), Some((vec![], 2, true)));
}

#[test]
fn a_related_program_may_have_brought_it_about() {
    let kin = ran(2, "go vet", "go vet -tags=e2e ./cmd/app");
    assert_eq!(found(std::slice::from_ref(&kin)), Some((vec![], 2, true)));
    // Another turn is other work, and another thing is another thing.
    assert_eq!(found(&[row(2, ObservationType::UserPrompt, "and now?"), kin]), None);
    assert_eq!(found(&[ran(2, "go vet", "go vet ./other")]), None);
}

#[test]
fn the_same_command_again_shows_no_remedy() {
    assert_eq!(found(&[ran(2, "go build", "go build -tags=e2e ./cmd/app")]), Some((vec![], 2, false)));
}

#[test]
fn what_still_runs_has_not_succeeded() {
    let mut running = ran(2, "go build", "go build -tags=e2e ./cmd/app -o x");
    running.seen.metadata.as_mut().unwrap().0.remove("exit_code");
    assert_eq!(found(&[running]), None);
}

#[test]
fn a_program_that_is_not_installed_is_replaced_by_another() {
    let check = |failed_line: &str, message: &str, then: &[&str], expected: Option<i64>| {
        let mut failure = failed(1, &program_of(failed_line), failed_line);
        failure.seen.signature = Some(message.to_owned());
        let after: Vec<Observation> =
            (2..).zip(then).map(|(id, line)| ran(id, &program_of(line), line)).collect();
        assert_eq!(remedy(&failure, &after).map(|remedy| remedy.success.id.0), expected, "{failed_line}");
    };
    let bash = "bash: line #: python: command not found";
    check("python tools/gen.py --all", bash, &["which python3", "python3 tools/gen.py --all"], Some(3));
    check("python tools/gen.py --all", bash, &["python3 tools/other.py"], None);
    check(
        "docker-compose up -d",
        "zsh: command not found: docker-compose",
        &["docker compose up -d"],
        Some(2),
    );
    check(
        "timeout 60 go test ./cart",
        "zsh: command not found: timeout",
        &["git status", "go vet ./cart", "gtimeout 60 go test ./cart"],
        Some(4),
    );
    check("rg toll src", "sh: #: rg: not found", &["grep -rn toll src"], Some(2));
    check("pip install httpx", "zsh: command not found: pip", &["python3 -m pip install httpx"], Some(2));
    // The program is there, and something else is not.
    check("python tools/gen.py", "python: can't open file 'tools/gen.py'", &["cat tools/gen.py"], None);
}

#[test]
fn a_subagent_that_ran_meanwhile_is_not_a_step() {
    let subagent = row(2, ObservationType::Command, "general-purpose: Count files");
    let after = [subagent, edited(3, "go.mod"), ran(4, "go build", "go build -tags=e2e ./cmd/app")];
    assert_eq!(found(&after), Some((vec![3], 4, true)));
}

fn failed_with(id: i64, command: &str, signature: &str) -> Observation {
    let mut row = failed(id, &program_of(command), command);
    row.seen.signature = Some(signature.to_owned());
    row
}

fn steps_of(failure: &Observation, after: &[Observation]) -> Option<(Vec<i64>, i64)> {
    let remedy = remedy(failure, after)?;
    Some((remedy.steps.iter().map(|step| step.id.0).collect(), remedy.success.id.0))
}

#[test]
fn what_put_the_next_failure_right_is_not_credited_to_this_one() {
    let missing = failed_with(1, "npm test", "Error: Cannot find module 'lodash'");
    let next = "TypeError: Cannot read properties of undefined (reading 'total')";
    let after = [
        ran(2, "npm install", "npm install lodash"),
        failed_with(3, "npm test", next),
        edited(4, "src/cart.js"),
        ran(5, "npm test", "npm test"),
    ];
    assert_eq!(steps_of(&missing, &after), Some((vec![2], 5)));
    assert_eq!(steps_of(&after[1], &after[2..]), Some((vec![4], 5)));
    // It was not gone: it came back before the success.
    let again =
        [&after[..3], &[failed_with(9, "npm test", "Error: Cannot find module 'lodash'")], &after[2..]];
    assert_eq!(steps_of(&missing, &again.concat()), Some((vec![2, 4, 4], 5)));
    // Nothing was done in between: the second run showed another part of the same thing.
    assert_eq!(steps_of(&missing, &after[1..]), Some((vec![4], 5)));
}

#[test]
fn a_check_between_the_edits_and_the_success_is_no_step() {
    let failure = failed_with(1, "mix test", "** (Mix) Could not start application opentelemetry");
    let after = [
        edited(2, "config/config.exs"),
        edited(3, "config/test.exs"),
        ran(4, "mix compile", "mix compile"),
        ran(5, "mix test", "mix test"),
    ];
    assert_eq!(steps_of(&failure, &after), Some((vec![2, 3], 5)));
    // Without an edit, the build may be what was missing.
    assert_eq!(steps_of(&failure, &after[2..]), Some((vec![4], 5)));
}

#[test]
fn a_failure_that_outlived_its_turn_was_put_right_in_the_turn_of_the_success() {
    let failure = failed_with(1, "git commit", "Pre-commit validation failed: [DIALYZER]");
    let after = [
        ran(2, "bd close", "bd close spotter-4te.3"),
        row(3, ObservationType::UserPrompt, "continue"),
        edited(4, "lib/helpers.ex"),
        ran(5, "mix dialyzer", "mix dialyzer"),
        ran(6, "git commit", "git commit"),
    ];
    assert_eq!(steps_of(&failure, &after), Some((vec![4], 6)));
}

#[test]
fn a_program_that_does_the_same_work_may_have_done_it() {
    let check = |failed_line: &str, message: &str, then: &str, expected: bool| {
        let failure = failed_with(1, failed_line, message);
        let after = [ran(2, &program_of(then), then)];
        assert_eq!(remedy(&failure, &after).is_some(), expected, "{failed_line} / {then}");
    };
    check("npm test", "npm error Missing script: \"test\"", "pnpm test", true);
    check("yarn build", "error Command \"build\" not found.", "npm run build", true);
    check("pip install httpx", "error: externally-managed-environment", "uv pip install httpx", true);
    check("mvn verify", "BUILD FAILURE", "./mvnw verify", true);
    check("cargo tset", "error: no such command: `tset`", "cargo test", true);
    check("npm test", "npm error Missing script: \"test\"", "pnpm install", false);
    check("cargo build", "error[E0432]: unresolved import", "cargo fmt", false);
}
