//! Memories that are Markdown files: Serena, Claude Code, Codex, basic-memory.

use super::draft::{ImportDraft, Mapped, SourceRecord};
use crate::model::ObservationType;

pub(super) fn serena(records: &[SourceRecord]) -> Vec<Mapped> {
    records.iter().map(|record| file(record, "serena")).collect()
}

pub(super) fn basic_memory(records: &[SourceRecord]) -> Vec<Mapped> {
    records.iter().map(|record| file(record, "basic-memory")).collect()
}

pub(super) fn claude_memory(records: &[SourceRecord]) -> Vec<Mapped> {
    let mapped = records.iter().map(|record| {
        // The index repeats the first lines of the others.
        if record.name == "MEMORY.md" {
            return Mapped::LeftOut("the index of the memory");
        }
        let about_user = frontmatter(&record.text, "type").is_some_and(|kind| kind == "user");
        match file(record, "claude-memory") {
            Mapped::Draft(draft) if about_user => {
                Mapped::OnlyWithAll(draft, "what is about you, not about the project")
            }
            mapped => mapped,
        }
    });
    mapped.collect()
}

pub(super) fn codex_memory(records: &[SourceRecord]) -> Vec<Mapped> {
    let mapped = records.iter().map(|record| {
        if record.name == "raw_memories.md" || record.name.starts_with("extensions/") {
            return Mapped::LeftOut("raw material of Codex's memory");
        }
        match file(record, "codex-memory") {
            Mapped::Draft(draft) if record.name.starts_with("rollout_summaries/") => {
                Mapped::Draft(ImportDraft { obs_type: ObservationType::Outcome, note: None, ..draft })
            }
            mapped => mapped,
        }
    });
    mapped.collect()
}

/// Returns the text of a file under its title.
fn file(record: &SourceRecord, tool: &str) -> Mapped {
    let (title, body) = (title_of(record), body_of(&record.text));
    if body.is_empty() {
        return Mapped::LeftOut("empty files");
    }
    let content = if body.contains(&title) { body.to_owned() } else { format!("{title}\n{body}") };
    // A file that has changed is another observation.
    let source_id = format!("{} {content}", record.name);
    let draft = ImportDraft::new(source_id, ObservationType::Summary, content, record.modified_ms);
    let kind = frontmatter(&record.text, "type");
    Mapped::Draft(ImportDraft { session: format!("import:{tool}"), kind, note: Some(title), ..draft })
}

/// Returns the title that the file has, or its name: `topic/name.md` is `topic name`.
fn title_of(record: &SourceRecord) -> String {
    let named = frontmatter(&record.text, "title").or_else(|| frontmatter(&record.text, "name"));
    named.unwrap_or_else(|| record.name.trim_end_matches(".md").replace(['/', '_', '-'], " "))
}

/// Returns the lines between the two marks at the beginning, and the rest.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches('\u{feff}');
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return ("", text);
    };
    rest.split_once("\n---").unwrap_or(("", text))
}

fn body_of(text: &str) -> &str {
    split(text).1.trim()
}

/// Returns a value of the first lines; one that is nested counts too.
fn frontmatter(text: &str, name: &str) -> Option<String> {
    let lines = split(text).0.lines();
    let mut values = lines.filter_map(|line| line.trim().strip_prefix(name)?.trim_start().strip_prefix(':'));
    let value = values.next()?.trim().trim_matches(['"', '\'']);
    (!value.is_empty()).then(|| value.to_owned())
}
