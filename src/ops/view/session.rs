//! One session, turn by turn: what it did in order, and what became of each failure.

use std::collections::{BTreeMap, BTreeSet};

use super::feed::told_rows;
use super::lanes::{Lane, lane, listed};
use super::observation::{at_ms, blocked_parts, mark_kind, obs};
use super::request::{QuestionError, ViewError, ViewRequest};
use super::shown::Shown;
use super::{QueryStop, ViewAnswer, whole};
use crate::api::view::{FoldView, ItemView, ObsView, SessionFileView, SessionView, ToldRowView, TurnView};
use crate::model::{Delivery, Observation, ObservationId, ObservationType, ToldPart};
use crate::ops::observations::memory::find_session;

/// Turns on each side of the one that is asked for, whose steps are sent along.
const TURNS_AROUND: usize = 1;
/// Steps of a turn that are sent.
const MAX_STEPS: usize = 1_000;
/// Rows of a session that are read to find its turns.
const MAX_ROWS: usize = 20_000;
const MAX_FILES: usize = 100;
/// Files that a fold names.
const MAX_FOLDED: usize = 12;
/// Rows that are told at the start.
const MAX_TOLD: usize = 60;

/// `session/ID`.
pub(super) fn answer(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    // The lane of a subagent belongs to its session.
    let (id, _subagent) = request.rest().split_once(':').unwrap_or((request.rest(), ""));
    let unknown = || {
        let error = ViewError::unknown("the memory has no such session".to_owned());
        QuestionError::from(error.hint("it may have been forgotten; the list has all sessions"))
    };
    let (turn, around) = (request.number("turn")?, request.number("around")?);
    let Some(reader) = stop.memory()? else { return Err(unknown().into()) };
    let shown = Shown::new();
    let (mut view, told_ids, start_rows) = reader.ask(|reader| -> Result<_, QuestionError> {
        let id = find_session(reader, id).map_err(|_| unknown())?;
        let session = reader.counted_session(&id)?.ok_or_else(unknown)?;
        let rows = reader.session_part(&id, (0, i64::MAX / 2), MAX_ROWS)?;
        let told = reader.deliveries(&id)?;
        let Lane { lane, subs, arcs } = lane(reader, &session, &shown)?;
        let fixes = instead_and_fixes(&rows, &arcs);
        let turns = turns(&rows);
        let asked = asked_turn(&turns, &rows, turn, around);
        let mut views = Vec::with_capacity(turns.len());
        for (at, span) in turns.iter().enumerate() {
            stop.check()?;
            let is_near = at.abs_diff(asked) <= TURNS_AROUND;
            let next_ms = turns.get(at + 1).map_or(i64::MAX, |next| at_ms(&rows[next.start]));
            let start_ms = if at == 0 { i64::MIN } else { at_ms(&rows[span.start]) };
            let told: Vec<&Delivery> =
                told.iter().filter(|told| told.at_ms >= start_ms && told.at_ms < next_ms).collect();
            views.push(turn_view(
                at,
                &rows[span.clone()],
                &told,
                &TurnContext { shown: &shown, fixes: &fixes, is_near },
            ));
        }
        let start = told.iter().find(|told| told.hook == "SessionStart");
        let start_rows: Vec<ObservationId> =
            start.iter().flat_map(|told| &told.parts).flat_map(|part| &part.rows).copied().collect();
        let other_parts = start.iter().flat_map(|told| &told.parts).filter(|part| part.rows.is_empty());
        let other_parts = other_parts.map(|part| ToldRowView {
            id: None,
            kind: "part",
            text: shown.name(&part.part),
            why: Some(crate::model::counted(part.chars, "character")),
            forgotten: false,
        });
        let marks = lane.marks.clone().unwrap_or_default();
        let view = SessionView {
            session: crate::api::view::LaneView {
                to_ms: lane.to_ms,
                open_failure: lane.open_failure.clone(),
                ..listed(&session, &shown)
            },
            subs,
            turns: views,
            files: files(&rows, &shown),
            told: other_parts.collect(),
            told_chars: start.map_or(0, |told| told.chars as u64),
            marks,
            arcs,
        };
        let told_ids: BTreeMap<i64, Vec<ObservationId>> = told
            .iter()
            .map(|told| (told.id, told.parts.iter().flat_map(|part| &part.rows).copied().collect()))
            .collect();
        Ok((view, told_ids, start_rows))
    })?;
    let mut deliveries: Vec<&mut ItemView> =
        view.turns.iter_mut().flat_map(|turn| &mut turn.items).flatten().collect();
    deliveries.retain(|item| item.obs.kind == "told");
    let ids_of = |item: &ItemView| told_ids.get(&item.obs.id).into_iter().flatten().take(MAX_TOLD).copied();
    let mut wanted: Vec<ObservationId> = deliveries.iter().flat_map(|item| ids_of(item)).collect();
    wanted.extend(start_rows.iter().take(MAX_TOLD));
    wanted.sort_unstable_by_key(|id| id.0);
    wanted.dedup();
    let known: BTreeMap<i64, ToldRowView> =
        told_rows(&wanted, stop, &shown)?.into_iter().filter_map(|row| Some((row.id?, row))).collect();
    for item in deliveries {
        item.rows = ids_of(item).filter_map(|id| known.get(&id.0).cloned()).collect();
    }
    let start = start_rows.iter().take(MAX_TOLD).filter_map(|id| known.get(&id.0).cloned());
    let told = start.chain(std::mem::take(&mut view.told)).collect();
    whole(&SessionView { told, ..view })
}

/// What ended each failure, and what was done after each block.
struct StepLinks {
    /// By failure: the success, and how long after.
    fixed_by: BTreeMap<i64, (i64, i64)>,
    /// By success: how long after the failure.
    fixes: BTreeMap<i64, i64>,
    /// By block: the next call of the same tool on the same thing.
    instead: BTreeMap<i64, i64>,
}

fn instead_and_fixes(rows: &[Observation], arcs: &[(i64, i64)]) -> StepLinks {
    let times: BTreeMap<i64, i64> = rows.iter().map(|row| (row.id.0, at_ms(row))).collect();
    let mut links = StepLinks { fixed_by: BTreeMap::new(), fixes: BTreeMap::new(), instead: BTreeMap::new() };
    for (failure, fix) in arcs {
        let after = times.get(fix).zip(times.get(failure)).map_or(0, |(fix, failure)| fix - failure);
        links.fixed_by.insert(*failure, (*fix, after));
        links.fixes.insert(*fix, after);
    }
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.is_blocked()) {
        let is_same = |next: &&Observation| {
            !next.is_blocked()
                && (next.file_path.is_some() && next.file_path == row.file_path
                    || next.program.is_some() && next.program == row.program)
        };
        if let Some(next) = rows[at + 1..].iter().take_while(|next| !next.is_prompt()).find(is_same) {
            links.instead.insert(row.id.0, next.id.0);
        }
    }
    links
}

/// Returns the rows of each turn; one begins with every prompt.
fn turns(rows: &[Observation]) -> Vec<std::ops::Range<usize>> {
    let mut starts: Vec<usize> =
        rows.iter().enumerate().filter(|(_, row)| row.is_prompt()).map(|(at, _)| at).collect();
    // What comes before the first prompt belongs to it, unless there is more than the start of the session.
    let has_acts = |rows: &[Observation]| rows.iter().any(|row| mark_kind(row) != "other");
    match starts.first() {
        None if !rows.is_empty() => starts.push(0),
        Some(first) if *first > 0 && has_acts(&rows[..*first]) => starts.insert(0, 0),
        Some(_) => starts[0] = 0,
        None => {}
    }
    let ends = starts.iter().skip(1).copied().chain([rows.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

fn asked_turn(
    turns: &[std::ops::Range<usize>],
    rows: &[Observation],
    turn: Option<i64>,
    around: Option<i64>,
) -> usize {
    if let Some(turn) = turn {
        return usize::try_from(turn - 1).unwrap_or(0).min(turns.len().saturating_sub(1));
    }
    let row = around.and_then(|around| rows.iter().position(|row| row.id.0 == around));
    row.and_then(|row| turns.iter().position(|turn| turn.contains(&row))).unwrap_or(0)
}

struct TurnContext<'t> {
    shown: &'t Shown,
    fixes: &'t StepLinks,
    /// Whether its steps are sent.
    is_near: bool,
}

fn turn_view(at: usize, rows: &[Observation], told: &[&Delivery], context: &TurnContext<'_>) -> TurnView {
    let prompt = rows.iter().find(|row| row.is_prompt());
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let acts = rows.iter().filter(|row| mark_kind(row) != "other" && !row.is_prompt());
    for row in acts.clone() {
        let is_fix = context.fixes.fixes.contains_key(&row.id.0);
        *counts.entry(if is_fix { "fixed" } else { mark_kind(row) }).or_default() += 1;
    }
    if !told.is_empty() {
        counts.insert("told", told.len());
    }
    let items = context.is_near.then(|| {
        let mut items: Vec<ItemView> = told.iter().map(|told| told_item(told, context.shown)).collect();
        items.extend(folded(&acts.collect::<Vec<_>>(), context));
        // Rows have whole seconds: what was told in the same second came after.
        items.sort_by_key(|item| item.obs.at_ms);
        items.truncate(MAX_STEPS);
        items
    });
    let (first, last) = (rows.first().map_or(0, at_ms), rows.last().map_or(0, at_ms));
    TurnView {
        n: at + 1,
        prompt: prompt.map(|prompt| obs(prompt, context.shown)),
        from_ms: prompt.map_or(first, at_ms).max(first),
        to_ms: last,
        counts: counts.into_iter().collect(),
        items,
    }
}

/// Returns the steps of a turn, with reads and searches that follow each other as one.
fn folded(rows: &[&Observation], context: &TurnContext<'_>) -> Vec<ItemView> {
    let mut items: Vec<ItemView> = Vec::new();
    let mut at = 0;
    while let Some(row) = rows.get(at) {
        let run =
            rows[at..].iter().take_while(|next| next.obs_type == row.obs_type && mark_kind(next) == "read");
        let run: Vec<&&Observation> = run.collect();
        let mut item = item(row, context);
        if run.len() > 1 {
            let files: BTreeSet<&str> = run.iter().filter_map(|row| row.file_path.as_deref()).collect();
            item.fold = Some(FoldView {
                kind: if row.obs_type == ObservationType::Search { "search" } else { "read" },
                n: run.len(),
                files: files.into_iter().take(MAX_FOLDED).map(|file| context.shown.name(file)).collect(),
            });
        }
        items.push(item);
        at += run.len().max(1);
    }
    items
}

fn item(row: &Observation, context: &TurnContext<'_>) -> ItemView {
    let mut obs = obs(row, context.shown);
    let fixed_by = context.fixes.fixed_by.get(&row.id.0);
    let fixes = context.fixes.fixes.get(&row.id.0);
    if fixes.is_some() {
        obs.kind = "fixed";
    }
    let is_edit = obs.kind == "edit";
    ItemView {
        fold: None,
        fixed_by: fixed_by.map(|(fix, _)| *fix),
        fixed_after_ms: fixed_by.map(|(_, after)| *after).or(fixes.copied()),
        instead: context.fixes.instead.get(&row.id.0).copied(),
        note: row.is_blocked().then(|| context.shown.text(blocked_parts(row).1).0),
        chars: None,
        lines: is_edit.then(|| row.content.lines().count()),
        rows: Vec::new(),
        obs,
    }
}

/// Returns a delivery as a step.
fn told_item(told: &Delivery, shown: &Shown) -> ItemView {
    let name = |part: &ToldPart| match part.rows.len() {
        0 => shown.name(&part.part),
        rows => format!("{} of the {}", crate::model::counted(rows, "row"), shown.name(&part.part)),
    };
    let names: Vec<String> = told.parts.iter().map(name).collect();
    let subject = match told.hook.as_str() {
        "SessionStart" => "Told at session start",
        "PostToolUseFailure" | "PostToolUse" => "Told after a call",
        "PreToolUse" => "Told before a call",
        "UserPromptSubmit" => "Told with the prompt",
        _ => "Told",
    };
    ItemView {
        obs: ObsView {
            id: told.id,
            at_ms: told.at_ms,
            session: shown.name(&told.session.0),
            agent: Some(shown.name(&told.harness)),
            kind: "told",
            r#type: "told",
            subject: subject.to_owned(),
            text: String::new(),
            cut: false,
            file: None,
            program: None,
            exit: None,
            duration_ms: None,
            rule: None,
            pinned: false,
        },
        fold: None,
        fixed_by: None,
        fixed_after_ms: None,
        instead: None,
        note: Some(names.join(", ")),
        chars: Some(told.chars),
        lines: None,
        rows: Vec::new(),
    }
}

/// Returns the files that were edited, the busiest first, with the failures of the turns in which they were.
fn files(rows: &[Observation], shown: &Shown) -> Vec<SessionFileView> {
    let mut files: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for turn in turns(rows) {
        let rows = &rows[turn];
        let failed = rows.iter().filter(|row| row.is_failure()).count();
        let edited =
            rows.iter().filter(|row| mark_kind(row) == "edit").filter_map(|row| row.file_path.as_deref());
        for path in edited.clone() {
            files.entry(path).or_default().0 += 1;
        }
        for path in edited.collect::<BTreeSet<_>>() {
            files.entry(path).or_default().1 += failed;
        }
    }
    let mut files: Vec<_> = files.into_iter().collect();
    files.sort_by_key(|(_, (edits, _))| std::cmp::Reverse(*edits));
    let shown = |(path, (edits, failed)): (&str, (usize, usize))| SessionFileView {
        path: shown.name(path),
        edits,
        failed,
    };
    files.into_iter().take(MAX_FILES).map(shown).collect()
}
