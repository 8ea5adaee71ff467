//! The arguments of `nudge task add`, `edit` and `close`, as requests.

use clap::ValueEnum;

use super::nexus::{self, ReusePolicyArg};
use crate::api::nexus::{OpenTasksChoice, TaskAddRequest, TaskEdit, TaskUpdateRequest};
use crate::model::TaskStatus;

/// Add a task
#[derive(clap::Args)]
pub(crate) struct TaskAddArgs {
    /// What to do; quotes are not needed
    #[arg(value_parser = nexus::filled, required = true)]
    title: Vec<String>,

    /// Background [default: the title]
    #[arg(long, value_name = "TEXT", value_parser = nexus::filled)]
    context: Option<String>,

    /// Tasks that must be completed first, for example `1,2`
    #[arg(long, value_name = "ID", value_parser = nexus::id, value_delimiter = ',')]
    deps: Vec<u64>,

    #[command(flatten)]
    details: TaskDetailArgs,

    /// Goal of all tasks; replaces the last one
    #[arg(long, value_name = "TEXT", value_parser = nexus::filled)]
    goal: Option<String>,

    /// Decision that applies to all tasks; can be repeated
    #[arg(long = "decision", value_name = "TEXT")]
    decisions: Vec<String>,
}

// No doc comment: clap would show it as the description of the command.
#[derive(clap::Args)]
struct TaskDetailArgs {
    /// How to do it
    #[arg(long, value_name = "TEXT")]
    approach: Option<String>,

    /// When it counts as done
    #[arg(long, value_name = "TEXT")]
    acceptance: Option<String>,

    /// What can go wrong
    #[arg(long, value_name = "TEXT")]
    risk: Option<String>,

    /// Issue of the plan that led to it
    #[arg(long, value_name = "ID", value_parser = nexus::id)]
    plan_issue: Option<u64>,

    /// Role that does it
    #[arg(long, value_name = "ROLE")]
    owner: Option<String>,

    /// Id of the agent that does it
    #[arg(long, value_name = "ID")]
    owner_agent_id: Option<String>,

    /// Whether the previous agent continues it
    #[arg(long, value_name = "POLICY")]
    owner_reuse_policy: Option<ReusePolicyArg>,
}

/// Change the texts, owner or dependencies of a task
///
/// Only what is given changes. An empty text removes approach, acceptance, risk or owner; `--deps ""` removes all
/// dependencies.
#[derive(clap::Args)]
pub(crate) struct TaskEditArgs {
    /// Number of the task
    #[arg(value_parser = nexus::id)]
    id: u64,

    /// What to do
    #[arg(long, value_name = "TEXT", value_parser = nexus::filled)]
    title: Option<String>,

    /// Background
    #[arg(long, value_name = "TEXT", value_parser = nexus::filled)]
    context: Option<String>,

    /// Tasks that must be completed first, for example `1,2`
    #[arg(long, value_name = "IDS", value_parser = id_list)]
    deps: Option<IdList>,

    #[command(flatten)]
    details: TaskDetailArgs,

    /// New status
    #[arg(long, value_name = "STATUS")]
    status: Option<StatusArg>,

    /// Status that it must have now; otherwise nothing changes
    #[arg(long, value_name = "STATUS")]
    expect: Option<StatusArg>,
}

/// Numbers of tasks; none is a list too.
#[derive(Debug, Clone)]
pub(crate) struct IdList(Vec<u64>);

fn id_list(text: &str) -> Result<IdList, String> {
    let ids = text.split(',').map(str::trim).filter(|id| !id.is_empty()).map(nexus::id);
    ids.collect::<Result<Vec<u64>, String>>().map(IdList)
}

/// Close the cycle: move plan and tasks to the history
///
/// If tasks are open, say what becomes of them; on a terminal you are asked.
#[derive(clap::Args)]
pub(crate) struct TaskCloseArgs {
    /// Keep open tasks on the board, for the next cycle
    #[arg(long, conflicts_with = "drop")]
    carry: bool,

    /// Move open tasks to the history unfinished
    #[arg(long)]
    drop: bool,
}

impl TaskCloseArgs {
    /// Returns what becomes of open tasks; without a choice they stop the closing.
    pub(crate) fn choice(&self) -> OpenTasksChoice {
        match (self.carry, self.drop) {
            (true, _) => OpenTasksChoice::Carry,
            (false, true) => OpenTasksChoice::Archive,
            (false, false) => OpenTasksChoice::Refuse,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum StatusArg {
    Pending,
    #[value(alias = "in-progress", alias = "started")]
    InProgress,
    #[value(alias = "done")]
    Completed,
}

impl TaskAddArgs {
    pub(crate) fn request(self) -> TaskAddRequest {
        let title = self.title.join(" ");
        TaskAddRequest {
            context: self.context.unwrap_or_else(|| title.clone()),
            title,
            deps: self.deps,
            approach: self.details.approach,
            acceptance: self.details.acceptance,
            risk: self.details.risk,
            plan_issue: self.details.plan_issue,
            goal: self.goal,
            decisions: self.decisions,
            owner: self.details.owner,
            owner_agent_id: self.details.owner_agent_id,
            owner_reuse_policy: self.details.owner_reuse_policy.map(Into::into),
        }
    }
}

impl From<StatusArg> for TaskStatus {
    fn from(status: StatusArg) -> TaskStatus {
        match status {
            StatusArg::Pending => TaskStatus::Pending,
            StatusArg::InProgress => TaskStatus::InProgress,
            StatusArg::Completed => TaskStatus::Completed,
        }
    }
}

impl TaskEditArgs {
    pub(crate) fn request(self) -> TaskUpdateRequest {
        TaskUpdateRequest {
            id: self.id,
            status: self.status.map(Into::into),
            expect: self.expect.map(Into::into),
            edit: TaskEdit {
                title: self.title,
                context: self.context,
                approach: self.details.approach,
                acceptance: self.details.acceptance,
                risk: self.details.risk,
                deps: self.deps.map(|IdList(ids)| ids),
                plan_issue: self.details.plan_issue,
                owner: self.details.owner,
                owner_agent_id: self.details.owner_agent_id,
                owner_reuse_policy: self.details.owner_reuse_policy.map(Into::into),
            },
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        let TaskDetailArgs {
            approach,
            acceptance,
            risk,
            plan_issue,
            owner,
            owner_agent_id,
            owner_reuse_policy,
        } = &self.details;
        let texts = [&self.title, &self.context, approach, acceptance, risk, owner, owner_agent_id];
        texts.iter().all(|text| text.is_none())
            && self.deps.is_none()
            && plan_issue.is_none()
            && owner_reuse_policy.is_none()
            && self.status.is_none()
    }
}
