//! Replays of rules for the page: one at a time, with its progress, and what the last ones found.
//!
//! Results are kept for as long as the server runs. They are tried on the calls of the past by `ops::rules::replay`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::json;

use super::request::{ViewError, ViewRequest};
use super::shown::Shown;
use super::{QueryStop, ViewAnswer, whole};
use crate::api::view::{ReplayCaseView, ReplayProgressView, ReplayView};
use crate::config::paths;
use crate::model::{SessionId, Timestamp, counted};
use crate::ops::rules::replay::{self, Firing, PastOutcome, ReplayRequest, Replayed, RuleChoice, stops};
use crate::rules::Rule;
use crate::store::{Reader, StoreError};
use crate::system::clock;

const USUAL_DAYS: i64 = 90;
const MAX_DAYS: i64 = 365;
const DAY: i64 = 86_400;
/// Results that are kept; each rule has one for each project.
const MAX_RESULTS: usize = 400;

/// The replay that runs or ran last, and the results of all.
struct ReplayJobs {
    last: Option<ReplayJob>,
    /// By project and rule.
    results: BTreeMap<(PathBuf, String), Arc<ReplayView>>,
    /// How often something changed.
    changes: u64,
}

struct ReplayJob {
    progress: ReplayProgressView,
    is_over: Arc<AtomicBool>,
}

static JOBS: Mutex<ReplayJobs> = Mutex::new(ReplayJobs { last: None, results: BTreeMap::new(), changes: 0 });

/// The body of `replay`.
#[derive(Deserialize)]
struct ReplayWire {
    /// `None` for all rules.
    rule: Option<String>,
    days: Option<i64>,
    project: Option<String>,
    /// Ends the replay that runs.
    #[serde(default)]
    cancel: bool,
}

/// `replay`: begins to try one rule or all of them on the past, or ends that.
pub(super) fn begin(request: &ViewRequest) -> Result<ViewAnswer, ViewError> {
    let body = request.body.as_deref().unwrap_or_default();
    let wire: ReplayWire = serde_json::from_slice(body)
        .map_err(|error| ViewError::wrong(format!("the body cannot be read: {error}")))?;
    let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    let running = jobs.last.as_ref().filter(|job| !job.progress.ended);
    if wire.cancel {
        if let Some(running) = running {
            running.is_over.store(true, Ordering::Relaxed);
        }
        return whole(&json!({ "job": running.map(|job| job.progress.job) }));
    }
    if running.is_some() {
        let error = ViewError::conflict("a replay is running".to_owned());
        return Err(error.hint("wait until it ends, or end it"));
    }
    let days = wire.days.unwrap_or(USUAL_DAYS);
    if !(1..=MAX_DAYS).contains(&days) {
        return Err(ViewError::wrong(format!("`days` must be from 1 to {MAX_DAYS}")));
    }
    let only_in = wire.project.map(PathBuf::from);
    let root = only_in.clone().or_else(paths::home_dir).unwrap_or_default();
    let choice = RuleChoice { name: wire.rule, file: None };
    let rules = replay::chosen_rules(&root, &choice)
        .map_err(|none| ViewError::unknown(none.message).hint(none.hint))?;
    if rules.is_empty() {
        return Err(ViewError::unknown("there are no rules to replay".to_owned()));
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let wanted = ReplayRequest {
        rules,
        root: Some(root.clone()),
        since: Timestamp(clock::timestamp().0 - days * DAY),
        only_in,
        is_over: Arc::clone(&is_over),
        ..ReplayRequest::default()
    };
    let job = jobs.last.as_ref().map_or(0, |job| job.progress.job) + 1;
    let progress = ReplayProgressView { job, done: 0, of: 0, ended: false, error: None };
    jobs.last = Some(ReplayJob { progress, is_over });
    jobs.changes += 1;
    drop(jobs);
    std::thread::spawn(move || {
        // Whatever happens, the next replay must be able to begin.
        let done = std::panic::catch_unwind(|| run(&wanted, &root, days));
        end(done.unwrap_or_else(|_| Err("nudge hit an internal error in this replay".to_owned())));
    });
    whole(&json!({ "job": job }))
}

/// Returns how far the last replay is, if something changed since `seen`, which is then what was seen.
pub(crate) fn news(seen: &mut u64) -> Option<ReplayProgressView> {
    let jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    if std::mem::replace(seen, jobs.changes) == jobs.changes {
        return None;
    }
    jobs.last.as_ref().map(|job| job.progress.clone())
}

/// Returns the number of changes so far, for a page that begins to follow.
pub(crate) fn changes() -> u64 {
    JOBS.lock().unwrap_or_else(PoisonError::into_inner).changes
}

/// Returns the replay that runs.
pub(super) fn running() -> Option<ReplayProgressView> {
    let jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    jobs.last.as_ref().map(|job| job.progress.clone()).filter(|progress| !progress.ended)
}

/// Returns what the last replay of a rule found.
pub(super) fn result(root: &Path, rule: &str) -> Option<Arc<ReplayView>> {
    let jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    jobs.results.get(&(root.to_owned(), rule.to_owned())).cloned()
}

fn run(wanted: &ReplayRequest, root: &Path, days: i64) -> Result<(), String> {
    let replayed = replay::run(wanted, &mut |progress| {
        let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.changes += 1;
        if let Some(job) = &mut jobs.last {
            (job.progress.done, job.progress.of) = (progress.read, progress.total);
        }
    });
    let replayed = replayed.map_err(|error| error.to_string())?;
    if wanted.is_over.load(Ordering::Relaxed) {
        return Err("it was ended".to_owned());
    }
    let views = views(wanted, &replayed, days).map_err(|error| error.message)?;
    let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    if jobs.results.len() + views.len() > MAX_RESULTS {
        jobs.results.clear();
    }
    jobs.results.extend(views.into_iter().map(|(rule, view)| ((root.to_owned(), rule), Arc::new(view))));
    Ok(())
}

fn end(done: Result<(), String>) {
    let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    jobs.changes += 1;
    if let Some(job) = &mut jobs.last {
        job.progress.ended = true;
        job.progress.error = done.err();
    }
}

fn views(
    wanted: &ReplayRequest,
    replayed: &Replayed,
    days: i64,
) -> Result<Vec<(String, ReplayView)>, ViewError> {
    let shown = Shown::new();
    let reader = QueryStop::default().memory()?;
    let mut views = Vec::new();
    for (number, rule) in wanted.rules.iter().enumerate() {
        let mut firings: Vec<&Firing> =
            replayed.tally.firings.iter().filter(|firing| firing.rule == number).collect();
        firings.sort_by_key(|firing| firing.at);
        let cases = |reader: Option<&Reader>| -> Result<Vec<ReplayCaseView>, StoreError> {
            let first = reader.map(|reader| first_fired(reader, rule)).transpose()?.flatten();
            firings.iter().map(|firing| case(reader, rule, (firing, first), &shown)).collect()
        };
        let cases = match &reader {
            Some(reader) => reader.ask(|reader| cases(Some(reader)))?,
            None => cases(None)?,
        };
        let fired = replayed.tally.total(Some(number)).fired;
        let note = (fired > cases.len()).then(|| format!("{} are shown.", counted(cases.len(), "case")));
        views.push((
            rule.name.clone(),
            ReplayView {
                days,
                at_ms: clock::now_ms(),
                calls: replayed.tally.considered.get(&number).copied().unwrap_or_default(),
                sessions: replayed.tally.sessions.len(),
                fired,
                cases,
                note,
            },
        ));
    }
    Ok(views)
}

/// Returns when a rule fired for the first time, as far as it is remembered.
fn first_fired(reader: &Reader, rule: &Rule) -> Result<Option<i64>, StoreError> {
    Ok(reader.first_fired(&rule.name)?.map(|day| day * DAY))
}

fn case(
    reader: Option<&Reader>,
    rule: &Rule,
    (firing, first): (&Firing, Option<i64>),
    shown: &Shown,
) -> Result<ReplayCaseView, StoreError> {
    let is_well = stops(rule) && firing.outcome == PastOutcome::Well;
    // A file that was edited again in the session may have been corrected.
    let is_undone = match (reader, &firing.session) {
        (Some(reader), Some(session)) if is_well => {
            reader.is_edited_again(&SessionId(session.clone()), &firing.what, firing.at.0)?
        }
        _ => false,
    };
    Ok(ReplayCaseView {
        at_ms: firing.at.0 * 1_000,
        before_rule: first.is_none_or(|first| firing.at.0 < first),
        wrong: is_well && !is_undone,
        target: shown.row(&firing.what),
        session: firing.session.as_ref().map(|session| shown.name(session)),
    })
}
