//! One exchange with a team's server: look, greet and compare, push, pull.
//!
//! Whoever dies when, nothing is lost and nothing doubled: what is about to be sent is written down first, rows and
//! place arrive together, and both sides compare their last numbers every time.

use super::ground::{Deadline, Exchange, ExchangeError, address_of, delete_copy, lock, new_id, open_store};
use super::plan::{self, SharePatterns, SharePlan};
use super::pull::Pulled;
use super::push::Pushed;
use super::{agree, door, look, pull, push};
use crate::model::{DAY, KnownStream, LeavingRecord, RandomId, RecordKind, ShareLevel, TeamState, Timestamp};
use crate::ops::observations::{database, remember};
use crate::store::{Extent, Reader, Store, StoreError};
use crate::system::clock;
use crate::team::{TeamError, TeamRemedy};

/// What is exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Directions {
    Both,
    Push,
    Pull,
    /// Only what was taken back: nothing new leaves.
    TakeBack,
}

impl Directions {
    /// Returns whether rows that are new may leave.
    fn offers_new(self) -> bool {
        matches!(self, Directions::Both | Directions::Push)
    }

    fn pushes(self) -> bool {
        self != Directions::Pull
    }

    fn pulls(self) -> bool {
        matches!(self, Directions::Both | Directions::Pull)
    }
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
    if let Some(why) = state.rests.clone() {
        if !door::has_changed_since(state.tried_at) {
            return Err(ExchangeError::Rests(why));
        }
        store.set_team_rest(None)?;
    }
    let now = clock::timestamp();
    let day = |at: Timestamp| at.0.div_euclid(DAY);
    let moment = Moment { now, is_first_of_day: state.tried_at.is_none_or(|tried| day(tried) != day(now)) };
    let mut exchanged = run_locked(&mut store, &plan, state.machine, directions, moment);
    if matches!(exchanged, Err(ExchangeError::AnotherServer)) {
        // What was chosen for one server was not chosen for another: rows leave from now on.
        delete_copy()?;
        store.begin_team(&address_of(&plan), new_id())?;
        let machine = begin(&mut store, &plan)?.machine;
        exchanged = run_locked(&mut store, &plan, machine, directions, moment);
    }
    let counts = exchanged.as_ref().map(|done| (done.sent + done.taken_back, done.brought));
    let problem = exchanged.as_ref().err().map(ToString::to_string);
    store.note_exchange(now, counts.unwrap_or_default(), problem.as_deref())?;
    if let Err(ExchangeError::Team(error)) = &exchanged {
        rest_if_final(&mut store, error)?;
    }
    exchanged
}

/// When an exchange begins.
#[derive(Clone, Copy)]
struct Moment {
    now: Timestamp,
    is_first_of_day: bool,
}

/// Stops trying where trying again cannot help, and deletes the copy of someone who is no longer a member.
fn rest_if_final(store: &mut Store, error: &TeamError) -> Result<(), ExchangeError> {
    match error.remedy {
        TeamRemedy::Removed => {
            delete_copy()?;
            store.set_team_rest(Some(&error.message))?;
        }
        // Only what the server has refused: a mistake of this side costs nothing to try again.
        TeamRemedy::LogIn if error.code.is_some() => store.set_team_rest(Some(&error.message))?,
        _ => {}
    }
    Ok(())
}

fn run_locked(
    store: &mut Store,
    plan: &SharePlan,
    machine: RandomId,
    directions: Directions,
    Moment { now, is_first_of_day }: Moment,
) -> Result<Exchanged, ExchangeError> {
    let deadline = Deadline::begin();
    remember::drain(database::DATABASE_TIMEOUT, Extent::All)?;
    let folders = plan::folders(store, plan)?;
    if directions.offers_new() {
        look::look(store, plan, &folders, now)?;
    }
    let session = door::connect(&plan.url)?;
    let (hello, machine) = agree::greet(store, &session, plan, machine)?;
    let mut exchange = Exchange { session: &session, hello, machine, plan, folders: &folders, deadline, now };
    let mut done = Exchanged { notes: notes_of(&exchange), ..Exchanged::default() };
    let mut pushed = Vec::new();
    if directions.pushes() && exchange.hello.level != "reader" {
        let patterns =
            SharePatterns::new(&folders, &exchange.hello.redact).map_err(ExchangeError::Pattern)?;
        let Pushed { sent, taken_back, notes, projects } = push::push_all(store, &mut exchange, &patterns)?;
        (done.sent, done.taken_back) = (sent, taken_back);
        done.notes.extend(notes);
        pushed = projects;
    }
    if directions.pulls() {
        let Pulled { brought, dropped, left_out, unreadable, .. } =
            pull::pull_all(store, &exchange, &pushed)?;
        (done.brought, done.dropped, done.left_out) = (brought, dropped, left_out);
        if unreadable > 0 {
            done.notes
                .push(format!("{unreadable} rows of colleagues have no form of a row, and were left out"));
        }
    }
    if exchange.hello.level == "admin" && is_first_of_day {
        // Somebody has to; if it does not work now, it will tomorrow.
        drop(session.tend());
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
    let now = clock::timestamp();
    for (key, level) in &plan.team.projects {
        let stream = reader.stream(key)?;
        // A level that was changed by hand applies from now on, as in an exchange.
        let is_less = stream.as_ref().is_some_and(|stream| stream.level > *level);
        let mut numbered = Vec::new();
        if let Some(KnownStream { id, state, .. }) = &stream {
            for record in reader.stream_records(*id, state.acked + 1, state.last)? {
                if is_less && record.kind == RecordKind::Observation {
                    numbered.extend(record.event_key);
                    continue;
                }
                let record = push::leaving(&reader, &record, &folders, &patterns, now)?;
                leaving.extend(record.ok().map(|record| (key.clone(), record)));
            }
        }
        let since = stream.as_ref().filter(|stream| stream.level >= *level);
        let since = since.map(|stream| (stream.since, stream.after));
        let since = since.unwrap_or_else(|| (plan.first_since(key, now), 0));
        let looked = stream.filter(|_| !is_less).map_or(0, |stream| stream.looked);
        for row in look::new_rows(&reader, &folders, key, since, looked)? {
            let is_new = |key| numbered.contains(&key) || reader.is_untold(key).unwrap_or(false);
            if row.event_key.is_some_and(is_new)
                && let Ok(record) = push::leaving_row(&row, &folders, &patterns)
            {
                leaving.push((key.clone(), record));
            }
        }
    }
    leaving.retain(|(_, record)| record.kind != RecordKind::Gone);
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
