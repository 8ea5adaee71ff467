//! The tracker as a file: started, changed, and set aside if malformed.

use std::fs;

use super::*;

fn agent(id: &str) -> TrackedAgent {
    TrackedAgent {
        harness_id: "h".to_owned(),
        agent_id: Some(id.to_owned()),
        started_at: "2026-01-01T00:00:00Z".to_owned(),
        ..TrackedAgent::default()
    }
}

const ONE: SessionMoment<'_> = SessionMoment { session: Some("one"), at: "2026-01-01T00:00:00Z" };
const TWO: SessionMoment<'_> = SessionMoment { session: Some("two"), at: "2026-01-01T01:00:00Z" };

fn project() -> (tempfile::TempDir, Nexus) {
    let folder = tempfile::tempdir().unwrap();
    let nexus = Nexus::of(folder.path());
    (folder, nexus)
}

#[test]
fn it_starts_empty_and_is_kept_when_the_session_continues() {
    let (_folder, nexus) = project();
    let locked = nexus.lock(std::time::Duration::ZERO).unwrap();
    fs::write(nexus.path(LEGACY), "[]").unwrap();
    locked.begin_tracker("h", true, ONE).unwrap();
    assert_eq!(fs::read_to_string(nexus.path(&file("h"))).unwrap(), "[]\n");
    assert!(!nexus.path(LEGACY).exists());
    locked.change_tracker("h", "now", |agents| agents.push(agent("a"))).unwrap();
    locked.begin_tracker("h", true, ONE).unwrap();
    assert_eq!(nexus.tracked("h").unwrap(), [agent("a")]);
    locked.begin_tracker("h", false, ONE).unwrap();
    assert_eq!(nexus.tracked("h").unwrap(), []);
    locked.end_tracker("h", ONE).unwrap();
    locked.end_tracker("h", ONE).unwrap();
    assert!(!nexus.path(&file("h")).exists());
}

#[test]
fn a_malformed_tracker_is_set_aside_and_the_change_is_made() {
    let (_folder, nexus) = project();
    let locked = nexus.lock(std::time::Duration::ZERO).unwrap();
    locked.begin_tracker("h", false, ONE).unwrap();
    fs::write(nexus.path(&file("h")), "{ torn").unwrap();
    let changed = locked.change_tracker("h", "now", |agents| agents.push(agent("a")));
    assert!(matches!(changed, Err(NexusError::Malformed { aside: Some(_), .. })), "{changed:?}");
    assert_eq!(nexus.tracked("h").unwrap(), [agent("a")]);
    assert_eq!(fs::read_to_string(nexus.path(&format!("{}.broken-now", file("h")))).unwrap(), "{ torn");
}

#[test]
fn fields_of_a_newer_version_are_kept() {
    let (_folder, nexus) = project();
    let locked = nexus.lock(std::time::Duration::ZERO).unwrap();
    locked.begin_tracker("h", false, ONE).unwrap();
    let newer = r#"[{"harness_id":"h","agent_id":"a","started_at":"t","schema_version":2,"cost":{"usd":1}}]"#;
    fs::write(nexus.path(&file("h")), newer).unwrap();
    let change = |agents: &mut Vec<TrackedAgent>| {
        agents[0].resume_count += 1;
        agents.push(agent("b"));
    };
    locked.change_tracker("h", "now", change).unwrap();
    let written: serde_json::Value =
        serde_json::from_slice(&fs::read(nexus.path(&file("h"))).unwrap()).unwrap();
    assert_eq!(
        written,
        serde_json::json!([
            { "harness_id": "h", "agent_id": "a", "started_at": "t", "resume_count": 1, "schema_version": 2, "cost": { "usd": 1 } },
            { "harness_id": "h", "agent_id": "b", "started_at": "2026-01-01T00:00:00Z", "resume_count": 0 },
        ])
    );
}

#[test]
fn a_second_session_leaves_the_agents_of_the_first_alone() {
    let (_folder, nexus) = project();
    let locked = nexus.lock(std::time::Duration::ZERO).unwrap();
    let add = |id: &str, moment: SessionMoment<'_>| {
        locked.see_agent("h", Some(id), moment).unwrap();
        locked.change_tracker("h", "now", |agents| agents.push(agent(id))).unwrap();
    };
    locked.begin_tracker("h", false, ONE).unwrap();
    add("a", ONE);
    locked.begin_tracker("h", false, TWO).unwrap();
    add("b", TWO);
    assert_eq!(nexus.tracked("h").unwrap(), [agent("a"), agent("b")]);
    assert!(nexus.has_other_sessions("h", ONE) && nexus.has_other_sessions("h", TWO));
    locked.end_tracker("h", TWO).unwrap();
    assert_eq!(nexus.tracked("h").unwrap(), [agent("a")]);
    assert!(!nexus.has_other_sessions("h", ONE));
    // One that never ended is forgotten after a day.
    locked
        .begin_tracker("h", false, SessionMoment { session: Some("three"), at: "2026-01-03T00:00:00Z" })
        .unwrap();
    assert_eq!(nexus.tracked("h").unwrap(), []);
    locked.end_tracker("h", SessionMoment { session: Some("three"), at: "2026-01-03T00:00:00Z" }).unwrap();
    assert!(!nexus.path(&file("h")).exists() && !nexus.path(&sessions_file("h")).exists());
}
