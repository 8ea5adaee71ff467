//! Short ways to write down sessions.

use serde_json::json;

use super::recurrence::{RecurringFailure, recurrences};
use crate::model::{Observation, SessionId};
use crate::recall::fixture::{edited, failed, program_of, ran};

/// What happened in a session, one after the other.
pub(crate) enum PlayedAct {
    /// A command failed, and printed this.
    Fails(&'static str, &'static str),
    Works(&'static str),
    Edits(&'static str),
}

/// Returns the rows of sessions, each with its own number.
pub(crate) fn sessions(all: &[&[PlayedAct]]) -> Vec<Observation> {
    let mut rows: Vec<Observation> = Vec::new();
    for (session, acts) in all.iter().enumerate() {
        for act in *acts {
            let id = i64::try_from(rows.len()).unwrap_or_default() + 1;
            let mut row = match act {
                PlayedAct::Fails(command, printed) => {
                    let mut row = failed(id, &program_of(command), command);
                    row.seen.signature = Some((*printed).to_owned());
                    row.with("tool_use_id", json!(format!("t{id}")))
                }
                PlayedAct::Works(command) => ran(id, &program_of(command), command),
                PlayedAct::Edits(path) => edited(id, path),
            };
            row.seen.session_id = SessionId(format!("s{session}"));
            rows.push(row);
        }
    }
    rows
}

/// Returns the only thing that came back.
#[track_caller]
pub(crate) fn only(rows: &[Observation]) -> RecurringFailure<'_> {
    let mut found = recurrences(rows);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}
