//! `nudge task`: what is to be done, and how far it is.

use std::process::ExitCode;

use super::nexus::{self, JsonArgs};
use super::output::{Failure, Out, YELLOW, ask, say};
use super::rows::one_line;
use super::task_args::{StatusArg, TaskAddArgs, TaskCloseArgs, TaskEditArgs};
use super::{task_board, task_show};
use crate::api::nexus::{OpenTasksChoice, TaskClaimRequest, TaskListRequest, TaskUpdateRequest, TaskWire};
use crate::model::TaskStatus;
use crate::ops::nexus::export::{ExportFormat, export};
use crate::ops::nexus::{Nexus, PlanError, board, cycle, graph, task};

/// Show the board, add, take and update tasks, close the cycle
///
/// The tasks are in `.nexus/state/tasks.json`. Agents work on the same tasks with the nx_task tools, and all worktrees of
/// a repository share them.
#[derive(clap::Args)]
pub(crate) struct TaskArgs {
    #[command(subcommand)]
    command: Option<TaskCommand>,

    #[command(flatten)]
    json: JsonArgs,
}

#[derive(clap::Subcommand)]
enum TaskCommand {
    #[command(alias = "status", alias = "ls")]
    List(TaskListArgs),
    Add(Box<TaskAddArgs>),
    /// Show a task with all its texts, and what it waits for
    Show {
        /// Number of the task
        #[arg(value_parser = nexus::id)]
        id: u64,
    },
    Edit(Box<TaskEditArgs>),
    /// Remove a task; others no longer wait for it
    #[command(alias = "rm", alias = "delete")]
    Remove {
        /// Number of the task
        #[arg(value_parser = nexus::id)]
        id: u64,
    },
    Claim(TaskClaimArgs),
    /// Set the status of a task
    Update {
        /// Number of the task
        #[arg(value_parser = nexus::id)]
        id: u64,
        /// New status
        status: StatusArg,
        /// Status that it must have now; otherwise nothing changes
        #[arg(long, value_name = "STATUS")]
        expect: Option<StatusArg>,
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
    /// Show what waits for what, as a tree
    Graph {
        /// Print a Mermaid diagram
        #[arg(long)]
        mermaid: bool,
    },
    Export(TaskExportArgs),
    Close(TaskCloseArgs),
    /// Open a closed cycle again; the history keeps it
    Reopen {
        /// Time of the cycle as `nudge history` shows it, or its beginning [default: the last cycle]
        #[arg(value_name = "TIME")]
        at: Option<String>,
    },
}

/// Show the board (the default)
#[derive(clap::Args, Default)]
struct TaskListArgs {
    /// Only tasks with this status
    #[arg(long, value_name = "STATUS")]
    status: Option<StatusArg>,

    /// Only tasks of this role
    #[arg(long, value_name = "ROLE")]
    owner: Option<String>,

    /// Only tasks that can begin now
    #[arg(long)]
    ready: bool,

    /// Maximum number of tasks
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
}

/// Take a task, before anybody else does
///
/// The task must be pending, and nothing may be left that it waits for. Of several who try, one gets it; the others get
/// exit code 1.
#[derive(clap::Args)]
struct TaskClaimArgs {
    /// Number of the task
    #[arg(value_parser = nexus::id, required_unless_present = "next")]
    id: Option<u64>,

    /// Take the first task that is ready
    #[arg(long, conflicts_with = "id")]
    next: bool,

    /// With `--next`, only tasks of this role or of none
    #[arg(long, value_name = "ROLE")]
    owner: Option<String>,

    /// Id of the agent that takes it
    #[arg(long, value_name = "ID")]
    owner_agent_id: Option<String>,
}

/// Print the tasks in the format of another program
#[derive(clap::Args)]
struct TaskExportArgs {
    /// Format
    #[arg(long, value_enum, default_value = "markdown")]
    format: TaskFormatArg,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum TaskFormatArg {
    /// A document with all texts
    #[value(alias = "md")]
    Markdown,
    /// The text of a GitHub issue, with a checklist
    Github,
    /// JSON Lines for `bd import`
    Beads,
}

/// Maximum number of characters of a title.
const MAX_CHARS: usize = 100;

pub(crate) fn run(args: TaskArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let (nexus, json) = (nexus::here()?, &args.json);
    let updated = match args.command.unwrap_or(TaskCommand::List(TaskListArgs::default())) {
        TaskCommand::List(args) => {
            let listed = task::list(&nexus, &args.request())?;
            let tasks = task::read(&nexus)?;
            return json.print(&listed, out, |listed, out| task_board::show(tasks.as_ref(), listed, out));
        }
        TaskCommand::Add(args) => {
            let added = task::add(&nexus, args.request())?;
            return json.print(&added, out, |added, _| say_task("added", added));
        }
        TaskCommand::Show { id } => return json.print(&board::show(&nexus, id)?, out, task_show::task),
        TaskCommand::Edit(args) if args.is_empty() => {
            return Err(Failure::new("nothing to change")
                .hint("`nudge task edit --help` lists what can be")
                .usage());
        }
        TaskCommand::Edit(args) => {
            let edited = task::update(&nexus, args.request())?;
            return json.print(&edited, out, |edited, _| say_task("edited", edited));
        }
        TaskCommand::Remove { id } => {
            return json
                .print(&board::remove(&nexus, id)?, out, |removed, _| task_show::say_removed(removed));
        }
        TaskCommand::Claim(args) => {
            let claimed = board::claim(&nexus, &args.request())?;
            return json.print(&claimed, out, |claimed, _| {
                say(format_args!(
                    "yours: task {}: {}",
                    claimed.task.id,
                    one_line(&claimed.task.title, MAX_CHARS)
                ));
                Ok(())
            });
        }
        TaskCommand::Graph { mermaid } => {
            let draw = if mermaid { graph::draw_mermaid } else { graph::draw_text };
            let show = |it: &_, out: &mut Out| draw(it).iter().try_for_each(|line| out.line(line));
            return json.print(&graph::graph(&nexus)?, out, show);
        }
        TaskCommand::Export(args) => {
            let exported = export(&nexus, args.format.into())?;
            return json.print(&exported, out, |exported, out| out.bytes(exported.text.as_bytes()));
        }
        TaskCommand::Close(args) => {
            let closed = close(&nexus, args.choice())?;
            return json.print(&closed, out, |closed, _| task_show::say_closed(closed));
        }
        TaskCommand::Reopen { at } => {
            let reopened = cycle::reopen(&nexus, at.as_deref())?;
            return json.print(&reopened, out, |reopened, _| task_show::say_reopened(reopened));
        }
        TaskCommand::Update { id, status, expect } => update(id, status.into(), expect.map(Into::into)),
        TaskCommand::Start { id } => update(id, TaskStatus::InProgress, None),
        TaskCommand::Done { id } => update(id, TaskStatus::Completed, None),
    };
    let word = updated.status.as_ref().map_or("changed", task_board::word);
    let begins = updated.status == Some(TaskStatus::InProgress);
    let changed = task::update(&nexus, updated)?;
    let waits_for = if begins { task::open_dependencies(&nexus, &changed.task) } else { Vec::new() };
    json.print(&changed, out, |changed, _| {
        say_task(word, changed)?;
        if !waits_for.is_empty() {
            let ids = waits_for.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
            say(format_args!(
                "{YELLOW}note:{YELLOW:#} it waits for {ids}, not completed yet: `nudge task graph`"
            ));
        }
        Ok(())
    })
}

/// Closes the cycle; a person at a terminal is asked about open tasks.
fn close(nexus: &Nexus, choice: OpenTasksChoice) -> Result<crate::api::nexus::ClosedWire, Failure> {
    let open = match cycle::close_by_hand(nexus, choice) {
        Err(PlanError::StillOpen(open)) => open,
        closed => return Ok(closed?),
    };
    let refused = PlanError::StillOpen(open);
    let question = format!("{refused}; carry them over (c), drop them (d), or cancel?");
    let choice = match ask(&question)?.as_deref() {
        Some("c" | "carry") => OpenTasksChoice::Carry,
        Some("d" | "drop") => OpenTasksChoice::Archive,
        Some(_) => return Err(Failure::new("nothing was closed")),
        None => return Err(refused.into()),
    };
    Ok(cycle::close_by_hand(nexus, choice)?)
}

fn update(id: u64, status: TaskStatus, expect: Option<TaskStatus>) -> TaskUpdateRequest {
    TaskUpdateRequest { id, status: Some(status), expect, ..TaskUpdateRequest::default() }
}

impl TaskListArgs {
    fn request(self) -> TaskListRequest {
        let TaskListArgs { status, owner, ready, limit } = self;
        TaskListRequest { status: status.map(Into::into), owner, ready, limit }
    }
}

impl TaskClaimArgs {
    fn request(self) -> TaskClaimRequest {
        TaskClaimRequest { id: self.id, owner: self.owner, owner_agent_id: self.owner_agent_id }
    }
}

impl From<TaskFormatArg> for ExportFormat {
    fn from(format: TaskFormatArg) -> ExportFormat {
        match format {
            TaskFormatArg::Markdown => ExportFormat::Markdown,
            TaskFormatArg::Github => ExportFormat::GitHub,
            TaskFormatArg::Beads => ExportFormat::Beads,
        }
    }
}

fn say_task(word: &str, TaskWire { task }: &TaskWire) -> Result<(), Failure> {
    say(format_args!("{word} task {}: {}", task.id, one_line(&task.title, MAX_CHARS)));
    Ok(())
}
