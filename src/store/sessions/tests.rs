//! Lists of sessions, and single ones.

use crate::model::{SessionId, SessionSummary, Timestamp};
use crate::store::fixture::{DataFolder, NOW, command, edit, failure, project, prompt};

#[test]
fn sessions_are_listed_by_their_end() {
    let folder = DataFolder::new();
    let store = folder.with(&[
        prompt("first").session("long").ago(100),
        command("make").session("short").of("other").ago(50),
        failure("make", "no").session("long").ago(20).fact("harness", "codex"),
        failure("make", "no").session("long").ago(18).fact("kind", "rule").fact("branch", "main"),
        edit("a.rs").session("long").ago(10),
        prompt("second").session("long").ago(5),
    ]);
    let long = SessionSummary {
        session_id: SessionId("long".to_owned()),
        project: Some("nudge".to_owned()),
        started_at: Timestamp(NOW.0 - 100),
        ended_at: Timestamp(NOW.0 - 5),
        observations: 5,
        prompts: 2,
        edits: 1,
        failures: 1,
        blocked: 1,
        harness: Some("codex".to_owned()),
        branch: Some("main".to_owned()),
        worktree: None,
        first_prompt: Some("first".to_owned()),
    };
    let sessions = store.sessions(None, 9).unwrap();
    assert_eq!(sessions[0], long);
    assert_eq!(sessions[1].session_id.0, "short");
    assert_eq!(store.sessions(Some(&project("nudge")), 9).unwrap(), [long]);
    assert_eq!(store.sessions(None, 1).unwrap().len(), 1);
    assert_eq!(store.session_summary(&SessionId("none".to_owned())).unwrap(), None);
}

#[test]
fn a_session_is_in_the_order_of_time() {
    let folder = DataFolder::new();
    let store = folder.with(&[command("b").ago(1), prompt("a").ago(2), command("c").session("s2")]);
    let rows = store.session(&SessionId("s1".to_owned())).unwrap();
    assert_eq!(rows.iter().map(|row| row.content.as_str()).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn a_session_is_found_by_the_start_of_its_id() {
    let folder = DataFolder::new();
    let store = folder.with(&["ab1", "ab2", "b"].map(|id| command("make").session(id)));
    let found = |prefix: &str, limit| {
        let ids = store.sessions_starting(prefix, limit).unwrap();
        ids.into_iter().map(|id| id.0).collect::<Vec<_>>()
    };
    assert_eq!(found("ab", 9), ["ab1", "ab2"]);
    assert_eq!(found("ab", 1), ["ab1"]);
    assert_eq!(found("ab2", 9), ["ab2"]);
    assert_eq!(found("c", 9), Vec::<String>::new());
}
