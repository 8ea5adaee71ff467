//! The log: what is appended is found again, and it does not grow forever.

use super::*;

fn used(agent: Option<&str>, file: Option<&str>, status: UseStatus) -> ToolUse {
    ToolUse {
        ts: "2026-01-01T00:00:00.000Z".to_owned(),
        agent_id: agent.map(str::to_owned),
        tool: "Write".to_owned(),
        file: file.map(str::to_owned),
        status,
    }
}

fn project() -> (tempfile::TempDir, Nexus) {
    let folder = tempfile::tempdir().unwrap();
    let nexus = Nexus::of(folder.path());
    (folder, nexus)
}

#[test]
fn files_of_an_agent_are_found_once_and_in_order() {
    let (_folder, nexus) = project();
    assert_eq!(nexus.files_touched("h", "a").unwrap(), [""; 0]);
    for line in [
        used(Some("a"), Some("z.rs"), UseStatus::Ok),
        used(Some("a"), Some("b.rs"), UseStatus::Ok),
        used(Some("a"), Some("z.rs"), UseStatus::Ok),
        used(Some("a"), Some("failed.rs"), UseStatus::Error),
        used(Some("a"), None, UseStatus::Ok),
        used(Some("other"), Some("other.rs"), UseStatus::Ok),
        used(None, Some("lead.rs"), UseStatus::Ok),
    ] {
        nexus.log_tool("h", &line).unwrap();
    }
    fs::write(nexus.path(&old("h")), "not JSON \"file\"\n").unwrap();
    assert_eq!(nexus.files_touched("h", "a").unwrap(), ["z.rs", "b.rs"]);
    nexus.rotate_tool_log("h").unwrap();
    nexus.log_tool("h", &used(Some("a"), Some("c.rs"), UseStatus::Ok)).unwrap();
    assert_eq!(nexus.files_touched("h", "a").unwrap(), ["z.rs", "b.rs", "c.rs"]);
    nexus.rotate_tool_log("h").unwrap();
    nexus.rotate_tool_log("h").unwrap();
    assert_eq!(nexus.files_touched("h", "a").unwrap(), ["c.rs"]);
}

#[test]
fn a_full_log_is_rotated() {
    let (_folder, nexus) = project();
    nexus.log_tool("h", &used(Some("a"), Some("a.rs"), UseStatus::Ok)).unwrap();
    let log = File::options().append(true).open(nexus.path(&file("h"))).unwrap();
    log.set_len(MAX_BYTES + 1).unwrap();
    nexus.log_tool("h", &used(Some("a"), Some("b.rs"), UseStatus::Ok)).unwrap();
    assert!(fs::metadata(nexus.path(&file("h"))).unwrap().len() < 200);
    assert_eq!(nexus.files_touched("h", "a").unwrap(), ["a.rs", "b.rs"]);
}

#[test]
#[cfg(unix)]
fn a_folder_outside_the_project_is_not_written_to() {
    let (_folder, nexus) = project();
    let outside = tempfile::tempdir().unwrap();
    drop(nexus.lock(Duration::ZERO).unwrap());
    std::os::unix::fs::symlink(outside.path(), nexus.path(".nexus/state/h")).unwrap();
    let logged = nexus.log_tool("h", &used(None, None, UseStatus::Ok));
    assert!(matches!(logged, Err(NexusError::Escapes { .. })), "{logged:?}");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}
