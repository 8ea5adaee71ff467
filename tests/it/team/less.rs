//! Choosing less, taking back and forgetting: what has not left yet stays, and what was forgotten is shown nowhere.

use std::fs;
use std::time::Duration;

use super::scene::{Machine, SHOP, machine, machine_at, on_server};
use crate::payload;
use crate::postgres::team::{Team, key};

fn prompt(machine: &Machine, text: &str) {
    machine.sandbox.hook("claude-code", payload::prompt(text).session("s9"));
}

/// Runs something while the machine has an address at which there is nobody.
fn while_away(machine: &Machine, team: &Team, work: impl FnOnce()) {
    let settings = machine.sandbox.beside("home/config/nudge/config.toml");
    let here = team.cluster.folder.display().to_string();
    let change = |from: &str, to: &str| {
        let text = fs::read_to_string(&settings).expect("settings");
        fs::write(&settings, text.replace(from, to)).expect("settings");
    };
    change(&here, "/nonexistent");
    work();
    change("/nonexistent", &here);
}

fn texts(team: &Team) -> String {
    on_server(team).into_iter().map(|(_, what)| what + "\n").collect()
}

#[test]
fn a_prompt_that_waits_does_not_leave_after_a_lower_level_was_chosen() {
    let Some(team) = Team::new() else { return };
    for (name, by_hand) in [("alice", false), ("bob", true)] {
        let machine = machine(&team, name).join("all");
        machine.synced();
        while_away(&machine, &team, || {
            prompt(&machine, &format!("the private plan of {name}"));
            machine.fix("s9", &format!("of-{name}"));
            machine.sync().code(75);
        });
        if by_hand {
            let settings = machine.sandbox.beside("home/config/nudge/config.toml");
            let text = fs::read_to_string(&settings).unwrap();
            fs::write(&settings, text.replace("\"all\"", "\"fixes\"")).unwrap();
        } else {
            machine.sandbox.run(["team", "share", "fixes"]).code(0);
        }
        let shown = machine.sandbox.run(["sync", "--dry-run", "--show"]).code(0).stdout.clone();
        assert!(shown.contains("3 records would leave") && !shown.contains("private plan"), "{shown}");
        let done = machine.synced();
        assert_eq!((&done["sent"], &done["waiting"]), (&3.into(), &0.into()), "{name}: {done}");
    }
    let texts = texts(&team);
    assert!(!texts.contains("private plan"), "{texts}");
    assert!(texts.contains("make of-alice") && texts.contains("make of-bob"), "{texts}");
}

#[test]
fn leaving_sends_nothing_that_had_not_left() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice").join("work");
    alice.tell(&["make told".to_owned()]);
    alice.synced();
    while_away(&alice, &team, || {
        alice.tell(&["make waiting".to_owned()]);
        alice.sync().code(75);
    });
    alice.tell(&["make unseen".to_owned()]);
    let left = alice.sandbox.run(["team", "leave", "--take-back", "--json"]).code(0).json();
    assert_eq!(left["taken_back"], 1, "{left}");
    assert_eq!(texts(&team), "");
    // Not even for a moment: the numbers were sent without their rows.
    let kinds = team.psql("SELECT string_agg(kind, ' ' ORDER BY seq) FROM nudge.records");
    assert_eq!(kinds, "gone drop");
}

#[test]
fn what_its_author_forgot_is_shown_nowhere_on_that_machine() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice").join("work");
    alice.tell(&["make regrettable".to_owned()]);
    alice.synced();
    assert!(alice.copy_has("regrettable"));
    while_away(&alice, &team, || {
        alice.forget("make regrettable");
        assert!(!alice.copy_has("regrettable"), "the copy has it");
        assert_eq!(alice.sandbox.run(["search", "regrettable"]).code, Some(1));
        assert_eq!(alice.sandbox.run(["show", "@1"]).code, Some(1));
    });
    // The server has it until the next exchange; it is not brought back, and not shown either.
    assert_eq!(alice.sandbox.run(["search", "regrettable", "--team"]).code, Some(1));
    fs::remove_file(alice.copy_path()).unwrap();
    alice.sandbox.run(["sync", "--pull"]).code(0);
    assert!(!alice.copy_has("regrettable"));
    let done = alice.synced();
    assert_eq!((&done["taken_back"], &done["dropped"]), (&1.into(), &0.into()), "{done}");
    assert_eq!(texts(&team), "");
}

#[test]
fn a_row_that_lies_about_its_form_stops_no_reader() {
    let Some(team) = Team::new() else { return };
    let (alice, bob) = (machine(&team, "alice").join("work"), machine(&team, "bob").join("work"));
    let mallory = team.member("mallory", "member");
    let sql = format!(
        "SET SESSION AUTHORIZATION {login}; SELECT nudge.hello_v1('{machine}', ARRAY['{SHOP}']);
         SELECT nudge.push_v1('{machine}', '{SHOP}', NULL, gen_random_uuid(), 1, 0, jsonb_build_array(
            jsonb_build_object('kind', 'observation', 'obs_type', 'command', 'at', 1, 'event_key', '{one}',
                'content', 'make lie', 'facts', '{{\"exit_code\": \"x\", \"branch\": [1]}}'::jsonb),
            jsonb_build_object('kind', 'observation', 'obs_type', 'command', 'at', 9223372036854775807,
                'event_key', '{two}', 'content', 'make tomorrow')))",
        login = mallory.login,
        machine = "11111111-1111-1111-1111-111111111111",
        one = key("one"),
        two = key("two"),
    );
    team.psql(&sql);
    alice.tell(&["make honest".to_owned()]);
    alice.synced();
    assert_eq!(bob.synced()["brought"], 3);
    let found = bob.sandbox.run(["search", "make", "--json"]).code(0).stdout.clone();
    assert!(found.contains("make honest") && found.contains("make tomorrow"), "{found}");
    bob.sandbox.run(["search", "make", "--team"]).code(0);
}

#[test]
fn a_wrong_password_rests_until_it_was_written_again() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice").join("work");
    alice.synced();
    team.psql(&format!("ALTER ROLE {} NOLOGIN", alice.url[11..].split('@').next().unwrap()));
    let refused = alice.sync();
    refused.code(1);
    let start = |session: &str| {
        let payload = payload::event("SessionStart").with("source", "startup").session(session);
        alice.sandbox.hook("claude-code", payload).stdout
    };
    let told = start("s1");
    assert!(told.contains("no rows are exchanged with your team: nothing is exchanged until"), "{told}");
    assert!(!start("s1").contains("with your team"), "once in a session");
    let rests = alice.sync();
    assert!(rests.stderr.contains("nothing is exchanged until the settings change"), "{}", rests.stderr);
    team.psql(&format!("ALTER ROLE {} LOGIN", alice.url[11..].split('@').next().unwrap()));
    alice.sync().code(1);
    let secret = alice.sandbox.beside("home/config/nudge/config.toml");
    let later = fs::metadata(&secret).and_then(|meta| meta.modified()).unwrap() + Duration::from_secs(3_600);
    fs::File::options().append(true).open(secret).and_then(|file| file.set_modified(later)).unwrap();
    alice.synced();
    assert!(!start("s2").contains("with your team"));
}

#[test]
fn a_server_that_speaks_only_newer_protocols_is_refused_in_a_sentence() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice").join("work");
    alice.tell(&["make one".to_owned()]);
    // A newer schema that still serves this protocol makes no difference.
    team.psql("UPDATE nudge.server SET version = 9, oldest = 1");
    assert_eq!(alice.synced()["sent"], 1);
    team.psql("UPDATE nudge.server SET oldest = 9");
    alice.tell(&["make two".to_owned()]);
    let refused = alice.sync();
    refused.code(1);
    assert!(
        refused.stderr.contains("the team's server speaks only newer protocols: update nudge"),
        "{}",
        refused.stderr
    );
    assert_eq!(on_server(&team).len(), 1);
    alice.sandbox.run(["search", "two"]).code(0);
    team.psql("UPDATE nudge.server SET oldest = 1");
    assert_eq!(alice.synced()["sent"], 1);
}

#[test]
fn a_job_shares_the_past_of_the_project_that_it_names_and_of_no_other() {
    let Some(team) = Team::new() else { return };
    // Somebody who chose the project by hand, and has the variable of jobs in the environment.
    let alice = machine(&team, "alice").join("fixes");
    alice.sandbox.run(["team", "leave", "--keep-rows"]).code(0);
    alice.fix("s1", "before");
    let settings = alice.sandbox.beside("home/config/nudge/config.toml");
    fs::write(settings, format!("[team.projects]\n\"{SHOP}\" = \"fixes\"\n")).unwrap();
    let url = alice.url.clone();
    let alice = Machine { sandbox: alice.sandbox.env("NUDGE_TEAM_URL", &url), ..alice };
    assert_eq!(alice.synced()["sent"], 0);
}

#[test]
fn months_that_are_too_old_go_with_the_sync_of_an_admin() {
    let Some(team) = Team::new() else { return };
    let boss = machine_at(&team.member("boss", "admin").url, "boss").join("work");
    let alice = machine(&team, "alice").join("work");
    let months = || team.psql("SELECT count(*) FROM pg_inherits WHERE inhparent = 'nudge.records'::regclass");
    team.psql("SELECT nudge.month(now() - interval '2 years', false)");
    let before = months();
    alice.synced();
    assert!(months() >= before, "a member deletes nothing");
    let with_alice: u32 = months().parse().unwrap();
    boss.synced();
    assert_eq!(months().parse::<u32>().unwrap(), with_alice - 1);
}
