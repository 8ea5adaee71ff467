//! Which commands are recognised before they fail.

use super::{is_trapped, trap};
use crate::model::{Observation, ObservationId, SessionId, Trap};
use crate::recall::fixture::{failed, program_of, ran};
use crate::shell;

const NOT_THERE: &str = "zsh: command not found: docker";

/// A run of a command in a session: `true` if it worked.
type PastRun = (&'static str, &'static str, bool);

/// Returns what is found in these runs, the oldest first; all failures have the same cause.
fn found(runs: &[PastRun], signature: &str) -> Option<Trap> {
    let mut rows: Vec<Observation> = (1..)
        .zip(runs)
        .map(|(id, (session, line, works))| {
            let program = program_of(line);
            let mut row = if *works { ran(id, &program, line) } else { failed(id, &program, line) };
            row.seen.session_id = SessionId((*session).to_owned());
            row.seen.signature = row.seen.signature.map(|_| signature.to_owned());
            row
        })
        .collect();
    rows.reverse();
    let failures: Vec<&Observation> = rows.iter().filter(|row| row.signature.is_some()).collect();
    let ids: Vec<ObservationId> = failures.iter().map(|row| row.id).collect();
    trap(failures[0], &ids, &rows)
}

fn shape(shape: &str, word: Option<&str>) -> Option<Trap> {
    Some(Trap::Shape { shape: shape.to_owned(), word: word.map(str::to_owned) })
}

#[test]
fn a_shape_whose_first_run_fails_session_after_session_is_a_trap() {
    let upstream = "fatal: The current branch # has no upstream branch.";
    let runs = [
        ("a", "git push", false),
        ("a", "git push -u origin a", true),
        ("a", "git push", true),
        ("a", "git push", true),
        ("b", "cd x && git push", false),
        ("b", "git push -u origin b", true),
    ];
    assert_eq!(found(&runs, upstream), shape("git push", None));
    // In most sessions it works at once.
    let mostly = [("c", "git push", true), ("d", "git push", true), ("e", "git push", true)];
    assert_eq!(found(&[&runs[..], &mostly[..]].concat(), upstream), None);
    // One session is chance.
    assert_eq!(found(&runs[..4], upstream), None);
}

#[test]
fn a_word_that_never_worked_is_a_trap_where_the_shape_works() {
    let check = |runs: &[PastRun], signature: &str, expected: Option<Trap>| {
        assert_eq!(found(runs, signature), expected, "{signature}");
    };
    check(
        &[
            ("a", "git add src/a.rs", true),
            ("a", "git add dist/app.css", false),
            ("b", "git add src/b.rs", true),
            ("b", "git add src/c.rs dist/app.css", false),
            ("b", "git add -f dist/app.css", true),
        ],
        "The following paths are ignored by one of your .gitignore files: dist",
        shape("git add", Some("dist/app.css")),
    );
    check(
        &[
            ("a", "gh api graphql -f query='{ repository(owner: \"acme\") }'", false),
            ("a", "gh api graphql -f query='{ repository(owner: \"acme-inc\") }'", true),
            ("b", "gh api graphql -f query='{ repository(owner: \"acme\") { id } }'", false),
            ("c", "gh api graphql -f query='{ repository(owner: \"acme-inc\") }'", true),
            ("d", "gh api graphql -f query='{ viewer }'", true),
            ("e", "gh api graphql -f query='{ viewer }'", true),
        ],
        "Could not resolve to a Repository with the name 'acme/shop'.",
        shape("gh api graphql -f", Some("acme")),
    );
    // The same words worked in another session.
    check(
        &[
            ("a", "npm test", true),
            ("a", "npm test cart", false),
            ("b", "npm test", true),
            ("b", "npm test cart", false),
            ("c", "npm test cart", true),
        ],
        "Error: no cart",
        None,
    );
}

#[test]
fn a_program_that_is_not_installed_is_a_trap_in_every_shape() {
    let docker = Some(Trap::Program("docker".to_owned()));
    let runs = [("a", "docker ps", false), ("b", "docker compose up -d", false)];
    assert_eq!(found(&runs, NOT_THERE), docker);
    // By its path it is there.
    let by_path = [&runs[..], &[("b", "/opt/docker/bin/docker ps", true)]].concat();
    assert_eq!(found(&by_path, NOT_THERE), docker);
    let installed = [&runs[..], &[("c", "docker ps", true)]].concat();
    assert_eq!(found(&installed, NOT_THERE), None);
}

#[test]
fn a_trap_is_recognised_in_a_line() {
    let check = |trap: Trap, line: &str, expected: bool| {
        assert_eq!(shell::parts(line).iter().any(|part| is_trapped(part, &trap)), expected, "{line}");
    };
    let push = || shape("git push", None).unwrap();
    check(push(), "git add . && git push 2>&1 | tail -3", true);
    check(push(), "git push -u origin x", false);
    check(push(), "echo git push", false);
    let add = || shape("git add", Some("dist/app.css")).unwrap();
    check(add(), "git add src/a.rs dist/app.css", true);
    check(add(), "git add src/a.rs", false);
    check(add(), "git add -f dist/app.css", false);
    let docker = || Trap::Program("docker".to_owned());
    check(docker(), "cd x; docker compose up", true);
    check(docker(), "which docker", false);
    check(docker(), "/usr/bin/docker ps", false);
}
