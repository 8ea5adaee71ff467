//! The guide to notes is true: every command in it is run, and prints what is printed there.

use crate::memory::guide::assert_prints;
use crate::repository::{commit_all, repository_of};
use crate::sandbox::Sandbox;

#[test]
fn every_command_prints_what_the_guide_says() {
    // A commit made at a fixed time has a fixed name.
    let moment = "2026-01-05T14:30:00Z";
    let sandbox = Sandbox::new().env("GIT_AUTHOR_DATE", moment).env("GIT_COMMITTER_DATE", moment);
    let sandbox = repository_of(sandbox)
        .file(".nexus/.gitignore", "state/\n")
        .file(".nexus/memory/empirical-slow-importer.md", "The importer takes a minute for 10,000 rows.\n");
    commit_all(&sandbox, "a note");
    // How old that is depends on the day of the test.
    sandbox.put_user_settings("[notes]\nstale_days = 100000\n");
    assert_prints("docs/guide/notes.md", &sandbox);
}
