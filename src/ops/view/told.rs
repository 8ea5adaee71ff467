//! What agents were told: how much, when, and whether it helped.

use std::collections::{BTreeMap, BTreeSet};

use super::lanes::carries;
use super::overview::{sessions_query, tokens};
use super::request::{QuestionError, ViewError, ViewRequest};
use super::shown::Shown;
use super::{QueryStop, ViewAnswer, part};
use crate::api::view::{CarriedView, DeliveredPartView, DeliveryView, LeftOutView, ToldView};
use crate::journal::trace;
use crate::model::Delivery;

const USUAL_ROWS: usize = 50;

/// `told`.
pub(super) fn answer(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let limit = request.limit(USUAL_ROWS)?;
    let is_carried_only = request.text("carry") == Some("1");
    let before = match request.text("before") {
        Some(text) => {
            let parsed = text.split_once('.').and_then(|(at, id)| Some((at.parse().ok()?, id.parse().ok()?)));
            let wrong = || ViewError::wrong("`before` must be the cursor of the last answer".to_owned());
            Some(parsed.ok_or_else(wrong)?)
        }
        None => None,
    };
    let Some(reader) = stop.memory()? else { return part(&ToldView::default(), None) };
    let shown = Shown::new();
    let (view, next) = reader.ask(|reader| -> Result<_, QuestionError> {
        let query = sessions_query(request, reader)?;
        let mut found = reader.deliveries_before(&query, before, limit + 1)?;
        let more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| more).map(|last| format!("{}.{}", last.at_ms, last.id));
        let on_page: BTreeSet<i64> = found.iter().map(|told| told.id).collect();
        let carried: BTreeMap<i64, CarriedView> =
            carries(reader, &query, &shown, |carry| on_page.contains(&carry.told))?
                .into_iter()
                .map(|(carry, view)| (carry.told, CarriedView { fix_id: view.fix_id, helped: carry.helped }))
                .collect();
        let totals = reader.told_parts(&query)?;
        let mut rows: Vec<DeliveryView> =
            found.iter().map(|told| row(told, carried.get(&told.id), &shown)).collect();
        if is_carried_only {
            rows.retain(|row| row.carried.is_some());
        }
        let sums =
            |sums: Vec<(String, u64)>| sums.into_iter().map(|(name, chars)| (shown.name(&name), chars));
        let view = ToldView {
            rows,
            by_part: sums(totals.parts).collect(),
            by_agent: sums(totals.agents).collect(),
            left_out: left_out(),
        };
        Ok((view, next))
    })?;
    part(&view, next)
}

fn row(told: &Delivery, carried: Option<&CarriedView>, shown: &Shown) -> DeliveryView {
    DeliveryView {
        id: told.id,
        session: shown.name(&told.session.0),
        agent: shown.name(&told.harness),
        at_ms: told.at_ms,
        hook: shown.name(&told.hook),
        parts: told
            .parts
            .iter()
            .map(|part| DeliveredPartView {
                part: shown.name(&part.part),
                chars: part.chars,
                rows: part.rows.iter().map(|row| row.0).collect(),
            })
            .collect(),
        tokens: tokens(told.chars as u64),
        carried: carried.map(|one| CarriedView { fix_id: one.fix_id, helped: one.helped }),
    }
}

/// Returns which parts had no room in the latest answers: the last ones, as far as the characters were not sent.
fn left_out() -> Vec<LeftOutView> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for trace in trace::read().traces {
        let all: usize = trace.parts.iter().map(|(_, chars)| chars).sum();
        let mut missing = all.saturating_sub(trace.told);
        for (part, chars) in trace.parts.iter().rev() {
            if trace.told == 0 || missing == 0 || *chars > missing {
                break;
            }
            missing -= chars;
            *counts.entry(part.name()).or_default() += 1;
        }
    }
    let mut counts: Vec<LeftOutView> = counts.into_iter().map(|(part, n)| LeftOutView { part, n }).collect();
    counts.sort_by_key(|one| std::cmp::Reverse(one.n));
    counts
}
