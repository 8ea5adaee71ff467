//! Which patterns are tried.

use super::candidates;
use crate::learn::fixture::PlayedAct::{self, Fails, Works};
use crate::learn::fixture::{only, sessions};

#[track_caller]
fn check(all: &[&[PlayedAct]], expected: &[(&str, &[&str])]) {
    let rows = sessions(all);
    let cause = only(&rows);
    let newest_first: Vec<_> = rows.iter().rev().cloned().collect();
    let found = candidates(&cause, &newest_first);
    let found: Vec<(&str, Vec<&str>)> = found
        .iter()
        .map(|one| (one.command.as_str(), one.unless.iter().map(String::as_str).collect()))
        .collect();
    let expected: Vec<(&str, Vec<&str>)> =
        expected.iter().map(|(command, unless)| (*command, unless.to_vec())).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_pattern_has_what_all_failures_have_in_common() {
    let stat = "unknown flag: --stat";
    check(
        &[
            &[Fails("gh pr diff 104 --stat", stat), Works("gh pr diff 104 --name-only")],
            &[Fails("cd /a && timeout 60 gh pr diff 88 --stat", stat), Works("gh pr diff 88 --name-only")],
        ],
        &[
            ("gh pr diff --stat", &["gh pr diff --name-only"]),
            ("gh pr diff --stat", &[]),
            ("gh pr diff --stat *stat*", &[]),
        ],
    );
}

#[test]
fn what_worked_is_an_exception() {
    let upstream = "fatal: The current branch # has no upstream branch.";
    check(
        &[
            &[Fails("git push", upstream), Works("git push -u origin a")],
            &[Fails("git push origin", upstream), Works("git push -u origin b")],
        ],
        &[("git push", &["git push -u"]), ("git push", &[])],
    );
}

#[test]
fn what_had_to_go_is_what_to_speak_before() {
    let unknown = "Field 'body' doesn't accept argument 'truncate'";
    check(
        &[
            &[
                Fails("gh api graphql -f query='{ a body(truncate: 9) }'", unknown),
                Works("gh api graphql -f query='{ a body }'"),
            ],
            &[
                Fails("gh api graphql -f query='{ b body(truncate: 5) }'", unknown),
                Works("gh api graphql -f query='{ b body }'"),
            ],
        ],
        &[
            ("gh api graphql -f *truncate*", &[]),
            ("gh api graphql -f", &[]),
            ("gh api graphql -f *truncate*", &[]),
        ],
    );
}

#[test]
fn a_program_that_is_not_installed_is_the_whole_pattern() {
    let missing = "zsh: command not found: docker";
    check(
        &[&[Fails("docker ps", missing)], &[Fails("cd x && docker compose up", missing)]],
        &[("docker", &[])],
    );
}

#[test]
fn texts_numbers_and_paths_of_this_machine_are_left_out() {
    let refused = "curl: (7) Failed to connect to localhost port #: Connection refused";
    check(
        &[
            &[Fails("curl -s -H 'x: *' /root/a 30 http://localhost", refused)],
            &[Fails("curl -s -H 'x: *' /root/a 30 http://localhost", refused)],
        ],
        &[("curl -s -H http://localhost", &[])],
    );
    let none = "error: something odd happened in module alpha";
    check(&[&[Fails("a x", none)], &[Fails("b x", none)]], &[]);
}
