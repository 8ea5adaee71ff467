//! claude-mem, as its version 13.25.3 creates its database: what a model wrote about each session of Claude Code.

use std::collections::HashMap;

use super::SourceTable;
use super::draft::{ImportDraft, Mapped, ProjectHint, SourceRecord, by_table, joined, with_list};
use crate::model::ObservationType;

pub(super) const TABLES: &[SourceTable] = &[
    SourceTable { name: "sdk_sessions", columns: &["content_session_id", "memory_session_id", "project"] },
    SourceTable {
        name: "user_prompts",
        columns: &["id", "content_session_id", "prompt_text", "created_at_epoch"],
    },
    SourceTable {
        name: "observations",
        columns: &[
            "id",
            "memory_session_id",
            "project",
            "text",
            "type",
            "title",
            "subtitle",
            "facts",
            "narrative",
            "files_modified",
            "created_at_epoch",
        ],
    },
    SourceTable {
        name: "session_summaries",
        columns: &[
            "id",
            "memory_session_id",
            "project",
            "request",
            "investigated",
            "learned",
            "completed",
            "next_steps",
            "notes",
            "created_at_epoch",
        ],
    },
];

/// The sessions in which claude-mem itself writes its memory.
const OBSERVER: &str = "observer-sessions";

pub(super) fn map(records: &[SourceRecord]) -> Vec<Mapped> {
    let tables = by_table(records);
    let rows = |name: &str| tables.get(name).into_iter().flatten().copied();
    // Its own ids of sessions are known to nobody else.
    let mut sessions: HashMap<String, String> = HashMap::new();
    let mut projects: HashMap<String, String> = HashMap::new();
    for row in rows("sdk_sessions") {
        let Some(content) = row.owned("content_session_id") else { continue };
        row.owned("memory_session_id").map(|memory| sessions.insert(memory, content.clone()));
        row.owned("project").map(|project| projects.insert(content, project));
    }
    let session_of = |row: &SourceRecord| {
        let memory = row.owned("memory_session_id")?;
        Some(sessions.get(&memory).cloned().unwrap_or(memory))
    };
    let prompts = rows("user_prompts").map(|row| {
        let project = row.text("content_session_id").and_then(|session| projects.get(session));
        prompt(row, project.map(String::as_str))
    });
    let observations = rows("observations").map(|row| observation(row, session_of(row)));
    let summaries = rows("session_summaries").map(|row| summary(row, session_of(row)));
    prompts.chain(observations).chain(summaries).collect()
}

fn project(row: &SourceRecord) -> ProjectHint {
    row.owned("project").map_or(ProjectHint::Nowhere, ProjectHint::Named)
}

fn prompt(row: &SourceRecord, project: Option<&str>) -> Mapped {
    let (Some(id), Some(session), Some(text), Some(at)) = (
        row.id("id"),
        row.owned("content_session_id"),
        row.owned("prompt_text"),
        row.time("created_at_epoch"),
    ) else {
        return Mapped::LeftOut("prompts without a session, a text or a time");
    };
    if project == Some(OBSERVER) {
        return Mapped::LeftOut("records of claude-mem's own sessions");
    }
    let project = project.map_or(ProjectHint::Nowhere, |name| ProjectHint::Named(name.to_owned()));
    let draft = ImportDraft::new(format!("prompt {id}"), ObservationType::UserPrompt, text, at);
    Mapped::Draft(ImportDraft { session, project, ..draft })
}

fn observation(row: &SourceRecord, session: Option<String>) -> Mapped {
    if row.text("project") == Some(OBSERVER) {
        return Mapped::LeftOut("records of claude-mem's own sessions");
    }
    let heading = joined([row.text("title"), row.text("subtitle")], " — ");
    let text = row.text("narrative").or(row.text("text"));
    let content = with_list(&joined([Some(heading.as_str()), text], "\n"), &row.list("facts"));
    let (Some(id), Some(session), Some(at), false) =
        (row.id("id"), session, row.time("created_at_epoch"), content.is_empty())
    else {
        return Mapped::LeftOut("observations without a session, a text or a time");
    };
    let draft = ImportDraft::new(format!("observation {id}"), ObservationType::Summary, content, at);
    Mapped::Draft(ImportDraft {
        session,
        project: project(row),
        kind: row.owned("type"),
        file_path: row.list("files_modified").into_iter().next(),
        ..draft
    })
}

fn summary(row: &SourceRecord, session: Option<String>) -> Mapped {
    if row.text("project") == Some(OBSERVER) {
        return Mapped::LeftOut("records of claude-mem's own sessions");
    }
    let part = |label: &str, name: &str| row.text(name).map(|text| format!("{label}: {text}"));
    let parts = [
        row.owned("completed"),
        part("asked", "request"),
        part("learned", "learned"),
        part("next", "next_steps"),
        part("looked at", "investigated"),
        row.owned("notes"),
    ];
    let content = joined(parts.iter().map(Option::as_deref), "\n");
    let (Some(id), Some(session), Some(at), false) =
        (row.id("id"), session, row.time("created_at_epoch"), content.is_empty())
    else {
        return Mapped::LeftOut("summaries without a session, a text or a time");
    };
    let draft = ImportDraft::new(format!("summary {id}"), ObservationType::Outcome, content, at);
    Mapped::Draft(ImportDraft { session, project: project(row), ..draft })
}
