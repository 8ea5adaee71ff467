//! Collects everything that `nudge doctor` reports.

use std::io;
use std::path::{Path, PathBuf};

use super::agent_place::AgentPlace;
use super::agents::{self, AgentConnection};
use super::entries::{Kind, ProgramEntry};
use super::folders::{self, Open};
use super::program::{self, OtherProgram};
use super::server::{self, Server};
use super::{Health, leftovers};
use crate::config::{env, paths};
use crate::harness::{AGENTS, Agent};
use crate::journal::problems::{self, Logged};
use crate::journal::trace;
use crate::model::{Problem, Recorded, Severity, Trace, VerdictKind, counted};
use crate::ops::hook::lower;
use crate::ops::pause;
use crate::ops::problems::without_secrets;
use crate::ops::rules::validate;
use crate::ops::trust::{self, ProjectRules};
use crate::ops::why::{self, Latency};
use crate::redact::OwnPatterns;
use crate::rules::Rule;
use crate::system::programs;

/// Maximum number of recent problems shown.
const MAX_RECENT: usize = 20;

/// What was found.
pub(crate) struct Findings {
    pub(crate) root: PathBuf,
    pub(crate) places: ProgramPlaces,
    pub(crate) rules: usize,
    pub(crate) disabled_rules: usize,
    pub(crate) about_rules: Vec<Problem>,
    pub(crate) about_settings: Vec<Problem>,
    pub(crate) about_program: Vec<Problem>,
    pub(crate) about_folders: Vec<Problem>,
    pub(crate) others: Vec<OtherProgram>,
    pub(crate) open: Vec<Open>,
    pub(crate) server: Server,
    pub(crate) agents: Vec<Connected>,
    pub(crate) state: Vec<Problem>,
    pub(crate) memory: Health,
    pub(crate) hooks: Hooks,
    pub(crate) logged: Vec<Logged>,
    pub(crate) lowered: Vec<DegradedRule>,
}

/// Where this program and its files are.
pub(crate) struct ProgramPlaces {
    pub(crate) program: Option<PathBuf>,
    pub(crate) data: Option<PathBuf>,
    pub(crate) cache: Option<PathBuf>,
    /// The user's own rules, whether there are any or not.
    pub(crate) user_rules: Option<PathBuf>,
}

/// A rule that some agents cannot follow as it is written.
pub(crate) struct DegradedRule {
    pub(crate) rule: String,
    pub(crate) harness: &'static str,
    pub(crate) instead: &'static str,
}

/// An agent of this machine, with the places where it may be connected.
pub(crate) struct Connected {
    pub(crate) title: &'static str,
    pub(crate) name: &'static str,
    pub(crate) places: Vec<AgentConnection>,
    /// The entries in its files that call nudge.
    pub(crate) entries: Vec<ProgramEntry>,
    pub(crate) problems: Vec<Problem>,
}

/// Statistics about the latest hooks.
pub(crate) struct Hooks {
    pub(crate) latency: Vec<Latency>,
    /// How many events were lost, or were not remembered although they should have been.
    pub(crate) dropped: usize,
    pub(crate) torn_lines: usize,
    pub(crate) problems: Vec<Problem>,
}

impl Findings {
    /// Returns everything that is wrong now.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Problem> {
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
    pub(crate) fn all(&self) -> impl Iterator<Item = &Problem> {
        let entries = self.entries.iter().filter_map(|entry| entry.problem.as_ref());
        self.places.iter().flat_map(|wired| &wired.problems).chain(entries).chain(&self.problems)
    }
}

/// Reports rules that may not speak, because the user wants to trust them first.
fn untrusted(root: &Path) -> Vec<Problem> {
    let problem = |file: ProjectRules| {
        let message = "its rules may block, but not speak: you have not trusted it as it is now";
        Problem::warning(message).at(&file.shown, 0, 0).hint("run `nudge trust`")
    };
    trust::muted(root).into_iter().map(problem).collect()
}

/// Checks everything that concerns a project and this machine, and changes nothing.
pub(crate) fn find(root: PathBuf) -> Findings {
    let (files, mut about_rules) = validate::project(&root);
    let rules = files.iter().map(|file| file.rules.len()).sum();
    let disabled_rules = files.iter().flat_map(|file| &file.rules).filter(|rule| !rule.enabled).count();
    let agents = in_use(&root);
    let lowered =
        files.iter().flat_map(|file| &file.rules).flat_map(|rule| degraded_in(rule, &agents)).collect();
    about_rules.extend(untrusted(&root));
    about_rules.extend(env::problems());
    about_rules.extend(unwritable());
    about_rules.extend(files.into_iter().flat_map(|file| file.problems));
    about_rules.retain(|problem| problem.severity > Severity::Note);
    // People show the output of `nudge doctor` to others when they ask for help.
    let none = OwnPatterns::default();
    about_rules.iter_mut().for_each(|problem| *problem = without_secrets(problem, &none));
    for problem in about_rules.iter_mut().filter(|problem| problem.hint.is_none()) {
        problem.hint = Some("`nudge validate` shows where; everything else still works".to_owned());
    }
    let (others, open) = (program::others(), folders::open_to_others());
    let asked = agents::all(&root);
    let about_folders =
        folders::problems(&open).into_iter().chain(leftovers::problems(&agents::files_of(&asked)));
    Findings {
        places: ProgramPlaces {
            program: env::current_exe(),
            data: paths::data_dir(),
            cache: paths::cache_dir(),
            user_rules: paths::user_config_dir().map(|folder| folder.join("rules.yaml")),
        },
        rules,
        disabled_rules,
        about_rules,
        about_settings: super::settings(&root),
        about_program: program::problems(&others)
            .into_iter()
            .chain(pause::of_project(&root).map(|paused| paused.to_problem()))
            .collect(),
        about_folders: folders::foreign()
            .into_iter()
            .chain(folders::irregular())
            .chain(about_folders)
            .collect(),
        others,
        open,
        server: server::look(),
        agents: connected(asked, &root),
        state: super::broken_state(&root)
            .into_iter()
            .chain(super::kept_lock(&root))
            .chain(missing_git(&root))
            .collect(),
        memory: super::memory(),
        hooks: hooks(),
        logged: problems::recent(MAX_RECENT),
        lowered,
        root,
    }
}

/// Checks the agents of this machine, and others that have entries of nudge anyway.
fn connected(asked: Vec<(bool, Vec<AgentPlace>)>, root: &Path) -> Vec<Connected> {
    let mut all = Vec::new();
    for (is_here, asked) in asked {
        let (places, entries) = agents::try_out(&asked, root);
        let problems: Vec<Problem> = agents::doubled(&places).into_iter().collect();
        if let Some(first) = places.first()
            && (is_here
                || entries.iter().any(is_relevant)
                || places.iter().any(AgentConnection::is_connected))
        {
            all.push(Connected { title: first.title, name: first.name, problems, places, entries });
        }
    }
    all
}

/// A working server entry proves nothing: it may belong to another agent that shares the file.
fn is_relevant(entry: &ProgramEntry) -> bool {
    entry.kind != Kind::Server || entry.problem.is_some()
}

fn hooks() -> Hooks {
    let trace::StoredTraces { traces, torn, unread } = trace::read();
    let last = &traces[traces.len().saturating_sub(why::TIMED)..];
    let is_dropped =
        |trace: &&Trace| trace.verdict == VerdictKind::Lost || matches!(trace.recorded, Recorded::Dropped(_));
    let dropped = last.iter().filter(is_dropped).count();
    let mut problems: Vec<Problem> =
        unread.iter().map(|(path, error)| why::unreadable(path, error)).collect();
    if dropped > 0 {
        let problem = Problem::warning(format!("{} lost, or not remembered", counted(dropped, "event")));
        problems.push(problem.hint("`nudge why --all -n 1000` shows which and why"));
    }
    if torn > 0 {
        let problem = Problem::warning(format!("{} of the trace cannot be read", counted(torn, "line")));
        problems.push(problem.hint("`nudge doctor --fix` drops them; the others are not touched"));
    }
    Hooks { latency: why::latency(last), dropped, torn_lines: torn, problems }
}

/// Returns the agents that have a settings folder on this machine; the others do not matter to the user.
fn in_use(root: &Path) -> Vec<&'static Agent> {
    let places = [paths::home_dir(), Some(root.to_owned())];
    let is_here = |agent: &&'static Agent| {
        let mut folders = agent.folders.iter();
        folders.any(|folder| places.iter().flatten().any(|place| place.join(folder).is_dir()))
    };
    AGENTS.iter().copied().filter(is_here).collect()
}

/// Returns the agents in which a rule does something else than it says.
fn degraded_in(rule: &Rule, agents: &[&Agent]) -> Vec<DegradedRule> {
    let in_one = |agent: &&Agent| {
        let instead =
            lower::degraded_effect(rule, &agent.abilities, agent.asking).filter(|_| rule.enabled)?;
        Some(DegradedRule { rule: rule.name.clone(), harness: agent.id, instead })
    };
    agents.iter().filter_map(in_one).collect()
}

/// Returns a problem if git is missing: it stores the notes of a project.
fn missing_git(root: &Path) -> Option<Problem> {
    let is_needed = root.join(".nexus").is_dir() && programs::find("git").is_none();
    is_needed.then(|| {
        let problem = Problem::warning("`git` is not on the PATH, so notes cannot be deleted or restored");
        problem.hint("install git, or put it on the PATH")
    })
}

/// Returns a problem if the data folder is not writable: then messages repeat, and problems of hooks are not logged.
fn unwritable() -> Option<Problem> {
    let Some(folder) = paths::data_dir() else {
        let problem = Problem::error("there is no folder to keep anything in");
        return Some(problem.hint("set HOME to an absolute path"));
    };
    // A home folder that does not exist is a mistake, and nothing is created in it.
    if let Some(home) = paths::home_dir().filter(|home| !home.exists() && folder.starts_with(home)) {
        let problem = Problem::error("HOME names a folder that does not exist");
        return Some(problem.at(&home.display().to_string(), 0, 0).hint("set HOME to your own folder"));
    }
    let error = paths::try_writing(&folder).err()?;
    let problem = Problem::error(format!("this folder cannot be written to: {error}"));
    let hint = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room, or set XDG_DATA_HOME; until then nothing is remembered, and `once` repeats"
        }
        _ => {
            "make yourself its owner, or set XDG_DATA_HOME; until then problems are not kept, and `once` repeats"
        }
    };
    Some(problem.at(&folder.display().to_string(), 0, 0).hint(hint))
}
