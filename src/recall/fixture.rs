//! Short ways to create the rows of a session.

use serde_json::json;

use crate::model::{
    Metadata, NewObservation, Observation, ObservationId, ObservationType, SessionId, Timestamp,
};
use crate::shell;

pub(crate) fn row(id: i64, obs_type: ObservationType, content: &str) -> Observation {
    Observation {
        id: ObservationId(id),
        seen: NewObservation {
            timestamp: Timestamp(1_700_000_000 + id),
            session_id: SessionId("s1".to_owned()),
            project: Some("nudge".to_owned()),
            project_root: None,
            repository: None,
            obs_type,
            source_event: "PostToolUse".to_owned(),
            tool_name: None,
            content: content.to_owned(),
            file_path: None,
            metadata: None,
            event_key: None,
            program: None,
            signature: None,
            pinned: false,
        },
    }
}

/// A command that succeeded.
pub(crate) fn ran(id: i64, program: &str, command: &str) -> Observation {
    let mut row = row(id, ObservationType::Command, command);
    row.seen.program = Some(program.to_owned());
    row.with("command", json!(command)).with("exit_code", json!(0))
}

/// A command that failed.
pub(crate) fn failed(id: i64, program: &str, command: &str) -> Observation {
    let mut row = row(id, ObservationType::CommandError, command);
    row.seen.program = Some(program.to_owned());
    row.seen.signature = Some(format!("error: {program} broke"));
    row.with("command", json!(command)).with("exit_code", json!(1))
}

pub(crate) fn edited(id: i64, path: &str) -> Observation {
    let mut row = row(id, ObservationType::FileEdit, &format!("{path}: + a line"));
    row.seen.file_path = Some(path.to_owned());
    row
}

/// The program that a line runs last, as a hook would store it.
pub(crate) fn program_of(line: &str) -> String {
    shell::parts(line).iter().rev().find_map(shell::program).unwrap_or_default()
}

impl Observation {
    pub(crate) fn with(mut self, name: &str, value: serde_json::Value) -> Observation {
        self.seen.metadata.get_or_insert_with(Metadata::default).0.insert(name.to_owned(), value);
        self
    }
}
