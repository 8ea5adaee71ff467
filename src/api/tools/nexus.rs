//! The tools about plan, tasks and history.
//!
//! `action` and `status` are plain strings in the schema, with their values in the description: a client that validates
//! against a list would refuse in its own words where the contract has a sentence.

use super::{ArgumentReader, Tool, ToolEffect};
use crate::api::argument::ArgumentKind::{Flag, Number, Numbers, Text, TextMap, Texts, Word};
use crate::api::argument::{Argument, hidden, optional, required};
use crate::api::nexus::NexusRequest;
use crate::api::nexus::request::{
    parse_artifact_write, parse_history_search, parse_plan_decide, parse_plan_start, parse_plan_update,
    parse_task_add, parse_task_close, parse_task_list, parse_task_update,
};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "nx_plan_start",
        title: "Start a plan",
        about: "Begin a plan: a topic and the issues to decide before work starts. An open plan is archived first; the same plan again \
                changes nothing.",
        arguments: &[
            required("topic", Text, "What the plan is about"),
            required("issues", Texts, "Titles of the issues to decide"),
            required("research_summary", Text, "What was found out beforehand"),
            optional(
                "previous",
                Word(&["archive", "refuse"]),
                "What to do if a plan is open: archive it (default), or refuse",
            ),
        ],
        output: None,
        effect: ToolEffect::Changes { destructive: false, idempotent: false },
        reader: ArgumentReader::Nexus(parse_plan_start),
    },
    Tool {
        name: "nx_plan_status",
        title: "Plan status",
        about: "Show the open plan with its issues and decisions.",
        arguments: &[],
        output: None,
        effect: ToolEffect::Reads,
        reader: ArgumentReader::Nexus(|_| Ok(NexusRequest::PlanStatus)),
    },
    Tool {
        name: "nx_plan_update",
        title: "Update the plan",
        about: "Add, remove, edit or reopen an issue of the open plan. Reopening drops its decision.",
        arguments: &[
            required("action", Text, "add, remove, edit or reopen"),
            optional("issue_id", Number, "For remove, edit, reopen"),
            optional("title", Text, "For add, edit"),
        ],
        output: None,
        effect: ToolEffect::Changes { destructive: true, idempotent: false },
        reader: ArgumentReader::Nexus(parse_plan_update),
    },
    Tool {
        name: "nx_plan_decide",
        title: "Decide an issue",
        about: "Record the decision on an issue of the open plan; returns the remaining issues.",
        arguments: &[
            required("issue_id", Number, "Which issue"),
            required("decision", Text, "What was decided, and why"),
            optional("how_agents", Texts, "Agents that were asked"),
            optional("how_summary", TextMap, "What each said, by agent"),
            optional("how_agent_ids", TextMap, "Their ids, by agent"),
            optional("plan_id", Number, "The plan that is meant; refused if another one is open by now"),
            // The old name of `decision`.
            hidden("summary", Text),
        ],
        output: None,
        effect: ToolEffect::Changes { destructive: true, idempotent: true },
        reader: ArgumentReader::Nexus(parse_plan_decide),
    },
    Tool {
        name: "nx_task_list",
        title: "List tasks",
        about: "List the tasks of the open cycle; summary.ready has the ids that can begin now, summary.blocked counts \
                those in progress.",
        arguments: &[
            optional("status", Word(&["pending", "in_progress", "completed"]), "Only tasks with this status"),
            optional("owner", Text, "Only tasks of this role"),
            optional("ready", Flag, "Only tasks that can begin now"),
            optional("limit", Number, "Up to this many tasks; the summary counts all"),
        ],
        output: None,
        effect: ToolEffect::Reads,
        reader: ArgumentReader::Nexus(parse_task_list),
    },
    Tool {
        name: "nx_task_add",
        title: "Add a task",
        about: "Add a task to the open cycle.",
        arguments: TASK_ADD,
        output: None,
        effect: ToolEffect::Changes { destructive: false, idempotent: false },
        reader: ArgumentReader::Nexus(parse_task_add),
    },
    Tool {
        name: "nx_task_update",
        title: "Update a task",
        about: "Set the status of a task, or edit it.",
        arguments: TASK_UPDATE,
        output: None,
        effect: ToolEffect::Changes { destructive: false, idempotent: true },
        reader: ArgumentReader::Nexus(parse_task_update),
    },
    Tool {
        name: "nx_task_close",
        title: "Close the cycle",
        about: "Archive the open plan and its tasks to the history, and clear them. Ask the user about open tasks first, and pass the answer as open_tasks.",
        arguments: &[optional(
            "open_tasks",
            Word(&["archive", "carry", "refuse"]),
            "What to do with open tasks: archive them unfinished (default), carry them over to the next cycle, or refuse",
        )],
        output: None,
        effect: ToolEffect::Changes { destructive: false, idempotent: false },
        reader: ArgumentReader::Nexus(parse_task_close),
    },
    Tool {
        name: "nx_history_search",
        title: "Search history",
        about: "Find closed cycles by any text in them; oldest of the last ones first.",
        arguments: &[
            optional("query", Text, "Part of any text; case does not matter; default: all"),
            optional("last_n", Number, "Up to this many of the latest; default 10"),
        ],
        output: None,
        effect: ToolEffect::Reads,
        reader: ArgumentReader::Nexus(parse_history_search),
    },
    Tool {
        name: "nx_context",
        title: "Context",
        about: "Show the state of the work: branch, goal, number of tasks, decisions in force.",
        arguments: &[],
        output: None,
        effect: ToolEffect::Reads,
        reader: ArgumentReader::Nexus(|_| Ok(NexusRequest::Context)),
    },
    Tool {
        name: "nx_artifact_write",
        title: "Write an artifact",
        about: "Write a text file to .nexus/state/artifacts, replacing one of the same name.",
        arguments: &[
            required("filename", Text, "Relative, may have folders"),
            required("content", Text, "The whole text"),
        ],
        output: None,
        effect: ToolEffect::Changes { destructive: true, idempotent: true },
        reader: ArgumentReader::Nexus(parse_artifact_write),
    },
];

const TASK_UPDATE: &[Argument] = &[
    required("id", Number, "Which task"),
    optional(
        "status",
        Word(&["pending", "in_progress", "completed"]),
        "pending, in_progress or completed; may be left out where something else changes",
    ),
    optional(
        "expect",
        Word(&["pending", "in_progress", "completed"]),
        "Status that it must have now; refused otherwise. With `pending`, only one of several agents gets the task",
    ),
    optional("title", Text, "New title"),
    optional("context", Text, "New context"),
    optional("approach", Text, "New approach; empty removes it"),
    optional("acceptance", Text, "New acceptance; empty removes it"),
    optional("risk", Text, "New risk; empty removes it"),
    optional("deps", Numbers, "Ids of all tasks to complete first"),
    optional("plan_issue", Number, "Issue of the plan that it comes from"),
    optional("owner", Text, "Role that does it; empty removes it"),
    optional("owner_agent_id", Text, "Id of the agent that does it; empty removes it"),
    optional(
        "owner_reuse_policy",
        Word(&["fresh", "resume_if_same_artifact", "resume"]),
        "fresh, resume_if_same_artifact or resume",
    ),
];

const TASK_ADD: &[Argument] = &[
    required("title", Text, "What to do"),
    required("context", Text, "Why, and what one must know to do it"),
    optional("deps", Numbers, "Ids of tasks to complete first"),
    optional("approach", Text, "How to do it"),
    optional("acceptance", Text, "When it is done"),
    optional("risk", Text, "What may go wrong"),
    optional("plan_issue", Number, "Issue of the plan that it comes from"),
    optional("goal", Text, "Goal of all tasks; replaces the last one"),
    optional("decisions", Texts, "Decisions for all tasks; added to the existing ones"),
    optional("owner", Text, "Role that does it"),
    optional("owner_agent_id", Text, "Id of the agent that does it"),
    optional(
        "owner_reuse_policy",
        Word(&["fresh", "resume_if_same_artifact", "resume"]),
        "fresh, resume_if_same_artifact or resume",
    ),
];
