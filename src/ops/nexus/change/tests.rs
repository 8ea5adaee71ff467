//! Many waiting changes: each hook applies some of them, and none is overtaken.

use std::fs;

use super::*;
use crate::model::AgentStatus;

const HARNESS: &str = "claude-code";
const NOTES: usize = 150;

fn project(waiting: &[NexusChange]) -> (tempfile::TempDir, Nexus) {
    let folder = tempfile::tempdir().unwrap();
    let nexus = Nexus::of(&crate::files::canonical(folder.path()).unwrap());
    fs::create_dir_all(nexus.path(".nexus/state").join(HARNESS)).unwrap();
    let lines = waiting.iter().map(|change| serde_json::to_string(change).unwrap() + "\n");
    let file = nexus.path(".nexus/state").join(HARNESS).join("waiting.jsonl");
    fs::write(file, lines.collect::<String>()).unwrap();
    (folder, nexus)
}

fn start(id: String) -> NexusChange {
    NexusChange::StartAgent { id: Some(id), role: None, at: "1970-01-01T00:00:00Z".into(), session: None }
}

fn stop(id: String) -> NexusChange {
    let at = "1970-01-01T00:00:01Z".into();
    NexusChange::StopAgent { id: Some(id), role: None, at, message: None, files: Vec::new(), session: None }
}

#[test]
fn a_change_does_not_overtake_those_that_wait() {
    let starts: Vec<NexusChange> = (0..250).map(|number| start(format!("a{number}"))).collect();
    let (_folder, nexus) = project(&starts);
    let last = || {
        let tracked = nexus.tracked(HARNESS).unwrap();
        tracked.last().map(|agent| (tracked.len(), agent.agent_id.clone().unwrap(), agent.status))
    };
    let running = |count: usize| Some((count, format!("a{}", count - 1), Some(AgentStatus::Running)));
    assert_eq!(apply(&nexus, HARNESS, &stop("a249".into()), LOCK_TIMEOUT).unwrap(), Applied::Later);
    assert_eq!(last(), running(100));
    assert_eq!(
        apply(&nexus, HARNESS, &NexusChange::ClearMode { session: None }, LOCK_TIMEOUT).unwrap(),
        Applied::Later
    );
    assert_eq!(last(), running(200));
    assert_eq!(
        apply(&nexus, HARNESS, &NexusChange::ClearMode { session: None }, LOCK_TIMEOUT).unwrap(),
        Applied::Now
    );
    assert_eq!(last(), Some((250, "a249".into(), Some(AgentStatus::Completed))));
    assert!(!nexus.has_waiting(HARNESS));
}

#[test]
fn reads_among_other_changes_are_each_counted() {
    let read = |number: usize| NexusChange::ReadNote {
        note: format!("/notes/{}.md", number % NOTES).into(),
        agent: "a".into(),
        at: Timestamp(1),
    };
    let changes: Vec<NexusChange> = (0..2 * NOTES).flat_map(|n| [read(n), start(format!("a{n}"))]).collect();
    let (_folder, nexus) = project(&changes);
    while nexus.has_waiting(HARNESS) {
        apply_waiting(&nexus.lock(LOCK_TIMEOUT).unwrap(), HARNESS).1.unwrap();
    }
    let counted =
        fs::read_to_string(nexus.path(".nexus/state").join(HARNESS).join("memory-access.jsonl")).unwrap();
    assert_eq!(counted.lines().count(), NOTES);
    assert!(counted.lines().all(|line| line.contains("\"access_count\":2,")), "{counted}");
    assert_eq!(nexus.tracked(HARNESS).unwrap().len(), 2 * NOTES);
}

#[test]
fn agents_that_only_stop_make_room_too() {
    let (_folder, nexus) = project(&[stop("a500".into())]);
    let locked = nexus.lock(LOCK_TIMEOUT).unwrap();
    let agents = (0..500).map(|number| spawned(HARNESS, Some(format!("a{number}")), None, "then"));
    locked.change_tracker(HARNESS, "now", |tracked| tracked.extend(agents)).unwrap();
    apply_waiting(&locked, HARNESS).1.unwrap();
    let tracked = nexus.tracked(HARNESS).unwrap();
    assert_eq!((tracked.len(), tracked[499].agent_id.as_deref()), (500, Some("a499")));
}
