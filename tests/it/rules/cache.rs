//! The cache of rules: it may be missing, stale, broken or impossible, and nobody notices.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use expect_test::expect;

use crate::payload::{bash, write};
use crate::sandbox::{BLOCK_TODO, Sandbox, rules};

/// Makes a file look old enough for its content to be cached.
pub(crate) fn settle(path: &Path) {
    let file = File::options().write(true).open(path).expect("the file is there");
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).expect("a time");
}

/// A sandbox whose rules are in the cache, with the cache's file.
pub(crate) fn cached() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    settle(&sandbox.path(".nudge/a.yaml"));
    sandbox.hook("claude-code", write("a.rs", "TODO")).reply(expect![["deny: Do it now (lines 1)."]]);
    let entries = fs::read_dir(sandbox.cache_folder()).expect("a cache");
    let files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    let [file] = files.as_slice() else { panic!("one file is cached, not {files:?}") };
    let file = file.clone();
    (sandbox, file)
}

#[test]
fn what_is_cached_says_the_same() {
    let (sandbox, file) = cached();
    let before = fs::read(&file).expect("the cache");
    sandbox.hook("claude-code", write("a.rs", "TODO")).reply(expect![["deny: Do it now (lines 1)."]]);
    assert!(before == fs::read(&file).expect("the cache"), "the cache was written again");
}

#[test]
fn what_is_wrong_is_reported_from_the_cache_too() {
    let sandbox = Sandbox::new().rule("a.yaml", "version: 1\nrules: [1]");
    settle(&sandbox.path(".nudge/a.yaml"));
    for session in ["one", "two"] {
        let ran = sandbox.hook("claude-code", bash("ls").session(session));
        ran.problem(expect![".nudge/a.yaml:2:9: a rule must be a map, but is a number"]);
    }
}

#[test]
fn a_changed_rule_takes_effect_at_once() {
    let (sandbox, _) = cached();
    sandbox.put(".nudge/a.yaml", BLOCK_TODO.replace("Do it now", "Changed"));
    sandbox.hook("claude-code", write("a.rs", "TODO")).reply(expect![["deny: Changed (lines 1)."]]);
    sandbox.put(".nudge/b.yaml", BLOCK_TODO.replace("Do it now", "Added"));
    sandbox.hook("claude-code", write("a.rs", "TODO")).reply(expect![[r#"
        deny: Changed (lines 1).

        ---

        Added (lines 1)."#]]);
    fs::remove_file(sandbox.path(".nudge/b.yaml")).expect("a file to remove");
    sandbox.hook("claude-code", write("a.rs", "TODO")).reply(expect![["deny: Changed (lines 1)."]]);
    fs::rename(sandbox.path(".nudge/a.yaml"), sandbox.path(".nudge/a.txt")).expect("a file to rename");
    sandbox.hook("claude-code", write("a.rs", "TODO")).reply(expect![["nothing"]]);
}

#[test]
fn changes_of_the_same_size_in_the_same_moment_take_effect() {
    let sandbox = Sandbox::new();
    for round in 0..20 {
        let word = if round % 2 == 0 { "even" } else { "odd!" };
        sandbox.put(".nudge/a.yaml", BLOCK_TODO.replace("Do it now", word));
        let ran = sandbox.hook("claude-code", write("a.rs", "TODO"));
        assert!(ran.stdout.contains(&format!("{word} (lines 1).")), "round {round}: {}", ran.stdout);
    }
}

#[test]
#[cfg(unix)]
fn a_change_that_keeps_size_and_time_takes_effect() {
    let (sandbox, _) = cached();
    sandbox.put(
        ".nudge/a.yaml",
        BLOCK_TODO.replace("Do it now", "Do it  now").replace("lines }}).", "lines }})"),
    );
    settle(&sandbox.path(".nudge/a.yaml"));
    sandbox.hook("claude-code", write("a.rs", "TODO")).reply(expect![["deny: Do it  now (lines 1)"]]);
}

#[test]
fn rules_of_the_user_that_appear_take_effect() {
    let (sandbox, _) = cached();
    let sandbox = sandbox.user_rules(&BLOCK_TODO.replace("Do it now", "Mine").replace("no-todo", "mine"));
    sandbox.hook("claude-code", write("a.rs", "TODO")).reply(expect![[r#"
        deny: Mine (lines 1).

        ---

        Do it now (lines 1)."#]]);
}

#[test]
fn a_broken_cache_is_passed_over() {
    let (sandbox, file) = cached();
    let whole = fs::read(&file).expect("the cache");
    let mut broken: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"x".to_vec(),
        vec![0; whole.len()],
        vec![0xff; whole.len()],
        whole[..whole.len() - 1].to_vec(),
        whole[..whole.len() / 2].to_vec(),
        [whole.as_slice(), b"more"].concat(),
    ];
    for step in 0..40 {
        let mut flipped = whole.clone();
        let at = whole.len() - 1 - step * whole.len() / 40;
        flipped[at] ^= 1 << (step % 8);
        broken.push(flipped);
    }
    for (index, bytes) in broken.into_iter().enumerate() {
        fs::write(&file, bytes).expect("a broken cache");
        let ran = sandbox.hook("claude-code", write("a.rs", "TODO"));
        assert_eq!(
            ran.json()["hookSpecificOutput"]["permissionDecisionReason"],
            "Do it now (lines 1).\n[nudge: no-todo · .nudge/a.yaml:3]",
            "case {index}"
        );
        assert!(whole == fs::read(&file).expect("the cache"), "case {index}: the cache was not rebuilt");
    }
}

#[test]
fn a_cache_of_another_version_is_passed_over() {
    let (sandbox, file) = cached();
    let whole = fs::read(&file).expect("the cache");
    let mut bytes = whole.clone();
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let at =
        bytes.windows(version.len()).position(|window| window == version).expect("the version is in the key");
    bytes[at] = b'9';
    fs::write(&file, bytes).expect("another version's cache");
    sandbox.hook("claude-code", write("a.rs", "TODO")).reply(expect![["deny: Do it now (lines 1)."]]);
    assert!(whole == fs::read(&file).expect("the cache"), "the cache was not rebuilt");
}

#[test]
fn projects_do_not_share_their_cache() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).file(
        "inner/.nudge.yaml",
        rules(&["{ name: i, on: { hook: PreToolUse }, action: continue, message: inner }"]),
    );
    settle(&sandbox.path(".nudge/a.yaml"));
    settle(&sandbox.path("inner/.nudge.yaml"));
    for _ in 0..2 {
        sandbox.hook("claude-code", write("a.rs", "TODO")).reply(expect![["deny: Do it now (lines 1)."]]);
        sandbox.hook("claude-code", write("a.rs", "TODO").cwd("inner")).reply(expect![[r#"
            deny: Do it now (lines 1).

            ---

            inner"#]]);
    }
}

#[test]
fn without_a_home_to_write_to_rules_work_all_the_same() {
    // A file where a folder should be stops even root.
    let sandbox = Sandbox::new().file("../blocked", "").rule("a.yaml", BLOCK_TODO).rule("b.yaml", "rules: [");
    settle(&sandbox.path(".nudge/a.yaml"));
    settle(&sandbox.path(".nudge/b.yaml"));
    let sandbox = sandbox
        .env("HOME", "$BASE/blocked")
        .env("XDG_CACHE_HOME", "$BASE/blocked/cache")
        .env("XDG_DATA_HOME", "$BASE/blocked/data")
        .env("XDG_CONFIG_HOME", "$BASE/blocked/config");
    for _ in 0..2 {
        sandbox
            .hook("claude-code", write("a.rs", "TODO"))
            .reply(expect![["deny: Do it now (lines 1)."]])
            .problem(expect![
                ".nudge/b.yaml:2:1: not valid YAML: while parsing a node, did not find expected node content; an event could not be remembered: Not a directory (os error 20)"
            ]);
    }
    sandbox.run(["validate"]).code(1);
    sandbox.run(["rules"]).code(0);
    sandbox.run(["doctor"]).code(1);
}

#[test]
#[cfg(unix)]
fn what_is_kept_is_kept_from_others() {
    use std::os::unix::fs::PermissionsExt;
    let (sandbox, file) = cached();
    let sandbox = sandbox.rule("b.yaml", "rules: [");
    sandbox.hook("claude-code", write("a.rs", "TODO"));
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(&sandbox.cache_folder()), 0o700);
    assert_eq!(mode(&sandbox.data_folder()), 0o700);
    assert_eq!(mode(&sandbox.data_folder().join("problems.jsonl")), 0o600);
    assert_eq!(mode(&sandbox.data_folder().join("sessions")), 0o700);
}
