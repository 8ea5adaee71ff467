//! Rules that agents run into again.

use serde_json::json;

use super::retried_rules;
use crate::model::{BLOCKED, Observation, ObservationType, SessionId, Timestamp};
use crate::recall::fixture::row;

fn blocked(id: i64, session: &str, rule: &str, at: i64) -> Observation {
    let mut row = row(id, ObservationType::CommandError, "blocked by a rule: Bash x");
    row.seen.session_id = SessionId(session.to_owned());
    row.seen.timestamp = Timestamp(at);
    row.with("kind", json!(BLOCKED)).with("rule", json!(rule))
}

#[test]
fn a_rule_that_is_run_into_again_soon_is_listed() {
    let rows = [
        blocked(1, "a", "no-force", 0),
        blocked(2, "a", "no-force", 30),
        blocked(3, "b", "no-force", 40),
        blocked(4, "b", "no-force", 100),
        blocked(5, "b", "no-force", 5_000),
        blocked(6, "a", "other", 10),
        blocked(7, "b", "other", 20),
    ];
    let found = retried_rules(&rows);
    assert_eq!(found.len(), 1);
    let rule = &found[0];
    assert_eq!((rule.rule.as_str(), rule.blocked, rule.again, rule.sessions), ("no-force", 5, 2, 2));
    assert_eq!(rule.ids.iter().map(|id| id.0).collect::<Vec<_>>(), [4, 2]);
}
