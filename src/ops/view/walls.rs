//! Failures that came back in several sessions, and what ended them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::kept::{self, MemoryVersion};
use super::observation::{at_ms, obs};
use super::request::{QuestionError, ViewError, ViewRange, ViewRequest};
use super::shown::Shown;
use super::{QueryStop, ViewAnswer, whole};
use crate::api::view::{FixView, OfferView, WallCaseView, WallRowView, WallView, WallsView};
use crate::model::{FailureRow, Observation, ObservationId, fnv1a, quoted};
use crate::recall::{self, Cause};
use crate::store::Reader;
use crate::system::clock;

/// The causes are found among this many of the latest failures.
const MAX_FAILURES: usize = 600;
const MAX_ROWS: usize = 50;
/// Failures of a cause that are searched for what ended them, in the list and in detail.
const MAX_TRIED: usize = 2;
const MAX_TRIED_IN_DETAIL: usize = 12;
const MAX_CASES: usize = 60;
/// Failures whose end is kept until the memory changes.
const MAX_KNOWN_ENDS: usize = 300;
const BARS: usize = 30;
const DAY_MS: i64 = 86_400_000;
/// A wall is a failure of at least this many sessions.
const MIN_SESSIONS: usize = 2;

/// `walls`.
pub(super) fn list(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let range = request.range()?;
    let is_open_only = request.text("open") == Some("1");
    let Some(reader) = stop.memory()? else { return whole(&WallsView::default()) };
    let shown = Shown::new();
    let view = reader.ask(|reader| -> Result<_, QuestionError> {
        let causes = causes(request, reader, range)?;
        let single = causes.iter().filter(|cause| cause.sessions() < MIN_SESSIONS).count();
        let mut rows = Vec::new();
        for cause in causes.iter().filter(|cause| cause.sessions() >= MIN_SESSIONS).take(MAX_ROWS) {
            stop.check()?;
            let ends = ends(reader, cause, MAX_TRIED)?;
            rows.push(row(reader, cause, &ends, &WallContext { shown: &shown, range })?);
        }
        if is_open_only {
            rows.retain(|row| row.open);
        }
        Ok(WallsView { rows, single })
    })?;
    whole(&view)
}

/// Counts the walls of the last month, for the number beside the page's name.
pub(super) fn count(reader: &Reader, request: &ViewRequest) -> Result<usize, QuestionError> {
    let from_ms = clock::now_ms() - BARS as i64 * DAY_MS;
    let causes = causes(request, reader, ViewRange { from_ms, to_ms: i64::MAX / 4 })?;
    Ok(causes.iter().filter(|cause| cause.sessions() >= MIN_SESSIONS).count())
}

fn causes(request: &ViewRequest, reader: &Reader, range: ViewRange) -> Result<Vec<Cause>, QuestionError> {
    let project = request.wanted_project(reader)?;
    let name = format!("causes {project:?}");
    let all = kept::of_memory(MemoryVersion::now().as_ref(), &name, || {
        let rows = reader.failures(project.as_ref(), MAX_FAILURES)?;
        Ok::<_, QuestionError>(Arc::new(recall::causes(rows)))
    })?;
    let is_wanted = |row: &&FailureRow| (range.from_ms..=range.to_ms).contains(&(row.timestamp.0 * 1_000));
    let causes = all
        .iter()
        .map(|cause| Cause { failures: cause.failures.iter().filter(is_wanted).cloned().collect() });
    let mut causes: Vec<Cause> = causes.filter(|cause| !cause.failures.is_empty()).collect();
    causes.sort_by_cached_key(|cause| std::cmp::Reverse((cause.sessions(), cause.newest().timestamp)));
    Ok(causes)
}

/// `wall/KEY`.
pub(super) fn one(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let key = request.rest();
    let range = request.range()?;
    let unknown = || {
        let error = ViewError::unknown("there is no such failure in this range".to_owned());
        QuestionError::from(error.hint("choose a longer range"))
    };
    let Some(reader) = stop.memory()? else { return Err(unknown().into()) };
    let shown = Shown::new();
    let view = reader.ask(|reader| -> Result<_, QuestionError> {
        let causes = causes(request, reader, range)?;
        let is_it = |cause: &&Cause| cause.failures.iter().any(|failure| key_of(failure) == key);
        let cause = causes.iter().find(is_it).ok_or_else(unknown)?;
        let ends = ends(reader, cause, MAX_TRIED_IN_DETAIL)?;
        let context = WallContext { shown: &shown, range };
        let agents = agents(reader, cause)?;
        let cases = cause.failures.iter().take(MAX_CASES).map(|failure| WallCaseView {
            session: shown.name(&failure.session_id.0),
            agent: agents.get(&failure.session_id.0).map(|agent| shown.name(agent)),
            at_ms: failure.timestamp.0 * 1_000,
            ended_ms: ends.iter().find(|end| end.failure.id == failure.id).and_then(WallEnd::ended_ms),
            id: failure.id.0,
        });
        let steps = ends.iter().find(|end| end.success.is_some());
        let steps = steps.map(|end| {
            end.steps.iter().chain(&end.success).map(|step| obs(step, &shown)).collect::<Vec<_>>()
        });
        let row = row(reader, cause, &ends, &context)?;
        Ok(WallView {
            sample: ends.first().map(|end| obs(&end.failure, &shown)),
            cases: cases.collect(),
            steps: steps.unwrap_or_default(),
            offers: offers(&row),
            row,
        })
    })?;
    whole(&view)
}

struct WallContext<'w> {
    shown: &'w Shown,
    range: ViewRange,
}

/// A failure, with what ended it.
#[derive(Clone)]
struct WallEnd {
    failure: Observation,
    steps: Vec<Observation>,
    success: Option<Observation>,
}

impl WallEnd {
    fn ended_ms(&self) -> Option<i64> {
        self.success.as_ref().map(at_ms)
    }
}

/// What ended the failures that were looked at, by their ids.
type KnownEnds = Arc<Mutex<BTreeMap<i64, Option<WallEnd>>>>;

fn ends(reader: &Reader, cause: &Cause, max: usize) -> Result<Vec<WallEnd>, QuestionError> {
    let version = MemoryVersion::now();
    let known: KnownEnds =
        kept::of_memory(version.as_ref(), "ends", || Ok::<_, QuestionError>(Arc::default()))?;
    let mut ends = Vec::new();
    for failure in cause.failures.iter().take(max) {
        let found = known.lock().unwrap_or_else(PoisonError::into_inner).get(&failure.id.0).cloned();
        let found = match found {
            Some(found) => found,
            None => {
                let found = end(reader, failure.id)?;
                let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
                if known.len() >= MAX_KNOWN_ENDS {
                    known.clear();
                }
                known.insert(failure.id.0, found.clone());
                found
            }
        };
        ends.extend(found);
    }
    Ok(ends)
}

fn end(reader: &Reader, failure: ObservationId) -> Result<Option<WallEnd>, QuestionError> {
    let Some((failure, after)) = reader.failure_and_after(failure)? else { return Ok(None) };
    let remedy = recall::remedy(&failure, &after);
    let (steps, success) = remedy.map_or((Vec::new(), None), |remedy| (remedy.steps, Some(remedy.success)));
    Ok(Some(WallEnd { failure, steps, success }))
}

/// Returns the agents of a cause's sessions. Those of all sessions are kept, because causes share them.
fn agents(reader: &Reader, cause: &Cause) -> Result<BTreeMap<String, String>, QuestionError> {
    let version = MemoryVersion::now();
    let known: KnownAgents =
        kept::of_memory(version.as_ref(), "agents", || Ok::<_, QuestionError>(Arc::default()))?;
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let sessions: BTreeSet<&str> =
        cause.failures.iter().map(|failure| failure.session_id.0.as_str()).collect();
    let unknown: BTreeSet<&str> =
        sessions.iter().copied().filter(|session| !known.contains_key(*session)).collect();
    if !unknown.is_empty() {
        let mut found = reader.session_agents(&unknown)?;
        known.extend(unknown.iter().map(|session| ((*session).to_owned(), found.remove(*session))));
    }
    let of_session = |session: &str| Some((session.to_owned(), known.get(session)?.clone()?));
    Ok(sessions.into_iter().filter_map(of_session).collect())
}

/// The agents of sessions, `None` for a session without one.
type KnownAgents = Arc<Mutex<BTreeMap<String, Option<String>>>>;

fn row(
    reader: &Reader,
    cause: &Cause,
    ends: &[WallEnd],
    context: &WallContext<'_>,
) -> Result<WallRowView, QuestionError> {
    let newest = cause.newest();
    let agents: BTreeSet<String> = agents(reader, cause)?.into_values().collect();
    let times = cause.failures.iter().map(|failure| failure.timestamp.0 * 1_000);
    let best = ends.iter().find(|end| end.success.is_some());
    let fix = best.map(|best| {
        let took: Vec<i64> =
            ends.iter().filter_map(|end| end.ended_ms().map(|ended| ended - at_ms(&end.failure))).collect();
        let steps = match best.steps.is_empty() {
            true => best.success.iter().map(recall::command).map(|step| context.shown.row(step)).collect(),
            false => {
                best.steps.iter().map(|step| context.shown.row(super::observation::subject(step))).collect()
            }
        };
        FixView {
            steps,
            worked: took.len(),
            of: ends.len(),
            mean_ms: took.iter().sum::<i64>() / i64::try_from(took.len().max(1)).unwrap_or(1),
        }
    });
    Ok(WallRowView {
        key: key_of(newest),
        program: context.shown.row(newest.program.as_deref().unwrap_or_default()),
        signature: context.shown.row(&newest.signature),
        n: cause.failures.len(),
        sessions: cause.sessions(),
        agents: agents.iter().map(|agent| context.shown.name(agent)).collect(),
        bars: bars(times, context.range, BARS),
        last_ms: newest.timestamp.0 * 1_000,
        open: ends.first().is_some_and(|end| end.success.is_none()),
        fix,
    })
}

/// Returns a name of a failure that stays the same for the same program and signature.
fn key_of(failure: &FailureRow) -> String {
    let text = format!("{}\n{}", failure.program.as_deref().unwrap_or_default(), failure.signature);
    format!("{:016x}", fnv1a(text.bytes()))
}

/// Counts times by equal parts of the range; an open range begins with the first of them.
pub(super) fn bars(times: impl Iterator<Item = i64>, range: ViewRange, count: usize) -> Vec<usize> {
    let to = range.to_ms.min(clock::now_ms());
    let times: Vec<i64> = times.collect();
    let month = to - BARS as i64 * DAY_MS;
    let from =
        if range.from_ms > 0 { range.from_ms } else { times.iter().copied().min().unwrap_or(to).max(month) };
    let step = ((to - from) / count as i64).max(1);
    let mut bars = vec![0; count];
    for at in times.into_iter().filter(|at| *at >= from) {
        let bar = usize::try_from((at - from) / step).unwrap_or(0).min(count - 1);
        bars[bar] += 1;
    }
    bars
}

/// Returns a rule and a hint that would tell the next session, ready to copy.
fn offers(row: &WallRowView) -> Vec<OfferView> {
    let Some(fix) = &row.fix else { return Vec::new() };
    let step = fix.steps.last().map_or("", String::as_str);
    let program = row.program.split(' ').collect::<Vec<_>>().join(" ");
    let name: String = format!("before-{program}")
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect();
    let yaml = |text: &str| serde_json::Value::from(text).to_string();
    let unless = other_option(&program, step)
        .map(|option| format!("    unless:\n      command: {}\n", yaml(&option)))
        .unwrap_or_default();
    let signature = row.signature.trim_end_matches(['.', ' ']);
    let rule = format!(
        "  - name: {}\n    on:\n      hook: PreToolUse\n      tool: Bash\n    match:\n      command: {}\n{unless}    action: continue\n    message: {}\n",
        name.trim_matches('-'),
        yaml(&program),
        yaml(&format!("`{program}` often fails here with: {signature}. What ended it: {step}")),
    );
    let component = program.split(' ').next().unwrap_or("project");
    vec![
        OfferView {
            kind: "rule",
            title: format!("A rule that says it before {program}"),
            text: rule,
            command: "nudge validate".to_owned(),
        },
        OfferView {
            kind: "hint",
            title: format!("A hint for {component}"),
            text: step.to_owned(),
            command: format!("nudge set --keep {} when-it-fails {}", quoted(component), quoted(step)),
        },
    ]
}

/// Returns the program with the option that ended its failure, of which the rule need not speak: `git push -u`.
fn other_option(program: &str, step: &str) -> Option<String> {
    let arguments = step.strip_prefix(program)?.strip_prefix(' ')?;
    let is_option =
        |word: &&str| word.starts_with('-') && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let option = arguments.split_whitespace().find(is_option)?;
    Some(format!("{program} {option}"))
}

#[cfg(test)]
mod tests {
    use super::other_option;

    #[test]
    fn the_option_that_ended_a_failure_is_left_out_of_the_rule() {
        let check = |step| other_option("git push", step);
        assert_eq!(check("git push -u origin main").as_deref(), Some("git push -u"));
        assert_eq!(
            check("git push origin main --force-with-lease").as_deref(),
            Some("git push --force-with-lease")
        );
        assert_eq!(check("git push origin main"), None);
        assert_eq!(check("git pushd -u"), None);
        assert_eq!(check("src/net.rs"), None);
        assert_eq!(check("git push --repo=x"), None);
    }
}
