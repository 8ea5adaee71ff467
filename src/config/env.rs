//! The environment: every variable that the program reads, and the folder of the process.

use std::path::PathBuf;
use std::time::Duration;

use crate::files;
use crate::model::{Problem, ShareLevel, Topic};

const DEADLINE_VARIABLE: &str = "NUDGE_RULE_DEADLINE_MS";
const PROJECT_VARIABLE: &str = "NEXUS_PROJECT_ROOT";
const HARNESS_VARIABLE: &str = "NEXUS_HARNESS_ID";
/// Set by the script of `nudge completions`, and by nobody else.
pub(crate) const COMPLETE_VARIABLE: &str = "NUDGE_COMPLETE";

/// All variables of nudge, with their meaning; the reference is generated from here.
pub(crate) const VARIABLES: [(&str, &str); 14] = [
    (OFF, "1 pauses nudge: hooks answer nothing and remember nothing; 0 keeps it on despite `nudge off`"),
    (
        DEADLINE_VARIABLE,
        "Time limit in milliseconds for all rules of one event (default 150); rules that are not evaluated by then are reported",
    ),
    (DATABASE_VARIABLE, "Path of the database of observations; its spool is beside it"),
    (
        RUNTIME_DIR,
        "Folder where servers meet: locks, address (server.pid), socket, snapshot (default /tmp/nudge, on Windows %LOCALAPPDATA%\\nudge; if another user owns it: $XDG_RUNTIME_DIR/nudge, /tmp/nudge-UID, or a folder in the data folder). Commands ask only the server of this folder",
    ),
    (MAX_HINTS, "Maximum number of hints that a server keeps (default 5000)"),
    (SECRET_GUARD, "0 accepts values that look like secrets (default 1)"),
    (
        DEFAULT_TTL,
        "Lifetime of a hint without a ttl: session, or a duration such as 2h or PT2H (default session)",
    ),
    (
        PUSH_TIMEOUT,
        "Time limit in milliseconds for a hook to get hints from the running server (default 100 at the start of a session and after a failure, 30 after a prompt); without an answer it continues",
    ),
    (LOG_LEVEL, "Messages of a server on stderr: error, warn, info or debug (default info)"),
    (PROJECT_VARIABLE, "Folder of the project whose `.nexus/` is used, instead of the one that is found"),
    (HARNESS_VARIABLE, "Name of the agent's own folder in `.nexus/state/`, instead of the harness's id"),
    (TEAM_URL, "Address of the team's PostgreSQL, instead of `team.url` in your settings, for CI"),
    (
        TEAM_SHARE,
        "How much of the project in this folder is shared, instead of `team.projects` in your settings, for CI: off, fixes, work or all",
    ),
    (COMPLETE_VARIABLE, "Set by the completion scripts of `nudge completions`: the shell that asks"),
];

const TEAM_URL: &str = "NUDGE_TEAM_URL";
const TEAM_SHARE: &str = "NUDGE_TEAM_SHARE";

/// Returns the server that a job names, which has no settings of its own.
pub(crate) fn team_url() -> Option<String> {
    variable(TEAM_URL)
}

/// Returns how much such a job shares; what is not understood shares nothing.
pub(crate) fn team_share() -> Option<ShareLevel> {
    variable(TEAM_SHARE).map(|level| level.parse().unwrap_or_default())
}

/// Returns the password that PostgreSQL's own programs would use, and the file they would find it in.
pub(crate) fn postgres_password() -> Option<String> {
    variable("PGPASSWORD")
}

pub(crate) fn postgres_password_file() -> Option<PathBuf> {
    folder("PGPASSFILE")
}

/// Names a folder with the files of the viewer's page; only debug builds read it.
const UI_ASSETS: &str = "NUDGE_UI_ASSETS";

/// Returns the folder that a developer serves the viewer's page from.
pub(crate) fn ui_assets() -> Option<PathBuf> {
    if cfg!(debug_assertions) { folder(UI_ASSETS) } else { None }
}

/// Pauses nudge; the test events of setup and doctor are sent with 0.
pub(crate) const OFF: &str = "NUDGE_OFF";
const DATABASE_VARIABLE: &str = "NUDGE_DB";
const PUSH_TIMEOUT: &str = "NUDGE_PUSH_PATIENCE_MS";
const RUNTIME_DIR: &str = "NUDGE_RUNTIME_DIR";
pub(crate) const MAX_HINTS: &str = "NUDGE_MAX_HINTS";
pub(crate) const SECRET_GUARD: &str = "NUDGE_SECRET_GUARD";
pub(crate) const DEFAULT_TTL: &str = "NUDGE_DEFAULT_TTL";
pub(crate) const LOG_LEVEL: &str = "NUDGE_LOG_LEVEL";

/// Returns the runtime folder that the user sets for servers.
pub(crate) fn runtime_dir() -> Option<PathBuf> {
    variable_os(RUNTIME_DIR).map(PathBuf::from)
}

/// Returns the value of a variable for `nudge serve`; the command parses it like its flags.
pub(crate) fn of_serve(name: &str) -> Option<String> {
    variable_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// Returns the folder that the user sets as the project of plans and tasks.
pub(crate) fn nexus_project_root() -> Option<PathBuf> {
    folder(PROJECT_VARIABLE)
}

/// Returns the folder that the agent was started in, as the agent says.
pub(crate) fn agent_project_dir() -> Option<PathBuf> {
    folder("CLAUDE_PROJECT_DIR")
}

/// Returns the user's name for the agent's own folder in `.nexus/state/`, if it is valid.
pub(crate) fn nexus_harness_id() -> Option<String> {
    variable(HARNESS_VARIABLE).filter(|id| is_harness_id(id))
}

fn is_harness_id(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    id.starts_with(|c: char| c.is_ascii_lowercase()) && id.chars().all(plain)
}

/// Returns whether a variable pauses nudge, or keeps it on; `None` if it is not set.
pub(crate) fn is_off() -> Option<bool> {
    variable_os(OFF).map(|value| value != "0")
}

/// Returns the database that the user sets.
pub(crate) fn database() -> Option<PathBuf> {
    folder(DATABASE_VARIABLE)
}

/// How long all rules together may take for one event.
const RULE_DEADLINE: Duration = Duration::from_millis(150);

pub(crate) fn rule_deadline() -> Duration {
    variable(DEADLINE_VARIABLE).and_then(|value| parse_milliseconds(&value)).unwrap_or(RULE_DEADLINE)
}

/// Returns how long a hook waits for hints, if the user says so.
pub(crate) fn push_timeout() -> Option<Duration> {
    variable(PUSH_TIMEOUT).and_then(|value| parse_milliseconds(&value))
}

/// Returns what is wrong with the variables that are set.
pub(crate) fn problems() -> Vec<Problem> {
    let wrong = |name: &str, is_right: fn(&str) -> bool| {
        let value = variable_os(name)?.to_string_lossy().into_owned();
        (!is_right(&value)).then_some(value)
    };
    let time = |name: &'static str, default: &str| {
        let value = wrong(name, |value| parse_milliseconds(value).is_some())?;
        let problem = Problem::error(format!("{name} is `{value}`, which is not a number above 0"));
        Some(problem.hint(format!("the default of {default} is used")))
    };
    let deadline = time(DEADLINE_VARIABLE, &format!("{} ms", RULE_DEADLINE.as_millis()));
    let push_timeout = time(PUSH_TIMEOUT, "100 ms, or 30 ms after a prompt,");
    let project = wrong(PROJECT_VARIABLE, |value| PathBuf::from(value).is_absolute()).map(|value| {
        let message = format!("{PROJECT_VARIABLE} is `{value}`, which is not an absolute path");
        Problem::error(message).hint("the variable is ignored, and the project is searched for")
    });
    let share = wrong(TEAM_SHARE, |value| value.parse::<ShareLevel>().is_ok()).map(|value| {
        Problem::error(format!("{TEAM_SHARE} is `{value}`, which is not `off`, `fixes`, `work` or `all`"))
            .hint("nothing is shared until this is fixed")
    });
    let problems = [deadline, push_timeout, database_problem(), project, share].into_iter().flatten();
    problems.map(|problem| problem.about(Topic::Environment)).chain(harness_problem()).collect()
}

/// Returns what is wrong with the path of the database.
pub(crate) fn database_problem() -> Option<Problem> {
    let value = variable_os(DATABASE_VARIABLE)?.to_string_lossy().into_owned();
    (!PathBuf::from(&value).is_absolute()).then(|| {
        Problem::error(format!("{DATABASE_VARIABLE} is `{value}`, which is not an absolute path"))
            .hint("it would mean another database in every folder, so the default one is used")
            .about(Topic::Environment)
    })
}

/// Returns what is wrong with the name for the agent's own folder.
pub(crate) fn harness_problem() -> Option<Problem> {
    let value = variable_os(HARNESS_VARIABLE)?.to_string_lossy().into_owned();
    (!is_harness_id(&value)).then(|| {
        let message = format!("{HARNESS_VARIABLE} is `{value}`, which is not a valid name of a harness");
        Problem::error(message)
            .hint("use lower-case letters, digits and `-`, starting with a letter; until then the harness's id is used")
            .about(Topic::Environment)
    })
}

fn parse_milliseconds(value: &str) -> Option<Duration> {
    value.parse().ok().filter(|number| *number > 0).map(Duration::from_millis)
}

/// Returns a folder that a variable names, if it is absolute.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    variable_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Returns the folder of the process, or the root of the disk: a hook answers wherever it is started.
pub(crate) fn current_dir() -> PathBuf {
    working_dir().unwrap_or_else(|| PathBuf::from("/"))
}

/// Returns the folder of the process, if it still exists.
#[expect(clippy::disallowed_methods, reason = "only this module reads the environment")]
pub(crate) fn working_dir() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

/// Returns the folder of the process under the name that the shell shows, which may contain links.
pub(crate) fn shown_dir() -> Option<PathBuf> {
    let real = working_dir()?;
    let shown = folder("PWD").filter(|shown| files::canonical(shown).ok() == files::canonical(&real).ok());
    Some(shown.unwrap_or(real))
}

/// Returns those of the named variables that are set, even to an empty value.
#[expect(clippy::disallowed_methods, reason = "only this module reads the environment")]
pub(crate) fn named(names: &[String]) -> Vec<(String, String)> {
    // An invalid name would make the system's lookup panic.
    let names = names.iter().filter(|name| !name.is_empty() && !name.contains(['=', '\0']));
    let values = names.filter_map(|name| Some((name, std::env::var_os(name)?)));
    values.map(|(name, value)| (name.clone(), value.to_string_lossy().into_owned())).collect()
}

/// Returns the value of a variable that an agent sets.
pub(crate) fn value(name: &str) -> Option<String> {
    variable(name)
}

/// Returns the user's editor.
pub(crate) fn editor() -> Option<String> {
    variable("VISUAL").or_else(|| variable("EDITOR"))
}

/// Returns the operating system as scopes of hints name it, if they have a name for it.
pub(crate) fn os() -> Option<&'static str> {
    match std::env::consts::OS {
        "linux" | "android" => Some("linux"),
        "macos" | "ios" => Some("darwin"),
        "windows" => Some("windows"),
        _ => None,
    }
}

#[expect(clippy::disallowed_methods, reason = "only this module reads the environment")]
pub(crate) fn current_exe() -> Option<PathBuf> {
    std::env::current_exe().ok()
}

/// Returns the search path, as it is passed on to other programs.
pub(crate) fn path_variable() -> Option<std::ffi::OsString> {
    variable_os("PATH")
}

/// Returns the folders of the search path.
pub(crate) fn search_path() -> Vec<PathBuf> {
    variable_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default()
}

/// Returns the time zone that a variable sets instead of the system's, even an empty one.
#[expect(clippy::disallowed_methods, reason = "only this module reads the environment")]
pub(crate) fn time_zone() -> Option<std::ffi::OsString> {
    std::env::var_os("TZ")
}

/// Returns the shell that completes a command line at its prompt.
pub(crate) fn completing_shell() -> Option<String> {
    variable(COMPLETE_VARIABLE)
}

/// Returns the user's own shell.
pub(crate) fn shell() -> Option<PathBuf> {
    variable_os("SHELL").map(PathBuf::from)
}

fn variable(name: &str) -> Option<String> {
    variable_os(name)?.into_string().ok()
}

#[expect(clippy::disallowed_methods, reason = "only this module reads the environment")]
fn variable_os(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
