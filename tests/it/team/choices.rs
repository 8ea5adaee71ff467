//! Consent: nothing leaves before the user has chosen it, and a project can only say less.

use std::fs;

use super::scene::{Machine, SHOP, machine, on_server};
use crate::postgres::team::Team;
use crate::repository::{git, with_author};
use crate::sandbox::Sandbox;

fn settings(machine: &Machine) -> String {
    fs::read_to_string(machine.sandbox.beside("home/config/nudge/config.toml")).unwrap_or_default()
}

#[test]
fn joining_needs_a_choice_and_shows_what_would_be_shared() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice");
    alice.fix("s1", "frobnicate");
    let asked = alice.sandbox.run(["team", "join", &alice.url]);
    asked.code(1);
    assert!(asked.stdout.contains("you are `alice` (member)"), "{}", asked.stdout);
    assert!(
        asked.stdout.contains("github.com/acme/shop  fixes: 3 rows of the last 30 days could be shared"),
        "{}",
        asked.stdout
    );
    assert!(asked.stderr.contains("there is no terminal to ask on"), "{}", asked.stderr);
    assert_eq!(settings(&alice), "");
    assert_eq!(team.psql("SELECT count(*) FROM nudge.projects"), "0", "not even a name was told");
    // From now on is the default.
    let share = format!("{SHOP}=fixes");
    alice.sandbox.run(["team", "join", &alice.url, "--share", &share]).code(0);
    assert_eq!(alice.synced()["sent"], 0);
    alice.sandbox.run(["team", "join", &alice.url, "--share", &share, "--since", "30d"]).code(0);
    assert_eq!(alice.synced()["sent"], 3);
    let wrong = alice.sandbox.run(["team", "join", &alice.url, "--share", "diary=all"]);
    wrong.code(1);
    assert!(
        wrong.stderr.contains("`diary` is not a project of this machine that the team shares"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn a_member_who_only_reads_tells_nothing() {
    let Some(team) = Team::new() else { return };
    let (alice, bob) = (machine(&team, "alice").join("work"), machine(&team, "bob"));
    bob.fix("s1", "mine");
    bob.sandbox.run(["team", "join", &bob.url, "--read-only"]).code(0);
    alice.tell(&["make words".to_owned()]);
    alice.synced();
    let done = bob.synced();
    assert_eq!((done["sent"].as_u64(), done["brought"].as_u64()), (Some(0), Some(1)), "{done}");
    assert_eq!(on_server(&team).len(), 1);
}

#[test]
fn a_project_can_say_that_nothing_leaves_and_nothing_else() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice").join("work");
    alice.sandbox.put(".nudge/config.toml", "[team]\nshare = \"off\"\n");
    alice.tell(&["make secret-plans".to_owned()]);
    assert_eq!(alice.synced()["sent"], 0);
    let share = alice.sandbox.run(["team", "share"]);
    assert!(
        share.stderr.contains("the project's own settings say that nothing of it leaves"),
        "{}",
        share.stderr
    );
    // A clone that names a server, or shares more, is refused, and shares nothing until that is fixed.
    alice.sandbox.put(".nudge/config.toml", "[team]\nurl = \"postgres://evil@example.org/x\"\n");
    let shown = alice.sandbox.run(["settings"]);
    assert!(shown.stdout.contains("`team.url` cannot be set by a project"), "{}", shown.stdout);
    assert!(!shown.stdout.contains("evil"), "{}", shown.stdout);
    assert_eq!(alice.synced()["sent"], 0);
    fs::remove_file(alice.sandbox.path(".nudge/config.toml")).unwrap();
    // An exchange notices that the project is open again, and rows leave from then on.
    assert_eq!(alice.synced()["sent"], 0);
    alice.tell(&["make later".to_owned()]);
    alice.synced();
    assert!(on_server(&team).contains(&("alice".to_owned(), "make later".to_owned())));
}

#[test]
fn a_level_is_changed_for_the_project_of_the_folder() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice").join("fixes");
    alice.tell(&["make before".to_owned()]);
    assert_eq!(alice.synced()["sent"], 0);
    assert_eq!(alice.sandbox.run(["team", "share"]).stdout, format!("{SHOP}  fixes\n"));
    alice.sandbox.run(["team", "share", "off"]).code(0);
    alice.fix("s1", "hidden");
    assert_eq!(alice.synced()["sent"], 0);
    assert!(settings(&alice).contains("\"github.com/acme/shop\" = \"off\""), "{}", settings(&alice));
    alice.sandbox.run(["team", "share", "everything"]).code(2);
}

#[test]
fn a_job_names_the_server_and_the_level_in_its_environment() {
    let Some(team) = Team::new() else { return };
    let member = team.member("ci", "member");
    let sandbox =
        with_author(Sandbox::new()).env("NUDGE_TEAM_URL", &member.url).env("NUDGE_TEAM_SHARE", "fixes");
    git(&sandbox, "", &["init", "-q"]);
    git(&sandbox, "", &["remote", "add", "origin", "https://ci-token:x@github.com/acme/shop.git"]);
    let job = Machine { sandbox, url: member.url.clone(), member: "ci".to_owned() };
    job.sandbox.run(["sync", "--pull", "--quiet"]).code(0);
    job.fix("s1", "nightly");
    job.sandbox.run(["sync", "--push", "--quiet"]).code(0);
    assert_eq!(team.psql("SELECT count(*) FROM nudge.records WHERE kind = 'observation'"), "3");
}

#[test]
fn without_a_server_nothing_is_written_and_nothing_is_asked() {
    let sandbox = Sandbox::new();
    let alone = Machine { sandbox, url: String::new(), member: "alone".to_owned() };
    alone.fix("s1", "x");
    let ran = alone.sandbox.run(["sync", "--push"]);
    ran.code(1);
    assert!(ran.stderr.contains("no team is joined"), "{}", ran.stderr);
    alone.sandbox.run(["search", "x"]).code(0);
    let count: i64 = alone
        .database()
        .query_row(
            "SELECT (SELECT count(*) FROM stream_records) + (SELECT count(*) FROM team_state)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(count, 0);
    assert!(!alone.copy_path().exists());
}
