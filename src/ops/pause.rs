//! Pauses nudge and ends pauses: `nudge off`, `nudge on` and `NUDGE_OFF`.
//!
//! A hook asks here first. As long as nothing is paused, that costs it one failing open of a file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::api::pause::PauseWire;
use crate::config::env;
use crate::files;
use crate::journal::pauses;
use crate::model::{Event, Pause, Problem, Timestamp};
use crate::system::clock;
use crate::system::project::ProjectPlace;

/// Why nudge is off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Paused {
    /// The variable `NUDGE_OFF` says so.
    ByVariable,
    ByUser(Pause),
}

/// Returns why nudge is off for an event; `None` if it is on.
pub(crate) fn of_event(event: &Event) -> Option<Paused> {
    find(|| ProjectPlace::find(event.project.as_deref(), &event.cwd).root().to_owned())
}

/// Returns why nudge is off in a project; `None` if it is on.
pub(crate) fn of_project(root: &Path) -> Option<Paused> {
    find(|| root.to_owned())
}

fn find(root: impl FnOnce() -> PathBuf) -> Option<Paused> {
    match env::is_off() {
        Some(true) => return Some(Paused::ByVariable),
        Some(false) => return None,
        None => {}
    }
    let mut all = lasting();
    if all.is_empty() {
        return None;
    }
    if let Some(everywhere) = all.iter().position(|pause| pause.project.is_none()) {
        return Some(Paused::ByUser(all.swap_remove(everywhere)));
    }
    let root = real(&root());
    all.into_iter().find(|pause| pause.includes(&root)).map(Paused::ByUser)
}

/// Returns the pauses that are not over.
pub(crate) fn lasting() -> Vec<Pause> {
    let mut all = pauses::read();
    if !all.is_empty() {
        let now = clock::timestamp();
        all.retain(|pause| pause.lasts_at(now));
    }
    all
}

/// Pauses nudge in a project or everywhere, for a time or until `on`; replaces an earlier pause of the same place.
pub(crate) fn off(project: Option<&Path>, seconds: Option<i64>) -> io::Result<Pause> {
    let since = clock::timestamp();
    let until = seconds.map(|seconds| Timestamp(since.0.saturating_add(seconds)));
    let pause = Pause { project: project.map(real), since, until };
    let mut all = lasting();
    all.retain(|other| other.project != pause.project);
    all.push(pause.clone());
    pauses::write(&all)?;
    Ok(pause)
}

/// Which pauses to end.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ending<'p> {
    /// All that apply to this project.
    Here(&'p Path),
    /// Those of this project only; one for all projects stays.
    Project(&'p Path),
    All,
}

/// Ends pauses, and returns them.
pub(crate) fn on(ending: Ending<'_>) -> io::Result<Vec<Pause>> {
    let ends = |pause: &Pause| match ending {
        Ending::Here(root) => pause.includes(&real(root)),
        Ending::Project(root) => pause.project.is_some() && pause.includes(&real(root)),
        Ending::All => true,
    };
    let (ended, left): (Vec<Pause>, Vec<Pause>) = lasting().into_iter().partition(ends);
    pauses::write(&left)?;
    Ok(ended)
}

/// Folders are compared without links: agents name them in either way.
fn real(folder: &Path) -> PathBuf {
    files::canonical(folder).unwrap_or_else(|_| folder.to_owned())
}

impl Paused {
    /// Returns the warning for `nudge doctor`.
    pub(crate) fn to_problem(&self) -> Problem {
        let problem =
            Problem::warning(format!("nudge is off {self}: hooks answer nothing and remember nothing"));
        problem.hint(self.way_out())
    }

    /// Returns what ends it.
    pub(crate) fn way_out(&self) -> &'static str {
        match self {
            Paused::ByVariable => "unset NUDGE_OFF where the agent is started",
            Paused::ByUser(_) => "`nudge on` ends it",
        }
    }

    pub(crate) fn to_wire(&self) -> PauseWire {
        match self {
            Paused::ByVariable => PauseWire { by: "NUDGE_OFF", project: None, until: None },
            Paused::ByUser(pause) => to_wire(pause),
        }
    }
}

/// Returns a pause for a program.
pub(crate) fn to_wire(pause: &Pause) -> PauseWire {
    PauseWire { by: "user", project: pause.project.clone(), until: pause.until.map(Into::into) }
}

/// Says where and until when, as in `in /home/me/shop until 14:30`.
impl fmt::Display for Paused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Paused::ByVariable => out.write_str("because NUDGE_OFF is set"),
            Paused::ByUser(pause) => {
                match &pause.project {
                    Some(folder) => write!(out, "in {}", folder.display())?,
                    None => out.write_str("everywhere")?,
                }
                match pause.until {
                    Some(until) => write!(out, " until {}", clock::local_time(until)),
                    None => Ok(()),
                }
            }
        }
    }
}
