//! Sums up a day or several: agents, sessions, rules, failures, open tasks and problems, from what is stored. `nudge`
//! alone shows a few of each of today, `nudge day` shows more, of any day.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::nexus::{self, task};
use super::observations::memory::{self, Memory, MemoryError};
use crate::api::Scope;
use crate::api::today::{
    AgentDayWire, FailureWire, OpenTaskWire, OpenTasksWire, ProblemDayWire, RuleDayWire, SessionDayWire,
    SessionDaysWire, TodayWire,
};
use crate::harness;
use crate::journal::{problems, trace};
use crate::model::{
    DAY, Fate, Filter, Observation, ObservationType, SessionSummary, TaskStatus, Timestamp, Trace,
    VerdictKind,
};
use crate::system::{clock, moment};

/// How many of each are named, and how many are looked through for those of the period.
pub(crate) struct DayLimits {
    sessions: usize,
    rules: usize,
    failures: usize,
    tasks: usize,
    problems: usize,
    looked_at: usize,
}

/// What fits a screen.
pub(crate) const A_FEW: DayLimits =
    DayLimits { sessions: 3, rules: 4, failures: 3, tasks: 3, problems: 2, looked_at: 200 };
/// What a person reads of one day or week.
pub(crate) const MANY: DayLimits =
    DayLimits { sessions: 50, rules: 50, failures: 20, tasks: 20, problems: 10, looked_at: 2_000 };

/// A day, or several, in the zone of this machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Period {
    start: Timestamp,
    /// Exclusive; `None` if it lasts until now.
    end: Option<Timestamp>,
    days: u32,
}

/// Days of a week, today included.
const WEEK: u32 = 7;

impl Period {
    pub(crate) fn today() -> Period {
        Period { start: moment::parse("today").unwrap_or(Timestamp(0)), end: None, days: 1 }
    }

    /// Parses `today`, `yesterday`, `week`, or a date.
    pub(crate) fn parse(text: &str) -> Result<Period, String> {
        let wrong = || "write `today`, `yesterday`, `week`, or a date such as `2026-01-31`".to_owned();
        let word = text.trim().to_lowercase();
        match word.as_str() {
            "today" => return Ok(Period::today()),
            // A day may have 23 or 25 hours, so that it is counted in dates.
            "week" => {
                let noon = Timestamp(Period::today().start.0 + DAY / 2).minus_days(WEEK - 1);
                let start = moment::parse(&moment::local_date(noon)).map_err(|_| wrong())?;
                return Ok(Period { start, end: None, days: WEEK });
            }
            _ => {}
        }
        let start = moment::parse(&word).map_err(|_| wrong())?;
        if word != "yesterday" && moment::local_date(start) != word {
            return Err(wrong());
        }
        let next = moment::local_date(Timestamp(start.0 + DAY + DAY / 2));
        let end = moment::parse(&next).map_err(|_| wrong())?;
        let is_over = end <= clock::timestamp();
        Ok(Period { start, end: is_over.then_some(end), days: 1 })
    }

    fn includes(&self, at: Timestamp) -> bool {
        at >= self.start && self.end.is_none_or(|end| at < end)
    }
}

/// Looks at a period, in all projects; tasks are those of the project in this folder.
pub(crate) fn look(folder: &Path, period: &Period, limits: &DayLimits) -> Result<TodayWire, MemoryError> {
    let all_traces = trace::read().traces;
    let (memory, memory_problem) = match memory::open() {
        Ok(memory) => (memory, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let is_fresh = memory.is_none() && memory_problem.is_none() && all_traces.is_empty();
    let traces: Vec<Trace> = all_traces.into_iter().filter(|trace| period.includes(at(trace))).collect();
    let harnesses = harnesses(&traces);
    let memory = memory.as_ref();
    Ok(TodayWire {
        date: moment::local_date(period.start),
        days: period.days,
        agents: agents(&traces),
        hooks_since: traces.first().map(|trace| clock::iso(at(trace))),
        sessions: memory
            .map(|memory| sessions(memory, period, limits, &harnesses))
            .transpose()?
            .unwrap_or_default(),
        rules: rules(&traces, limits),
        failures: memory.map(|memory| failures(memory, period, limits)).transpose()?.unwrap_or_default(),
        tasks: if period.end.is_none() { tasks(folder, limits) } else { None },
        problems: last_problems(period, limits),
        memory_problem,
        is_fresh,
    })
}

/// Returns whether this is the day of today, which may still bring more.
pub(crate) fn is_of_today(day: &TodayWire) -> bool {
    day.days == 1 && day.date == moment::local_date(clock::timestamp())
}

fn at(trace: &Trace) -> Timestamp {
    Timestamp(i64::try_from(trace.at / 1_000).unwrap_or(i64::MAX))
}

/// Returns the agent of each session.
fn harnesses(traces: &[Trace]) -> BTreeMap<&str, &str> {
    traces
        .iter()
        .filter_map(|trace| Some((trace.session.as_ref()?.0.as_str(), trace.harness.as_str())))
        .collect()
}

fn agents(traces: &[Trace]) -> Vec<AgentDayWire> {
    let mut agents: Vec<(AgentDayWire, BTreeSet<&str>)> = Vec::new();
    for trace in traces {
        let known = agents.iter().position(|(agent, _)| agent.harness == trace.harness);
        let index = known.unwrap_or_else(|| {
            agents.push((agent(&trace.harness), BTreeSet::new()));
            agents.len() - 1
        });
        let (agent, sessions) = &mut agents[index];
        agent.hooks += 1;
        agent.blocked += usize::from(trace.verdict == VerdictKind::Block);
        agent.guided += usize::from(trace.verdict == VerdictKind::Guide);
        sessions.extend(trace.session.as_ref().map(|session| session.0.as_str()));
        agent.sessions = sessions.len();
    }
    let mut agents: Vec<AgentDayWire> = agents.into_iter().map(|(agent, _)| agent).collect();
    agents.sort_by(|one, two| two.hooks.cmp(&one.hooks).then_with(|| one.harness.cmp(&two.harness)));
    agents
}

fn agent(id: &str) -> AgentDayWire {
    let title = harness::by_id(id).map_or(id, |agent| agent.title).to_owned();
    AgentDayWire { harness: id.to_owned(), title, sessions: 0, hooks: 0, blocked: 0, guided: 0 }
}

/// Counts the rules that fired, those that blocked most first.
fn rules(traces: &[Trace], limits: &DayLimits) -> Vec<RuleDayWire> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for tried in traces.iter().flat_map(|trace| &trace.rules) {
        match tried.fate {
            Fate::Blocked | Fate::AskRefused => counts.entry(&tried.rule).or_default().0 += 1,
            Fate::Guided => counts.entry(&tried.rule).or_default().1 += 1,
            _ => {}
        }
    }
    let rule = |(rule, (blocked, guided)): (&str, _)| RuleDayWire { rule: rule.to_owned(), blocked, guided };
    let mut rules: Vec<RuleDayWire> = counts.into_iter().map(rule).collect();
    rules.sort_by_key(|rule| std::cmp::Reverse((rule.blocked, rule.guided)));
    rules.truncate(limits.rules);
    rules
}

fn sessions(
    memory: &Memory,
    period: &Period,
    limits: &DayLimits,
    harnesses: &BTreeMap<&str, &str>,
) -> Result<SessionDaysWire, MemoryError> {
    let mut sessions = memory.sessions(&Scope::All, limits.looked_at)?;
    let is_meant = |session: &SessionSummary| {
        session.ended_at >= period.start && period.end.is_none_or(|end| session.started_at < end)
    };
    sessions.retain(is_meant);
    let sum = |count: fn(&SessionSummary) -> usize| sessions.iter().map(count).sum();
    let (prompts, edits, failures) = (sum(|one| one.prompts), sum(|one| one.edits), sum(|one| one.failures));
    let total = sessions.len();
    let items = sessions.into_iter().take(limits.sessions).map(|session| {
        Ok(SessionDayWire {
            short_id: memory.short_id(&session.session_id)?,
            harness: harnesses
                .get(session.session_id.0.as_str())
                .map(|harness| (*harness).to_owned())
                .or(session.harness),
            session_id: session.session_id.0,
            project: session.project,
            started_at: clock::iso(session.started_at),
            ended_at: clock::iso(session.ended_at),
            prompts: session.prompts,
            edits: session.edits,
            failures: session.failures,
            blocked: session.blocked,
            first_prompt: session.first_prompt,
        })
    });
    Ok(SessionDaysWire { items: items.collect::<Result<_, MemoryError>>()?, total, prompts, edits, failures })
}

fn failures(memory: &Memory, period: &Period, limits: &DayLimits) -> Result<Vec<FailureWire>, MemoryError> {
    let (since, until) = (Some(period.start), period.end);
    let types = vec![ObservationType::CommandError];
    let found =
        memory.recent_filtered(&Filter { since, until, types, ..Filter::default() }, limits.looked_at)?;
    let failures = found.into_iter().filter(Observation::is_failure).take(limits.failures);
    let failures = failures.map(|one| FailureWire {
        id: one.id.0,
        at: clock::iso(one.timestamp),
        project: one.project.clone(),
        content: one.content.clone(),
    });
    Ok(failures.collect())
}

fn tasks(folder: &Path, limits: &DayLimits) -> Option<OpenTasksWire> {
    // A file that cannot be read is reported by `nudge doctor`.
    let tasks = task::read(&nexus::of_folder(folder)).ok().flatten()?;
    let total = tasks.tasks.len();
    let open: Vec<_> = tasks.tasks.into_iter().filter(|task| task.status != TaskStatus::Completed).collect();
    let count = open.len();
    let item = |task: crate::model::Task| OpenTaskWire { id: task.id, title: task.title };
    let items = open.into_iter().take(limits.tasks).map(item).collect();
    (count > 0).then_some(OpenTasksWire { items, open: count, total })
}

fn last_problems(period: &Period, limits: &DayLimits) -> Vec<ProblemDayWire> {
    let logged = problems::recent(limits.problems).into_iter().filter_map(|logged| {
        let at = Timestamp(i64::try_from(logged.at).ok()?);
        let message = logged.problem.to_string();
        period.includes(at).then(|| ProblemDayWire { at: clock::iso(at), message })
    });
    logged.collect()
}
