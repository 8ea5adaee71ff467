//! Looks up what a shell may complete: components, keys, rules, sessions, tasks and notes.
//!
//! A person waits at the prompt, so every look is short, changes nothing, and finds nothing rather than fail.

use std::path::Path;
use std::time::Duration;

use super::hints::client::HintClient;
use super::nexus::{self, notes, task};
use super::rules::load;
use crate::api::hints::{ListComponentsRequest, ListedComponentWire};
use crate::harness;
use crate::journal::trace;
use crate::model::TaskStatus;
use crate::rules::{MissingVersion, PACKS};
use crate::system::project;

/// How long the hint server may take to answer.
const SERVER_TIMEOUT: Duration = Duration::from_millis(200);
/// How many sessions are offered, the latest.
const MAX_SESSIONS: usize = 20;

/// A value, and what it is.
pub(crate) type Completion = (String, String);

/// Returns the components that have hints.
pub(crate) fn components() -> Vec<Completion> {
    let listed = list_components(None).into_iter();
    listed.map(|component| (component.name.into_owned(), String::new())).collect()
}

/// Returns the keys of a component.
pub(crate) fn keys(component: &str) -> Vec<Completion> {
    let keys = list_components(Some(component)).into_iter().flat_map(|component| component.keys);
    keys.map(|key| (key.into_owned(), String::new())).collect()
}

fn list_components(component: Option<&str>) -> Vec<ListedComponentWire<'static>> {
    let request =
        ListComponentsRequest { component: component.map(str::to_owned), ..ListComponentsRequest::default() };
    let client = HintClient::in_passing(SERVER_TIMEOUT);
    let listed = client.ok().and_then(|mut client| client.ask(&request).ok());
    listed.map(|listed| listed.components).unwrap_or_default()
}

/// Returns the packs of rules.
pub(crate) fn packs() -> Vec<Completion> {
    PACKS.iter().map(|pack| (pack.name.to_owned(), pack.about.to_owned())).collect()
}

/// Returns the rules that apply in a folder.
pub(crate) fn rules(folder: &Path) -> Vec<Completion> {
    let (files, _) = load::files(&project::root(None, folder), MissingVersion::Warn);
    let rules = files.into_iter().flat_map(|file| file.loaded.rules);
    rules.map(|rule| (rule.name, rule.description.unwrap_or_default())).collect()
}

/// Returns the sessions of the latest hook calls, the latest first; the trace is a file that is only read.
pub(crate) fn sessions() -> Vec<Completion> {
    let mut sessions: Vec<Completion> = Vec::new();
    for trace in trace::read().traces.into_iter().rev() {
        let Some(session) = trace.session.map(|session| session.0) else { continue };
        if sessions.len() < MAX_SESSIONS && sessions.iter().all(|(known, _)| *known != session) {
            let agent = harness::by_id(&trace.harness).map_or(trace.harness.as_str(), |agent| agent.title);
            let folder = Path::new(&trace.project).file_name().unwrap_or_default().to_string_lossy();
            sessions.push((session, format!("{agent} in {folder}")));
        }
    }
    sessions
}

/// Returns the tasks of the project that are not completed.
pub(crate) fn tasks(folder: &Path) -> Vec<Completion> {
    let tasks = task::read(&nexus::of_folder(folder)).ok().flatten();
    let open = tasks.into_iter().flat_map(|tasks| tasks.tasks);
    let open = open.filter(|task| task.status != TaskStatus::Completed);
    open.map(|task| (task.id.to_string(), task.title)).collect()
}

/// Returns the notes of the project.
pub(crate) fn notes(folder: &Path) -> Vec<Completion> {
    let notes = notes::list(&nexus::of_folder(folder)).unwrap_or_default();
    notes.into_iter().map(|listed| (listed.note.name, String::new())).collect()
}
