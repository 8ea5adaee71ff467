//! The board in the formats of others: Markdown, the text of a GitHub issue, and the JSON Lines of beads.

use serde_json::{Map, Value, json};

use super::PlanError;
use super::task::read;
use crate::api::nexus::BoardExportWire;
use crate::model::{Task, TaskStatus, Tasks};
use crate::nexus::Nexus;
use crate::system::clock;

/// A format of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportFormat {
    /// A document: each task with all its texts.
    Markdown,
    /// The body of one issue: a checklist.
    GitHub,
    /// One JSON object for each task, as `bd import` reads it.
    Beads,
}

/// Writes all tasks of the board.
pub(crate) fn export(nexus: &Nexus, format: ExportFormat) -> Result<BoardExportWire, PlanError> {
    let tasks = read(nexus)?.ok_or(PlanError::NoTasks)?;
    Ok(match format {
        ExportFormat::Markdown => BoardExportWire { format: "markdown", text: markdown(&tasks) },
        ExportFormat::GitHub => BoardExportWire { format: "github", text: github(&tasks) },
        ExportFormat::Beads => BoardExportWire { format: "beads", text: beads(&tasks, &clock::iso_now()) },
    })
}

fn markdown(tasks: &Tasks) -> String {
    let mut text = format!("# {}\n", line(if tasks.goal.is_empty() { "Tasks" } else { &tasks.goal }));
    text.push_str(&decisions(tasks));
    for task in &tasks.tasks {
        text.push_str(&format!("\n## {}. {}\n\n", task.id, line(&task.title)));
        let owner = task.owner.as_ref().map(|owner| format!(" · owner: {}", line(owner)));
        let deps = (!task.deps.is_empty()).then(|| format!(" · waits for: {}", ids(task)));
        let status = status(&task.status);
        text.push_str(&format!(
            "Status: {status}{}{}\n",
            owner.unwrap_or_default(),
            deps.unwrap_or_default()
        ));
        for (heading, body) in texts(task) {
            text.push_str(&format!("\n**{heading}:** {body}\n"));
        }
    }
    text
}

fn github(tasks: &Tasks) -> String {
    let mut text = String::new();
    if !tasks.goal.is_empty() {
        text.push_str(&format!("{}\n", line(&tasks.goal)));
    }
    text.push_str(&decisions(tasks));
    text.push_str("\n### Tasks\n\n");
    for task in &tasks.tasks {
        let mark = if task.status == TaskStatus::Completed { "x" } else { " " };
        let owner = task.owner.as_ref().map(|owner| format!(" ({})", line(owner))).unwrap_or_default();
        // `#3` would be a link to an issue of that repository.
        text.push_str(&format!("- [{mark}] **{}.** {}{owner}\n", task.id, line(&task.title)));
        if !task.deps.is_empty() {
            text.push_str(&format!("  - after {}\n", ids(task)));
        }
        for (heading, body) in texts(task).into_iter().filter(|(heading, _)| *heading == "Acceptance") {
            text.push_str(&format!("  - {}: {}\n", heading.to_lowercase(), line(body)));
        }
    }
    text.trim_start().to_owned()
}

fn beads(tasks: &Tasks, now: &str) -> String {
    tasks.tasks.iter().map(|task| format!("{}\n", bead(task, now))).collect()
}

/// Returns a task in the words of beads; it accepts titles of up to 500 characters.
fn bead(task: &Task, now: &str) -> Value {
    let id = |id: u64| format!("nx-{id}");
    let created_at = task.created_at.as_deref().unwrap_or(now);
    let mut bead = Map::new();
    let mut put = |name: &str, value: Value| drop(bead.insert(name.to_owned(), value));
    put("id", json!(id(task.id)));
    put("title", json!(task.title.chars().take(500).collect::<String>()));
    put("description", json!(task.context));
    put(
        "status",
        json!(match task.status {
            TaskStatus::Completed => "closed",
            TaskStatus::InProgress => "in_progress",
            TaskStatus::Pending | TaskStatus::Other(_) => "open",
        }),
    );
    put("priority", json!(2));
    put("issue_type", json!("task"));
    put("created_at", json!(created_at));
    put("updated_at", json!(now));
    if task.status == TaskStatus::Completed {
        put("closed_at", json!(now));
    }
    let optional = [
        ("design", &task.approach),
        ("acceptance_criteria", &task.acceptance),
        ("notes", &task.risk),
        ("assignee", &task.owner),
    ];
    for (name, text) in optional {
        if let Some(text) = text {
            put(name, json!(text));
        }
    }
    if !task.deps.is_empty() {
        let blocks = task.deps.iter().map(|dep| {
            json!({ "issue_id": id(task.id), "depends_on_id": id(*dep), "type": "blocks", "created_at": created_at })
        });
        put("dependencies", blocks.collect());
    }
    Value::Object(bead)
}

fn decisions(tasks: &Tasks) -> String {
    let lines = tasks.decisions.iter().map(|decision| format!("- {}\n", line(decision)));
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\nDecided:\n\n{lines}") }
}

/// Returns the texts of a task with their headings; a context that only repeats the title is left out.
fn texts(task: &Task) -> Vec<(&'static str, &str)> {
    let context = Some(&task.context).filter(|context| **context != task.title);
    let all = [
        ("Context", context),
        ("Approach", task.approach.as_ref()),
        ("Acceptance", task.acceptance.as_ref()),
        ("Risk", task.risk.as_ref()),
    ];
    all.into_iter().filter_map(|(heading, text)| Some((heading, text?.as_str()))).collect()
}

fn ids(task: &Task) -> String {
    task.deps.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn status(status: &TaskStatus) -> &str {
    match status {
        TaskStatus::Pending => "pending",
        TaskStatus::InProgress => "in progress",
        TaskStatus::Completed => "done",
        TaskStatus::Other(word) => word,
    }
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
