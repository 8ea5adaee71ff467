//! The question of `nudge team join`, as a person answers it at a terminal.

use std::fs;

use super::scene::{Machine, SHOP, machine, on_server};
use crate::person::Terminal;
use crate::postgres::team::Team;

const QUESTION: &str = "[y]es / [c]hoose / [n]othing, only read / [q]uit";

fn settings(machine: &Machine) -> String {
    fs::read_to_string(machine.sandbox.beside("home/config/nudge/config.toml")).unwrap_or_default()
}

/// Returns a machine with something to share, at the question.
fn asked(machine: &Machine, width: u16) -> Terminal {
    let mut terminal = Terminal::of_width(&machine.sandbox, width, &["team", "join", &machine.url]);
    // A narrow screen breaks the line, and the end of the question is on it in any case.
    terminal.shows("uit", 1);
    terminal
}

#[test]
fn yes_shares_and_nothing_only_reads() {
    let Some(team) = Team::new() else { return };
    for (name, answer, level) in
        [("alice", "y\n", "fixes"), ("bob", "n\n", "off"), ("carol", "YES\n", "fixes")]
    {
        let machine = machine(&team, name);
        machine.fix("s1", "frobnicate");
        let mut terminal = asked(&machine, 100);
        terminal.types(answer);
        let (code, seen) = terminal.end();
        assert_eq!(code, Some(0), "{name}: {seen}");
        assert!(seen.contains(QUESTION) && seen.contains("you share."), "{name}: {seen}");
        assert!(seen.contains(&format!("you are `{name}` (member)")), "{seen}");
        assert!(seen.contains("share `fixes` of"), "{seen}");
        assert!(
            settings(&machine).contains(&format!("\"{SHOP}\" = \"{level}\"")),
            "{name}: {}",
            settings(&machine)
        );
        // From now on: what was there stays here, whatever the answer.
        assert_eq!(machine.synced()["sent"], 0, "{name}");
        machine.fix("s2", "later");
        machine.synced();
        let is_shared = on_server(&team).iter().any(|(who, _)| who == name);
        assert_eq!(is_shared, level == "fixes", "{name}");
    }
}

#[test]
fn each_project_can_be_chosen() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice");
    alice.fix("s1", "frobnicate");
    let mut terminal = asked(&alice, 100);
    terminal.types("c\n").shows("[off] / fixes / work / all", 1).types("work\n");
    let (code, seen) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("shares `work`"), "{seen}");
    assert!(settings(&alice).contains(&format!("\"{SHOP}\" = \"work\"")));
    // A level that does not exist changes nothing.
    let bob = machine(&team, "bob");
    bob.fix("s1", "frobnicate");
    let mut terminal = asked(&bob, 100);
    terminal.types("c\n").shows("[off] / fixes / work / all", 1).types("everything\n");
    let (code, seen) = terminal.end();
    assert_eq!(code, Some(1), "{seen}");
    assert!(seen.contains("`off`, `fixes`, `work` or `all`"), "{seen}");
    assert_eq!(settings(&bob), "");
}

#[test]
fn quitting_nonsense_and_signals_change_nothing_on_either_side() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice");
    alice.fix("s1", "frobnicate");
    for answer in ["q\n", "\n", "perhaps\n", "\u{4}"] {
        let mut terminal = asked(&alice, 100);
        terminal.types(answer);
        let (code, seen) = terminal.end();
        assert_eq!(code, Some(1), "{answer:?}: {seen}");
    }
    // The terminal of the tests has no owner, so that the kernel sends no signal for Ctrl-C; the test sends one that nobody
    // ignores, as programs in the background ignore that of Ctrl-C.
    let mut terminal = asked(&alice, 100);
    let pid = rustix::process::Pid::from_child(&terminal.child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a signal");
    let status = terminal.child.wait().expect("an end");
    assert_ne!(status.code(), Some(0));
    assert_eq!(settings(&alice), "");
    assert_eq!(team.psql("SELECT count(*) FROM nudge.projects"), "0");
    assert_eq!(team.psql("SELECT count(*) FROM nudge.machines"), "0");
    assert!(!alice.copy_path().exists());
}

#[test]
fn a_narrow_terminal_shows_whole_words() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice");
    alice.fix("s1", "frobnicate");
    let mut terminal = asked(&alice, 50);
    terminal.types("q\n");
    let (_, seen) = terminal.end();
    // What colleagues would see is wrapped between words, so that nobody agrees to half a sentence.
    let start = seen.find("Colleagues would see").unwrap_or_else(|| panic!("{seen}"));
    let text = &seen[start..seen.find("share `fixes`").unwrap_or_else(|| panic!("{seen}"))];
    let wide = text.lines().find(|line| line.chars().count() > 50);
    assert_eq!(wide, None, "{seen}");
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains("So would the person who runs the database."), "{seen}");
}

#[test]
fn a_clone_in_which_nothing_happened_yet_can_be_shared() {
    let Some(team) = Team::new() else { return };
    let bob = machine(&team, "bob").join("fixes");
    bob.fix("s1", "frobnicate");
    bob.synced();
    let alice = machine(&team, "alice");
    alice.sandbox.run(["team", "join", &alice.url, "--read-only"]).code(0);
    assert!(settings(&alice).contains(&format!("\"{SHOP}\" = \"off\"")), "{}", settings(&alice));
    assert_eq!(alice.synced()["brought"], 3);
    let carol = machine(&team, "carol");
    carol.sandbox.run(["team", "join", &carol.url, "--share", &format!("{SHOP}=fixes")]).code(0);
    carol.fix("s1", "tumble");
    assert_eq!(carol.synced()["sent"], 3);
}

#[test]
fn the_password_that_joined_is_kept() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice");
    let share = format!("{SHOP}=fixes");
    let join = alice.sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    let mut join = join;
    let output = join
        .args(["team", "join", &alice.url, "--share", &share])
        .env("PGPASSWORD", "told-once")
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let kept = fs::read_to_string(alice.sandbox.beside("home/config/nudge/team.secret"));
    assert!(kept.is_ok_and(|kept| kept.trim_end().ends_with(":told-once")));
}

#[test]
fn what_happened_while_the_project_was_closed_stays() {
    let Some(team) = Team::new() else { return };
    let alice = machine(&team, "alice").join("fixes");
    alice.sandbox.put(".nudge/config.toml", "[team]\nshare = \"off\"\n");
    alice.fix("s1", "secretly");
    assert_eq!(alice.synced()["sent"], 0);
    fs::remove_file(alice.sandbox.path(".nudge/config.toml")).expect("a file");
    assert_eq!(alice.synced()["sent"], 0);
    alice.fix("s2", "openly");
    assert_eq!(alice.synced()["sent"], 3);
    let texts = on_server(&team);
    assert!(!texts.iter().any(|(_, text)| text.contains("secretly")), "{texts:?}");
}
