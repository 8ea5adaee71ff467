//! What the commands of the memory share: whose observations, how they are named, and what to say if there are none.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use serde::Serialize;

use super::hints::shown_in_line;
use super::output::{CYAN, Failure, Out, RED, YELLOW, say, say_problem};
use crate::api::Scope;
use crate::api::list::ListWire;
use crate::api::memory::ObservationJson;
use crate::model::{Observation, ObservationId, ObservationType, Project};
use crate::ops::agents;
use crate::ops::here::{self, named_folder, short_path};
use crate::ops::observations::StoreError;
use crate::ops::observations::memory::{self, Memory, MemoryError};
use crate::ops::observations::salvage;
use crate::ops::rules::did_you_mean;
use crate::ops::settings;

/// Whose observations a command looks at.
#[derive(clap::Args)]
pub(crate) struct ScopeArgs {
    /// Project to look at: its name, folder or address [default: the one of this folder]
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    project: Option<String>,

    /// All projects
    #[arg(short, long)]
    all: bool,
}

impl ScopeArgs {
    pub(crate) fn scope(&self) -> Scope {
        match &self.project {
            Some(name) => Scope::Named(named_folder(name).unwrap_or_else(|| name.clone())),
            None if self.all => Scope::All,
            None => Scope::Current,
        }
    }
}

/// Returns the project of a scope, and says if its name means several.
pub(crate) fn project_of(memory: &Memory, scope: &Scope) -> Result<Option<Project>, Failure> {
    let places = memory.several_places(scope).map_err(MemoryError::from)?;
    if let (Scope::Named(name), [_, _, ..]) = (scope, &places[..]) {
        let places: Vec<String> = places.iter().map(|place| short_path(Path::new(place))).collect();
        say(format_args!(
            "{CYAN}note:{CYAN:#} {} projects are called `{name}`: {}; name the folder for one of them",
            places.len(),
            shown_in_line(&places.join(", "))
        ));
    }
    Ok(memory.project(scope)?)
}

/// Opens the memory, and says what is not in it yet; `None` if nothing was ever remembered.
///
/// A person who waits for another process is told so.
pub(crate) fn open() -> Result<Option<Memory>, Failure> {
    if let Some(problem) = memory::database_problem() {
        say(format_args!("{YELLOW}warning:{YELLOW:#} {}", problem.message));
        problem.hint.iter().for_each(|hint| say(format_args!("{CYAN}hint:{CYAN:#} {hint}")));
    }
    let memory = while_waiting(memory::open)?;
    if let Some(waiting) = memory.as_ref().and_then(Memory::waiting) {
        say(format_args!("{YELLOW}warning:{YELLOW:#} {waiting}"));
        waiting.why.hint().iter().for_each(|hint| say(format_args!("{CYAN}hint:{CYAN:#} {hint}")));
    }
    Ok(memory)
}

/// After this time a person wonders.
const NOTICE_TIMEOUT: Duration = Duration::from_secs(1);

/// Does something that may have to wait for the database, and says so on a terminal if that takes long.
fn while_waiting<T>(open: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return open();
    }
    let (done, is_done) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        if is_done.recv_timeout(NOTICE_TIMEOUT) == Err(RecvTimeoutError::Timeout) {
            say("waiting for the memory: another process is writing to it");
        }
    });
    let opened = open();
    drop(done);
    opened
}

/// Reads the number of an observation, as `42` or as it is shown.
pub(crate) fn id(text: &str) -> Result<ObservationId, String> {
    let number = text.strip_prefix('#').unwrap_or(text).parse().ok().filter(|number| *number > 0);
    number.map(ObservationId).ok_or_else(|| "write a number, for example `42`".to_owned())
}

/// Reads the number of a colleague's row, as it is shown: `@17`.
pub(crate) fn team_id(text: &str) -> Result<i64, String> {
    let number = text.strip_prefix('@').and_then(|number| number.parse().ok()).filter(|number| *number > 0);
    number.ok_or_else(|| "write the number of a colleague's row, for example `@17`".to_owned())
}

/// Says that this program was built without teams.
#[cfg(not(feature = "team"))]
pub(crate) fn no_team() -> Failure {
    Failure::new("this nudge was built without the feature `team`, so it has no rows of colleagues")
}

/// An observation as it is typed.
#[derive(Clone, Copy)]
pub(crate) enum ObservationArg {
    Number(ObservationId),
    /// The latest one of this project.
    Last,
    /// A row of a colleague.
    Colleague(i64),
}

impl ObservationArg {
    /// Reads `42`, or `last`.
    pub(crate) fn parse(text: &str) -> Result<ObservationArg, String> {
        match text {
            "last" => Ok(ObservationArg::Last),
            _ if text.starts_with('@') => team_id(text).map(ObservationArg::Colleague),
            _ => id(text)
                .map(ObservationArg::Number)
                .map_err(|_| "write a number, for example `42`, or `last`".to_owned()),
        }
    }

    /// Returns the number of the observation.
    pub(crate) fn find(self, memory: &Memory) -> Result<ObservationId, Failure> {
        match self {
            ObservationArg::Number(id) => Ok(id),
            ObservationArg::Colleague(number) => {
                let failure =
                    Failure::new(format!("@{number} is a row of a colleague, which has no place here"));
                Err(failure.hint(format!("`nudge show @{number}` shows all of it")))
            }
            ObservationArg::Last => {
                memory.recent(&Scope::Current, 1)?.first().map(|last| last.id).ok_or_else(|| {
                    Failure::new("nothing is remembered of this project yet")
                        .hint("`nudge recent --all` lists the latest")
                })
            }
        }
    }
}

/// Reads the name of an agent.
pub(crate) fn agent(text: &str) -> Result<String, String> {
    let known = agents::by_id(text).or_else(|| agents::by_name(text)).map(|agent| agent.id.to_owned());
    known.ok_or_else(|| did_you_mean(text, agents::ids().collect::<Vec<_>>()))
}

pub(crate) fn obs_type(text: &str) -> Result<ObservationType, String> {
    text.parse().map_err(|()| did_you_mean(text, ObservationType::ALL.map(ObservationType::name)))
}

/// Answers where nothing was ever remembered: an empty value, and a word to a person.
pub(crate) fn nothing_yet(json: bool, empty: &impl Serialize, out: &mut Out) -> Result<(), Failure> {
    if json {
        return out.json(empty);
    }
    say("nothing is remembered yet: it begins when an agent's hooks call `nudge hook`");
    say_damage();
    Ok(())
}

/// Says where nothing is found what happened to the memory, and what keeps it from remembering.
pub(crate) fn say_damage() {
    let history = salvage::history();
    let settings = settings::overview(&here::root(&here::folder_or_root()));
    settings
        .problems
        .iter()
        .filter(|problem| problem.is_error())
        .for_each(|problem| say_problem(problem, None));
    history.iter().for_each(|what| say(format_args!("{YELLOW}note:{YELLOW:#} {what}")));
}

/// Names the observations that are not there.
pub(crate) fn say_missing(missing: &[ObservationId]) {
    for id in missing {
        say(format_args!(
            "{RED}error:{RED:#} there is no observation {}: it was deleted, or never existed",
            id.0
        ));
    }
}

/// Returns whole observations for a program.
pub(crate) fn observations_json(observations: &[Observation]) -> Vec<ObservationJson> {
    observations.iter().cloned().map(ObservationJson::from).collect()
}

/// Returns the list of nothing.
pub(crate) fn no_items() -> ListWire<ObservationJson> {
    ListWire::whole(Vec::<ObservationJson>::new())
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::new(error.to_string()).hint_if(error.hint())
    }
}

impl From<MemoryError> for Failure {
    fn from(error: MemoryError) -> Failure {
        Failure::new(error.to_string()).hint_if(error.hint())
    }
}
