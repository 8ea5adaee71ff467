//! `nudge setup` where things go wrong: whatever fails, is killed or was tampered with, nothing of others is lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
#[cfg(unix)]
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use expect_test::expect;

use crate::sandbox::Sandbox;
use crate::setup::connect::{agents, files, put, sandbox, snapshot};

#[test]
fn the_home_folder_is_not_a_project() {
    let sandbox = sandbox();
    sandbox.run(["setup", "claude", "codex", "gemini", "cursor", "--user"]).code(0);
    let sandbox = sandbox.from("../home");
    let before = snapshot(&sandbox);
    let ran = sandbox.run(["doctor", "--fix"]);
    assert!(!ran.stderr.contains("renewed") && !ran.stdout.contains("another version"), "{}", ran.stdout);
    assert_eq!(snapshot(&sandbox), before);
    sandbox.run(["setup", "claude", "--project"]).code(1).stderr(expect![[r#"
        error: your home folder is not a project
        hint: go to the folder of a project, or connect them for you with `--user`
    "#]]);
    sandbox.run(["setup", "claude", "--undo", "--project"]).code(0);
    assert_eq!(snapshot(&sandbox), before);
}

#[test]
fn a_file_of_the_user_in_a_project_is_not_the_projects() {
    let sandbox = sandbox().env("CODEX_HOME", "$BASE/project/.codex");
    sandbox.run(["setup", "codex", "--user"]).code(0);
    let before = snapshot(&sandbox);
    let ran = sandbox.run(["setup", "codex", "--project"]);
    assert!(ran.code(1).stderr.contains("this is your own file in every project"), "{}", ran.stderr);
    assert_eq!(snapshot(&sandbox), before);
}

#[test]
fn without_copies_undo_still_takes_out_what_is_ours() {
    let sandbox = sandbox();
    let (settings, servers) =
        (sandbox.beside("home/.claude/settings.json"), sandbox.beside("home/.claude.json"));
    put(&settings, "{\"model\": \"x\"}\n");
    put(&servers, "{\"a\": 1}\n");
    let before = snapshot(&sandbox);
    sandbox.run(["setup", "claude", "--user"]).code(0);
    for path in kept(&sandbox, |name| name.contains("json") && name != "journal.json") {
        fs::remove_file(path).expect("a copy");
    }
    let ran = sandbox.run(["setup", "claude", "--undo", "--user"]);
    assert!(ran.code(0).stderr.contains("the copy of the original is gone"), "{}", ran.stderr);
    assert_eq!(snapshot(&sandbox), before);
    assert!(!journal(&sandbox).contains("path"), "{}", journal(&sandbox));
}

#[test]
fn an_undo_that_cannot_be_written_down_changes_nothing() {
    let sandbox = sandbox();
    put(&sandbox.beside("home/.claude.json"), "{\"a\": 1}\n");
    let before = snapshot(&sandbox);
    sandbox.run(["setup", "claude", "--user"]).code(0);
    let after = snapshot(&sandbox);
    let (path, aside) = (kept_in(&sandbox).join("journal.json"), sandbox.beside("aside"));
    fs::rename(&path, &aside).expect("the journal");
    fs::create_dir(&path).expect("a folder in its place");
    let ran = sandbox.run(["setup", "claude", "--undo", "--user"]);
    assert!(ran.code(1).stderr.contains("nothing was changed"), "{}", ran.stderr);
    assert_eq!(snapshot(&sandbox), after);
    fs::remove_dir(&path).expect("our folder");
    fs::rename(&aside, &path).expect("the journal");
    sandbox.run(["setup", "claude", "--undo", "--user"]).code(0);
    assert_eq!(snapshot(&sandbox), before);
}

#[test]
fn setups_at_the_same_time_all_know_their_way_back() {
    let sandbox = sandbox();
    let before = snapshot(&sandbox);
    let start = |agent: &String| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        command
            .args(["setup", agent, "--user"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().expect("the program starts")
    };
    let count: usize = agents().iter().map(|agent| files(&sandbox, agent, "--user").len()).sum();
    let all: Vec<_> = agents().iter().map(start).collect();
    for mut child in all {
        assert!(child.wait().expect("it ends").success());
    }
    assert_eq!(journal(&sandbox).matches("\"path\"").count(), count, "{}", journal(&sandbox));
    sandbox.run(["setup", "--undo"]).code(0);
    assert_eq!(snapshot(&sandbox), before);
}

#[test]
fn a_journal_that_names_what_is_not_ours_is_not_followed() {
    let sandbox = sandbox();
    put(&sandbox.beside("home/.gemini/settings.json"), "{\"a\": 1}\n");
    let (victim, folder) = (sandbox.beside("home/victim"), sandbox.beside("home/empty"));
    for change in [
        |journal: &str, _: &Path, victim: &Path| {
            named(journal, "backup", &format!("\"{}\"", victim.display()))
        },
        |journal: &str, folder: &Path, _: &Path| {
            journal.replace("\"made_folders\": []", &format!("\"made_folders\": [\"{}\"]", folder.display()))
        },
    ] {
        put(&victim, "precious");
        fs::create_dir_all(&folder).expect("a folder");
        sandbox.run(["setup", "gemini", "--user"]).code(0);
        let tampered = change(&journal(&sandbox), &folder, &victim);
        assert_ne!(tampered, journal(&sandbox));
        put(&kept_in(&sandbox).join("journal.json"), &tampered);
        let ran = sandbox.run(["setup", "gemini", "--undo", "--user"]);
        assert!(ran.code(0).stderr.contains("which nudge did not make"), "{}", ran.stderr);
        assert_eq!(fs::read_to_string(&victim).expect("the file stays"), "precious");
        assert!(folder.is_dir());
        let text = fs::read_to_string(sandbox.beside("home/.gemini/settings.json")).expect("the file stays");
        assert_eq!(text, "{\"a\": 1}\n");
    }
}

#[test]
fn a_journal_that_cannot_be_read_is_set_aside() {
    let sandbox = sandbox();
    sandbox.run(["setup", "claude", "--user"]).code(0);
    let torn = &journal(&sandbox)[..20];
    put(&kept_in(&sandbox).join("journal.json"), torn);
    let ran = sandbox.run(["doctor"]);
    assert!(ran.stdout.contains("the journal of `nudge setup` cannot be read"), "{}", ran.stdout);
    let ran = sandbox.run(["setup", "codex", "--user"]);
    assert!(ran.code(0).stderr.contains("the next change sets it aside"), "{}", ran.stderr);
    let aside = kept(&sandbox, |name| name.starts_with("journal.json.broken-"));
    assert_eq!(aside.iter().map(|path| fs::read_to_string(path).expect("it")).collect::<Vec<_>>(), [torn]);
    let ran = sandbox.run(["doctor"]);
    assert!(ran.stdout.contains("could not be read, and was set aside"), "{}", ran.stdout);
}

#[test]
#[cfg(unix)]
fn what_a_profile_starts_does_not_hold_the_proof_up() {
    let sandbox = sandbox().env("SHELL", "/bin/sh");
    let profile = sandbox.beside("home/.profile");
    let text = fs::read_to_string(&profile).expect("the profile");
    let pid = sandbox.beside("home/pid");
    put(&profile, &format!("{text}sleep 60 &\necho $! > {}\n", pid.display()));
    sandbox.run(["setup", "codex", "--user"]).code(0);
    let pid = fs::read_to_string(pid).expect("the profile was read");
    // It ends only if it still runs, that is, if nobody has waited for it.
    let ended = sandbox.command("sh").args(["-c", &format!("kill {pid}")]).status().expect("a shell");
    assert!(ended.success());
}

#[test]
fn a_file_that_the_user_made_since_stays() {
    let sandbox = sandbox();
    let folder = sandbox.beside("home/.gemini");
    for undo_between in [true, false] {
        sandbox.run(["setup", "gemini", "--user"]).code(0);
        fs::remove_dir_all(&folder).expect("a folder");
        if undo_between {
            sandbox.run(["setup", "gemini", "--undo"]).code(0);
            assert!(!journal(&sandbox).contains("path"), "{}", journal(&sandbox));
        }
        put(&folder.join("settings.json"), "{}\n");
        sandbox.run(["setup", "gemini", "--user"]).code(0);
        sandbox.run(["setup", "gemini", "--undo", "--user"]).code(0);
        assert_eq!(fs::read_to_string(folder.join("settings.json")).expect("the file stays"), "{}\n");
        fs::remove_dir_all(&folder).expect("a folder");
    }
}

#[test]
fn a_reader_that_went_away_stops_nothing() {
    for agent in &agents() {
        let sandbox = sandbox();
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        command.args(["setup", agent, "--user"]).stdin(Stdio::null()).stdout(writer).stderr(Stdio::null());
        let ran = command.status().expect("it ends");
        assert!(ran.success(), "{agent}");
        let again = sandbox.run(["setup", agent, "--user"]);
        assert!(again.code(0).stdout.contains("nothing to do"), "{}", again.stdout);
    }
}

#[test]
fn a_setup_that_is_put_back_leaves_no_copies() {
    let sandbox = Sandbox::new().env("PATH", "/usr/bin:/bin").file(".mcp.json", "{\"a\": 1}\n");
    sandbox.run(["setup", "claude", "--project"]).code(1);
    assert_eq!(kept(&sandbox, |name| !["journal.json", "lock"].contains(&name)), Vec::<PathBuf>::new());
}

#[test]
fn undo_finds_the_other_file_of_opencode() {
    let sandbox = sandbox();
    sandbox.run(["setup", "opencode", "--project"]).code(0);
    sandbox.put("opencode.jsonc", "{}");
    sandbox.run(["setup", "opencode", "--undo"]).code(0);
    assert!(!sandbox.path("opencode.json").exists());
    assert_eq!(fs::read_to_string(sandbox.path("opencode.jsonc")).expect("the file stays"), "{}");
}

#[test]
fn what_a_killed_setup_left_is_named_and_removed() {
    let sandbox = sandbox();
    sandbox.run(["setup", "claude", "--user"]).code(0);
    let left = [
        sandbox.beside("home/.nudge-setup-abc123.tmp"),
        sandbox.beside("home/.claude/.nudge-setup-abc123.tmp"),
        kept_in(&sandbox).join(".nudge-setup-abc123.tmp"),
    ];
    let theirs = sandbox.beside("home/.claude/.nudge-setup-notes");
    left.iter().chain([&theirs]).for_each(|path| put(path, "half"));
    let ran = sandbox.run(["doctor"]);
    assert_eq!(ran.stdout.matches("a killed `nudge setup`").count(), 3, "{}", ran.stdout);
    sandbox.run(["doctor", "--fix"]).code(0);
    assert_eq!(left.map(|path| path.exists()), [false; 3]);
    assert!(theirs.exists());
}

#[test]
#[cfg(unix)]
fn only_regular_files_are_written() {
    let sandbox = sandbox();
    let pipe = sandbox.beside("home/.claude/settings.json");
    put(&pipe.with_file_name("x"), "");
    assert!(sandbox.command("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    // Every process that opens it gets some bytes, so that nobody waits forever.
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = std::thread::spawn({
        let (pipe, is_over) = (pipe.clone(), Arc::clone(&is_over));
        move || {
            while !is_over.load(Ordering::Relaxed) {
                drop(fs::write(&pipe, "{}"));
            }
        }
    });
    let ran = sandbox.run(["setup", "claude", "--user"]);
    is_over.store(true, Ordering::Relaxed);
    drop(fs::read(&pipe));
    assert!(ran.code(1).stderr.contains("this is not a regular file"), "{}", ran.stderr);
    writer.join().expect("the writer ends");
}

#[test]
#[cfg(unix)]
fn a_file_keeps_its_owner() {
    use std::os::unix::fs::{MetadataExt, chown};
    let sandbox = sandbox();
    let path = sandbox.beside("home/.gemini/settings.json");
    put(&path, "{}\n");
    // Only root can give a file away.
    if chown(&path, Some(1234), Some(1235)).is_err() {
        return;
    }
    sandbox.run(["setup", "gemini", "--user"]).code(0);
    let meta = fs::metadata(&path).expect("the file is there");
    assert_eq!((meta.uid(), meta.gid()), (1234, 1235));
}

#[test]
#[cfg(target_os = "linux")]
#[expect(clippy::print_stdout, reason = "what is skipped is said")]
fn a_file_keeps_its_attributes() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let sandbox = sandbox();
    let path = sandbox.beside("home/.gemini/settings.json");
    put(&path, "{}\n");
    if setxattr(&path, "user.label", b"mine", XattrFlags::empty()).is_err() {
        println!("skipped: this file system has no attributes");
        return;
    }
    let label = || {
        let mut value = [0; 16];
        getxattr(&path, "user.label", &mut value[..]).map(|length| value[..length].to_vec())
    };
    sandbox.run(["setup", "gemini", "--user"]).code(0);
    assert_eq!(label().expect("an attribute"), b"mine");
    sandbox.run(["setup", "gemini", "--undo", "--user"]).code(0);
    assert_eq!(label().expect("an attribute"), b"mine");
}

#[test]
fn what_calls_nudge_beside_setup_is_named() {
    let sandbox = sandbox();
    put(
        &sandbox.beside("home/.codex/config.toml"),
        "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"nudge hook\"\n\n[mcp_servers.memory]\ncommand = \"nudge\"\nargs = [\"serve\"]\n",
    );
    let ran = sandbox.run(["setup", "codex"]);
    assert!(
        ran.code(0).stderr.contains("a hook in `$BASE/home/.codex/config.toml` that setup did not write")
    );
    let ran = sandbox.run(["setup", "codex", "--user"]);
    assert!(ran.code(0).stderr.contains("`mcp_servers.memory` also starts the nudge server"));
    let settings = sandbox.beside("home/.claude/settings.json");
    put(&settings, "{\"enabledPlugins\": {\"nudge@nudge\": false}}\n");
    assert_eq!(sandbox.run(["setup", "claude", "--json"]).json()["agents"][0]["state"], "connected");
    put(&settings, "{\"hooks\": {\"PreCompact\": [{\"hooks\": [{\"command\": \"nudge hook\"}]}]}}\n");
    let ran = sandbox.run(["setup", "claude", "--undo"]);
    assert!(ran.code(0).stderr.contains("that setup did not write; remove it"), "{}", ran.stderr);
}

/// Returns the folder of journal and copies.
fn kept_in(sandbox: &Sandbox) -> PathBuf {
    sandbox.data_folder().join("setup")
}

fn kept(sandbox: &Sandbox, is_meant: fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(kept_in(sandbox)).expect("our folder").flatten();
    entries.filter(|entry| is_meant(&entry.file_name().to_string_lossy())).map(|entry| entry.path()).collect()
}

fn journal(sandbox: &Sandbox) -> String {
    fs::read_to_string(kept_in(sandbox).join("journal.json")).expect("the journal")
}

/// Gives the first field of this name another value.
fn named(json: &str, name: &str, value: &str) -> String {
    let start = json.find(&format!("\"{name}\": ")).expect("the field") + name.len() + 4;
    let end = start + json[start..].find(['\n', ',']).expect("an end");
    format!("{}{value}{}", &json[..start], &json[end..])
}
