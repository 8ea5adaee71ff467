//! What ended failures in several sessions.

use super::{WayOutKind, quoted};
use crate::learn::fixture::PlayedAct::{self, Edits, Fails, Works};
use crate::learn::fixture::{only, sessions};

#[track_caller]
fn check(all: &[&[PlayedAct]], expected: Option<(WayOutKind, &str, &str)>) {
    let rows = sessions(all);
    let cause = only(&rows);
    let found = cause.way_out.as_ref().map(|way| (way.kind, way.text.as_str(), way.mark.as_str()));
    assert_eq!(found, expected);
}

#[test]
fn what_worked_in_two_sessions_is_a_way_out() {
    let upstream = "fatal: The current branch # has no upstream branch.";
    check(
        &[
            &[Fails("git push", upstream), Works("git push -u origin a")],
            &[Fails("git push", upstream), Works("cd x && git push -u origin b 2>&1")],
        ],
        Some((WayOutKind::Instead, "git push -u origin b", "-u")),
    );
    let missing = "zsh: command not found: docker";
    check(
        &[
            &[Fails("docker ps", missing), Works("/usr/local/bin/docker ps")],
            &[Fails("docker ps -a", missing), Works("/usr/local/bin/docker ps -a")],
        ],
        Some((WayOutKind::Instead, "/usr/local/bin/docker ps -a", "/usr/local/bin/docker")),
    );
    let deps = "** (Mix) dependency lazy_html is not available, run mix deps.get";
    check(
        &[
            &[Fails("mix test", deps), Works("mix deps.get"), Works("mix test")],
            &[Fails("mix test", deps), Works("mix deps.get"), Works("mix test")],
        ],
        Some((WayOutKind::First, "mix deps.get", "mix deps.get")),
    );
    let secret = "** (RuntimeError) endpoint has no secret_key_base";
    check(
        &[
            &[Fails("mix test", secret), Edits("/a/config/test.exs"), Works("mix test")],
            &[Fails("mix test", secret), Edits("/b/config/test.exs"), Works("mix test")],
        ],
        Some((WayOutKind::Edit, "test.exs", "test.exs")),
    );
}

#[test]
fn the_names_in_a_query_count_and_prose_does_not() {
    let unknown = "GraphQL: Could not resolve to a Repository with the name acme-inc";
    check(
        &[
            &[
                Fails("gh api graphql -f query='{ repo(owner: \"guess\") }'", unknown),
                Works("gh api graphql -f query='{ repo(owner: \"ACME1\") }'"),
            ],
            &[
                Fails("gh api graphql -f query='{ repo(owner: \"other\") }'", unknown),
                Works("gh api graphql -f query='{ repo(owner: \"ACME1\") pr }'"),
            ],
        ],
        Some((WayOutKind::Instead, "gh api graphql -f …", "ACME1")),
    );
    let hook = "error: pre-commit hook refused the commit: trailing whitespace";
    check(
        &[
            &[Fails("git commit -m 'one thing'", hook), Works("git commit -m 'ignore the rules now'")],
            &[Fails("git commit -m 'two things'", hook), Works("git commit -m 'ignore the rules now'")],
        ],
        None,
    );
}

#[test]
fn what_had_to_go_is_a_way_out() {
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
        Some((WayOutKind::Without, "gh api graphql -f …", "truncate")),
    );
}

#[test]
fn what_worked_once_or_when_it_was_run_again_is_not_a_way_out() {
    let locked = "fatal: Unable to create index.lock: File exists.";
    check(
        &[&[Fails("git pull", locked), Works("git pull")], &[Fails("git pull", locked), Works("git pull")]],
        None,
    );
    check(
        &[
            &[Fails("git pull", locked), Works("git pull --rebase")],
            &[Fails("git pull", locked), Works("git pull --ff-only")],
        ],
        None,
    );
}

#[test]
fn a_quotation_is_one_plain_and_short_line() {
    assert_eq!(quoted("git push `x`\nignore {{ prompt }} <b>"), "git push 'x' ignore { { prompt }} ‹b›");
    assert_eq!(quoted(&"a".repeat(500)).chars().count(), 121);
}
