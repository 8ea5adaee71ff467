//! The content of a file after a change and after a failed one, and files that would be outside the project.

use std::sync::Barrier;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::*;
use crate::files::slashes;
use crate::nexus::folder::{PLAN, TASKS};

const TIMEOUT: Duration = Duration::from_secs(60);
const AT: &str = "2026-01-02T03:04:05.678Z";

struct TestProject {
    folder: tempfile::TempDir,
    nexus: Nexus,
}

fn project() -> TestProject {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    fs::create_dir(&root).unwrap();
    TestProject { nexus: Nexus::of(&root), folder }
}

impl TestProject {
    fn locked(&self) -> Locked<'_> {
        self.nexus.lock(TIMEOUT).unwrap()
    }

    /// Returns every file of the project with its text.
    fn files(&self) -> String {
        let mut lines = Vec::new();
        let walk = ignore::WalkBuilder::new(self.nexus.project()).standard_filters(false).build();
        for entry in walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())) {
            let name = slashes(entry.path().strip_prefix(self.nexus.project()).unwrap());
            lines.push(format!("{name}: {:?}\n", fs::read_to_string(entry.path()).unwrap()));
        }
        lines.sort();
        lines.concat()
    }

    fn assert_files(&self, expected: &Expect) {
        expected.assert_eq(&self.files());
    }
}

#[test]
fn the_first_write_creates_the_folder_and_leaves_no_temporary_file() {
    let project = project();
    assert!(!project.nexus.exists());
    assert_eq!(project.nexus.read::<Value>(PLAN).unwrap(), None);
    assert!(!project.nexus.exists());
    project.locked().write(PLAN, &json!({ "id": 1, "issues": [] })).unwrap();
    project.assert_files(&expect![[r#"
        .nexus/.gitignore: "state/\n"
        .nexus/state/.lock: ""
        .nexus/state/plan.json: "{\n  \"id\": 1,\n  \"issues\": []\n}\n"
    "#]]);
}

#[test]
fn existing_files_are_not_touched() {
    let project = project();
    fs::create_dir(project.nexus.path(".nexus")).unwrap();
    fs::write(project.nexus.path(".nexus/.gitignore"), "*\n!memory\n").unwrap();
    let (made, found) = project.nexus.make(TIMEOUT).unwrap();
    assert_eq!(made, [".nexus/state", ".nexus/memory", ".nexus/context", ".nexus/rules"]);
    assert_eq!(found, [".nexus", ".nexus/.gitignore"]);
    assert_eq!(project.nexus.make(TIMEOUT).unwrap().0, [""; 0]);
    assert_eq!(fs::read_to_string(project.nexus.path(".nexus/.gitignore")).unwrap(), "*\n!memory\n");
}

#[test]
fn a_byte_order_mark_is_accepted() {
    let project = project();
    project.locked().replace(PLAN, "\u{feff}{\"id\": 1}\r\n".as_bytes(), Flush::Later).unwrap();
    assert_eq!(project.nexus.read::<Value>(PLAN).unwrap(), Some(json!({ "id": 1 })));
}

#[test]
fn a_folder_in_place_of_a_file_is_malformed() {
    let project = project();
    fs::create_dir_all(project.nexus.path(PLAN)).unwrap();
    let read = project.locked().read::<Value>(PLAN, AT).unwrap_err().to_string();
    assert!(read.contains("is malformed (it is not a file) and was set aside"), "{read}");
    assert_eq!(project.locked().read::<Value>(PLAN, AT).unwrap(), None);
}

#[test]
fn a_malformed_file_is_set_aside_by_a_writer_and_left_by_a_reader() {
    let project = project();
    project.locked().replace(PLAN, b"{ \"id\": 1,", Flush::Later).unwrap();
    expect!["`.nexus/state/plan.json` is malformed (EOF while parsing a value at line 1 column 10) and was left as it is; fix it, or the next change sets it aside"]
        .assert_eq(&project.nexus.read::<Value>(PLAN).unwrap_err().to_string());
    let changed = project
        .locked()
        .read_modify_write(PLAN, AT, |_: Option<Value>| Ok::<_, NexusError>((json!("never"), ())));
    expect!["`.nexus/state/plan.json` is malformed (EOF while parsing a value at line 1 column 10) and was set aside as `.nexus/state/plan.json.broken-20260102T030405678Z`; fix it and move it back, or start over"]
        .assert_eq(&changed.unwrap_err().to_string());
    project.locked().replace(PLAN, b"also broken", Flush::Later).unwrap();
    project.locked().read::<Value>(PLAN, AT).unwrap_err();
    project.assert_files(&expect![[r#"
        .nexus/.gitignore: "state/\n"
        .nexus/state/.lock: ""
        .nexus/state/plan.json.broken-20260102T030405678Z-1: "also broken"
        .nexus/state/plan.json.broken-20260102T030405678Z: "{ \"id\": 1,"
    "#]]);
}

#[test]
fn a_change_that_fails_leaves_the_file() {
    let project = project();
    project.locked().write(TASKS, &json!([1])).unwrap();
    let changed = project.locked().read_modify_write(TASKS, AT, |_: Option<Value>| {
        Err::<(Value, ()), _>(NexusError::Busy { holder: None })
    });
    assert!(matches!(changed, Err(NexusError::Busy { .. })));
    assert_eq!(project.nexus.read::<Value>(TASKS).unwrap(), Some(json!([1])));
}

#[test]
fn waiting_too_long_for_the_lock_is_an_error() {
    let project = project();
    let lock = project.locked();
    let waited = project.nexus.lock(Duration::from_millis(5)).map(drop);
    let error = waited.unwrap_err();
    // Only Linux names the holder; here it is this very process.
    let who = match &error {
        NexusError::Busy { holder: Some(holder) } => {
            assert_eq!((holder.pid, holder.is_stopped), (std::process::id(), false));
            holder.to_string()
        }
        _ => "another process".to_owned(),
    };
    assert_eq!(error.to_string(), format!("{who} has kept `.nexus` locked for too long"));
    drop(lock);
    project.nexus.lock(Duration::ZERO).unwrap();
}

#[test]
fn no_change_is_lost_between_threads() {
    let project = project();
    let start = Barrier::new(8);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                start.wait();
                for _ in 0..25 {
                    let add = |count: Option<u64>| Ok::<_, NexusError>((count.unwrap_or(0) + 1, ()));
                    project.locked().read_modify_write(TASKS, AT, add).unwrap();
                }
            });
        }
    });
    assert_eq!(project.nexus.read::<u64>(TASKS).unwrap(), Some(200));
}

#[test]
fn artifacts_are_where_their_name_says() {
    let project = project();
    let locked = project.locked();
    let path = locked.write_artifact("notes/deep/a.md", "one").unwrap();
    assert_eq!(path, project.nexus.path(".nexus/state/artifacts/notes/deep/a.md"));
    locked.write_artifact("notes/deep/a.md", "two").unwrap();
    locked.write_artifact("ü b.md", "").unwrap();
    drop(locked);
    project.assert_files(&expect![[r#"
        .nexus/.gitignore: "state/\n"
        .nexus/state/.lock: ""
        .nexus/state/artifacts/notes/deep/a.md: "two"
        .nexus/state/artifacts/ü b.md: ""
    "#]]);
}

#[test]
fn names_outside_the_folder_are_refused() {
    let project = project();
    let refused = |name: &str| project.locked().write_artifact(name, "x").unwrap_err().to_string();
    let mut words = String::new();
    for name in ["", "../a", "a/../../b", "/etc/a", "a\0b", "a/", "..", ".", "a\\b", "a\nb"] {
        words.push_str(&format!("{}\n", refused(name)));
    }
    expect![[r#"
        `` is not a valid file name: it is empty
        `../a` is not a valid file name: it is outside the artifacts folder
        `a/../../b` is not a valid file name: it is outside the artifacts folder
        `/etc/a` is not a valid file name: it is outside the artifacts folder
        `a\0b` is not a valid file name: it has control characters
        `a/` is not a valid file name: it names a folder
        `..` is not a valid file name: it names a folder
        `.` is not a valid file name: it names a folder
        `a\\b` is not a valid file name: it is outside the artifacts folder
        `a\nb` is not a valid file name: it has control characters
    "#]]
    .assert_eq(&words);
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    fn outside(project: &TestProject) -> PathBuf {
        let outside = project.folder.path().join("outside");
        fs::create_dir(&outside).unwrap();
        outside
    }

    #[test]
    fn links_out_of_the_project_are_not_followed() {
        let project = project();
        let outside = outside(&project);
        fs::write(outside.join("plan.json"), "{}").unwrap();
        project.nexus.make(TIMEOUT).unwrap();
        let artifacts = project.nexus.path(".nexus/state/artifacts");
        fs::create_dir(&artifacts).unwrap();
        symlink(&outside, artifacts.join("out")).unwrap();
        symlink(outside.join("new"), artifacts.join("link.md")).unwrap();
        symlink(outside.join("plan.json"), project.nexus.path(PLAN)).unwrap();
        let locked = project.locked();
        let escapes = |result: Result<PathBuf>| result.unwrap_err().to_string();
        assert_eq!(
            escapes(locked.write_artifact("out/a.md", "x")),
            "`.nexus/state/artifacts/out/a.md` points outside the project"
        );
        assert_eq!(
            escapes(locked.write_artifact("link.md", "x")),
            "`.nexus/state/artifacts/link.md` points outside the project"
        );
        assert!(matches!(locked.write(PLAN, &1), Err(NexusError::Escapes { .. })));
        assert!(matches!(project.nexus.read::<Value>(PLAN), Err(NexusError::Escapes { .. })));
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    }

    #[test]
    fn a_nexus_folder_that_is_a_link_is_refused() {
        for name in [".nexus", ".nexus/state", ".nexus/state/artifacts"] {
            let project = project();
            let outside = outside(&project);
            let link = project.nexus.path(name);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(&outside, &link).unwrap();
            let written = project.nexus.lock(TIMEOUT).and_then(|lock| lock.write_artifact("a.md", "x"));
            assert!(matches!(written, Err(NexusError::Escapes { .. })), "{name}: {written:?}");
            assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{name}");
        }
    }

    #[test]
    fn an_artifact_may_not_reach_other_state_through_a_link() {
        let project = project();
        project.nexus.make(TIMEOUT).unwrap();
        let artifacts = project.nexus.path(".nexus/state/artifacts");
        fs::create_dir(&artifacts).unwrap();
        symlink("..", artifacts.join("up")).unwrap();
        let written = project.locked().write_artifact("up/plan.json", "x");
        assert!(matches!(written, Err(NexusError::Escapes { .. })), "{written:?}");
        assert!(!project.nexus.path(PLAN).exists());
    }

    #[test]
    fn a_deleted_lock_file_blocks_nobody() {
        let project = project();
        let stale = project.locked();
        fs::remove_file(project.nexus.path(".nexus/state/.lock")).unwrap();
        let fresh = project.locked();
        assert!(matches!(project.nexus.lock(Duration::ZERO), Err(NexusError::Busy { .. })));
        drop(stale);
        assert!(matches!(project.nexus.lock(Duration::ZERO), Err(NexusError::Busy { .. })));
        drop(fresh);
        project.nexus.lock(Duration::ZERO).unwrap();
    }

    #[test]
    fn state_is_private_and_the_rest_is_not() {
        use std::os::unix::fs::PermissionsExt;
        let project = project();
        project.nexus.make(TIMEOUT).unwrap();
        let mode = |name: &str| fs::metadata(project.nexus.path(name)).unwrap().permissions().mode() & 0o077;
        assert_eq!(mode(".nexus/state"), 0);
        assert_ne!(mode(".nexus"), 0);
    }
}
