//! `nudge sync ssh`: both machines know what happened on either.

#![cfg(unix)]

use std::fs;

use expect_test::expect;

use super::scene::Machines;
use crate::repository::git;

#[test]
fn two_machines_know_what_happened_on_either() {
    let machines = Machines::new(&["a", "b"]);
    machines.runs("a", "make one");
    machines.runs("b", "make two");
    machines.sync("a", "b").code(0).stdout(expect![[r#"
        b: 1 observation sent, 1 brought
    "#]]);
    assert_eq!(machines.commands("a"), ["make one", "make two"]);
    assert_eq!(machines.rows("a"), machines.rows("b"));
    machines.sync("a", "b").code(0).stdout(expect![[r#"
        b: nothing new
    "#]]);
    machines.runs("b", "make three");
    // Whoever calls, both have everything.
    machines.sync("b", "a").code(0).stdout(expect![[r#"
        a: 1 observation sent, 0 brought
    "#]]);
    assert_eq!(machines.commands("a"), ["make one", "make three", "make two"]);
}

#[test]
fn rows_of_a_third_machine_are_passed_on() {
    let machines = Machines::new(&["a", "b", "c"]);
    machines.runs("a", "make one");
    machines.sync("b", "a").code(0);
    machines.sync("c", "b").code(0).stdout(expect![[r#"
        b: 0 observations sent, 1 brought
    "#]]);
    assert_eq!(machines.commands("c"), ["make one"]);
    // It has them already, though they have never met.
    machines.sync("c", "a").code(0).stdout(expect![[r#"
        a: nothing new
    "#]]);
}

#[test]
fn hosts_are_remembered_and_one_that_is_away_does_not_stop_the_rest() {
    let machines = Machines::new(&["a", "b", "c"]);
    machines.runs("a", "make one");
    machines.on("a").run(["sync", "ssh"]).code(2).stderr(expect![[r#"
        error: no host is remembered yet
        hint: name one: `nudge sync ssh HOST`
    "#]]);
    machines.on("a").run(["sync", "ssh", "b", "c", "misspelt"]).code(75).stdout(expect![[r#"
        b: 1 observation sent, 0 brought
        c: 1 observation sent, 0 brought
    "#]]);
    fs::remove_file(machines.bin("hosts/b")).expect("a host");
    machines.runs("a", "make two");
    machines
        .on("a")
        .run(["sync", "ssh"])
        .code(75)
        .stdout(expect![[r#"
            c: 1 observation sent, 0 brought
        "#]])
        .stderr(expect![[r#"
            error: b: cannot be reached: ssh: Could not resolve hostname b
              hint: nothing is lost: the next `nudge sync` continues
        "#]]);
    machines.on("a").run(["sync", "ssh", "b", "--remove"]).code(0);
    machines.on("a").run(["sync", "ssh", "--quiet"]).code(0).stdout(expect![[""]]);
    machines.on("a").run(["sync", "ssh", "b", "--remove"]).code(1);
}

#[test]
fn a_dry_run_counts_and_changes_nothing() {
    let machines = Machines::new(&["a", "b"]);
    machines.runs("a", "make one");
    machines.runs("b", "make two");
    machines.on("a").run(["sync", "ssh", "b", "--dry-run"]).code(0).stdout(expect![[r#"
        b: 1 observation would be sent, up to 1 brought
    "#]]);
    assert_eq!(machines.commands("a"), ["make one"]);
    assert_eq!(machines.commands("b"), ["make two"]);
    machines.on("a").run(["sync", "ssh"]).code(2);
}

#[test]
fn a_program_gets_json() {
    let machines = Machines::new(&["a", "b"]);
    machines.runs("b", "make two");
    let json = machines.on("a").run(["sync", "ssh", "b", "away", "--json"]).code(75).json();
    assert_eq!(json["peers"][0]["kind"], "ssh");
    assert_eq!((&json["peers"][0]["sent"], &json["peers"][0]["brought"]), (&0.into(), &1.into()));
    assert_eq!(json["peers"][0]["machines"][0].as_str().map(str::len), Some(32));
    assert_eq!(json["peers"][1]["error"]["temporary"], true);
}

#[test]
fn what_a_shell_prints_first_does_no_harm_and_the_host_is_never_an_option() {
    let machines = Machines::new(&["a", "b"]);
    machines.runs("b", "make two");
    fs::write(machines.bin("hosts/banner"), b"Welcome!\n{\"nudge\": 1}\n\xff\xfe\nlast login: no newline")
        .expect("a file");
    machines.sync("a", "b").code(0).stdout(expect![[r#"
        b: 0 observations sent, 1 brought
    "#]]);
    machines.on("a").run(["sync", "ssh", "--", "-oProxyCommand=touch x"]).code(2).stderr(expect![[r#"
        error: -oProxyCommand=touch x: `-oProxyCommand=touch x` is not a host: it begins with `-`
    "#]]);
    let log = fs::read_to_string(machines.bin("ssh.log")).expect("a log");
    assert!(!log.contains("ProxyCommand"), "{log}");
}

#[test]
fn a_machine_without_nudge_is_named_as_such() {
    let machines = Machines::new(&["a", "b"]);
    let host = machines.bin("hosts/b");
    let text = fs::read_to_string(&host).expect("a host");
    let program = env!("CARGO_BIN_EXE_nudge");
    let folder = program.rsplit_once('/').expect("a folder").0;
    fs::write(&host, text.replace(&format!("PATH='{folder}:"), "PATH='")).expect("a host");
    machines.sync("a", "b").code(1).stderr(expect![[r#"
        error: b: there is no `nudge` on the other machine, or not in a usual place
          hint: install nudge there, or name it: `--remote /path/to/nudge`
    "#]]);
    machines.runs("a", "make one");
    machines.on("a").run(["sync", "ssh", "b", "--remote", program]).code(0).stdout(expect![[r#"
        b: 1 observation sent, 0 brought
    "#]]);
    // It is remembered with the host.
    machines.on("a").run(["sync", "ssh"]).code(0);
    machines.on("a").run(["sync", "ssh", "b", "--remote", "nudge"]).code(1);
    machines.on("a").run(["sync", "ssh", "b", "--remove"]).code(0);
    fs::create_dir_all(machines.on("b").beside("home/.local/bin")).expect("a folder");
    std::os::unix::fs::symlink(program, machines.on("b").beside("home/.local/bin/nudge")).expect("a link");
    machines.sync("a", "b").code(0);
}

#[test]
fn a_machine_that_is_silent_is_given_up() {
    let machines = Machines::new(&["a", "b"]);
    fs::write(machines.bin("hosts/b"), "cat > /dev/null; sleep 600\n").expect("a host");
    machines.on("a").run(["sync", "ssh", "b", "--timeout", "1"]).code(75).stderr(expect![[r#"
        error: b: cannot be reached: it was silent for too long
          hint: nothing is lost: the next `nudge sync` continues
    "#]]);
}

#[test]
fn excluded_projects_stay_out_both_ways() {
    for excluding in ["a", "b"] {
        let machines = Machines::new(&["a", "b"]);
        machines.on(excluding).put_user_settings("[sync]\nexclude = ['diary']");
        machines.on("a").put(".nudge/config.toml", "[project]\nname = 'diary'");
        machines.runs("a", "make secret");
        machines.runs("b", "make open");
        machines.sync("a", "b").code(0);
        assert_eq!(machines.commands("b"), ["make open"], "{excluding} excludes");
        assert_eq!(machines.commands("a"), ["make open", "make secret"], "{excluding} excludes");
    }
}

#[test]
fn what_one_machine_left_out_comes_from_another_that_did_not() {
    let machines = Machines::new(&["a", "b", "c"]);
    machines.on("a").put(".nudge/config.toml", "[project]\nname = 'diary'");
    machines.on("b").put_user_settings("[sync]\nexclude = ['diary']");
    machines.runs("a", "make secret");
    machines.sync("b", "a").code(0);
    machines.sync("c", "b").code(0);
    assert_eq!(machines.commands("c"), Vec::<String>::new());
    machines.sync("c", "a").code(0);
    assert_eq!(machines.commands("c"), ["make secret"]);
    // Once it is no longer excluded, everything can be exchanged once more.
    machines.on("b").put_user_settings("");
    machines.sync("b", "a").code(0);
    assert_eq!(machines.commands("b"), Vec::<String>::new());
    machines.on("b").run(["sync", "ssh", "a", "--again"]).code(0);
    assert_eq!(machines.commands("b"), ["make secret"]);
}

#[test]
fn an_exclusion_that_is_not_understood_stops_the_exchange() {
    let machines = Machines::new(&["a", "b"]);
    machines.runs("a", "make one");
    machines.on("a").put_user_settings("[sync]\nexclude = 'diary'");
    machines.sync("a", "b").code(1).stderr(expect![[r#"
        error: b: `sync.exclude` is not understood
          hint: it must be a list of names, folders or addresses: `nudge settings`
    "#]]);
    assert_eq!(machines.commands("b"), Vec::<String>::new());
}

#[test]
fn a_repository_is_one_project_wherever_it_was_cloned_to() {
    let machines = Machines::new(&["a", "b"]);
    for name in ["a", "b"] {
        let folder = machines.on(name).path("");
        fs::remove_dir_all(folder.join(".git")).expect("a folder");
        git(machines.on(name), "", &["init", "-q"]);
        git(machines.on(name), "", &["remote", "add", "origin", "git@github.com:acme/shop.git"]);
        machines.starts(name);
        machines.runs(name, &format!("make {name}"));
    }
    machines.sync("a", "b").code(0);
    let projects = machines.on("a").run(["projects", "--json"]).json();
    assert_eq!(projects["total"], 1, "{projects}");
    let found = machines.on("a").run(["search", "make", "--json"]).json();
    assert_eq!(found["total"], 2, "{found}");
}

#[test]
fn the_same_folder_with_another_repository_stays_another_project() {
    let machines = Machines::new(&["a", "b"]);
    let folder = machines.on("a").path("");
    fs::remove_dir_all(folder.join(".git")).expect("a folder");
    git(machines.on("a"), "", &["init", "-q"]);
    git(machines.on("a"), "", &["remote", "add", "origin", "git@github.com:acme/shop.git"]);
    machines.starts("a");
    machines.runs("a", "make here");
    // The other machine has another repository at the very same path.
    let row = crate::memory::scene::line(
        "make there",
        serde_json::json!({
            "project": "project", "project_root": folder.to_str().expect("UTF-8").trim_end_matches('/'),
            "repository": { "origin": "github.com/acme/other" }, "event_key": "00000000000000000000000000000001",
            "timestamp": machines.rows("a")[0]["timestamp"],
        }),
    );
    machines.on("b").run_with(["observations", "import", "-"], row.as_bytes()).code(0);
    machines.sync("a", "b").code(0);
    machines.runs("a", "make after");
    let found = machines.on("a").run(["search", "make", "--json"]).json();
    let contents: Vec<&str> = found["items"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|row| row["content_preview"].as_str())
        .collect();
    assert!(contents.contains(&"make here") && contents.contains(&"make after"), "{found}");
    assert!(!contents.contains(&"make there"), "{found}");
}

#[test]
fn two_that_call_each_other_at_the_same_moment_both_succeed() {
    let machines = Machines::new(&["a", "b"]);
    machines.runs("a", "make one");
    machines.runs("b", "make two");
    for _ in 0..5 {
        let mut calls =
            [machines.start_sync("a", "b"), machines.start_sync("b", "a"), machines.start_sync("a", "b")];
        for call in &mut calls {
            assert!(call.wait().expect("it ends").success());
        }
    }
    assert_eq!(machines.rows("a"), machines.rows("b"));
    assert_eq!(machines.commands("a"), ["make one", "make two"]);
}

#[test]
fn a_copied_data_folder_gets_a_key_of_its_own() {
    let mut machines = Machines::new(&["a", "b"]);
    machines.runs("a", "make one");
    machines.sync("a", "b").code(0);
    machines.add("copy");
    copy(&machines.on("a").data_folder(), &machines.on("copy").data_folder());
    // Both go on, and give the same numbers to different rows.
    for n in 0..3 {
        machines.runs("a", &format!("make a{n}"));
        machines.runs("copy", &format!("make copy{n}"));
    }
    machines.sync("a", "b").code(0);
    let synced = machines.sync("copy", "b");
    synced.code(0).stderr(expect![[r#"
        note: this data folder is a copy of another machine's, or was restored; it has a key of its own now
    "#]]);
    machines.sync("a", "b").code(0).stderr(expect![[""]]);
    machines.sync("copy", "a").code(0).stderr(expect![[""]]);
    let all = ["make a0", "make a1", "make a2", "make copy0", "make copy1", "make copy2", "make one"];
    for name in ["a", "b", "copy"] {
        assert_eq!(machines.commands(name), all, "{name}");
    }
}

#[test]
fn a_folder_that_was_restored_from_a_backup_loses_nothing() {
    let mut machines = Machines::new(&["a", "b"]);
    machines.runs("a", "make one");
    machines.sync("a", "b").code(0);
    machines.add("backup");
    copy(&machines.on("a").data_folder(), &machines.on("backup").data_folder());
    machines.runs("a", "make lost");
    machines.sync("a", "b").code(0);
    fs::remove_dir_all(machines.on("a").data_folder()).expect("the data");
    copy(&machines.on("backup").data_folder(), &machines.on("a").data_folder());
    machines.runs("a", "make new");
    machines.runs("a", "make newer");
    machines.sync("a", "b").code(0);
    for name in ["a", "b"] {
        assert_eq!(machines.commands(name), ["make lost", "make new", "make newer", "make one"], "{name}");
    }
}

#[test]
fn two_copies_that_meet_are_told_apart() {
    let mut machines = Machines::new(&["a"]);
    machines.runs("a", "make one");
    machines.add("b");
    machines.sync("a", "b").code(0);
    machines.add("copy");
    copy(&machines.on("a").data_folder(), &machines.on("copy").data_folder());
    machines.runs("a", "make a");
    machines.runs("copy", "make copy");
    machines.sync("copy", "a").code(0);
    assert_eq!(machines.commands("a"), ["make a", "make copy", "make one"]);
    assert_eq!(machines.commands("copy"), machines.commands("a"));
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}
