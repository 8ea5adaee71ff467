//! The requests and answers about the project's notes and guidance.

use serde::Serialize;

use super::Refusal;
use super::arguments::Arguments;
use super::list::IsoTime;
use crate::model::Category;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotesRequest {
    Store(StoreRequest),
    Search {
        query: String,
        limit: usize,
    },
    /// A dry run, unless paths are given and confirmed.
    Gc {
        remove: Option<Vec<String>>,
        /// The note that their texts are added to first.
        into: Option<String>,
    },
    StoreRule(RuleRequest),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoreRequest {
    pub(crate) content: String,
    pub(crate) name: Option<String>,
    pub(crate) category: Option<Category>,
    pub(crate) tags: Vec<String>,
    pub(crate) new: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleRequest {
    pub(crate) content: String,
    pub(crate) name: Option<String>,
    pub(crate) overwrite: bool,
    pub(crate) new: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum NotesResponse {
    Stored(StoredWire),
    Found(NotesFoundWire),
    Plan(NotesPlanWire),
    Removed(NotesRemovedWire),
    RuleStored(RuleStoredWire),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct StoredWire {
    /// `created`, `merged` or `unchanged`
    pub(crate) stored: &'static str,
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RuleStoredWire {
    /// `created`, `changed` or `unchanged`
    pub(crate) stored: &'static str,
    pub(crate) path: String,
    /// The text before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replaced: Option<String>,
}

/// `nudge note show --json`.
#[derive(Debug, Serialize)]
pub(crate) struct NoteJson {
    pub(crate) path: String,
    pub(crate) tags: Vec<String>,
    pub(crate) bytes: u64,
    pub(crate) text: String,
}

/// One note in a list.
#[derive(Debug, Serialize)]
pub(crate) struct ListedNoteJson {
    pub(crate) path: String,
    pub(crate) tags: Vec<String>,
    pub(crate) bytes: u64,
    pub(crate) reads: u64,
    pub(crate) last_read_at: Option<IsoTime>,
}

/// A deleted note that can be restored.
#[derive(Debug, Serialize)]
pub(crate) struct DeletedNoteJson {
    pub(crate) path: String,
    pub(crate) commit: String,
    pub(crate) deleted_at: IsoTime,
}

/// A text of guidance in a list.
#[derive(Debug, Serialize)]
pub(crate) struct GuidanceJson {
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct NotesFoundWire {
    /// Includes notes beyond the limit.
    pub(crate) total: usize,
    pub(crate) notes: Vec<NoteFoundWire>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct NoteFoundWire {
    pub(crate) path: String,
    pub(crate) line: String,
    pub(crate) tags: Vec<String>,
    pub(crate) reads: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct NotesPlanWire {
    pub(crate) dry_run: bool,
    pub(crate) notes: Vec<NotePlanWire>,
    /// Paths whose removal is proposed.
    pub(crate) proposed: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct NotePlanWire {
    pub(crate) path: String,
    pub(crate) advice: &'static str,
    pub(crate) reasons: Vec<String>,
    /// Null if the note was never read.
    pub(crate) reads: Option<u64>,
    pub(crate) days_since_read: Option<u32>,
    pub(crate) cycles_since_read: Option<u32>,
    pub(crate) bytes: u64,
    pub(crate) lines: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct NotesRemovedWire {
    pub(crate) dry_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) merged_into: Option<String>,
    pub(crate) removed: Vec<NoteRemovedWire>,
    pub(crate) refused: Vec<NoteRefusedWire>,
    pub(crate) detached: bool,
    pub(crate) pruned_records: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct NoteRemovedWire {
    pub(crate) path: String,
    pub(crate) commit: String,
    /// The command to run in the repository's root.
    pub(crate) recovery: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct NoteRefusedWire {
    pub(crate) path: String,
    pub(crate) reason: String,
}

pub(super) fn parse_store(arguments: &Arguments<'_>) -> Result<NotesRequest, Refusal> {
    Ok(NotesRequest::Store(StoreRequest {
        content: required(arguments, "content")?,
        name: name(arguments)?,
        category: arguments.one_of("category", Category::ALL.map(|category| (category.name(), category)))?,
        tags: arguments.texts("tags")?.unwrap_or_default(),
        new: arguments.flag("new")?,
    }))
}

pub(super) fn parse_search(arguments: &Arguments<'_>) -> Result<NotesRequest, Refusal> {
    Ok(NotesRequest::Search { query: required(arguments, "query")?, limit: arguments.count("limit")? })
}

pub(super) fn parse_gc(arguments: &Arguments<'_>) -> Result<NotesRequest, Refusal> {
    let remove = parse_paths_to_remove(arguments)?;
    let into = arguments.text("into")?.filter(|path| !path.is_empty()).map(str::to_owned);
    if into.is_some() && remove.is_none() {
        return Err(Refusal::new(
            "`into` needs `confirm` and `paths`: the notes that the user agreed to merge into it",
        ));
    }
    Ok(NotesRequest::Gc { remove, into })
}

pub(super) fn parse_store_rule(arguments: &Arguments<'_>) -> Result<NotesRequest, Refusal> {
    Ok(NotesRequest::StoreRule(RuleRequest {
        content: required(arguments, "content")?,
        name: name(arguments)?,
        overwrite: arguments.flag("overwrite")?,
        new: arguments.flag("new")?,
    }))
}

fn required(arguments: &Arguments<'_>, name: &str) -> Result<String, Refusal> {
    let text = arguments.text(name)?.filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or_else(|| Refusal::new(format!("{name} is required")))
}

fn name(arguments: &Arguments<'_>) -> Result<Option<String>, Refusal> {
    Ok(arguments.text("name")?.filter(|name| !name.is_empty()).map(str::to_owned))
}

/// Paths without confirmation, or confirmation without paths, are a misunderstanding.
fn parse_paths_to_remove(arguments: &Arguments<'_>) -> Result<Option<Vec<String>>, Refusal> {
    let paths = arguments.texts("paths")?.unwrap_or_default();
    match (arguments.flag("confirm")?, paths.is_empty()) {
        (false, true) => Ok(None),
        (true, false) => Ok(Some(paths)),
        (true, true) => Err(Refusal::new(
            "`paths` is required with `confirm`: the paths of the dry run that the user agreed to remove",
        )),
        (false, false) => Err(Refusal::new(
            "`confirm` must be true to remove `paths`: show the user the dry run, and ask first",
        )),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use serde_json::json;

    use crate::api::{Request, Tool};

    #[test]
    fn requests_are_parsed_or_refused_with_a_sentence() {
        let read = |tool: &str, arguments: serde_json::Value| match Tool::by_name(tool)
            .unwrap()
            .parse(arguments.as_object().unwrap())
        {
            Ok(Request::Notes(request)) => format!("{request:?}\n"),
            Ok(other) => panic!("{other:?}"),
            Err(refusal) => format!("refused: {refusal}\n"),
        };
        let results = [
            read("nx_memory_store", json!({ "content": "a" })),
            read(
                "nx_memory_store",
                json!({ "content": "a", "name": "x", "category": "pattern", "tags": ["t"], "new": true }),
            ),
            read("nx_memory_store", json!({ "content": " " })),
            read("nx_memory_store", json!({ "content": "a", "category": "misc" })),
            read("nx_memory_store", json!({ "content": "a", "new": "maybe" })),
            read("nx_memory_search", json!({ "query": "a", "limit": 900 })),
            read("nx_memory_search", json!({})),
            read("nx_memory_gc", json!({})),
            read("nx_memory_gc", json!({ "confirm": false, "paths": [] })),
            read("nx_memory_gc", json!({ "confirm": true, "paths": ["a"] })),
            read("nx_memory_gc", json!({ "confirm": true })),
            read("nx_memory_gc", json!({ "paths": ["a"] })),
            read("nx_memory_gc", json!({ "confirm": true, "paths": ["a"], "into": "b" })),
            read("nx_memory_gc", json!({ "into": "b" })),
            read("nx_rule_store", json!({ "content": "a" })),
            read("nx_rule_store", json!({ "content": "a", "name": "x", "overwrite": true, "new": "true" })),
            read("nx_rule_store", json!({ "name": "x", "overwrite": true })),
        ];
        expect![[r#"
            Store(StoreRequest { content: "a", name: None, category: None, tags: [], new: false })
            Store(StoreRequest { content: "a", name: Some("x"), category: Some(Pattern), tags: ["t"], new: true })
            refused: content is required
            refused: `category` must be one of empirical, external, pattern, not "misc"
            refused: `new` must be true or false
            Search { query: "a", limit: 50 }
            refused: query is required
            Gc { remove: None, into: None }
            Gc { remove: None, into: None }
            Gc { remove: Some(["a"]), into: None }
            refused: `paths` is required with `confirm`: the paths of the dry run that the user agreed to remove
            refused: `confirm` must be true to remove `paths`: show the user the dry run, and ask first
            Gc { remove: Some(["a"]), into: Some("b") }
            refused: `into` needs `confirm` and `paths`: the notes that the user agreed to merge into it
            StoreRule(RuleRequest { content: "a", name: None, overwrite: false, new: false })
            refused: `new` must be true or false
            refused: content is required
        "#]].assert_eq(&results.concat());
    }
}
