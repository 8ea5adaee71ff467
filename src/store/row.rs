//! A row of the table, as `model` knows it.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Params, Row};

use super::Result;
use crate::model::{
    EventKey, Metadata, NewObservation, Observation, ObservationId, ObservationType, SearchHit, SessionId,
    Timestamp,
};

/// The columns of an observation, in the order in which `observation` reads them.
pub(super) const COLUMNS: &str = "id, timestamp, session_id, project, project_root, obs_type, source_event, \
     tool_name, content, file_path, metadata, event_key, program, signature, pinned";

pub(super) fn observation(row: &Row<'_>) -> rusqlite::Result<Observation> {
    let metadata: Option<String> = row.get(10)?;
    Ok(Observation {
        id: ObservationId(row.get(0)?),
        seen: NewObservation {
            timestamp: Timestamp(row.get(1)?),
            session_id: SessionId(row.get(2)?),
            project: row.get(3)?,
            project_root: row.get(4)?,
            obs_type: obs_type(row, 5)?,
            source_event: row.get(6)?,
            tool_name: row.get(7)?,
            content: row.get(8)?,
            file_path: row.get(9)?,
            metadata: metadata.as_deref().map(read_metadata).transpose()?,
            event_key: row.get::<_, Option<[u8; 16]>>(11)?.map(EventKey),
            program: row.get(12)?,
            signature: row.get(13)?,
            pinned: row.get(14)?,
        },
    })
}

/// The columns of a hit, in the order in which `hit` reads them.
pub(super) const HIT_COLUMNS: &str =
    "id, timestamp, obs_type, substr(content, 1, 120), file_path, session_id, project, pinned";

pub(super) fn hit(row: &Row<'_>) -> rusqlite::Result<SearchHit> {
    Ok(SearchHit {
        id: ObservationId(row.get(0)?),
        timestamp: Timestamp(row.get(1)?),
        obs_type: obs_type(row, 2)?,
        content_preview: row.get(3)?,
        file_path: row.get(4)?,
        session_id: SessionId(row.get(5)?),
        project: row.get(6)?,
        pinned: row.get(7)?,
        score: 0.0,
        excerpt: None,
    })
}

pub(super) fn obs_type(row: &Row<'_>, column: usize) -> rusqlite::Result<ObservationType> {
    let name = row.get_ref(column)?.as_str()?;
    name.parse().map_err(|()| {
        let error = format!("unknown type `{name}`");
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into())
    })
}

fn read_metadata(text: &str) -> rusqlite::Result<Metadata> {
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(10, Type::Text, error.into()))
}

/// Returns all observations that `SELECT columns FROM observed` and the rest of the statement give.
pub(super) fn all(connection: &Connection, rest: &str, params: impl Params) -> Result<Vec<Observation>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM observed {rest}"))?;
    let rows = statement.query_map(params, observation)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn first(connection: &Connection, rest: &str, params: impl Params) -> Result<Option<Observation>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM observed {rest}"))?;
    Ok(statement.query_row(params, observation).optional()?)
}
