//! Conversion of rows to `model` types.

use rusqlite::types::{FromSql, FromSqlResult, ValueRef};
use rusqlite::{Connection, OptionalExtension, Params, Row};

use super::Result;
use crate::model::{
    EventKey, HitFacts, Metadata, NewObservation, Observation, ObservationId, ObservationType, RepositoryId,
    SearchHit, SessionId, Timestamp,
};

/// A text with invalid bytes replaced: one flipped bit in it must not hide the row, or the rows beside it.
pub(super) struct LossyText(pub(super) String);

impl FromSql for LossyText {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<LossyText> {
        let bytes = value.as_bytes()?;
        Ok(LossyText(String::from_utf8_lossy(bytes).into_owned()))
    }
}

pub(super) fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    row.get::<_, LossyText>(column).map(|text| text.0)
}

pub(super) fn optional_text(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    Ok(row.get::<_, Option<LossyText>>(column)?.map(|text| text.0))
}

/// The columns of an observation, in the order in which `observation` reads them.
pub(super) const COLUMNS: &str = "id, timestamp, session_id, project, project_root, obs_type, source_event, \
     tool_name, content, file_path, metadata, event_key, program, signature, pinned, project_origin";

pub(super) fn observation(row: &Row<'_>) -> rusqlite::Result<Observation> {
    let metadata = optional_text(row, 10)?;
    Ok(Observation {
        id: ObservationId(row.get(0)?),
        seen: NewObservation {
            timestamp: Timestamp(row.get(1)?),
            session_id: SessionId(text(row, 2)?),
            project: optional_text(row, 3)?,
            project_root: optional_text(row, 4)?,
            repository: optional_text(row, 15)?
                .map(|origin| RepositoryId { origin: Some(origin), ..RepositoryId::default() }),
            obs_type: obs_type(row, 5)?,
            source_event: text(row, 6)?,
            tool_name: optional_text(row, 7)?,
            content: text(row, 8)?,
            file_path: optional_text(row, 9)?,
            // Invalid metadata is damaged, but the rest of the row is not.
            metadata: metadata.and_then(|text| serde_json::from_str::<Metadata>(&text).ok()),
            event_key: row.get(11).ok().flatten().map(EventKey),
            program: optional_text(row, 12)?,
            signature: optional_text(row, 13)?,
            pinned: row.get(14)?,
        },
    })
}

/// The columns of a hit, in the order in which `hit` reads them.
pub(super) const HIT_COLUMNS: &str = "id, timestamp, obs_type, substr(content, 1, 120), file_path, session_id, project, pinned, \
     harness, branch, worktree, exit_code, duration_ms, rule, metadata ->> '$.kind'";

pub(super) fn hit(row: &Row<'_>) -> rusqlite::Result<SearchHit> {
    Ok(SearchHit {
        id: ObservationId(row.get(0)?),
        timestamp: Timestamp(row.get(1)?),
        obs_type: obs_type(row, 2)?,
        content_preview: text(row, 3)?,
        file_path: optional_text(row, 4)?,
        session_id: SessionId(text(row, 5)?),
        project: optional_text(row, 6)?,
        pinned: row.get(7)?,
        score: 0.0,
        times: 1,
        sessions: 1,
        excerpt: None,
        facts: HitFacts {
            harness: optional_text(row, 8)?,
            branch: optional_text(row, 9)?,
            worktree: optional_text(row, 10)?,
            // A damaged number must not hide the row.
            exit_code: row.get(11).unwrap_or_default(),
            duration_ms: row.get(12).unwrap_or_default(),
            rule: optional_text(row, 13)?,
            kind: optional_text(row, 14)?,
        },
    })
}

/// Parses a type; a damaged name counts as the type with the most similar name.
pub(super) fn obs_type(row: &Row<'_>, column: usize) -> rusqlite::Result<ObservationType> {
    let name = text(row, column)?;
    Ok(name.parse().unwrap_or_else(|()| nearest_type(&name)))
}

fn nearest_type(name: &str) -> ObservationType {
    let common = |kind: &ObservationType| {
        let same = kind.name().chars().zip(name.chars()).filter(|(one, other)| one == other).count();
        (same, kind.name().len() == name.len())
    };
    ObservationType::ALL.into_iter().max_by_key(common).unwrap_or(ObservationType::Command)
}

/// Returns all observations of `SELECT columns FROM observed`, followed by the rest of the statement.
pub(super) fn all(connection: &Connection, rest: &str, params: impl Params) -> Result<Vec<Observation>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM observed {rest}"))?;
    let rows = statement.query_map(params, observation)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn first(connection: &Connection, rest: &str, params: impl Params) -> Result<Option<Observation>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM observed {rest}"))?;
    Ok(statement.query_row(params, observation).optional()?)
}
