//! The entries in agents' files that call nudge, whoever wrote them: each is tried, and one that does not work is
//! reported with its file and line.
//!
//! Only the user's own entries are passed to a shell unchanged. A file that comes with a repository is somebody else's:
//! of that, only lines that do nothing but call this very program are tried, and it is called in their place.

mod trial;

use std::path::{Path, PathBuf};

use super::agent_place::{AgentPlace, reach_word};
use super::program;
use crate::config::{env, paths};
use crate::files;
use crate::harness;
use crate::journal::agent_files;
use crate::journal::setup_journal as journal;
use crate::model::{Content, InstallScope, Problem, quoted};
use crate::system::programs;
use crate::wiring::{self, EntryCall, Registration};
use trial::EntryTrials;

/// The entries that call one program in one file.
#[derive(Debug)]
pub(crate) struct ProgramEntry {
    pub(crate) file: PathBuf,
    /// The line of the first entry; there may be more like it.
    pub(crate) line: usize,
    pub(crate) count: usize,
    pub(crate) kind: Kind,
    pub(crate) command: String,
    /// The path of the program; `None` if it does not exist, or is unknown.
    pub(crate) program: Option<PathBuf>,
    /// The version that the program reports, if it is not this one.
    pub(crate) version: Option<String>,
    /// Whether it answered; `None` if it was not tried.
    pub(crate) answers: Option<bool>,
    pub(crate) problem: Option<Problem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Hook,
    Server,
    Plugin,
}

/// A file in which an agent may be connected.
struct EntryFile<'a> {
    path: PathBuf,
    asked: &'a AgentPlace,
    /// What `nudge setup` writes there.
    content: Option<&'a Content>,
    /// The file comes with the repository.
    is_shared: bool,
}

impl EntryFile<'_> {
    /// Returns the calls that would remain after setup removed everything that it writes.
    fn left_by_setup(&self, text: &str) -> Vec<EntryCall> {
        let rest = self.content.and_then(|content| wiring::without(text, content).ok());
        let left = wiring::registrations(rest.as_deref().unwrap_or(text));
        left.into_iter().map(|one| one.call).collect()
    }
}

/// Tries every entry of one agent, in all its places; each command once.
pub(crate) fn try_all(asked: &[AgentPlace], project: &Path) -> Vec<ProgramEntry> {
    let mut trials = EntryTrials::default();
    let mut entries = Vec::new();
    for source in sources(asked, project) {
        // A file that cannot be read is reported where the places are checked.
        let Ok(Some(text)) = agent_files::read(&source.path) else { continue };
        let left = source.left_by_setup(&text);
        for group in grouped(wiring::registrations(&text)) {
            let is_replaced = !group.iter().any(|one| left.contains(&one.call));
            entries.push(examine(&source, &group, is_replaced, &mut trials));
        }
    }
    entries
}

/// Returns whether `nudge setup` wrote one of these files.
pub(crate) fn were_written_by_setup(asked: &AgentPlace) -> bool {
    let (records, _) = journal::look();
    let is_written = |path: &Path| records.iter().any(|record| record.path == path);
    asked.connection.files.iter().any(|file| is_written(&agent_files::real(&file.path)))
}

fn sources<'a>(asked: &'a [AgentPlace], project: &Path) -> Vec<EntryFile<'a>> {
    let mut all: Vec<EntryFile<'a>> = Vec::new();
    let mut add = |path: &Path, asked: &'a AgentPlace, content: Option<&'a Content>, is_shared: bool| {
        let path = agent_files::real(path);
        if !all.iter().any(|source| source.path == path) {
            all.push(EntryFile { path, asked, content, is_shared });
        }
    };
    // The user's files come first: if the project is the home folder, they count as the user's.
    for one in asked {
        for file in &one.connection.files {
            add(&file.path, one, Some(&file.content), one.reach == InstallScope::Project);
        }
    }
    for one in asked {
        for path in &one.connection.elsewhere {
            add(path, one, None, path.starts_with(project));
        }
    }
    all
}

/// Groups entries that call the same program in the same way; the entry for the test event comes first.
fn grouped(registrations: Vec<Registration>) -> Vec<Vec<Registration>> {
    let mut groups: Vec<((Kind, String), Vec<Registration>)> = Vec::new();
    for one in registrations {
        let key = key(&one);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) if is_of_proof(&one) && !is_of_proof(&group[0]) => group.insert(0, one),
            Some((_, group)) => group.push(one),
            None => groups.push((key, vec![one])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

fn key(one: &Registration) -> (Kind, String) {
    match &one.call {
        EntryCall::Hook { command, .. } => (Kind::Hook, wiring::program(command).unwrap_or_default()),
        EntryCall::Server(words) => (Kind::Server, words[0].clone()),
        EntryCall::Plugin => (Kind::Plugin, String::new()),
    }
}

/// Returns whether an entry is for the kind of event that the test event has: a tool is about to be used.
fn is_of_proof(one: &Registration) -> bool {
    let EntryCall::Hook { event, .. } = &one.call else { return true };
    event.as_ref().is_none_or(|event| ["pretooluse", "beforetool"].contains(&event.to_lowercase().as_str()))
}

fn examine(
    source: &EntryFile<'_>,
    group: &[Registration],
    is_replaced: bool,
    trials: &mut EntryTrials,
) -> ProgramEntry {
    let first = &group[0];
    let (kind, named) = key(first);
    let program = match kind {
        Kind::Plugin => plugin_program(),
        Kind::Hook | Kind::Server => resolved(&named),
    };
    let command = match &first.call {
        EntryCall::Hook { command, .. } => command.clone(),
        EntryCall::Server(words) => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
        // The plugin's script finds the program and passes everything on to it.
        EntryCall::Plugin => {
            let program = program.as_ref().map_or("nudge".into(), |path| path.to_string_lossy());
            format!("{} hook --harness {}", quoted(&program), harness::DEFAULT)
        }
    };
    let is_own = program.as_deref().is_some_and(is_this_program);
    let mut entry = ProgramEntry {
        file: source.path.clone(),
        line: group.iter().map(|one| one.line).min().unwrap_or_default(),
        count: group.len(),
        kind,
        command,
        version: program
            .as_deref()
            .filter(|_| !is_own && !source.is_shared)
            .and_then(|path| trials.version(path)),
        program,
        answers: None,
        problem: None,
    };
    let found = match &first.call {
        _ if is_missing(&named, source, &entry) => Err(EntryFault::Missing(shown(&named, kind))),
        EntryCall::Server(_) if is_own => Ok(()),
        _ => trials.answer(source, &entry, first),
    };
    entry.answers = match &found {
        Ok(()) => Some(true),
        Err(EntryFault::Missing(_) | EntryFault::Silent(_)) => Some(false),
        Err(EntryFault::Untried(_)) => None,
    };
    let remedy = remedy(source, is_replaced);
    entry.problem = match found {
        Ok(()) => outdated(&entry, remedy),
        Err(fault) => Some(fault.problem(source, &entry, remedy)),
    };
    entry
}

/// What is wrong with an entry, or why that is unknown.
enum EntryFault {
    /// The program does not exist.
    Missing(String),
    /// The program does not answer as it should.
    Silent(String),
    /// The entry was not tried, for this reason.
    Untried(&'static str),
}

impl EntryFault {
    fn problem(self, source: &EntryFile<'_>, entry: &ProgramEntry, remedy: String) -> Problem {
        let what = match entry.kind {
            Kind::Hook => "hook",
            Kind::Server => "server",
            Kind::Plugin => "plugin",
        };
        let hint = match &self {
            EntryFault::Missing(program) if !program.contains('/') => format!(
                "put `nudge` on the PATH of the agent's shell, or connect it by its path: `nudge setup {} --user`",
                source.asked.name
            ),
            EntryFault::Untried(_) => {
                format!("check it; `nudge setup {} --project` replaces it", source.asked.name)
            }
            EntryFault::Missing(_) | EntryFault::Silent(_) => remedy,
        };
        let problem = match self {
            EntryFault::Missing(program) if program.contains('/') => {
                Problem::error(format!("this {what} calls `{program}`, which does not exist"))
            }
            EntryFault::Missing(program) => {
                Problem::error(format!("this {what} calls `{program}`, which is not on the PATH"))
            }
            EntryFault::Silent(why) => Problem::error(format!(
                "this {what} did not answer a test event: {why} (`{}`)",
                entry.command
            )),
            EntryFault::Untried(why) => Problem::warning(format!("this {what} was not tried: {why}")),
        };
        problem.at(&entry.file.display().to_string(), entry.line, 0).hint(hint)
    }
}

/// Returns a problem if an entry works, but calls another version.
fn outdated(entry: &ProgramEntry, remedy: String) -> Option<Problem> {
    let (ours, theirs) = (env!("CARGO_PKG_VERSION"), entry.version.as_ref()?);
    let program = entry.program.as_ref()?.display();
    (theirs != ours).then(|| {
        let problem =
            Problem::warning(format!("this calls nudge {theirs} (`{program}`); this one is {ours}"));
        problem.at(&entry.file.display().to_string(), entry.line, 0).hint(remedy)
    })
}

/// Returns what to do about an old entry.
fn remedy(source: &EntryFile<'_>, is_replaced: bool) -> String {
    let AgentPlace { name, reach, .. } = source.asked;
    let setup = format!("nudge setup {name} --{}", reach_word(*reach));
    match is_replaced {
        true if were_written_by_setup(source.asked) => format!("run `{setup}`, or `nudge doctor --fix`"),
        true => format!("run `{setup}`, which replaces it"),
        false => {
            format!(
                "setup does not change this entry: fix it or remove it; `nudge setup {name}` connects the agent"
            )
        }
    }
}

/// Returns the path of a program that an entry names.
fn resolved(named: &str) -> Option<PathBuf> {
    let path = Path::new(named);
    match () {
        () if path.is_absolute() => Some(path.to_owned()).filter(|path| path.is_file()),
        () if named.contains(['/', '\\', '$', '~']) => None,
        () => programs::find("nudge"),
    }
}

/// Returns whether a program certainly does not exist; a name that a shell has to expand first may exist.
fn is_missing(named: &str, source: &EntryFile<'_>, entry: &ProgramEntry) -> bool {
    // A login shell has its own PATH.
    let is_bare = !named.contains(['/', '\\', '$', '~']) && !source.asked.connection.proof.in_login_shell;
    entry.program.is_none() && (is_bare || Path::new(named).is_absolute())
}

fn shown(named: &str, kind: Kind) -> String {
    if kind == Kind::Plugin { "nudge".to_owned() } else { named.to_owned() }
}

/// Returns the program that the plugin's script finds.
fn plugin_program() -> Option<PathBuf> {
    let home = paths::home_dir();
    let places = [".cargo/bin/nudge", ".local/bin/nudge"];
    let in_home = home.iter().flat_map(|home| places.iter().map(|place| home.join(place)));
    programs::find("nudge").or_else(|| in_home.into_iter().find(|path| path.is_file()))
}

fn is_this_program(path: &Path) -> bool {
    let own = env::current_exe().and_then(|path| files::canonical(&path).ok());
    own.is_some() && files::canonical(path).ok() == own
}
