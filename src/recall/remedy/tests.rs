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
