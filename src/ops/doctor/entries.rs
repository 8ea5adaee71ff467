//! The entries in agents' files that call us, whoever wrote them and when: each is tried, and one that leads nowhere is
//! named with its file and line.
//!
//! Only what a user wrote for himself is given to a shell as it stands. A file that comes with a repository is somebody
//! else's: of that only lines are tried that do nothing but call this very program, and it is called in their place.

mod trial;

use std::path::{Path, PathBuf};

use super::agents::{Asked, reach_word};
use super::program;
use crate::config::{env, paths};
use crate::files;
use crate::harness;
use crate::journal::agent_files;
use crate::journal::setup_journal as journal;
use crate::model::{Content, Problem, Reach, quoted};
use crate::system::programs;
use crate::wiring::{self, Call, Registration};
use trial::Trial;

/// What calls one program in one file.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) file: PathBuf,
    /// The line of the entry that was tried; there may be more like it.
    pub(crate) line: usize,
    pub(crate) count: usize,
    pub(crate) kind: Kind,
    pub(crate) command: String,
    /// Where the program lies; `None` if it is not there, or cannot be told.
    pub(crate) program: Option<PathBuf>,
    /// What another program than this one says of itself.
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
struct Source<'a> {
    path: PathBuf,
    asked: &'a Asked,
    /// What `nudge setup` writes there.
    content: Option<&'a Content>,
    /// It comes with the repository.
    is_shared: bool,
}

impl Source<'_> {
    /// Returns what still calls us where setup has taken out what it would write anew.
    fn left_by_setup(&self, text: &str) -> Vec<Call> {
        let rest = self.content.and_then(|content| wiring::without(text, content).ok());
        let left = wiring::registrations(rest.as_deref().unwrap_or(text));
        left.into_iter().map(|one| one.call).collect()
    }
}

/// Tries every entry of one agent, in all its places; each command once.
pub(crate) fn try_all(asked: &[Asked], project: &Path) -> Vec<Entry> {
    let mut trial = Trial::default();
    let mut entries = Vec::new();
    for source in sources(asked, project) {
        // A file that cannot be read is told of where the places are looked at.
        let Ok(Some(text)) = agent_files::read(&source.path) else { continue };
        let left = source.left_by_setup(&text);
        for group in grouped(wiring::registrations(&text)) {
            let is_replaced = !group.iter().any(|one| left.contains(&one.call));
            entries.push(examine(&source, &group, is_replaced, &mut trial));
        }
    }
    entries
}

/// Says whether `nudge setup` wrote one of these files.
pub(crate) fn were_written_by_setup(asked: &Asked) -> bool {
    let (records, _) = journal::look();
    let is_written = |path: &Path| records.iter().any(|record| record.path == path);
    asked.connection.files.iter().any(|file| is_written(&agent_files::real(&file.path)))
}

fn sources<'a>(asked: &'a [Asked], project: &Path) -> Vec<Source<'a>> {
    let mut all: Vec<Source<'a>> = Vec::new();
    let mut add = |path: &Path, asked: &'a Asked, content: Option<&'a Content>, is_shared: bool| {
        let path = agent_files::real(path);
        if !all.iter().any(|source| source.path == path) {
            all.push(Source { path, asked, content, is_shared });
        }
    };
    // The user's own come first: where the project is the home folder, they are his.
    for one in asked {
        for file in &one.connection.files {
            add(&file.path, one, Some(&file.content), one.reach == Reach::Project);
        }
    }
    for one in asked {
        for path in &one.connection.elsewhere {
            add(path, one, None, path.starts_with(project));
        }
    }
    all
}

/// Puts together what calls the same program in the same way; the event that a proof is made for comes first.
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
        Call::Hook { command, .. } => (Kind::Hook, wiring::program(command).unwrap_or_default()),
        Call::Server(words) => (Kind::Server, words[0].clone()),
        Call::Plugin => (Kind::Plugin, String::new()),
    }
}

/// A tool is about to be used: this is what the test event is.
fn is_of_proof(one: &Registration) -> bool {
    let Call::Hook { event, .. } = &one.call else { return true };
    event.as_ref().is_none_or(|event| ["pretooluse", "beforetool"].contains(&event.to_lowercase().as_str()))
}

fn examine(source: &Source<'_>, group: &[Registration], is_replaced: bool, trial: &mut Trial) -> Entry {
    let first = &group[0];
    let (kind, named) = key(first);
    let program = match kind {
        Kind::Plugin => plugin_program(),
        Kind::Hook | Kind::Server => resolved(&named),
    };
    let command = match &first.call {
        Call::Hook { command, .. } => command.clone(),
        Call::Server(words) => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
        // Its script looks for the program, and hands all that comes to it.
        Call::Plugin => {
            let program = program.as_ref().map_or("nudge".into(), |path| path.to_string_lossy());
            format!("{} hook --harness {}", quoted(&program), harness::DEFAULT)
        }
    };
    let is_own = program.as_deref().is_some_and(is_this_program);
    let mut entry = Entry {
        file: source.path.clone(),
        line: group.iter().map(|one| one.line).min().unwrap_or_default(),
        count: group.len(),
        kind,
        command,
        version: program
            .as_deref()
            .filter(|_| !is_own && !source.is_shared)
            .and_then(|path| trial.version(path)),
        program,
        answers: None,
        problem: None,
    };
    let found = match &first.call {
        _ if is_missing(&named, source, &entry) => Err(Off::Missing(shown(&named, kind))),
        Call::Server(_) if is_own => Ok(()),
        _ => trial.answer(source, &entry, first),
    };
    entry.answers = match &found {
        Ok(()) => Some(true),
        Err(Off::Missing(_) | Off::Silent(_)) => Some(false),
        Err(Off::Untried(_)) => None,
    };
    let remedy = remedy(source, is_replaced);
    entry.problem = match found {
        Ok(()) => outdated(&entry, remedy),
        Err(off) => Some(off.problem(source, &entry, remedy)),
    };
    entry
}

/// What is wrong with an entry.
enum Off {
    /// The program is not there.
    Missing(String),
    /// It is there, and does not answer as it should.
    Silent(String),
    /// It was not tried, for this reason.
    Untried(&'static str),
}

impl Off {
    fn problem(self, source: &Source<'_>, entry: &Entry, remedy: String) -> Problem {
        let whom = match entry.kind {
            Kind::Hook => "hook",
            Kind::Server => "server",
            Kind::Plugin => "plugin",
        };
        let hint = match &self {
            Off::Missing(program) if !program.contains('/') => format!(
                "put `nudge` on the PATH of the agent's shell, or connect it by its place: `nudge setup {} --user`",
                source.asked.name
            ),
            Off::Untried(_) => {
                format!("look at it; `nudge setup {} --project` replaces it", source.asked.name)
            }
            Off::Missing(_) | Off::Silent(_) => remedy,
        };
        let problem = match self {
            Off::Missing(program) if program.contains('/') => {
                Problem::error(format!("this {whom} calls `{program}`, which is not there"))
            }
            Off::Missing(program) => {
                Problem::error(format!("this {whom} calls `{program}`, which is not on the PATH"))
            }
            Off::Silent(why) => Problem::error(format!(
                "this {whom} did not answer a test event: {why} (`{}`)",
                entry.command
            )),
            Off::Untried(why) => Problem::warning(format!("this {whom} was not tried: {why}")),
        };
        problem.at(&entry.file.display().to_string(), entry.line, 0).hint(hint)
    }
}

/// Says that an entry works, but by another version than this.
fn outdated(entry: &Entry, remedy: String) -> Option<Problem> {
    let (ours, theirs) = (env!("CARGO_PKG_VERSION"), entry.version.as_ref()?);
    let program = entry.program.as_ref()?.display();
    (theirs != ours).then(|| {
        let problem =
            Problem::warning(format!("this calls nudge {theirs} (`{program}`), and this one is {ours}"));
        problem.at(&entry.file.display().to_string(), entry.line, 0).hint(remedy)
    })
}

/// Says what to do about an entry that is old.
fn remedy(source: &Source<'_>, is_replaced: bool) -> String {
    let Asked { name, reach, .. } = source.asked;
    let setup = format!("nudge setup {name} --{}", reach_word(*reach));
    match is_replaced {
        true if were_written_by_setup(source.asked) => format!("run `{setup}`, or `nudge doctor --fix`"),
        true => format!("run `{setup}`, which replaces it"),
        false => {
            format!("setup leaves this entry alone: mend it or take it out; `nudge setup {name}` connects")
        }
    }
}

/// Returns where a program lies that an entry names.
fn resolved(named: &str) -> Option<PathBuf> {
    let path = Path::new(named);
    match () {
        () if path.is_absolute() => Some(path.to_owned()).filter(|path| path.is_file()),
        () if named.contains(['/', '\\', '$', '~']) => None,
        () => programs::find("nudge"),
    }
}

/// Says whether a program is surely not there; what a shell has to work out first may be.
fn is_missing(named: &str, source: &Source<'_>, entry: &Entry) -> bool {
    // A login shell has a PATH of its own.
    let is_bare = !named.contains(['/', '\\', '$', '~']) && !source.asked.connection.proof.in_login_shell;
    entry.program.is_none() && (is_bare || Path::new(named).is_absolute())
}

fn shown(named: &str, kind: Kind) -> String {
    if kind == Kind::Plugin { "nudge".to_owned() } else { named.to_owned() }
}

/// Returns the program that the script of our plugin finds.
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
