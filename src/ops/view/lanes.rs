//! Sessions as lanes over time, and as a list.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::kept;
use super::overview::sessions_query;
use super::request::{QuestionError, ViewError, ViewRequest};
use super::shown::Shown;
use super::{QueryStop, ViewAnswer, part};
use crate::api::view::{
    CarryView, LaneCountsView, LaneView, LanesView, MarkView, OpenFailureView, SessionsView,
};
use crate::model::{
    Carry, CountedSession, DeedArcs, MarkRow, SessionId, SessionOrder, SessionQuery, deed_arcs,
};
use crate::store::Reader;
use crate::system::clock;

const USUAL_LANES: usize = 40;
const USUAL_ROWS: usize = 50;
/// A session that was silent for longer, in seconds, does not count as running.
const MAX_SILENCE: i64 = 15 * 60;
const MAX_CARRIES: usize = 500;
const COMMAND: u8 = 2;
const FIXED: u8 = 5;
const TOLD: u8 = 7;
const COMMIT: u8 = 8;

/// A session with everything that its lane shows.
pub(super) struct Lane {
    pub(super) lane: LaneView,
    /// Its subagents, in the order in which they began.
    pub(super) subs: Vec<LaneView>,
    pub(super) arcs: Vec<(i64, i64)>,
}

/// `lanes`.
pub(super) fn lanes(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let limit = request.limit(USUAL_LANES)?;
    let empty = LanesView { sessions: Vec::new(), arcs: Vec::new(), carries: Vec::new(), more: false };
    let Some(reader) = stop.memory()? else { return part(&empty, None) };
    let shown = Shown::new();
    let (view, next) = reader.ask(|reader| -> Result<_, QuestionError> {
        let query = sessions_query(request, reader)?;
        let before = before(request, SessionOrder::Newest)?;
        let before = before.as_ref().map(|(last, id)| (*last, id.as_str()));
        let mut found = reader.counted_sessions(&query, SessionOrder::Newest, before, limit + 1)?;
        let more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| more).map(|last| format!("{}.{}", last.last_at, last.id.0));
        let mut view = LanesView { sessions: Vec::new(), arcs: Vec::new(), carries: Vec::new(), more };
        for session in &found {
            stop.check()?;
            let Lane { lane, subs, arcs } = lane(reader, session, &shown)?;
            view.sessions.push(lane);
            view.sessions.extend(subs);
            view.arcs.extend(arcs);
        }
        let here: BTreeSet<&SessionId> = found.iter().map(|session| &session.id).collect();
        let carries = carries(reader, &query, &shown, |carry| here.contains(&carry.session))?;
        view.carries = carries.into_iter().map(|(_, view)| view).collect();
        Ok((view, next))
    })?;
    part(&view, next)
}

/// `sessions`.
pub(super) fn sessions(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let limit = request.limit(USUAL_ROWS)?;
    let order = match request.text("sort") {
        None | Some("time") => SessionOrder::Newest,
        Some("failures" | "failed") => SessionOrder::Failures,
        Some("told") => SessionOrder::Told,
        Some(_) => return Err(ViewError::wrong("`sort` must be `time`, `failures` or `told`".to_owned())),
    };
    let Some(reader) = stop.memory()? else { return part(&SessionsView { rows: Vec::new() }, None) };
    let shown = Shown::new();
    let (rows, next) = reader.ask(|reader| -> Result<_, QuestionError> {
        let query = sessions_query(request, reader)?;
        let before = before(request, order)?;
        let skipped = before.as_ref().map_or(0, |(skipped, _)| *skipped);
        let before = before.as_ref().map(|(last, id)| (*last, id.as_str()));
        let mut found = reader.counted_sessions(&query, order, before, limit + 1)?;
        let more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| more).map(|last| match order {
            SessionOrder::Newest => format!("{}.{}", last.last_at, last.id.0),
            _ => format!("{}.", skipped + limit as i64),
        });
        Ok((found.iter().map(|session| listed(session, &shown)).collect::<Vec<_>>(), next))
    })?;
    part(&SessionsView { rows }, next)
}

/// Parses where a list continues.
fn before(request: &ViewRequest, order: SessionOrder) -> Result<Option<(i64, String)>, QuestionError> {
    let Some(text) = request.text("before") else { return Ok(None) };
    let parsed = text.split_once('.').and_then(|(last, id)| Some((last.parse().ok()?, id.to_owned())));
    let is_right = |(_, id): &(i64, String)| (order == SessionOrder::Newest) != id.is_empty();
    let wrong = || ViewError::wrong("`before` must be the cursor of the last answer".to_owned());
    Ok(Some(parsed.filter(is_right).ok_or_else(wrong)?))
}

/// Returns the ways out that travelled and are wanted, with what the page shows of them.
pub(super) fn carries(
    reader: &Reader,
    query: &SessionQuery,
    shown: &Shown,
    is_wanted: impl Fn(&Carry) -> bool,
) -> Result<Vec<(Carry, CarryView)>, QuestionError> {
    let mut arcs: BTreeMap<SessionId, Arc<LaneMarks>> = BTreeMap::new();
    let mut all = Vec::new();
    for carry in reader.carries(query, MAX_CARRIES)?.into_iter().filter(is_wanted) {
        if !arcs.contains_key(&carry.from_session) {
            let known = reader.counted_session(&carry.from_session)?;
            let found = known.map(|session| lane_marks(reader, &session)).transpose()?;
            arcs.insert(carry.from_session.clone(), found.unwrap_or_default());
        }
        // What is told is often the failure; the way out is what ended it.
        let known = &arcs[&carry.from_session].found.arcs;
        let fix = known.iter().find(|(failure, _)| *failure == carry.observation.0).map(|(_, fix)| *fix);
        let view = CarryView {
            fix_id: fix.unwrap_or(carry.observation.0),
            fix_session: shown.name(&carry.from_session.0),
            told_id: carry.told,
            session: shown.name(&carry.session.0),
            at_ms: carry.at_ms,
            helped: carry.helped,
        };
        all.push((carry, view));
    }
    Ok(all)
}

/// Returns a session without marks, with its counts.
pub(super) fn listed(session: &CountedSession, shown: &Shown) -> LaneView {
    let prompt = session.first_prompt.as_deref().map(|prompt| shown.title(prompt));
    let is_silent = clock::timestamp().0 - session.last_at > MAX_SILENCE;
    LaneView {
        id: shown.name(&session.id.0),
        project: session.project.as_deref().map(|name| shown.name(name)),
        root: session.project_root.as_deref().map(|root| shown.name(root)),
        agent: session.harness.as_deref().map(|agent| shown.name(agent)),
        parent: None,
        title: prompt.unwrap_or_default(),
        from_ms: session.started_at * 1_000,
        to_ms: session.last_at * 1_000,
        live: !session.has_ended && !is_silent,
        marks: None,
        open_failure: None,
        counts: Some(LaneCountsView {
            prompts: session.prompts,
            edits: session.edits,
            commands: session.commands,
            failed: session.failed,
            fixed: session.fixed,
            blocked: session.blocked,
            told_chars: session.told_chars,
            commits: session.commits,
        }),
    }
}

/// The marks of a session, and what ended its failures.
#[derive(Default)]
struct LaneMarks {
    rows: Vec<MarkRow>,
    found: DeedArcs,
}

fn lane_marks(reader: &Reader, session: &CountedSession) -> Result<Arc<LaneMarks>, QuestionError> {
    kept::of_session("lane", (&session.id.0, session.counts()), || {
        Ok(LaneMarks { rows: reader.marks(&session.id)?, found: deed_arcs(&reader.deed_rows(&session.id)?) })
    })
}

/// Returns what the subagents of a session changed, ran and broke, the latest first: the observation, and who did it.
pub(super) fn subagent_marks(
    reader: &Reader,
    session: &CountedSession,
) -> Result<Vec<(i64, String)>, QuestionError> {
    let known = lane_marks(reader, session)?;
    let acts = known.rows.iter().rev().filter(|row| row.mark > 0);
    Ok(acts.filter_map(|row| Some((row.id, row.subagent.clone()?))).collect())
}

/// Returns the lane of a session, and those of its subagents.
pub(super) fn lane(reader: &Reader, session: &CountedSession, shown: &Shown) -> Result<Lane, QuestionError> {
    let known = lane_marks(reader, session)?;
    let (rows, found) = (&known.rows, &known.found);
    let fixes: BTreeSet<i64> = found.arcs.iter().map(|(_, fix)| *fix).collect();
    let from_ms = session.started_at * 1_000;
    let mut marks: Vec<MarkView> = Vec::with_capacity(rows.len());
    let mut subs: BTreeMap<&str, Vec<&MarkRow>> = BTreeMap::new();
    for row in rows {
        match &row.subagent {
            Some(subagent) => subs.entry(subagent).or_default().push(row),
            None => marks.push(mark(row, from_ms, &fixes)),
        }
    }
    let told = reader.delivery_times(&session.id)?;
    marks.extend(told.iter().map(|(id, at_ms)| ((at_ms - from_ms).max(0), TOLD, *id, 0)));
    marks.sort_by_key(|(at, kind, id, _)| (*at, *kind == TOLD, *id));
    let last_told = told.last().map_or(0, |(_, at_ms)| *at_ms);
    let parent = LaneView {
        marks: Some(marks),
        to_ms: (session.last_at * 1_000).max(last_told),
        open_failure: open_failure(found),
        ..listed(session, shown)
    };
    let mut subs: Vec<LaneView> =
        subs.into_iter().map(|(name, rows)| sub_lane(&parent, name, &rows, &fixes)).collect();
    subs.sort_by_key(|sub| sub.from_ms);
    subs.iter_mut().for_each(|sub| sub.title = shown.name(&sub.title));
    Ok(Lane { lane: parent, subs, arcs: found.arcs.clone() })
}

fn open_failure(found: &DeedArcs) -> Option<OpenFailureView> {
    let open = found.open.last()?;
    Some(OpenFailureView { id: open.id, since_ms: open.since * 1_000, tries: open.tries })
}

fn mark(row: &MarkRow, from_ms: i64, fixes: &BTreeSet<i64>) -> MarkView {
    let is_fix = matches!(row.mark, COMMAND | COMMIT) && fixes.contains(&row.id);
    ((row.at * 1_000 - from_ms).max(0), if is_fix { FIXED } else { row.mark }, row.id, 0)
}

/// Returns the lane of a subagent; its id is that of the session with the subagent's behind it.
fn sub_lane(parent: &LaneView, name: &str, rows: &[&MarkRow], fixes: &BTreeSet<i64>) -> LaneView {
    let from_ms = rows.first().map_or(parent.from_ms, |row| row.at * 1_000);
    LaneView {
        id: format!("{}:{name}", parent.id),
        parent: Some(parent.id.clone()),
        title: name.to_owned(),
        from_ms,
        to_ms: rows.last().map_or(from_ms, |row| row.at * 1_000),
        live: false,
        marks: Some(rows.iter().map(|row| mark(row, from_ms, fixes)).collect()),
        open_failure: None,
        counts: None,
        ..parent.clone()
    }
}
