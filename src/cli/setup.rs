//! `nudge setup`: connects coding agents, shows what changes, proves that it works, and undoes it.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};
use serde_json::{Value, json};

use super::output::{
    BOLD, CYAN, DIM, Failure, GREEN, Out, RED, confirm, counted, problem_json, say, say_problem,
};
use super::{diff, here};
use crate::config::paths;
use crate::harness::{self, Agent, Place};
use crate::journal::{agent_files, setup_journal};
use crate::model::{Connection, Problem, Reach};
use crate::ops::observations::backfill::{self, Survey};
use crate::ops::setup::{self, Change, Plan, Wish};
use crate::system::{programs, project};

/// Connect your coding agents to nudge, or undo it
///
/// Adds hooks and the MCP server to the agent's own files, keeps what is there, and shows every change as a diff. Then
/// sends a test event through the new hook; if there is no reply, all changes are rolled back. `--undo` restores every
/// file byte for byte.
#[derive(clap::Args)]
pub(crate) struct SetupArgs {
    /// Agents to connect [default: all that are found on this machine]
    #[arg(value_name = "AGENT", value_parser = agent_names())]
    agents: Vec<String>,

    /// Connect them in this project only, in files you can commit
    #[arg(long, conflicts_with = "user")]
    project: bool,

    /// Connect them for your user, in all projects (the default)
    #[arg(long)]
    user: bool,

    /// Only show what would change
    #[arg(long)]
    dry_run: bool,

    /// Undo the setup, for your user and in this project unless you name one
    #[arg(long)]
    undo: bool,

    /// Do not ask
    #[arg(short, long)]
    yes: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Returns the names that can be given: every agent's, and `all`.
fn agent_names() -> PossibleValuesParser {
    let name = |agent: &&Agent| PossibleValue::new(agent.name).help(agent.title);
    let all = PossibleValue::new("all").help("Every agent found on this machine");
    PossibleValuesParser::new(harness::AGENTS.iter().map(name).chain([all]))
}

/// What became of one agent in one place.
struct Done {
    agent: &'static Agent,
    reach: Reach,
    plan: Plan,
    state: State,
    next_step: &'static str,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// All was there already, or nothing was there to undo.
    Unchanged,
    /// It is connected in another way already.
    Skipped,
    Planned,
    Connected,
    Undone,
    Failed,
}

pub(crate) fn run(args: &SetupArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let home = paths::home_dir().ok_or_else(|| Failure::new("there is no home folder").hint("set HOME"))?;
    let root = project::root(None, &here()?);
    let own = own_program()?;
    let place = |reach| setup::place(reach, &own, &home, &root);
    if args.project && !args.undo && agent_files::real(&root) == agent_files::real(&home) {
        let failure = Failure::new("your home folder is no project");
        return Err(failure.hint("go to the folder of a project, or connect them for you with `--user`"));
    }
    let agents = chosen(args, &place(Reach::User))?;
    if !args.dry_run {
        out.go_on();
    }
    let mut done = Vec::new();
    for reach in args.reaches() {
        for agent in &agents {
            let mut connection = (agent.connection)(&place(*reach));
            done.push(match reach {
                Reach::User => {
                    let in_project = setup::leave_project_aside(&mut connection, &root, &home);
                    one(args, agent, *reach, &connection, out)?.beside(&in_project)
                }
                Reach::Project => {
                    let users = (agent.connection)(&place(Reach::User));
                    let leads_out = setup::keep_inside(&mut connection, &root);
                    let is_shared = setup::part(&mut connection, &users);
                    match leads_out.or(is_shared).filter(|_| !args.undo) {
                        Some(problem) => Done::new(agent, *reach, &connection).failed(args, problem),
                        None => one(args, agent, *reach, &connection, out)?,
                    }
                }
            });
        }
    }
    if args.json {
        out.json(&json!({ "dry_run": args.dry_run, "agents": done.iter().map(to_json).collect::<Value>() }))?;
    }
    if args.undo
        && !args.json
        && args.agents.is_empty()
        && done.iter().all(|one| one.state == State::Unchanged)
    {
        out.line("no agent has anything of nudge, for you or in this project")?;
    }
    if done.iter().any(|one| one.state == State::Failed) {
        return Ok(ExitCode::FAILURE);
    }
    out.finish()?;
    if !args.undo && !args.dry_run && !args.json {
        return offer_backfill(args, &agents, out);
    }
    Ok(ExitCode::SUCCESS)
}

/// Offers to remember the earlier sessions of the connected agents.
fn offer_backfill(args: &SetupArgs, agents: &[&'static Agent], out: &mut Out) -> Result<ExitCode, Failure> {
    let is_chosen = |agent: &Agent| agents.iter().any(|chosen| chosen.id == agent.id);
    let surveys = backfill::survey().into_iter();
    let surveys: Vec<Survey> = surveys.filter(|one| one.unread > 0 && is_chosen(one.agent)).collect();
    let unread: usize = surveys.iter().map(|one| one.unread).sum();
    if unread == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    let named: Vec<String> =
        surveys.iter().map(|one| format!("{} {}", one.agent.title, one.unread)).collect();
    let megabytes = surveys.iter().map(|one| one.bytes).sum::<u64>().div_ceil(1_000_000);
    let found = counted(unread, "transcript");
    say(format_args!(
        "found {found} of earlier sessions ({}; up to {megabytes} MB), never read",
        named.join(", ")
    ));
    if !args.yes && is_person() && confirm("Remember what is in them?")? {
        return super::backfill::run_for(surveys.iter().map(|one| one.agent).collect(), out);
    }
    say(format_args!("{CYAN}hint:{CYAN:#} `nudge backfill` remembers what is in them"));
    Ok(ExitCode::SUCCESS)
}

/// Returns whether somebody is there to answer.
fn is_person() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

impl SetupArgs {
    fn reaches(&self) -> &'static [Reach] {
        match (self.project, self.user, self.undo) {
            (true, _, _) => &[Reach::Project],
            (false, false, true) => &[Reach::User, Reach::Project],
            (false, _, _) => &[Reach::User],
        }
    }

    fn names_place(&self) -> bool {
        self.project || self.user
    }
}

/// Returns the path that agents can always call nudge by.
fn own_program() -> Result<String, Failure> {
    let path =
        programs::own_path().ok_or_else(|| Failure::new("this program does not know where it lies"))?;
    if path.file_stem().is_none_or(|name| name != "nudge") {
        let failure = Failure::new(format!("this program is called `{}`", path.display()));
        return Err(failure.hint("rename it to `nudge`, so that its entries are found again"));
    }
    path.into_os_string().into_string().map_err(|path| {
        Failure::new(format!("`{}` cannot stand in a file of settings", PathBuf::from(path).display()))
            .hint("move nudge to a folder whose name is plain text")
    })
}

/// Returns the agents that are named, or else those that are found.
fn chosen(args: &SetupArgs, place: &Place<'_>) -> Result<Vec<&'static Agent>, Failure> {
    let named: Vec<&Agent> = args.agents.iter().filter_map(|name| harness::by_name(name)).collect();
    if !named.is_empty() && !args.agents.iter().any(|name| name == "all") {
        return Ok(named);
    }
    if args.undo {
        return Ok(harness::AGENTS.to_vec());
    }
    let found = setup::found(place);
    if found.is_empty() {
        let names: Vec<&str> = harness::AGENTS.iter().map(|agent| agent.name).collect();
        let failure = Failure::new("no coding agent was found on this machine");
        return Err(failure.hint(format!("name one to connect it all the same: {}", names.join(", "))));
    }
    Ok(found)
}

/// Plans, shows, asks, writes and proves; what fails is told, and the next agent has its turn.
fn one(
    args: &SetupArgs,
    agent: &'static Agent,
    reach: Reach,
    connection: &Connection,
    out: &mut Out,
) -> Result<Done, Failure> {
    let mut done = Done::new(agent, reach, connection);
    let plan = || if args.undo { setup::plan_undo(connection) } else { setup::plan(connection) };
    match setup::propose(agent, connection, Wish { undo: args.undo, names_place: args.names_place() }) {
        Ok(proposal) => {
            done.plan = proposal.plan;
            done.state = if proposal.is_skipped { State::Skipped } else { State::Unchanged };
        }
        Err(problem) => return Ok(done.failed(args, problem)),
    }
    if !args.json {
        show(&done, out)?;
    }
    done.plan.notes.iter().for_each(|note| say_problem(note, None));
    if done.plan.changes.is_empty() {
        let is_stale = !done.plan.stale.is_empty() && !args.dry_run;
        return match is_stale.then(|| setup::apply(&mut done.plan, reach, plan)) {
            Some(Err(problem)) => Ok(done.failed(args, problem)),
            _ => done.told(args, out),
        };
    }
    if args.dry_run || !agreed(args)? {
        done.state = State::Planned;
        return done.told(args, out);
    }
    let written = match args.undo {
        true => setup::apply(&mut done.plan, reach, plan),
        false => setup::write_and_prove(&mut done.plan, reach, plan, &connection.proof),
    };
    if let Err(problem) = written {
        return Ok(done.failed(args, problem));
    }
    done.state = if args.undo { State::Undone } else { State::Connected };
    done.told(args, out)
}

/// Who is there to answer is asked; a script has said what it wants.
fn agreed(args: &SetupArgs) -> Result<bool, Failure> {
    if args.yes || args.json || !is_person() { Ok(true) } else { confirm("Write this?") }
}

impl Done {
    fn new(agent: &'static Agent, reach: Reach, connection: &Connection) -> Done {
        let next_step = connection.next_step;
        Done { agent, reach, plan: Plan::default(), state: State::Unchanged, next_step }
    }

    /// Adds what connects the agent in the project that the user is in.
    fn beside(mut self, in_project: &[String]) -> Done {
        if matches!(self.state, State::Planned | State::Connected) && !in_project.is_empty() {
            let through = in_project.join(" and ");
            let message = format!("{} is connected in this project too, through {through}", self.agent.title);
            let hint = "in this project every event comes twice; undo one of them, if the project's is yours";
            let note = Problem::warning(message).hint(hint);
            say_problem(&note, None);
            self.plan.notes.push(note);
        }
        self
    }

    fn failed(mut self, args: &SetupArgs, problem: Problem) -> Done {
        let deed = if args.undo { "disconnected" } else { "connected" };
        say(format_args!("{BOLD}{}{BOLD:#} {RED}could not be {deed}{RED:#}", self.agent.title));
        say_problem(&problem, None);
        self.plan.notes.push(problem);
        self.state = State::Failed;
        self
    }

    fn told(self, args: &SetupArgs, out: &mut Out) -> Result<Done, Failure> {
        if args.json || (args.undo && self.state == State::Unchanged && args.agents.is_empty()) {
            return Ok(self);
        }
        let title = self.agent.title;
        match self.state {
            // A note says what there is all the same.
            State::Unchanged if args.undo && !self.plan.notes.is_empty() => {}
            State::Unchanged if args.undo => out
                .line(format_args!("{BOLD}{title}{BOLD:#} has nothing of nudge {}", self.reach_in_words()))?,
            State::Unchanged => out.line(format_args!(
                "{BOLD}{title}{BOLD:#} is connected {}, nothing to do",
                self.reach_in_words()
            ))?,
            State::Planned => out.line(format_args!("{DIM}{title}: nothing was written{DIM:#}"))?,
            State::Undone => {
                // A note says that a file had to be changed in another way than back.
                let how = if self.plan.notes.is_empty() { "is as it was" } else { "is disconnected" };
                out.line(format_args!(
                    "{BOLD}{title}{BOLD:#} {GREEN}{how}{GREEN:#} {}",
                    self.reach_in_words()
                ))?;
            }
            State::Connected => {
                out.line(format_args!(
                    "{BOLD}{title}{BOLD:#} {GREEN}is connected{GREEN:#} {}; a test event was answered",
                    self.reach_in_words()
                ))?;
                out.line(format_args!("{CYAN}next:{CYAN:#} {}", self.next_step))?;
                if let Ok(folder) = setup_journal::folder() {
                    out.line(format_args!(
                        "{DIM}`nudge setup {} --undo` puts all back; copies are in {}{DIM:#}",
                        self.agent.name,
                        folder.display()
                    ))?;
                }
            }
            State::Skipped | State::Failed => {}
        }
        Ok(self)
    }

    fn reach_in_words(&self) -> &'static str {
        match self.reach {
            Reach::User => "for you",
            Reach::Project => "in this project",
        }
    }
}

fn show(done: &Done, out: &mut Out) -> Result<(), Failure> {
    for change in &done.plan.changes {
        let (before, after) = texts(change);
        let path = change.path.display();
        out.line(format_args!("{BOLD}{path}{BOLD:#} {DIM}({}){DIM:#}", kind(change)))?;
        diff::show(before, after, out)?;
    }
    Ok(())
}

fn texts(change: &Change) -> (&str, &str) {
    (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default())
}

fn kind(change: &Change) -> &'static str {
    match (&change.before, &change.after) {
        (None, _) => "new",
        (_, None) => "removed",
        _ => "changed",
    }
}

fn to_json(done: &Done) -> Value {
    let state = match done.state {
        State::Unchanged => "unchanged",
        State::Skipped => "skipped",
        State::Planned => "planned",
        State::Connected => "connected",
        State::Undone => "undone",
        State::Failed => "failed",
    };
    let file = |change: &Change| json!({ "path": change.path, "change": kind(change) });
    json!({
        "agent": done.agent.name,
        "harness": done.agent.id,
        "reach": if done.reach == Reach::User { "user" } else { "project" },
        "state": state,
        "files": done.plan.changes.iter().map(file).collect::<Value>(),
        "problems": done.plan.notes.iter().map(problem_json).collect::<Value>(),
        "next_step": done.next_step,
    })
}
