//! `nudge doctor`: shows what is off now, and what went wrong where nobody could be told.

mod as_json;
mod mend;
mod show;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::output::{Failure, Out, counted};
use super::{here, setup};
use crate::config::problems::{self, Logged};
use crate::config::{env, paths, programs, project, trace};
use crate::harness::install::{self, Place};
use crate::harness::{self, Harness};
use crate::model::{AgentFile, Problem, Reach, Recorded, Severity, Trace, VerdictKind};
use crate::ops::examine::agents::{self, Asked, Wired};
use crate::ops::examine::entries::{Entry, Kind};
use crate::ops::examine::folders::{self, Open};
use crate::ops::examine::leftovers;
use crate::ops::examine::program::{self, Other};
use crate::ops::examine::server::{self, Server};
use crate::ops::examine::{self, Health};
use crate::ops::why::{self, Latency};
use crate::ops::{self, lower, validate};
use crate::rules::Rule;

/// Show what is off: program, folders, rules, server, agents, memory, and problems that hooks met
///
/// Exit code 1 if anything of it is an error now; what hooks met lately does not count.
#[derive(clap::Args)]
pub(crate) struct DoctorArgs {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,

    /// Mend first what is safe to mend: rights, what a killed server left, the memory's index or damaged file,
    /// entries of an older nudge in agents that are connected
    #[arg(long, visible_alias = "repair")]
    fix: bool,
}

/// So many of the last problems are shown.
const RECENT: usize = 20;

/// What was found.
struct Findings {
    root: PathBuf,
    rules: usize,
    about_rules: Vec<Problem>,
    about_settings: Vec<Problem>,
    about_program: Vec<Problem>,
    about_folders: Vec<Problem>,
    others: Vec<Other>,
    open: Vec<Open>,
    server: Server,
    agents: Vec<Connected>,
    state: Vec<Problem>,
    memory: Health,
    hooks: Hooks,
    logged: Vec<Logged>,
    lowered: Vec<Lowered>,
}

/// A rule that some agents cannot follow as it is written.
struct Lowered {
    rule: String,
    harness: &'static str,
    instead: &'static str,
}

/// An agent of this machine, with the places where it may be connected.
struct Connected {
    title: &'static str,
    name: &'static str,
    places: Vec<Wired>,
    /// What calls us in its files.
    entries: Vec<Entry>,
    problems: Vec<Problem>,
}

/// What the last hooks did, in numbers.
struct Hooks {
    latency: Vec<Latency>,
    /// So many events were lost, or should have been remembered and were not.
    dropped: usize,
    torn_lines: usize,
    problems: Vec<Problem>,
}

pub(crate) fn run(args: &DoctorArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    // Where no more may be written, that is what there is to say.
    let folder = here()?;
    let root = project::root(None, &folder);
    let unmended = if args.fix { mend::mend(&root)? } else { false };
    let found = find(root);
    if args.json {
        out.json(&as_json::to_json(&found))?;
    } else {
        show::show(&found, out)?;
    }
    let off = unmended || found.all().any(Problem::is_error);
    Ok(if off { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

impl Findings {
    /// Returns everything that is off now.
    fn all(&self) -> impl Iterator<Item = &Problem> {
        let lists = [
            &self.about_rules,
            &self.about_settings,
            &self.about_program,
            &self.about_folders,
            &self.server.problems,
            &self.state,
            &self.memory.problems,
            &self.hooks.problems,
        ];
        lists.into_iter().flatten().chain(self.agents.iter().flat_map(Connected::all))
    }
}

impl Connected {
    fn all(&self) -> impl Iterator<Item = &Problem> {
        let entries = self.entries.iter().filter_map(|entry| entry.problem.as_ref());
        self.places.iter().flat_map(|wired| &wired.problems).chain(entries).chain(&self.problems)
    }
}

fn find(root: PathBuf) -> Findings {
    let (files, mut about_rules) = validate::project(&root);
    let rules = files.iter().map(|file| file.rules.len()).sum();
    let agents = in_use(&root);
    let lowered =
        files.iter().flat_map(|file| &file.rules).flat_map(|rule| lowered_in(rule, &agents)).collect();
    about_rules.extend(env::problems());
    about_rules.extend(unwritable());
    about_rules.extend(files.into_iter().flat_map(|file| file.problems));
    about_rules.retain(|problem| problem.severity > Severity::Note);
    for problem in about_rules.iter_mut().filter(|problem| problem.hint.is_none()) {
        problem.hint = Some("`nudge validate` shows the place; nothing else is off because of it".to_owned());
    }
    let (others, open) = (program::others(), folders::open_to_others());
    let asked = asked(&root);
    let about_folders = folders::problems(&open).into_iter().chain(leftovers::problems(&of_all(&asked)));
    Findings {
        rules,
        about_rules,
        about_settings: examine::settings(&root),
        about_program: program::problems(&others),
        about_folders: folders::foreign().into_iter().chain(about_folders).collect(),
        others,
        open,
        server: server::look(),
        agents: connected(asked, &root),
        state: examine::broken_state(&root)
            .into_iter()
            .chain(examine::kept_lock(&root))
            .chain(missing_git(&root))
            .collect(),
        memory: examine::memory(),
        hooks: hooks(),
        logged: problems::recent(RECENT),
        lowered,
        root,
    }
}

/// Looks at the agents of this machine, and at those that have something of ours all the same.
fn connected(asked: Vec<(bool, Vec<Asked>)>, root: &Path) -> Vec<Connected> {
    let mut all = Vec::new();
    for (is_here, asked) in asked {
        let (places, entries) = agents::try_out(&asked, root);
        let problems: Vec<Problem> = agents::doubled(&places).into_iter().collect();
        if let Some(first) = places.first()
            && (is_here || entries.iter().any(is_telling) || places.iter().any(Wired::is_connected))
        {
            all.push(Connected { title: first.title, name: first.name, problems, places, entries });
        }
    }
    all
}

/// Returns the files of all agents, in every place.
fn of_all(asked: &[(bool, Vec<Asked>)]) -> Vec<&AgentFile> {
    asked.iter().flat_map(|(_, places)| places).flat_map(|asked| &asked.connection.files).collect()
}

/// A server that works may be of another agent, with which this one shares the file.
fn is_telling(entry: &Entry) -> bool {
    entry.kind != Kind::Server || entry.problem.is_some()
}

/// Returns every agent with the places where it may be connected, and whether it is on this machine.
pub(super) fn asked(root: &Path) -> Vec<(bool, Vec<Asked>)> {
    let own = programs::own_path().and_then(|path| path.into_os_string().into_string().ok());
    let (Some(home), Some(own)) = (paths::home_dir(), own) else { return Vec::new() };
    let place = |reach| {
        let program = if reach == Reach::User { own.as_str() } else { "nudge" };
        Place { reach, program, home: &home, project: root, moved: env::folder, exists: Path::exists }
    };
    let of = |agent: &install::Agent| {
        let [user, mut project] =
            [Reach::User, Reach::Project].map(|reach| (agent.connection)(&place(reach)));
        // In the home folder, a file of the user is not one of the project as well.
        let shared = ops::setup::part(&mut project, &user);
        let asked = |reach, connection| Asked { name: agent.name, title: agent.title, reach, connection };
        let mut all = vec![asked(Reach::User, user)];
        all.extend(shared.is_none().then(|| asked(Reach::Project, project)));
        (setup::is_here(agent, &place(Reach::User)), all)
    };
    install::AGENTS.iter().map(of).collect()
}

fn hooks() -> Hooks {
    let trace::Kept { traces, torn, unread } = trace::read();
    let last = &traces[traces.len().saturating_sub(why::TIMED)..];
    let is_dropped =
        |trace: &&Trace| trace.verdict == VerdictKind::Lost || matches!(trace.recorded, Recorded::Dropped(_));
    let dropped = last.iter().filter(is_dropped).count();
    let mut problems: Vec<Problem> =
        unread.iter().map(|(path, error)| why::unreadable(path, error)).collect();
    if dropped > 0 {
        let problem = Problem::warning(format!("{} lost, or not remembered", counted(dropped, "event")));
        problems.push(problem.hint("`nudge why --all --last 1000` tells which and why"));
    }
    if torn > 0 {
        let problem = Problem::warning(format!("{} of the trace cannot be read", counted(torn, "line")));
        problems.push(problem.hint("`nudge doctor --fix` drops them; the others are not touched"));
    }
    Hooks { latency: why::latency(last), dropped, torn_lines: torn, problems }
}

/// Returns the agents that have left something on this machine; of the others nobody wants to hear.
fn in_use(root: &Path) -> Vec<&'static dyn Harness> {
    let places = [paths::home_dir(), Some(root.to_owned())];
    let is_here = |harness: &&dyn Harness| {
        let mut folders = harness.folders().iter();
        folders.any(|folder| places.iter().flatten().any(|place| place.join(folder).is_dir()))
    };
    harness::all().into_iter().filter(is_here).collect()
}

/// Names the agents in which a rule does something else than it says, and what.
fn lowered_in(rule: &Rule, agents: &[&dyn Harness]) -> Vec<Lowered> {
    let in_one = |harness: &&dyn Harness| {
        let instead = lower::lowered(rule, harness.abilities()).filter(|_| rule.enabled)?;
        Some(Lowered { rule: rule.name.clone(), harness: harness.id(), instead })
    };
    agents.iter().filter_map(in_one).collect()
}

/// Notes of a project are kept by git.
fn missing_git(root: &Path) -> Option<Problem> {
    let is_needed = root.join(".nexus").is_dir() && programs::find("git").is_none();
    is_needed.then(|| {
        let problem =
            Problem::warning("`git` is not on the PATH, so notes cannot be deleted or brought back");
        problem.hint("install git, or put it on the PATH")
    })
}

/// The user's own rules, whether there are any or not.
fn user_rules() -> Option<PathBuf> {
    Some(paths::user_config_dir()?.join("rules.yaml"))
}

/// Without its folder the program repeats itself, and nobody hears of what hooks meet.
fn unwritable() -> Option<Problem> {
    let Some(folder) = paths::data_dir() else {
        let problem = Problem::error("there is no folder to keep anything in");
        return Some(problem.hint("set HOME to an absolute path"));
    };
    // A home that is not there is a mistake, and nothing is made in it.
    if let Some(home) = paths::home_dir().filter(|home| !home.exists() && folder.starts_with(home)) {
        let problem = Problem::error("HOME leads to a folder that is not there");
        return Some(problem.at(&home.display().to_string(), 0, 0).hint("set HOME to your own folder"));
    }
    let error = paths::try_writing(&folder).err()?;
    let problem = Problem::error(format!("this folder cannot be written to: {error}"));
    let hint = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room, or set XDG_DATA_HOME; until then nothing is remembered, and `once` repeats"
        }
        _ => {
            "give it to yourself, or set XDG_DATA_HOME; until then problems are not kept, and `once` repeats"
        }
    };
    Some(problem.at(&folder.display().to_string(), 0, 0).hint(hint))
}
