//! Searches what people and agents wrote in a project's `.nexus/`: notes, rules, the open plan, and closed cycles.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use super::notes;
use crate::model::{History, HistoryExtension, Note, Plan, Tasks};
use crate::nexus::{EXTENSION, HISTORY, Nexus, PLAN, TASKS};
use crate::ops::nexus;

/// Maximum number of results of each source, shown beside observations.
const MAX_PER_SOURCE: usize = 3;

/// A search result, with the line that matches the query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Written {
    pub(crate) source: WrittenSource,
    /// The file, relative to the project's root.
    pub(crate) file_path: String,
    /// When the cycle was closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) completed_at: Option<String>,
    pub(crate) content_preview: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WrittenSource {
    Note,
    Rule,
    /// The open plan.
    Plan,
    /// The open tasks.
    Tasks,
    History,
}

/// Returns the best notes, rules and cycles of this folder's project; `nudge doctor` reports what cannot be read.
pub(crate) fn find(cwd: &Path, query: &str) -> Vec<Written> {
    let nexus = nexus::of_folder(cwd);
    if !nexus.exists() {
        return Vec::new();
    }
    let found = notes::search(&nexus, query).unwrap_or_default();
    let found = found.into_iter().take(MAX_PER_SOURCE).map(|found| Written {
        source: WrittenSource::Note,
        file_path: crate::nexus::notes::file(&found.note.name),
        completed_at: None,
        content_preview: found.line,
    });
    found.chain(rules(&nexus, query)).chain(open_work(&nexus, query)).chain(cycles(&nexus, query)).collect()
}

fn rules(nexus: &Nexus, query: &str) -> Vec<Written> {
    let rules = nexus.rules().unwrap_or_default();
    let hits = crate::notes::rank(query, &rules).into_iter().take(MAX_PER_SOURCE);
    let written = hits.map(|hit| Written {
        source: WrittenSource::Rule,
        file_path: crate::nexus::rules::file(&hit.note.name),
        completed_at: None,
        content_preview: hit.line,
    });
    written.collect()
}

/// Searches the open plan and its tasks.
fn open_work(nexus: &Nexus, query: &str) -> Vec<Written> {
    let plan: Option<Plan> = nexus.read(PLAN).ok().flatten();
    let tasks: Option<Tasks> = nexus.read(TASKS).ok().flatten();
    let extension = tasks.as_ref().map(|tasks| (tasks.goal.clone(), tasks.decisions.clone()));
    let open = |file: &'static str, source, cycle: Value, more: Option<(String, Vec<String>)>| {
        let note =
            cycle_as_note(0, &cycle, more.as_ref().map(|(goal, decisions)| (goal.as_str(), &decisions[..])));
        let line = crate::notes::rank(query, &[note]).into_iter().next().map(|hit| hit.line)?;
        let content_preview = line.trim_start_matches("# ").to_owned();
        Some(Written { source, file_path: file.to_owned(), completed_at: None, content_preview })
    };
    let plan = plan.and_then(|plan| open(PLAN, WrittenSource::Plan, json!({ "plan": plan }), None));
    let tasks =
        tasks.and_then(|tasks| open(TASKS, WrittenSource::Tasks, json!({ "tasks": tasks.tasks }), extension));
    plan.into_iter().chain(tasks).collect()
}

fn cycles(nexus: &Nexus, query: &str) -> Vec<Written> {
    let history: History = nexus.read(HISTORY).ok().flatten().unwrap_or_default();
    // A cycle is searched like a note: its topic is the title, decisions and tasks are the lines.
    let extension: HistoryExtension = nexus.read(EXTENSION).ok().flatten().unwrap_or_default();
    let as_note = |(at, cycle): (usize, &Value)| {
        let more = extension.of_cycle(cycle).map(|more| (more.goal.as_str(), &more.decisions[..]));
        cycle_as_note(at, cycle, more)
    };
    let as_notes: Vec<Note> = history.cycles.iter().enumerate().map(as_note).collect();
    let hits = crate::notes::rank(query, &as_notes).into_iter().take(MAX_PER_SOURCE);
    let written = hits.filter_map(|hit| {
        let cycle = history.cycles.get(hit.note.name.parse::<usize>().ok()?)?;
        Some(Written {
            source: WrittenSource::History,
            file_path: HISTORY.to_owned(),
            completed_at: cycle["completed_at"].as_str().map(str::to_owned),
            content_preview: hit.line.trim_start_matches("# ").to_owned(),
        })
    });
    written.collect()
}

fn cycle_as_note(number: usize, cycle: &Value, more: Option<(&str, &[String])>) -> Note {
    let mut text = format!("# {}\n", cycle["plan"]["topic"].as_str().unwrap_or_default());
    if let Some((goal, decisions)) = more {
        text.push_str(&format!("{goal}\n"));
        decisions.iter().for_each(|decision| text.push_str(&format!("{decision}\n")));
    }
    for issue in cycle["plan"]["issues"].as_array().into_iter().flatten() {
        let (title, decision) = (&issue["title"], &issue["decision"]);
        text.push_str(&format!(
            "{}: {}\n",
            title.as_str().unwrap_or_default(),
            decision.as_str().unwrap_or("open")
        ));
    }
    for task in cycle["tasks"].as_array().into_iter().flatten() {
        text.push_str(&format!("{}\n", task["title"].as_str().unwrap_or_default()));
    }
    Note { name: number.to_string(), bytes: text.len() as u64, text }
}
