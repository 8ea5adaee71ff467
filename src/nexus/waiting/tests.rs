//! Waiting changes are made in lots, once, in order, and a file that nudge did not write blocks nothing.

use std::time::Duration;

use super::*;

const AT: &str = "2026-01-02T03:04:05.678Z";
const FILE: &str = ".nexus/state/claude-code/waiting.jsonl";
const TAKEN: &str = ".nexus/state/claude-code/waiting.taken.jsonl";

fn project() -> (tempfile::TempDir, Nexus) {
    let folder = tempfile::tempdir().unwrap();
    let nexus = Nexus::of(&crate::files::canonical(folder.path()).unwrap());
    fs::create_dir_all(nexus.path(FILE).parent().unwrap()).unwrap();
    (folder, nexus)
}

fn numbers(range: std::ops::Range<usize>) -> String {
    range.map(|number| format!("{number}\n")).collect()
}

/// Makes waiting changes as the next hook would; returns them, whether there are more, and what is reported.
fn made(nexus: &Nexus) -> (Vec<usize>, Rest, String) {
    let mut all = Vec::new();
    let (rest, reported) =
        nexus.lock(Duration::ZERO).unwrap().make_waiting("claude-code", AT, |lot: &[usize]| {
            all.extend_from_slice(lot);
            Ok(())
        });
    (all, rest, reported.map_or_else(|error| error.to_string(), |()| String::new()))
}

#[test]
fn a_hook_makes_one_lot_and_leaves_the_rest() {
    let (_folder, nexus) = project();
    fs::write(nexus.path(FILE), format!("no JSON\n\n{}", numbers(0..250))).unwrap();
    assert_eq!(made(&nexus), ((0..100).collect(), Rest::Some, String::new()));
    nexus.defer("claude-code", &250).unwrap();
    assert_eq!(nexus.waiting::<usize>("claude-code"), (100..251).collect::<Vec<_>>());
    assert_eq!(made(&nexus), ((100..200).collect(), Rest::Some, String::new()));
    assert_eq!(made(&nexus), ((200..251).collect(), Rest::None, String::new()));
    assert!(!nexus.has_waiting("claude-code"));
}

#[test]
fn long_changes_make_small_lots() {
    let (_folder, nexus) = project();
    let line = format!("{}7\n", " ".repeat(MAX_LOT_BYTES / 2));
    fs::write(nexus.path(FILE), line.repeat(3)).unwrap();
    assert_eq!(made(&nexus), (vec![7, 7], Rest::Some, String::new()));
    assert_eq!(made(&nexus), (vec![7], Rest::None, String::new()));
}

#[test]
fn a_process_that_is_killed_halfway_repeats_one_lot_at_most() {
    let (_folder, nexus) = project();
    fs::write(nexus.path(FILE), numbers(0..150)).unwrap();
    made(&nexus);
    let ended = std::panic::catch_unwind(|| {
        let locked = nexus.lock(Duration::ZERO).unwrap();
        locked.make_waiting("claude-code", AT, |_: &[usize]| panic!("ended"))
    });
    assert!(ended.is_err());
    assert_eq!(made(&nexus), ((100..150).collect(), Rest::None, String::new()));
}

#[test]
fn a_change_that_is_being_written_is_neither_waited_for_nor_overtaken() {
    let (_folder, nexus) = project();
    fs::write(nexus.path(TAKEN), "1\n").unwrap();
    fs::write(nexus.path(FILE), "2\n").unwrap();
    let writer = File::open(nexus.path(TAKEN)).unwrap();
    writer.lock_shared().unwrap();
    assert_eq!(made(&nexus), (Vec::new(), Rest::Some, String::new()));
    drop(writer);
    assert_eq!(made(&nexus), (vec![1, 2], Rest::None, String::new()));
}

#[test]
fn a_file_that_is_too_long_is_set_aside_and_reported_once() {
    let long = [" ".repeat(2 << 20) + "\n7\n", "7\n".repeat(MAX_LINES + 1)];
    for (name, text) in [FILE, TAKEN].into_iter().flat_map(|name| long.iter().map(move |text| (name, text))) {
        let (_folder, nexus) = project();
        fs::write(nexus.path(name), text).unwrap();
        assert_eq!(nexus.waiting::<usize>("claude-code"), [0; 0]);
        let reported = format!(
            "`{name}` is malformed (it is too long) and was set aside as `{name}.broken-20260102T030405678Z`; \
             fix it and move it back, or start over"
        );
        assert_eq!(made(&nexus), (Vec::new(), Rest::None, reported));
        assert_eq!(made(&nexus), (Vec::new(), Rest::None, String::new()));
    }
}

#[test]
fn a_folder_in_place_of_the_taken_file_blocks_nothing() {
    let (_folder, nexus) = project();
    fs::create_dir(nexus.path(TAKEN)).unwrap();
    fs::write(nexus.path(FILE), "7\n").unwrap();
    let (all, rest, reported) = made(&nexus);
    assert_eq!((all, rest), (vec![7], Rest::None));
    assert!(reported.contains("(it is not a regular file) and was set aside"), "{reported}");
    assert!(!nexus.has_waiting("claude-code"));
}

#[cfg(unix)]
#[test]
fn a_link_is_set_aside_and_its_target_stays() {
    for name in [FILE, TAKEN] {
        for target in ["there", "nowhere"] {
            let (folder, nexus) = project();
            fs::write(folder.path().join("there"), "1\n").unwrap();
            std::os::unix::fs::symlink(folder.path().join(target), nexus.path(name)).unwrap();
            let (all, rest, reported) = made(&nexus);
            assert_eq!((all, rest), (Vec::new(), Rest::None));
            assert!(
                reported.contains("(it is not a regular file) and was set aside"),
                "{name} {target}: {reported}"
            );
            assert_eq!(fs::read_to_string(folder.path().join("there")).unwrap(), "1\n");
            nexus.defer("claude-code", &7).unwrap();
            assert_eq!(made(&nexus), (vec![7], Rest::None, String::new()));
        }
    }
}
