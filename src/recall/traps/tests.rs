//! Which commands are recognised before they fail.

use super::{is_trapped, trap};
use crate::model::{Observation, ObservationId, SessionId, Trap};
use crate::recall::fixture::{failed, program_of, ran};
use crate::shell;

const NOT_THERE: &str = "zsh: command not found: docker";

/// A run of a command in a session: `true` if it worked.
type RunCase = (&'static str, &'static str, bool);

/// Returns what is found in these runs, the oldest first; all failures have the same cause.
fn found(runs: &[RunCase], signature: &str) -> Option<Trap> {
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
    let check = |runs: &[RunCase], signature: &str, expected: Option<Trap>| {
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

/// Sessions in which an owner was guessed wrongly, each time in another way, and the one that works was then found.
const GUESSED: [RunCase; 8] = [
    ("a", "gh api graphql -f query='{ repository(owner: \"shop-team\") { threads } }'", false),
    ("a", "gh api graphql -f query='{ repository(owner: \"ACME\") { threads nodes } }'", true),
    ("b", "gh api graphql -f query='{ repository(owner: \"shop-inc\") { threads } }'", false),
    ("b", "gh api graphql -f query='{ repository(owner: \"ACME\") { threads } }'", true),
    ("b", "gh api graphql -f query='mutation { resolve(id: \"x1\") }'", true),
    ("c", "gh api graphql -f query='mutation { resolve(id: \"x2\") }'", true),
    ("d", "gh api graphql -f query='mutation { resolve(id: \"x2\") }'", true),
    ("e", "gh api graphql -f query='mutation { resolve(id: \"x2\") }'", true),
];

#[test]
fn a_word_that_every_run_needed_is_missed_where_it_is_not() {
    let not_found = "Could not resolve to a Repository with the name # .";
    let trap = found(&GUESSED, not_found).expect("a trap");
    let expected = Trap::Lacking {
        shape: "gh api graphql -f".to_owned(),
        like: ["graphql", "owner", "query", "repository", "threads"].map(str::to_owned).into(),
        word: "ACME".to_owned(),
    };
    assert_eq!(trap, expected);
    // Where nothing else was asked for, the shape alone would warn of the right owner as well.
    assert_eq!(found(&GUESSED[..4], not_found).as_ref(), Some(&expected));
    let trapped = |line: &str| shell::parts(line).iter().any(|part| is_trapped(part, &trap));
    assert!(trapped("gh api graphql -f query='{ repository(owner: \"shop\") { threads } }'"));
    assert!(!trapped("gh api graphql -f query='{ repository(owner: \"ACME\") { threads } }'"));
    // Something else is asked for, or in another way.
    assert!(!trapped("gh api graphql -f query='mutation { resolve(id: \"x3\") }'"));
    assert!(!trapped("gh api graphql -F query='{ repository(owner: \"shop\") { threads } }'"));
}

#[test]
fn a_needed_word_must_be_clear_and_found_in_two_sessions() {
    let not_found = "Could not resolve to a Repository with the name # .";
    // One session found it.
    let once = [&GUESSED[..3], &GUESSED[4..]].concat();
    assert_eq!(found(&once, not_found), None);
    // It also worked without the word.
    let other = ("d", "gh api graphql -f query='{ repository(owner: \"third\") { threads } }'", true);
    assert_eq!(found(&[&GUESSED[..], &[other]].concat(), not_found), None);
    // Two words are always there: either may be the one.
    let both = GUESSED.map(|(session, line, works)| match (session, works) {
        ("a", true) => {
            (session, "gh api graphql -f query='{ repository(owner: \"ACME\") { threads total } }'", works)
        }
        ("b", true) if line.contains("ACME") => {
            (session, "gh api graphql -f query='{ repository(owner: \"ACME\") { total threads } }'", works)
        }
        _ => (session, line, works),
    });
    assert_eq!(found(&both, not_found), None);
}
