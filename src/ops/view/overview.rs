//! The first page: its sentence, and the bars of time.

use super::request::{QuestionError, ViewError, ViewRequest};
use super::{QueryStop, ViewAnswer, sums, whole};
use crate::api::view::{DensityView, HookTimesView, OverviewView, ToldTotalsView};
use crate::journal::trace;
use crate::model::{SessionQuery, SessionTotals, ToldTotals, VerdictKind};
use crate::ops::why;
use crate::store::Reader;
use crate::system::clock;

/// Characters of a token, on average, as in `nudge context --tokens`.
const CHARS_PER_TOKEN: f64 = 3.3;
const HOUR_MS: i64 = 3_600_000;
const MINUTE_MS: i64 = 60_000;
const MAX_STEPS: i64 = 400;
/// In a longer range, a step is at least an hour.
const MAX_FINE_MS: i64 = 12 * HOUR_MS;

/// Returns the range, the project and the agents that are asked for.
pub(super) fn sessions_query(request: &ViewRequest, reader: &Reader) -> Result<SessionQuery, QuestionError> {
    let range = request.range()?;
    Ok(SessionQuery {
        folders: request.project(reader)?,
        agents: request.texts("agent").into_iter().map(str::to_owned).collect(),
        from: range.from_ms.div_euclid(1_000),
        to: range.to_ms.div_euclid(1_000),
    })
}

/// `overview`.
pub(super) fn overview(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let (mut totals, mut told, mut carries) = (SessionTotals::default(), ToldTotals::default(), (0, 0));
    if let Some(reader) = stop.memory()? {
        (totals, told, carries) = reader.ask(|reader| -> Result<_, QuestionError> {
            let query = sessions_query(request, reader)?;
            let known = sums::of_days(reader, &query)?;
            let carries = known.carries(&query);
            let mut totals = match sums::is_open(&query) {
                true => known.session_totals(reader, &query)?,
                false => reader.session_totals(&query)?,
            };
            totals.blocked = reader.blocked_count(&query)?;
            let mut told = reader.told_parts(&query)?;
            (told.deliveries, told.chars) = known.told(reader, &query)?;
            Ok((totals, told, carries))
        })?;
    }
    whole(&OverviewView {
        agents: totals.agents,
        sessions: totals.sessions,
        blocked: totals.blocked,
        guided: totals.guided,
        carried: carries.0,
        carried_helped: carries.1,
        failures: totals.failed,
        fixed: totals.fixed,
        open: totals.open,
        told: told_totals(&told),
        hooks: hook_times(),
    })
}

/// Returns about how many tokens a number of characters is.
pub(super) fn tokens(chars: u64) -> u64 {
    (chars as f64 / CHARS_PER_TOKEN).round() as u64
}

fn told_totals(told: &ToldTotals) -> ToldTotalsView {
    ToldTotalsView {
        deliveries: told.deliveries,
        chars: told.chars,
        tokens: tokens(told.chars),
        parts: told.parts.iter().map(|(part, chars)| (part.clone(), *chars)).collect(),
    }
}

fn hook_times() -> HookTimesView {
    let traces = trace::read().traces;
    let lost = traces.iter().filter(|trace| trace.verdict == VerdictKind::Lost).count();
    let all = why::latency(&traces).into_iter().find(|latency| latency.hook.is_none());
    all.map_or(HookTimesView { lost, ..HookTimesView::default() }, |all| HookTimesView {
        p50_us: all.p50,
        p95_us: all.p95,
        lost,
    })
}

/// `density`.
pub(super) fn density(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let range = request.range()?;
    let now = clock::now_ms();
    let step = request.number("step_ms")?.unwrap_or(HOUR_MS);
    if step < MINUTE_MS {
        return Err(ViewError::wrong("`step_ms` must be at least 60000".to_owned()));
    }
    let reader = stop.memory()?;
    let first = match &reader {
        Some(reader) => reader.ask(Reader::first_at)?.map_or(now, |at| at * 1_000),
        None => now,
    };
    let to = range.to_ms.min(now.max(range.from_ms));
    let from = range.from_ms.max(first.min(to));
    let is_fine = step < HOUR_MS && to - from <= MAX_FINE_MS;
    let unit = if is_fine { MINUTE_MS } else { HOUR_MS };
    let needed = (to - from).div_euclid(MAX_STEPS) + 1;
    let step = (step.max(needed) + unit - 1).div_euclid(unit) * unit;
    let from = from.div_euclid(unit) * unit;
    let count = usize::try_from((to - from).div_euclid(step) + 1).unwrap_or(1);
    let mut view = DensityView {
        from_ms: from,
        step_ms: step,
        all: vec![0; count],
        failed: vec![0; count],
        blocked: vec![0; count],
    };
    let Some(reader) = reader else { return whole(&view) };
    let found = reader.ask(|reader| -> Result<_, QuestionError> {
        let query = SessionQuery { from: from / 1_000, to: to / 1_000, ..sessions_query(request, reader)? };
        Ok(if is_fine {
            let rows = reader.fine_activity(&query, MINUTE_MS / 1_000)?;
            rows.into_iter().map(|(at, mark, n)| (at * 1_000, mark, n)).collect::<Vec<_>>()
        } else {
            sums::hours(reader, &query)?
                .into_iter()
                .map(|(hour, mark, n)| (hour * HOUR_MS, mark, n))
                .collect()
        })
    })?;
    for (at, mark, n) in found {
        let Some(step) = usize::try_from((at - from).div_euclid(step)).ok().filter(|step| *step < count)
        else {
            continue;
        };
        match mark {
            9 => continue,
            4 => view.failed[step] += n,
            6 => view.blocked[step] += n,
            _ => {}
        }
        view.all[step] += n;
    }
    whole(&view)
}
