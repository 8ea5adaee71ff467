//! A rule file that is broken, or in the middle of being saved, costs no rule that was valid before; and the cache that
//! remembers it is trusted only where nobody else can write.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use expect_test::expect;
use serde_json::json;

use crate::payload::{Payload, bash, tool, write};
use crate::rules::cache::{cached, settle};
use crate::sandbox::{BLOCK_TODO, Sandbox};

const RULES: &str = ".nudge/a.yaml";

/// A sandbox whose rules have been read once.
fn read_once() -> Sandbox {
    cached().0
}

#[test]
fn a_broken_file_keeps_its_last_good_rules() {
    let sandbox = read_once();
    for broken in ["rules: [", "version: 1\nrules:\n  - name: no-todo\n    on: { hook: Nothing }\n", "\u{0}"]
    {
        sandbox.put(RULES, broken);
        for settled in [false, true] {
            if settled {
                settle(&sandbox.path(RULES));
            }
            for session in ["one", "two"] {
                let session = format!("{session}{settled}{}", broken.len());
                let ran = sandbox.hook("claude-code", write("a.rs", "TODO").session(&session));
                assert!(ran.blocks(), "{broken}: {}", ran.stdout);
                assert!(ran.stdout.contains("the last good version of `no-todo` is used"), "{}", ran.stdout);
            }
        }
    }
    sandbox.put(RULES, BLOCK_TODO.replace("Do it now", "Changed"));
    sandbox.hook("claude-code", write("a.rs", "TODO")).reply(expect!["deny: Changed (lines 1)."]);
}

#[test]
fn the_last_good_rules_are_for_the_same_tools_and_files_as_before() {
    let sandbox = Sandbox::new();
    let good = "version: 1\nrules:\n\
        - { name: env, on: { hook: PreToolUse, tool: Read, file: '**/.env' }, action: interrupt, message: no env }\n\
        - { name: gen, on: { hook: PreToolUse, does: change, file: 'gen/**' }, action: interrupt, message: no gen }\n";
    sandbox.put(RULES, good);
    settle(&sandbox.path(RULES));
    sandbox.hook("claude-code", bash("ls")).reply(expect!["nothing"]);
    sandbox.put(RULES, "version: 1\nrules: [");
    for round in ["one", "two"] {
        let reply = |payload: Payload| sandbox.hook("claude-code", payload.session(round));
        assert!(!reply(bash("ls")).blocks(), "a rule for other tools fires while its file is broken");
        assert!(!reply(write("a.rs", "x")).blocks());
        reply(tool("Read", json!({ "file_path": ".env" }))).reply(expect!["deny: no env"]);
        reply(write("gen/a.rs", "x")).reply(expect!["deny: no gen"]);
    }
}

#[test]
fn a_rule_that_is_deleted_beside_a_broken_one_is_gone() {
    let sandbox = Sandbox::new();
    let two =
        format!("{BLOCK_TODO}{}", BLOCK_TODO.replace("version: 1\nrules:\n", "").replace("no-todo", "other"));
    sandbox.put(RULES, &two);
    settle(&sandbox.path(RULES));
    sandbox.hook("claude-code", write("a.rs", "TODO"));
    sandbox.put(RULES, BLOCK_TODO.replace("no-todo", "other").replace("action: interrupt", "action: wrong"));
    let ran = sandbox.hook("claude-code", write("a.rs", "TODO"));
    ran.reply(expect!["deny: Do it now (lines 1)."]);
    assert!(
        ran.stdout.contains("version of `other` is used") && !ran.stdout.contains("no-todo"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_file_that_was_just_emptied_is_being_saved_and_one_that_stays_empty_is_empty() {
    let sandbox = read_once();
    sandbox.put(RULES, "");
    assert!(sandbox.hook("claude-code", write("a.rs", "TODO")).blocks());
    settle(&sandbox.path(RULES));
    sandbox.hook("claude-code", write("a.rs", "TODO").session("two")).reply(expect!["nothing"]);
    sandbox.hook("claude-code", write("a.rs", "TODO").session("three")).reply(expect!["nothing"]);
}

#[test]
fn no_violation_passes_while_a_file_is_saved_in_place() {
    let sandbox = read_once();
    let path = sandbox.path(RULES);
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                // As an editor saves in place, with pauses that no editor makes.
                let mut file = File::create(&path).expect("a file");
                for half in [&BLOCK_TODO[..60], &BLOCK_TODO[60..]] {
                    std::thread::sleep(Duration::from_millis(2));
                    file.write_all(half.as_bytes()).expect("a write");
                }
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        let passed = (0..60).filter(|round| {
            let session = format!("s{round}");
            !sandbox.hook("claude-code", write("a.rs", "TODO").session(&session)).blocks()
        });
        let passed = passed.count();
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(passed, 0);
    });
}

#[test]
#[cfg(unix)]
fn a_cache_that_others_can_write_is_not_believed() {
    use std::os::unix::fs::PermissionsExt;
    let (sandbox, file) = cached();
    let forged = fs::read(&file).expect("the cache");
    // The same key and the right checksum, with a message of somebody else.
    let from = b"Do it now";
    let at = forged.windows(from.len()).position(|window| window == from).expect("the message");
    let mut other = forged.clone();
    other[at..at + from.len()].copy_from_slice(b"Forged it");
    let sum = checksum(
        &other[16
            + usize::try_from(u64::from_le_bytes(other[8..16].try_into().expect("eight"))).expect("small")..],
    );
    other[..8].copy_from_slice(&sum.to_le_bytes());
    let mode =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    let says = || sandbox.hook("claude-code", write("a.rs", "TODO")).in_words();
    fs::write(&file, &other).expect("a forged cache");
    assert!(says().contains("Forged it"), "the forged cache is used, so the forgery of this test works");
    for (file_mode, folder_mode) in [(0o666, 0o700), (0o600, 0o777)] {
        fs::write(&file, &other).expect("a forged cache");
        mode(&file, file_mode);
        mode(&sandbox.cache_folder(), folder_mode);
        let doctor = sandbox.run(["doctor"]).stdout;
        assert!(doctor.contains("other users can access this"), "{doctor}");
        // A file in a folder of ours is replaced by one that only we can write.
        assert!(says().contains("Do it now"));
        mode(&sandbox.cache_folder(), 0o700);
    }
    fs::remove_file(&file).expect("a cache");
    assert!(std::process::Command::new("mkfifo").arg(&file).status().expect("mkfifo runs").success());
    assert!(says().contains("Do it now"));
}

/// The checksum that the program writes to its cache.
fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]).map(|word| u64::from_le_bytes(*word));
    words.fold(bytes.len() as u64, |sum, word| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29))
}
