//! The environment: every variable that the program reads, and where the process itself is.

use std::path::PathBuf;
use std::time::Duration;

use crate::model::Problem;

const DEADLINE_VARIABLE: &str = "NUDGE_RULE_DEADLINE_MS";

/// Every variable of our own, with its meaning; the reference lists them from here.
pub(crate) const VARIABLES: [(&str, &str); 2] = [
    (
        DEADLINE_VARIABLE,
        "Milliseconds that all rules together may take for one event (default 150); what is not evaluated by then is reported",
    ),
    ("NUDGE_DB", "Path of the database of observations; the spool in front of it lies beside it"),
];

/// Returns the database that the user names.
pub(crate) fn database() -> Option<PathBuf> {
    variable_os("NUDGE_DB").map(PathBuf::from)
}

/// How long all rules together may take for one event.
const RULE_DEADLINE: Duration = Duration::from_millis(150);

pub(crate) fn rule_deadline() -> Duration {
    variable(DEADLINE_VARIABLE).and_then(|value| milliseconds(&value)).unwrap_or(RULE_DEADLINE)
}

/// Returns what is wrong with the variables that are set.
pub(crate) fn problems() -> Vec<Problem> {
    let wrong = variable_os(DEADLINE_VARIABLE).map(|value| value.to_string_lossy().into_owned());
    let wrong = wrong.filter(|value| milliseconds(value).is_none());
    let problem = wrong.map(|value| {
        let message = format!("{DEADLINE_VARIABLE} is `{value}`, which is no number above 0");
        Problem::error(message).hint(format!("{} ms hold instead", RULE_DEADLINE.as_millis()))
    });
    problem.into_iter().collect()
}

fn milliseconds(value: &str) -> Option<Duration> {
    value.parse().ok().filter(|number| *number > 0).map(Duration::from_millis)
}

/// Returns a folder that a variable of the agent names.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    variable_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Returns the folder of the process, or the top of the disk: a hook answers wherever it is started.
pub(crate) fn current_dir() -> PathBuf {
    working_dir().unwrap_or_else(|| PathBuf::from("/"))
}

/// Returns the folder of the process, if it is still there.
#[expect(clippy::disallowed_methods, reason = "this is the environment's one home")]
pub(crate) fn working_dir() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

#[expect(clippy::disallowed_methods, reason = "this is the environment's one home")]
pub(crate) fn current_exe() -> Option<PathBuf> {
    std::env::current_exe().ok()
}

/// Returns the folders in which programs are looked for.
pub(crate) fn search_path() -> Vec<PathBuf> {
    variable_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default()
}

/// Returns the user's own shell.
pub(crate) fn shell() -> Option<PathBuf> {
    variable_os("SHELL").map(PathBuf::from)
}

fn variable(name: &str) -> Option<String> {
    variable_os(name)?.into_string().ok()
}

#[expect(clippy::disallowed_methods, reason = "this is the environment's one home")]
fn variable_os(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
