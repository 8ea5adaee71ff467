//! beads, according to its source of May 2026: issues and memories, one JSON object per line.
//!
//! Issues come in as summaries, with their status: a plan is something that people agree on, not something to import.

use serde_json::json;

use super::draft::{ImportDraft, Mapped, SourceRecord, joined};
use crate::model::ObservationType;

pub(super) fn map(records: &[SourceRecord]) -> Vec<Mapped> {
    records.iter().map(one).collect()
}

fn one(record: &SourceRecord) -> Mapped {
    match record.text("_type") {
        Some("memory") => memory(record),
        None | Some("issue") => issue(record),
        Some(_) => Mapped::LeftOut("records that are neither issues nor memories"),
    }
}

fn memory(record: &SourceRecord) -> Mapped {
    let (Some(key), Some(value)) = (record.owned("key"), record.owned("value")) else {
        return Mapped::LeftOut("memories without a text");
    };
    let draft = ImportDraft::new(
        format!("memory {key} {value}"),
        ObservationType::Summary,
        format!("{key}: {value}"),
        record.modified_ms,
    );
    Mapped::Draft(ImportDraft { session: "import:beads".to_owned(), note: Some(key), ..draft })
}

fn issue(record: &SourceRecord) -> Mapped {
    if record.is("ephemeral") || record.is("is_template") {
        return Mapped::LeftOut("templates and ephemeral issues");
    }
    let (Some(id), Some(title)) = (record.owned("id"), record.owned("title")) else {
        return Mapped::LeftOut("issues without an id or a title");
    };
    let status = record.owned("status").unwrap_or_else(|| "open".to_owned());
    let part = |label: &str, name: &str| record.text(name).map(|text| format!("{label}: {text}"));
    let waits_for: Vec<&str> = record
        .fields
        .get("dependencies")
        .and_then(|list| list.as_array())
        .into_iter()
        .flatten()
        .filter_map(|one| one["depends_on_id"].as_str())
        .collect();
    let waits_for = (!waits_for.is_empty()).then(|| format!("waits for: {}", waits_for.join(", ")));
    let parts = [
        Some(format!("{id} {title} ({status})")),
        record.owned("description"),
        part("approach", "design"),
        part("done when", "acceptance_criteria"),
        record.owned("notes"),
        waits_for,
        part("closed", "close_reason"),
    ];
    let content = joined(parts.iter().map(Option::as_deref), "\n");
    let updated =
        record.time("updated_at").or_else(|| record.time("created_at")).unwrap_or(record.modified_ms);
    // Another status makes another observation of it.
    let mut draft = ImportDraft::new(
        format!("issue {id} {status} {updated}"),
        ObservationType::Summary,
        content,
        updated,
    );
    draft.session = "import:beads".to_owned();
    draft.kind = Some("issue".to_owned());
    draft.facts.push(("status", json!(status)));
    if status == "closed" {
        return Mapped::OnlyWithAll(draft, "closed issues");
    }
    Mapped::Draft(draft)
}
