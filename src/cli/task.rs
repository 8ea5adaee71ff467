//! `nudge task`: what is to be done, and how far it is.

use std::process::ExitCode;

use clap::ValueEnum;

use super::nexus::{self, JsonArgs, ReusePolicyArg};
use super::output::{Failure, Out, counted, say};
use super::rows::one_line;
use super::task_board;
use crate::api::nexus::{ClosedWire, TaskAddRequest, TaskUpdateRequest, TaskWire};
use crate::model::TaskStatus;
use crate::ops::nexus::{cycle, task};

/// Show the task board, add and update tasks, close the cycle
///
/// The tasks are in `.nexus/state/tasks.json`. Agents work on the same tasks with the nx_task tools.
#[derive(clap::Args)]
pub(crate) struct TaskArgs {
    #[command(subcommand)]
    command: Option<TaskCommand>,

    #[command(flatten)]
    json: JsonArgs,
}

#[derive(clap::Subcommand)]
enum TaskCommand {
    /// Show the board (the default)
    #[command(alias = "status")]
    List,
    Add(Box<TaskAddArgs>),
    /// Set the status of a task
    Update {
        /// Number of the task
        #[arg(value_parser = nexus::id)]
        id: u64,
        /// New status
        status: StatusArg,
    },
    /// Mark a task as in progress
    Start {
        /// Number of the task
        #[arg(value_parser = nexus::id)]
        id: u64,
    },
    /// Mark a task as completed
    Done {
        /// Number of the task
        #[arg(value_parser = nexus::id)]
        id: u64,
    },
    /// Close the cycle: move plan and tasks to the history
    Close,
}

/// Add a task
#[derive(clap::Args)]
struct TaskAddArgs {
    /// What to do
    #[arg(value_parser = nexus::filled)]
    title: String,

    /// Background [default: the title]
    #[arg(long, value_name = "TEXT", value_parser = nexus::filled)]
    context: Option<String>,

    /// Tasks that must be completed first, for example `1,2`
    #[arg(long, value_name = "ID", value_parser = nexus::id, value_delimiter = ',')]
    deps: Vec<u64>,

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

    /// Goal of all tasks; replaces the last one
    #[arg(long, value_name = "TEXT", value_parser = nexus::filled)]
    goal: Option<String>,

    /// Decision that applies to all tasks; can be repeated
    #[arg(long = "decision", value_name = "TEXT")]
    decisions: Vec<String>,

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

#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
enum StatusArg {
    Pending,
    InProgress,
    Completed,
}

/// The most characters of a title.
const MOST: usize = 100;

pub(crate) fn run(args: TaskArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let (nexus, json) = (nexus::here()?, &args.json);
    let updated = match args.command {
        None | Some(TaskCommand::List) => {
            let tasks = task::read(&nexus)?;
            return json.print(&task::list(&nexus)?, out, |_, out| task_board::show(tasks.as_ref(), out));
        }
        Some(TaskCommand::Add(args)) => {
            let added = task::add(&nexus, args.request())?;
            return json.print(&added, out, |added, _| say_task("added", added));
        }
        Some(TaskCommand::Close) => {
            return json.print(&cycle::close_by_hand(&nexus)?, out, |closed, _| say_closed(closed));
        }
        Some(TaskCommand::Update { id, status }) => TaskUpdateRequest { id, status: status.into() },
        Some(TaskCommand::Start { id }) => TaskUpdateRequest { id, status: TaskStatus::InProgress },
        Some(TaskCommand::Done { id }) => TaskUpdateRequest { id, status: TaskStatus::Completed },
    };
    let word = task_board::word(&updated.status);
    json.print(&task::update(&nexus, updated)?, out, |task, _| say_task(word, task))
}

impl TaskAddArgs {
    fn request(self) -> TaskAddRequest {
        TaskAddRequest {
            context: self.context.unwrap_or_else(|| self.title.clone()),
            title: self.title,
            deps: self.deps,
            approach: self.approach,
            acceptance: self.acceptance,
            risk: self.risk,
            plan_issue: self.plan_issue,
            goal: self.goal,
            decisions: self.decisions,
            owner: self.owner,
            owner_agent_id: self.owner_agent_id,
            owner_reuse_policy: self.owner_reuse_policy.map(Into::into),
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

fn say_task(word: &str, TaskWire { task }: &TaskWire) -> Result<(), Failure> {
    say(format_args!("{word} task {}: {}", task.id, one_line(&task.title, MOST)));
    Ok(())
}

fn say_closed(closed: &ClosedWire) -> Result<(), Failure> {
    let (decisions, tasks) =
        (counted(closed.archived.decisions, "decision"), counted(closed.archived.tasks, "task"));
    say(format_args!("closed on {}: {decisions}, {tasks}", one_line(&closed.branch, MOST)));
    say(format_args!(
        "the history has {} now; commit `.nexus/history.json` to share it",
        counted(closed.total_cycles, "cycle")
    ));
    Ok(())
}
