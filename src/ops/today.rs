//! Sums up today for `nudge` alone: agents, sessions, rules, failures, open tasks and problems, from what is stored.

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
use crate::model::{Fate, Observation, SessionSummary, TaskStatus, Timestamp, Trace, VerdictKind};
use crate::system::{clock, moment};

/// How many of each are named.
const MAX_SESSIONS: usize = 3;
const MAX_RULES: usize = 4;
const MAX_FAILURES: usize = 3;
const MAX_TASKS: usize = 3;
const MAX_PROBLEMS: usize = 2;
/// How many sessions and observations are looked through for those of today.
const MAX_LOOKED_AT: usize = 200;

/// Looks at today, in all projects; tasks are those of the project in this folder.
pub(crate) fn look(folder: &Path) -> Result<TodayWire, MemoryError> {
    let start = moment::parse("today").unwrap_or(Timestamp(0));
    let all_traces = trace::read().traces;
    let (memory, memory_problem) = match memory::open() {
        Ok(memory) => (memory, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let is_fresh = memory.is_none() && memory_problem.is_none() && all_traces.is_empty();
    let traces: Vec<Trace> = all_traces.into_iter().filter(|trace| at(trace) >= start).collect();
    let harnesses = harnesses(&traces);
    Ok(TodayWire {
        date: moment::local_date(start),
        agents: agents(&traces),
        hooks_since: traces.first().map(|trace| clock::iso(at(trace))),
        sessions: memory
            .as_ref()
            .map(|memory| sessions(memory, start, &harnesses))
            .transpose()?
            .unwrap_or_default(),
        rules: rules(&traces),
        failures: memory.as_ref().map(|memory| failures(memory, start)).transpose()?.unwrap_or_default(),
        tasks: tasks(folder),
        problems: last_problems(start),
        memory_problem,
        is_fresh,
    })
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
fn rules(traces: &[Trace]) -> Vec<RuleDayWire> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for tried in traces.iter().flat_map(|trace| &trace.rules) {
        match tried.fate {
            Fate::Blocked => counts.entry(&tried.rule).or_default().0 += 1,
            Fate::Guided => counts.entry(&tried.rule).or_default().1 += 1,
            _ => {}
        }
    }
    let rule = |(rule, (blocked, guided)): (&str, _)| RuleDayWire { rule: rule.to_owned(), blocked, guided };
    let mut rules: Vec<RuleDayWire> = counts.into_iter().map(rule).collect();
    rules.sort_by_key(|rule| std::cmp::Reverse((rule.blocked, rule.guided)));
    rules.truncate(MAX_RULES);
    rules
}

fn sessions(
    memory: &Memory,
    start: Timestamp,
    harnesses: &BTreeMap<&str, &str>,
) -> Result<SessionDaysWire, MemoryError> {
    let mut sessions = memory.sessions(&Scope::All, MAX_LOOKED_AT)?;
    sessions.retain(|session| session.ended_at >= start);
    let sum = |count: fn(&SessionSummary) -> usize| sessions.iter().map(count).sum();
    let (prompts, edits, failures) = (sum(|one| one.prompts), sum(|one| one.edits), sum(|one| one.failures));
    let total = sessions.len();
    let items = sessions.into_iter().take(MAX_SESSIONS).map(|session| {
        Ok(SessionDayWire {
            short_id: memory.short_id(&session.session_id)?,
            harness: harnesses.get(session.session_id.0.as_str()).map(|harness| (*harness).to_owned()),
            session_id: session.session_id.0,
            project: session.project,
            started_at: clock::iso(session.started_at),
            ended_at: clock::iso(session.ended_at),
            prompts: session.prompts,
            edits: session.edits,
            failures: session.failures,
            first_prompt: session.first_prompt,
        })
    });
    Ok(SessionDaysWire { items: items.collect::<Result<_, MemoryError>>()?, total, prompts, edits, failures })
}

fn failures(memory: &Memory, start: Timestamp) -> Result<Vec<FailureWire>, MemoryError> {
    let recent = memory.recent(&Scope::All, MAX_LOOKED_AT)?.into_iter();
    let failed = |one: &Observation| one.is_failure() && one.timestamp >= start;
    let failures = recent.filter(failed).take(MAX_FAILURES).map(|one| FailureWire {
        id: one.id.0,
        at: clock::iso(one.timestamp),
        project: one.project.clone(),
        content: one.content.clone(),
    });
    Ok(failures.collect())
}

fn tasks(folder: &Path) -> Option<OpenTasksWire> {
    // A file that cannot be read is reported by `nudge doctor`.
    let tasks = task::read(&nexus::of_folder(folder)).ok().flatten()?;
    let total = tasks.tasks.len();
    let open: Vec<_> = tasks.tasks.into_iter().filter(|task| task.status != TaskStatus::Completed).collect();
    let count = open.len();
    let item = |task: crate::model::Task| OpenTaskWire { id: task.id, title: task.title };
    let items = open.into_iter().take(MAX_TASKS).map(item).collect();
    (count > 0).then_some(OpenTasksWire { items, open: count, total })
}

fn last_problems(start: Timestamp) -> Vec<ProblemDayWire> {
    let logged = problems::recent(MAX_PROBLEMS).into_iter().filter_map(|logged| {
        let at = Timestamp(i64::try_from(logged.at).ok()?);
        let message = logged.problem.to_string();
        (at >= start).then(|| ProblemDayWire { at: clock::iso(at), message })
    });
    logged.collect()
}
