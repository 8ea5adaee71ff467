//! One exchange with a team's server: look, greet and compare, push, pull.
//!
//! Whoever dies when, nothing is lost and nothing doubled: what is about to be sent is written down first, rows and
//! place arrive together, and both sides compare their last numbers every time.

use super::ground::{Deadline, Exchange, ExchangeError, address_of, delete_copy, lock, new_id, open_store};
use super::plan::{self, SharePatterns, SharePlan};
use super::pull::Pulled;
use super::push::Pushed;
use super::{agree, door, look, pull, push};
use crate::model::{LeavingRecord, RandomId, ShareLevel, TeamState, Timestamp};
use crate::ops::observations::{database, remember};
use crate::store::{Extent, Reader, Store, StoreError};
use crate::system::clock;
use crate::team::{TeamError, TeamRemedy};

/// What is exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Directions {
    pub(crate) push: bool,
    pub(crate) pull: bool,
}

/// What an exchange did.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Exchanged {
    /// Records that the server has now: rows, and rows that were taken back.
    pub(crate) sent: usize,
    pub(crate) taken_back: usize,
    /// Records that wait, because the time was up or the project is closed.
    pub(crate) waiting: usize,
    pub(crate) held: usize,
    pub(crate) brought: usize,
    /// Rows of colleagues that were taken back by them.
    pub(crate) dropped: usize,
    /// Rows that were left on the server.
    pub(crate) left_out: usize,
    /// What a person should know.
    pub(crate) notes: Vec<String>,
}

impl Exchanged {
    pub(crate) fn has_moved(&self) -> bool {
        self.sent + self.taken_back + self.brought + self.dropped > 0
    }
}

/// Exchanges rows with the server that the settings name, and notes how it ended.
pub(crate) fn run(directions: Directions) -> Result<Exchanged, ExchangeError> {
    let plan = plan::load().ok_or(ExchangeError::NoTeam)?;
    let _lock = lock()?;
    let mut store = open_store()?;
    let state = begin(&mut store, &plan)?;
    if let Some(why) = state.rests {
        return Err(ExchangeError::Rests(why));
    }
    let now = clock::timestamp();
    let mut exchanged = run_locked(&mut store, &plan, state.machine, directions, now);
    if matches!(exchanged, Err(ExchangeError::AnotherServer)) {
        // What was chosen for one server was not chosen for another: rows leave from now on.
        delete_copy()?;
        store.begin_team(&address_of(&plan), new_id())?;
        let machine = begin(&mut store, &plan)?.machine;
        exchanged = run_locked(&mut store, &plan, machine, directions, now);
    }
    let counts = exchanged.as_ref().map(|done| (done.sent + done.taken_back, done.brought));
    let problem = exchanged.as_ref().err().map(ToString::to_string);
    store.note_exchange(now, counts.unwrap_or_default(), problem.as_deref())?;
    if let Err(ExchangeError::Team(error)) = &exchanged {
        rest_if_final(&mut store, error)?;
    }
    exchanged
}

/// Stops trying where trying again cannot help, and deletes the copy of someone who is no longer a member.
fn rest_if_final(store: &mut Store, error: &TeamError) -> Result<(), ExchangeError> {
    match error.remedy {
        TeamRemedy::Removed => {
            delete_copy()?;
            store.set_team_rest(Some(&error.message))?;
        }
        TeamRemedy::LogIn => store.set_team_rest(Some(&error.message))?,
        _ => {}
    }
    Ok(())
}

fn run_locked(
    store: &mut Store,
    plan: &SharePlan,
    machine: RandomId,
    directions: Directions,
    now: Timestamp,
) -> Result<Exchanged, ExchangeError> {
    let deadline = Deadline::begin();
    remember::drain(database::DATABASE_TIMEOUT, Extent::All)?;
    let folders = plan::folders(store, plan)?;
    if directions.push {
        look::look(store, plan, &folders, now)?;
    }
    let session = door::connect(&plan.url)?;
    let (hello, machine) = agree::greet(store, &session, plan, machine)?;
    let mut exchange = Exchange { session: &session, hello, machine, plan, folders: &folders, deadline, now };
    let mut done = Exchanged { notes: notes_of(&exchange), ..Exchanged::default() };
    let mut pushed = Vec::new();
    if directions.push && exchange.hello.level != "reader" {
        let patterns =
            SharePatterns::new(&folders, &exchange.hello.redact).map_err(ExchangeError::Pattern)?;
        let Pushed { sent, taken_back, notes, projects } = push::push_all(store, &mut exchange, &patterns)?;
        (done.sent, done.taken_back) = (sent, taken_back);
        done.notes.extend(notes);
        pushed = projects;
    }
    if directions.pull {
        let Pulled { brought, dropped, left_out } = pull::pull_all(store, &exchange, &pushed)?;
        (done.brought, done.dropped, done.left_out) = (brought, dropped, left_out);
    }
    done.waiting = waiting(store)?;
    done.held = store.held_rows()?.len();
    Ok(done)
}

/// Returns what a person should know about the answer of the server.
fn notes_of(exchange: &Exchange<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    for (key, level) in &exchange.plan.team.projects {
        match exchange.hello.projects.get(key) {
            None if *level > ShareLevel::Off => {
                notes.push(format!(
                    "`{key}` is not allowed by the team, or closed to you; nothing of it leaves"
                ));
            }
            _ => {}
        }
    }
    notes
}

/// Counts the records that the server does not have yet.
pub(crate) fn waiting(reader: &Reader) -> Result<usize, StoreError> {
    let rest = |last: i64, acked: i64| usize::try_from(last - acked).unwrap_or_default();
    Ok(reader.streams()?.iter().map(|stream| rest(stream.state.last, stream.state.acked)).sum())
}

/// Returns what would leave with the next exchange, without asking the server or writing anything.
///
/// The server's own patterns are not known here; they only remove more.
pub(crate) fn preview() -> Result<Vec<(String, LeavingRecord)>, ExchangeError> {
    let plan = plan::load().ok_or(ExchangeError::NoTeam)?;
    let Some(reader) = remember::reader()? else { return Ok(Vec::new()) };
    let folders = plan::folders(&reader, &plan)?;
    let patterns = SharePatterns::new(&folders, &serde_json::Value::Null).map_err(ExchangeError::Pattern)?;
    let mut leaving = Vec::new();
    for (key, level) in &plan.team.projects {
        let stream = reader.stream(key)?;
        if let Some(stream) = &stream {
            let (first, last) = (stream.state.acked + 1, stream.state.last);
            for record in reader.stream_records(stream.id, first, last)? {
                let record = push::leaving(&reader, &record, &folders, &patterns, clock::timestamp())?;
                leaving.extend(record.ok().map(|record| (key.clone(), record)));
            }
        }
        let now = clock::timestamp();
        // A level that was raised by hand applies from now on, as in an exchange.
        let since = stream.as_ref().filter(|stream| stream.level >= *level);
        let since = since.map(|stream| (stream.since, stream.after));
        let since = since.unwrap_or_else(|| (plan.first_since(now), 0));
        let looked = stream.map_or(0, |stream| stream.looked);
        for row in look::new_rows(&reader, &folders, key, since, looked)? {
            let is_new = row.event_key.is_some_and(|key| reader.is_untold(key).unwrap_or(false));
            if is_new && let Ok(record) = push::leaving_row(&row, &folders, &patterns) {
                leaving.push((key.clone(), record));
            }
        }
    }
    leaving.retain(|(_, record)| record.kind != crate::model::RecordKind::Gone);
    Ok(leaving)
}

/// Returns what is known about the server, and begins with one that is new.
fn begin(store: &mut Store, plan: &SharePlan) -> Result<TeamState, ExchangeError> {
    if let Some(state) = store.team_state()? {
        return Ok(state);
    }
    delete_copy()?;
    store.begin_team(&address_of(plan), new_id())?;
    store.team_state()?.ok_or(ExchangeError::NoTeam)
}
