//! `nudge setup`: connects coding agents, shows what changes, proves that it works, and undoes it.

mod dialog;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};

use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, RED, confirm, counted, say, say_problem};
use super::serve::tool_groups;
use super::{diff, here};
use crate::api::problem;
use crate::api::setup::{AgentSetupJson, ChangedFileJson, SetupJson};
use crate::model::{InstallScope, Problem};
use crate::ops::here::short_path;
use crate::ops::nexus::team;
use crate::ops::observations::backfill::{self, Survey};
use crate::ops::setup::{self, Agent, Change, PreparedAgent, SetupPlan, SetupRequest, Workplace};

/// Connect your coding agents to nudge, or undo it
///
/// Adds hooks and the MCP server to the agent's own files, and keeps what is there. On a terminal it shows a table and
/// asks once, also to undo; `--diff` shows every line. For plans and tasks it also writes nine agents and four skills, unless you have
/// files of the same names. Then sends a test event through the new hook; if there is no reply, all changes are rolled
/// back. `--undo` restores every file byte for byte.
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

    /// Do not write the nine agents and the skills for plans and tasks
    #[arg(long)]
    no_agents: bool,

    /// Tools that agents are offered: memory, hints, plan or all, several with commas [default: as they are, else memory
    /// and hints, and plan where there is a `.nexus/`]
    #[arg(long, value_name = "GROUPS", value_parser = known_tools, conflicts_with = "undo")]
    tools: Option<String>,

    /// Also remember the earlier sessions of these agents, as `nudge backfill` does
    #[arg(long, conflicts_with_all = ["dry_run", "undo", "json"])]
    backfill: bool,

    /// Only show what would change
    #[arg(long)]
    dry_run: bool,

    /// Show every line that changes, also with `--undo`, and ask for each agent
    #[arg(long)]
    diff: bool,

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

/// Checks the value of `--tools`, and writes it without spaces.
fn known_tools(names: &str) -> Result<String, String> {
    tool_groups(names)?;
    Ok(names.replace(' ', ""))
}

/// Returns the names that can be given: every agent's, and `all`.
fn agent_names() -> PossibleValuesParser {
    // Everywhere else an agent is known by its id.
    let name = |(name, id, title): (&'static str, &'static str, &'static str)| {
        PossibleValue::new(name).alias(id).help(title)
    };
    let all = PossibleValue::new("all").help("Every agent found on this machine");
    PossibleValuesParser::new(setup::names().map(name).chain([all]))
}

/// What became of one agent in one place.
struct SetupOutcome {
    agent: &'static Agent,
    reach: InstallScope,
    plan: SetupPlan,
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
    let workplace = Workplace::find(&here()?)?;
    let workplace = if args.no_agents && !args.undo { workplace } else { workplace.with_team(team::team()?) };
    let workplace = workplace.with_tools(args.tools.clone());
    if args.project && !args.undo && workplace.is_home() {
        let failure = Failure::new("your home folder is not a project");
        return Err(failure.hint("go to the folder of a project, or connect them for you with `--user`"));
    }
    let agents = workplace.agents(&args.agents, args.undo)?;
    if !args.dry_run {
        out.go_on();
    }
    let done = if args.shows_table(out) {
        dialog::run(args, &workplace, &agents, out)?
    } else {
        one_by_one(args, &workplace, &agents, out)?
    };
    if args.json {
        out.json(&SetupJson { dry_run: args.dry_run, agents: done.iter().map(to_json).collect() })?;
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
        if !args.no_agents {
            super::init::say_context(&here()?);
        }
        return offer_backfill(args, &agents, out);
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows every change, and asks for each agent if somebody is there.
fn one_by_one(
    args: &SetupArgs,
    workplace: &Workplace,
    agents: &[&'static Agent],
    out: &mut Out,
) -> Result<Vec<SetupOutcome>, Failure> {
    let mut done = Vec::new();
    for reach in args.reaches() {
        for agent in agents {
            let mut prepared = workplace.prepare(agent, *reach);
            done.push(match prepared.obstacle.take().filter(|_| !args.undo) {
                Some(problem) => SetupOutcome::new(&prepared).failed(args, problem),
                None => one(args, &prepared, out)?.beside(&prepared.in_project),
            });
        }
    }
    Ok(done)
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
    if args.backfill || !args.yes && is_person() && confirm("Remember what is in them?")? {
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
    fn reaches(&self) -> &'static [InstallScope] {
        match (self.project, self.user, self.undo) {
            (true, _, _) => &[InstallScope::Project],
            (false, false, true) => &[InstallScope::User, InstallScope::Project],
            (false, _, _) => &[InstallScope::User],
        }
    }

    /// Returns whether somebody reads along who wants an overview.
    fn shows_table(&self, out: &Out) -> bool {
        !(self.json || self.yes || self.diff) && is_person() && out.is_terminal()
    }

    fn names_place(&self) -> bool {
        self.project || self.user
    }
}

/// Plans, shows, asks, writes and proves; what fails is reported, and the next agent follows.
fn one(args: &SetupArgs, prepared: &PreparedAgent, out: &mut Out) -> Result<SetupOutcome, Failure> {
    let mut done = propose_one(args, prepared);
    if done.state == State::Failed {
        return Ok(done);
    }
    if !args.json {
        show(args, &done, out)?;
    }
    done.plan.notes.iter().for_each(|note| say_problem(note, None));
    let has_changes = !done.plan.changes.is_empty();
    if has_changes && (args.dry_run || !agreed(args, prepared.agent)?) {
        done.state = State::Planned;
        return done.told(args, out);
    }
    match carry_out(args, prepared, done) {
        failed if failed.state == State::Failed => Ok(failed),
        done => done.told(args, out),
    }
}

/// Plans what to do with an agent.
fn propose_one(args: &SetupArgs, prepared: &PreparedAgent) -> SetupOutcome {
    let mut done = SetupOutcome::new(prepared);
    let request = SetupRequest { undo: args.undo, names_place: args.names_place() };
    match setup::propose(prepared.agent, &prepared.connection, request) {
        Ok(proposal) => {
            done.plan = proposal.plan;
            done.state = if proposal.is_skipped { State::Skipped } else { State::Unchanged };
            done
        }
        Err(problem) => done.failed(args, problem),
    }
}

/// Writes what was planned, and proves that it works.
fn carry_out(args: &SetupArgs, prepared: &PreparedAgent, mut done: SetupOutcome) -> SetupOutcome {
    let (reach, connection) = (prepared.reach, &prepared.connection);
    let plan = || if args.undo { setup::plan_undo(connection) } else { setup::plan(connection) };
    if done.plan.changes.is_empty() {
        let is_stale = !done.plan.stale.is_empty() && !args.dry_run;
        return match is_stale.then(|| setup::apply(&mut done.plan, reach, plan)) {
            Some(Err(problem)) => done.failed(args, problem),
            _ => done,
        };
    }
    let written = match args.undo {
        true => setup::apply(&mut done.plan, reach, plan),
        false => setup::write_and_prove(&mut done.plan, reach, plan, &connection.proof),
    };
    match written {
        Ok(()) => {
            done.state = if args.undo { State::Undone } else { State::Connected };
            done
        }
        Err(problem) => done.failed(args, problem),
    }
}

/// Asks a person at a terminal; a script has said what it wants.
fn agreed(args: &SetupArgs, agent: &Agent) -> Result<bool, Failure> {
    let is_said = args.yes || args.json || !is_person();
    if is_said { Ok(true) } else { confirm(&format!("Write this for {}?", agent.title)) }
}

impl SetupOutcome {
    fn new(prepared: &PreparedAgent) -> SetupOutcome {
        let PreparedAgent { agent, reach, connection, .. } = prepared;
        let next_step = connection.next_step;
        SetupOutcome { agent, reach: *reach, plan: SetupPlan::default(), state: State::Unchanged, next_step }
    }

    /// Adds what connects the agent in the project that the user is in.
    fn beside(mut self, in_project: &[String]) -> SetupOutcome {
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

    fn failed(mut self, args: &SetupArgs, problem: Problem) -> SetupOutcome {
        let deed = if args.undo { "disconnected" } else { "connected" };
        say(format_args!("{BOLD}{}{BOLD:#} {RED}could not be {deed}{RED:#}", self.agent.title));
        say_problem(&problem, None);
        self.plan.notes.push(problem);
        self.state = State::Failed;
        self
    }

    fn told(self, args: &SetupArgs, out: &mut Out) -> Result<SetupOutcome, Failure> {
        if args.json || (args.undo && self.state == State::Unchanged && args.agents.is_empty()) {
            return Ok(self);
        }
        let title = self.agent.title;
        match self.state {
            // A note says what is there nevertheless.
            State::Unchanged if args.undo && !self.plan.notes.is_empty() => {}
            State::Unchanged if args.undo => out
                .line(format_args!("{BOLD}{title}{BOLD:#} has nothing of nudge {}", self.reach_in_words()))?,
            State::Unchanged => out.line(format_args!(
                "{BOLD}{title}{BOLD:#} is connected {}, nothing to do",
                self.reach_in_words()
            ))?,
            State::Planned => out.line(format_args!("{DIM}{title}: nothing was written{DIM:#}"))?,
            State::Undone => {
                let how = self.undone();
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
                if let Some(folder) = setup::backup_folder() {
                    out.line(format_args!(
                        "{DIM}`nudge setup {} --undo` restores everything; copies are in {}{DIM:#}",
                        self.agent.name,
                        short_path(&folder)
                    ))?;
                }
            }
            State::Skipped | State::Failed => {}
        }
        Ok(self)
    }

    /// Says what an undo did; a note says that a file had to be changed in another way than back.
    fn undone(&self) -> &'static str {
        if self.plan.notes.is_empty() { "is restored" } else { "is disconnected" }
    }

    fn reach_in_words(&self) -> &'static str {
        match self.reach {
            InstallScope::User => "for you",
            InstallScope::Project => "in this project",
        }
    }
}

/// Shows the files that change; their lines too, except where only ours are taken out and nobody asks for them.
fn show(args: &SetupArgs, done: &SetupOutcome, out: &mut Out) -> Result<(), Failure> {
    if !args.undo || args.diff || args.dry_run {
        return show_lines(done, out);
    }
    done.plan.changes.iter().try_for_each(|change| show_name(change, out))
}

fn show_lines(done: &SetupOutcome, out: &mut Out) -> Result<(), Failure> {
    for change in &done.plan.changes {
        show_name(change, out)?;
        let (before, after) = texts(change);
        // Whole documents would hide the few lines that change somebody's settings.
        if !setup::is_document(if after.is_empty() { before } else { after }) {
            diff::show(before, after, out)?;
        }
    }
    Ok(())
}

fn show_name(change: &Change, out: &mut Out) -> Result<(), Failure> {
    let path = short_path(&change.path);
    out.line(format_args!("{BOLD}{path}{BOLD:#} {DIM}({}){DIM:#}", kind(change)))
}

fn texts(change: &Change) -> (&str, &str) {
    (change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default())
}

pub(super) fn kind(change: &Change) -> &'static str {
    match (&change.before, &change.after) {
        (None, _) => "new",
        (_, None) => "removed",
        _ => "changed",
    }
}

fn to_json(done: &SetupOutcome) -> AgentSetupJson {
    let file = |change: &Change| ChangedFileJson { path: change.path.clone(), change: kind(change) };
    AgentSetupJson {
        agent: done.agent.name,
        harness: done.agent.id,
        reach: if done.reach == InstallScope::User { "user" } else { "project" },
        state: match done.state {
            State::Unchanged => "unchanged",
            State::Skipped => "skipped",
            State::Planned => "planned",
            State::Connected => "connected",
            State::Undone => "undone",
            State::Failed => "failed",
        },
        files: done.plan.changes.iter().map(file).collect(),
        problems: problem::problems(&done.plan.notes),
        next_step: done.next_step,
    }
}
