//! The reference memory of the Model Context Protocol: a graph of entities, one JSON object per line.

use std::collections::BTreeMap;

use super::draft::{ImportDraft, Mapped, SourceRecord, with_list};
use crate::model::ObservationType;

pub(super) fn map(records: &[SourceRecord]) -> Vec<Mapped> {
    let mut relations: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.text("type") == Some("relation")) {
        if let (Some(from), Some(to), Some(kind)) =
            (record.owned("from"), record.text("to"), record.text("relationType"))
        {
            relations.entry(from).or_default().push(format!("{kind} → {to}"));
        }
    }
    let entities = records.iter().filter(|record| record.text("type") != Some("relation"));
    let mapped = entities.map(|record| {
        let Some(name) = record.owned("name") else { return Mapped::LeftOut("lines without a name") };
        let heading = match record.text("entityType") {
            Some(kind) => format!("{name} ({kind})"),
            None => name.clone(),
        };
        let mut items = record.list("observations");
        items.extend(relations.get(&name).into_iter().flatten().cloned());
        let content = with_list(&heading, &items);
        // What was added to an entity later makes it another one.
        let source_id = format!("entity {name} {content}");
        let draft = ImportDraft::new(source_id, ObservationType::Summary, content, record.modified_ms);
        let (kind, note) = (record.owned("entityType"), Some(name));
        Mapped::Draft(ImportDraft { session: "import:mcp-memory".to_owned(), kind, note, ..draft })
    });
    mapped.collect()
}
