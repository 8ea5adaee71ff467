//! engram, according to its source of February 2026.

use std::collections::HashMap;

use serde_json::json;

use super::SourceTable;
use super::draft::{ImportDraft, Mapped, ProjectHint, SourceRecord, by_table, joined};
use crate::model::ObservationType;

pub(super) const TABLES: &[SourceTable] = &[
    SourceTable {
        name: "sessions",
        columns: &["id", "project", "directory", "started_at", "ended_at", "summary"],
    },
    SourceTable {
        name: "observations",
        columns: &[
            "id",
            "session_id",
            "type",
            "title",
            "content",
            "project",
            "scope",
            "topic_key",
            "created_at",
            "deleted_at",
        ],
    },
    SourceTable { name: "user_prompts", columns: &["id", "session_id", "content", "project", "created_at"] },
];

pub(super) fn map(records: &[SourceRecord]) -> Vec<Mapped> {
    let tables = by_table(records);
    let rows = |name: &str| tables.get(name).into_iter().flatten().copied();
    let folders: HashMap<String, String> =
        rows("sessions").filter_map(|row| Some((row.id("id")?, row.owned("directory")?))).collect();
    let project = |row: &SourceRecord, session: &str| match folders.get(session) {
        Some(folder) => ProjectHint::Folder(folder.clone()),
        None => row.owned("project").map_or(ProjectHint::Nowhere, ProjectHint::Named),
    };
    let mut mapped = Vec::new();
    for row in rows("sessions") {
        let (Some(session), Some(summary)) = (row.id("id"), row.owned("summary")) else { continue };
        let Some(at) = row.time("ended_at").or_else(|| row.time("started_at")) else { continue };
        let draft = ImportDraft::new(format!("session {session}"), ObservationType::Outcome, summary, at);
        mapped.push(Mapped::Draft(ImportDraft { project: project(row, &session), session, ..draft }));
    }
    for row in rows("user_prompts") {
        let (Some(id), Some(session), Some(text), Some(at)) =
            (row.id("id"), row.id("session_id"), row.owned("content"), row.time("created_at"))
        else {
            mapped.push(Mapped::LeftOut("prompts without a session, a text or a time"));
            continue;
        };
        let draft = ImportDraft::new(format!("prompt {id}"), ObservationType::UserPrompt, text, at);
        mapped.push(Mapped::Draft(ImportDraft { project: project(row, &session), session, ..draft }));
    }
    for row in rows("observations") {
        mapped.push(observation(row, &project));
    }
    mapped
}

fn observation(row: &SourceRecord, project: &dyn Fn(&SourceRecord, &str) -> ProjectHint) -> Mapped {
    if row.fields.get("deleted_at").is_some_and(|deleted| !deleted.is_null()) {
        return Mapped::LeftOut("observations that were deleted in engram");
    }
    let content = joined([row.text("title"), row.text("content")], "\n");
    let (Some(id), Some(session), Some(at), false) =
        (row.id("id"), row.id("session_id"), row.time("created_at"), content.is_empty())
    else {
        return Mapped::LeftOut("observations without a session, a text or a time");
    };
    let mut draft = ImportDraft::new(format!("observation {id}"), ObservationType::Summary, content, at);
    draft.project = project(row, &session);
    draft.session = session;
    draft.kind = row.owned("type");
    draft.facts.extend(row.owned("topic_key").map(|topic| ("topic_key", json!(topic))));
    draft.note = row.owned("topic_key").filter(|_| row.text("scope") == Some("project"));
    if row.text("scope") == Some("personal") {
        return Mapped::OnlyWithAll(draft, "personal observations");
    }
    Mapped::Draft(draft)
}
