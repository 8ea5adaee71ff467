//! What an agent reads about the tools for plan, tasks and history.
//!
//! `action` and `status` are plain strings here, with their values in the description: a client that validates against
//! a list would refuse in its own words where the contract has a sentence.

use rmcp::model::{Tool as ToolWire, ToolAnnotations};
use serde_json::{Value, json};

use super::{map, object};
use crate::api::nexus::NexusTool;

/// Describes a tool.
pub(super) fn describe(tool: NexusTool) -> ToolWire {
    let (title, description, input) = match tool {
        NexusTool::PlanStart => (
            "Start a plan",
            "Begin a plan: a topic and the issues to decide before work starts. An open plan is archived first.",
            object(
                &json!({
                    "topic": text("What the plan is about"),
                    "issues": texts("Titles of the issues to decide"),
                    "research_summary": text("What was found out beforehand"),
                }),
                &["topic", "issues", "research_summary"],
            ),
        ),
        NexusTool::PlanStatus => ("Plan status", "Show the open plan with its issues and decisions.", none()),
        NexusTool::PlanUpdate => (
            "Update the plan",
            "Add, remove, edit or reopen an issue of the open plan. Reopening drops its decision.",
            object(
                &json!({
                    "action": text("add, remove, edit or reopen"),
                    "issue_id": number("For remove, edit, reopen"),
                    "title": text("For add, edit"),
                }),
                &["action"],
            ),
        ),
        NexusTool::PlanDecide => (
            "Decide an issue",
            "Record the decision on an issue of the open plan; returns the remaining issues.",
            object(
                &json!({
                    "issue_id": number("Which issue"),
                    "decision": text("What was decided, and why"),
                    "how_agents": texts("Agents that were asked"),
                    "how_summary": texts_by_name("What each said, by agent"),
                    "how_agent_ids": texts_by_name("Their ids, by agent"),
                }),
                &["issue_id", "decision"],
            ),
        ),
        NexusTool::TaskList => (
            "List tasks",
            "List the tasks of the open cycle; summary.ready has the ids that can begin now, summary.blocked counts \
             those in progress.",
            none(),
        ),
        NexusTool::TaskAdd => ("Add a task", "Add a task to the open cycle.", task_add()),
        NexusTool::TaskUpdate => (
            "Update a task",
            "Set the status of a task.",
            object(
                &json!({ "id": number("Which task"), "status": text("pending, in_progress or completed") }),
                &["id", "status"],
            ),
        ),
        NexusTool::TaskClose => {
            ("Close the cycle", "Archive the open plan and its tasks to the history, and clear them.", none())
        }
        NexusTool::HistorySearch => (
            "Search history",
            "Find closed cycles by any text in them; oldest of the last ones first.",
            object(
                &json!({
                    "query": text("Part of any text; case does not matter; default: all"),
                    "last_n": number("Up to this many of the latest; default 10"),
                }),
                &[],
            ),
        ),
        NexusTool::Context => (
            "Context",
            "Show the state of the work: branch, goal, number of tasks, decisions in force.",
            none(),
        ),
        NexusTool::ArtifactWrite => (
            "Write an artifact",
            "Write a text file to .nexus/state/artifacts, replacing one of the same name.",
            object(
                &json!({ "filename": text("Relative, may have folders"), "content": text("The whole text") }),
                &["filename", "content"],
            ),
        ),
    };
    ToolWire::new(tool.name(), description, map(input)).with_title(title).with_annotations(annotations(tool))
}

fn annotations(tool: NexusTool) -> ToolAnnotations {
    use NexusTool::{
        ArtifactWrite, Context, HistorySearch, PlanDecide, PlanStatus, PlanUpdate, TaskList, TaskUpdate,
    };
    let is_read_only = matches!(tool, PlanStatus | TaskList | HistorySearch | Context);
    // The others only add, or keep in the history what they remove.
    let destroys = matches!(tool, PlanUpdate | PlanDecide | ArtifactWrite);
    let is_idempotent = is_read_only || matches!(tool, PlanDecide | TaskUpdate | ArtifactWrite);
    ToolAnnotations::new()
        .read_only(is_read_only)
        .destructive(destroys)
        .idempotent(is_idempotent)
        .open_world(false)
}

fn task_add() -> Value {
    object(
        &json!({
            "title": text("What to do"),
            "context": text("Why, and what one must know to do it"),
            "deps": { "type": "array", "items": { "type": "number" }, "description": "Ids of tasks to complete first" },
            "approach": text("How to do it"),
            "acceptance": text("When it is done"),
            "risk": text("What may go wrong"),
            "plan_issue": number("Issue of the plan that it comes from"),
            "goal": text("Goal of all tasks; replaces the last one"),
            "decisions": texts("Decisions for all tasks; added to the existing ones"),
            "owner": text("Role that does it"),
            "owner_agent_id": text("Id of the agent that does it"),
            "owner_reuse_policy": text("fresh, resume_if_same_artifact or resume"),
        }),
        &["title", "context"],
    )
}

fn none() -> Value {
    object(&json!({}), &[])
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn number(description: &str) -> Value {
    json!({ "type": "number", "description": description })
}

fn texts(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": description })
}

fn texts_by_name(description: &str) -> Value {
    json!({ "type": "object", "additionalProperties": { "type": "string" }, "description": description })
}
