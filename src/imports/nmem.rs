//! nmem, according to its source of April 2026: it keeps nearly what nudge keeps.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::SourceTable;
use super::draft::{ImportDraft, Mapped, ProjectHint, SourceRecord, by_table};
use crate::model::ObservationType;

pub(super) const TABLES: &[SourceTable] = &[
    SourceTable { name: "sessions", columns: &["id", "project", "started_at", "ended_at", "summary"] },
    SourceTable { name: "prompts", columns: &["id", "session_id", "timestamp", "source", "content"] },
    SourceTable {
        name: "observations",
        columns: &[
            "id",
            "session_id",
            "timestamp",
            "obs_type",
            "tool_name",
            "file_path",
            "content",
            "metadata",
            "is_pinned",
        ],
    },
];

pub(super) fn map(records: &[SourceRecord]) -> Vec<Mapped> {
    let tables = by_table(records);
    let rows = |name: &str| tables.get(name).into_iter().flatten().copied();
    let projects: HashMap<String, String> =
        rows("sessions").filter_map(|row| Some((row.id("id")?, row.owned("project")?))).collect();
    let project = |session: &str| match projects.get(session) {
        Some(path) if path.starts_with('/') => ProjectHint::Folder(path.clone()),
        Some(name) => ProjectHint::Named(name.clone()),
        None => ProjectHint::Nowhere,
    };
    let placed = |draft: ImportDraft, session: String| {
        Mapped::Draft(ImportDraft { project: project(&session), session, ..draft })
    };
    let mut mapped = Vec::new();
    for row in rows("sessions") {
        let (Some(session), Some(summary)) = (row.id("id"), summary_of(row)) else { continue };
        let Some(at) = row.time("ended_at").or_else(|| row.time("started_at")) else { continue };
        let draft = ImportDraft::new(format!("session {session}"), ObservationType::Outcome, summary, at);
        mapped.push(placed(draft, session));
    }
    for row in rows("prompts") {
        if row.text("source") != Some("user") {
            mapped.push(Mapped::LeftOut("what the agent thought"));
            continue;
        }
        let (Some(id), Some(session), Some(text), Some(at)) =
            (row.id("id"), row.id("session_id"), row.owned("content"), row.time("timestamp"))
        else {
            mapped.push(Mapped::LeftOut("prompts without a session, a text or a time"));
            continue;
        };
        let draft = ImportDraft::new(format!("prompt {id}"), ObservationType::UserPrompt, text, at);
        mapped.push(placed(draft, session));
    }
    for row in rows("observations") {
        let (Some(session), Some(draft)) = (row.id("session_id"), observation(row)) else {
            mapped.push(Mapped::LeftOut("observations without a session, a text, a time or a known type"));
            continue;
        };
        mapped.push(placed(draft, session));
    }
    mapped
}

/// Returns the summary of a session, which is a JSON text.
fn summary_of(row: &SourceRecord) -> Option<String> {
    let text = row.text("summary")?;
    let Ok(Value::Object(parts)) = serde_json::from_str(text) else { return Some(text.to_owned()) };
    let lines = parts.iter().filter_map(|(name, value)| match value {
        Value::String(text) if !text.trim().is_empty() => Some(format!("{name}: {text}")),
        Value::Array(items) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            (!items.is_empty()).then(|| format!("{name}: {}", items.join("; ")))
        }
        _ => None,
    });
    Some(lines.collect::<Vec<_>>().join("\n")).filter(|summary| !summary.is_empty())
}

fn observation(row: &SourceRecord) -> Option<ImportDraft> {
    let own = row.text("obs_type")?;
    let metadata: Value =
        row.text("metadata").and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let exit_code = metadata["exit_code"].as_i64();
    let (obs_type, kind) = match own {
        "command" if exit_code.is_some_and(|code| code != 0) => (ObservationType::CommandError, None),
        "web_fetch" | "web_search" => (ObservationType::Search, Some("web")),
        "task_spawn" => (ObservationType::Command, Some("agent")),
        "git_commit" | "git_push" => (ObservationType::Command, Some(own)),
        _ => (own.parse().ok()?, None),
    };
    let mut draft = ImportDraft::new(
        format!("observation {}", row.id("id")?),
        obs_type,
        row.owned("content")?,
        row.time("timestamp")?,
    );
    draft.kind = kind.map(str::to_owned);
    draft.file_path = row.owned("file_path");
    draft.pinned = row.is("is_pinned");
    draft.facts.extend(exit_code.map(|code| ("exit_code", json!(code))));
    draft.facts.extend(metadata["command"].as_str().map(|command| ("command", json!(command))));
    Some(draft)
}
