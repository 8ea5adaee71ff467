//! Rules: which of them work, which are dead, and what followed when one blocked a call.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::kept::{self, MemoryVersion};
use super::observation::{at_ms, subject};
use super::overview::sessions_query;
use super::request::{QuestionError, ViewError, ViewErrorKind, ViewRequest};
use super::shown::Shown;
use super::walls::bars;
use super::{QueryStop, ViewAnswer, replay, whole};
use crate::api::view::{
    BrokenFileView, DeadRuleView, FiringView, HookRowView, NextView, RuleDetailView, RuleView, RulesView,
    TryOutcomeView, TryView,
};
use crate::config::paths;
use crate::model::{
    BlockedCall, Fate, Hook, Problem, RuleActivity, SessionQuery, Timestamp, Trace, TracedTarget, TriedRule,
};
use crate::ops::rules::explain::{self, Explanation};
use crate::ops::rules::{load, shown as shown_rules};
use crate::rules::{Action, Rule, Sample};
use crate::store::Reader;
use crate::system::clock;

const BARS: usize = 30;
/// A rule is dead if it did not fire for this many days, and there were this many events of its kind.
const DEAD_DAYS: i64 = 90;
const MIN_EVENTS: usize = 100;
/// Firings that are listed, the newest first.
const MAX_FIRINGS: usize = 12;
const DAY: i64 = 86_400;
const HOUR: i64 = 3_600;

/// Returns the project whose rules are shown: the one that is asked for, or the user's home, which has only the user's.
fn root(request: &ViewRequest) -> PathBuf {
    request.text("project").map(PathBuf::from).or_else(paths::home_dir).unwrap_or_default()
}

/// How often a rule asked or guided, as the trace of hook calls knows; the memory counts what was refused.
#[derive(Default)]
struct SpokenRule {
    rule: String,
    times: Vec<i64>,
    /// When it asked.
    asked: Vec<i64>,
    /// When it asked about a call that ran afterwards, so that a person must have allowed it.
    allowed: Vec<i64>,
}

/// Reads from the trace which rules of a project asked or guided.
fn spoken(root: &Path) -> Vec<SpokenRule> {
    let project = crate::ops::trace::shown_project(root);
    let mut found: Vec<SpokenRule> = Vec::new();
    let traces = crate::journal::trace::read().traces;
    let traces: Vec<&Trace> = traces.iter().filter(|trace| trace.project == project).collect();
    for trace in &traces {
        let at = i64::try_from(trace.at / 1_000).unwrap_or(i64::MAX);
        let spoke = |tried: &&TriedRule| matches!(tried.fate, Fate::Guided | Fate::Asked | Fate::AllowedOnce);
        for tried in trace.rules.iter().filter(spoke) {
            let known = found.iter().position(|one| one.rule == tried.rule);
            let known = known.unwrap_or_else(|| {
                found.push(SpokenRule { rule: tried.rule.clone(), ..SpokenRule::default() });
                found.len() - 1
            });
            let one = &mut found[known];
            one.times.push(at);
            if tried.fate == Fate::Asked {
                one.asked.push(at);
                one.allowed.extend(has_run(trace, &traces).then_some(at));
            }
        }
    }
    found
}

/// Returns whether the command of a trace ran later in its session. Of other calls, and of long commands, the trace has too
/// little to tell one from another.
fn has_run(asked: &Trace, traces: &[&Trace]) -> bool {
    let ran = |other: &&&Trace| {
        matches!(other.hook, Hook::PostToolUse | Hook::PostToolUseFailure)
            && other.at >= asked.at
            && (&other.session, &other.tool, &other.target) == (&asked.session, &asked.tool, &asked.target)
    };
    matches!(asked.target, Some(TracedTarget::Command(_))) && traces.iter().any(|other| ran(&other))
}

impl RuleHistory {
    /// Returns when a rule asked or guided, as far as the trace goes back.
    fn spoken(&self, rule: &Rule) -> &[i64] {
        self.spoken_rule(rule).map_or(&[], |one| &one.times)
    }

    fn spoken_rule(&self, rule: &Rule) -> Option<&SpokenRule> {
        let name = crate::ops::why::shown_rule(&rule.name);
        self.spoken.iter().find(|one| one.rule == rule.name || one.rule == name)
    }
}

/// What a range and the last months say about rules.
#[derive(Default)]
struct RuleHistory {
    spoken: Vec<SpokenRule>,
    counts: Vec<RuleActivity>,
    /// How often a person allowed what a rule asked about, with a command.
    allowances: Vec<(String, usize)>,
    lately: LatelyFired,
    /// Nothing is remembered of the project.
    is_new: bool,
}

/// What the last months say about rules.
#[derive(Clone, Default)]
struct LatelyFired {
    rules: BTreeSet<String>,
    /// Calls, prompts and sessions.
    events: [usize; 3],
}

fn history(request: &ViewRequest, reader: &Reader) -> Result<RuleHistory, QuestionError> {
    let query = sessions_query(request, reader)?;
    Ok(RuleHistory {
        spoken: spoken(&root(request)),
        counts: reader.rule_counts(&query)?,
        allowances: reader.allowances(&query)?,
        lately: lately(&query, reader)?,
        is_new: query.folders.as_ref().is_some_and(Vec::is_empty),
    })
}

fn lately(query: &SessionQuery, reader: &Reader) -> Result<LatelyFired, QuestionError> {
    let now = clock::timestamp().0;
    let query = SessionQuery { from: now - DEAD_DAYS * DAY, to: now, ..query.clone() };
    let name = format!("lately {:?} {:?} {}", query.folders, query.agents, now / HOUR);
    kept::of_memory(MemoryVersion::now().as_ref(), &name, || {
        Ok(LatelyFired {
            rules: reader.rules_that_fired(&query)?,
            events: reader.events_of_sessions(&query)?,
        })
    })
}

/// `rules`.
pub(super) fn list(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let shown = Shown::new();
    let (rules, broken, files) = loaded(request, stop, &shown)?;
    whole(&RulesView { rules, broken, files, replaying: replay::running() })
}

/// What `nudge rules --stats` says.
pub(crate) struct RuleStatistics {
    pub(crate) rules: Vec<RuleView>,
    /// Nothing is remembered of the project, so everything is zero.
    pub(crate) is_new: bool,
}

/// Returns the rules of a project with what they did since a time, for `nudge rules --stats`.
pub(crate) fn statistics(root: &Path, since: Timestamp) -> Result<RuleStatistics, ViewError> {
    let parameters = [
        ("project", root.display().to_string()),
        ("from_ms", since.0.saturating_mul(1_000).to_string()),
        ("to_ms", clock::timestamp().0.saturating_mul(1_000).to_string()),
    ];
    let parameters = parameters.map(|(name, value)| (name.to_owned(), value)).into();
    let request = ViewRequest { question: "rules".to_owned(), parameters, body: None };
    let range = request.range()?;
    let (history, is_new) = match remembered(&request, &QueryStop::default()) {
        Ok(Some(history)) => {
            let is_new = history.is_new;
            (history, is_new)
        }
        // A person is in the folder, so there is such a project, even if the memory does not know it yet.
        Err(error) if error.kind != ViewErrorKind::Unknown => return Err(error),
        Ok(None) | Err(_) => (RuleHistory { spoken: spoken(root), ..RuleHistory::default() }, true),
    };
    let context = RuleContext { shown: &Shown::new(), range };
    let (rules, _) = load::all(root);
    let rules = rules.iter().map(|rule| view(rule, root, &history, &context)).collect();
    Ok(RuleStatistics { rules, is_new: is_new && history.spoken.is_empty() })
}

/// Returns what the memory says about the rules that are asked for; `None` if there is no memory.
fn remembered(request: &ViewRequest, stop: &QueryStop) -> Result<Option<RuleHistory>, ViewError> {
    stop.memory()?.map(|reader| Ok(reader.ask(|reader| history(request, reader))?)).transpose()
}

fn loaded(
    request: &ViewRequest,
    stop: &QueryStop,
    shown: &Shown,
) -> Result<(Vec<RuleView>, Vec<BrokenFileView>, usize), ViewError> {
    let range = request.range()?;
    let root = root(request);
    let (rules, problems) = load::all(&root);
    let history = remembered(request, stop)?
        .unwrap_or_else(|| RuleHistory { spoken: spoken(&root), ..RuleHistory::default() });
    let mut files: Vec<&str> = rules.iter().map(|rule| rule.place.file.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    let files = files.len();
    let views = rules.iter().map(|rule| view(rule, &root, &history, &RuleContext { shown, range })).collect();
    let broken = problems.iter().filter(|problem| problem.is_error()).map(|one| broken(one, shown)).collect();
    Ok((views, broken, files))
}

/// Counts rules and dead rules, for the numbers beside the page's name.
pub(super) fn count(request: &ViewRequest, reader: &Reader) -> Result<(usize, usize), QuestionError> {
    let root = root(request);
    let (rules, _) = load::all(&root);
    let lately = lately(&sessions_query(request, reader)?, reader)?;
    let history = RuleHistory { spoken: spoken(&root), lately, ..RuleHistory::default() };
    let is_dead = |rule: &&Rule| dead(rule, &history.lately).is_some() && history.spoken(rule).is_empty();
    let dead = rules.iter().filter(is_dead).count();
    Ok((rules.len(), dead))
}

struct RuleContext<'c> {
    shown: &'c Shown,
    range: super::request::ViewRange,
}

fn view(rule: &Rule, root: &Path, history: &RuleHistory, context: &RuleContext<'_>) -> RuleView {
    let shown = context.shown;
    let name = crate::ops::why::shown_rule(&rule.name);
    let found = history.counts.iter().find(|one| one.rule == rule.name || one.rule == name);
    let none = RuleActivity::default();
    let counts = found.unwrap_or(&none);
    let json = shown_rules::to_json(rule);
    let patterns: Vec<&str> = rule.matchers.iter().map(|matcher| matcher.pattern.source()).collect();
    let is_users =
        Path::new(&rule.place.file).is_absolute() && !Path::new(&rule.place.file).starts_with(root);
    let replayed = replay::result(root, &rule.name);
    let spoken: Vec<i64> = history.spoken(rule).iter().copied().filter(|at| context.range.has(*at)).collect();
    let known = history.spoken_rule(rule);
    let in_range = |times: fn(&SpokenRule) -> &Vec<i64>| {
        known.map_or(0, |one| times(one).iter().filter(|at| context.range.has(**at)).count())
    };
    let granted = history.allowances.iter().find(|(one, _)| *one == rule.name || *one == name);
    // A call that waited for a person and then ran is in both.
    let allowed = granted.map_or(0, |(_, count)| *count).max(in_range(|one| &one.allowed));
    // A call that was guided and remembered is in both.
    let guided = counts.guided.max(spoken.len());
    let times = counts.days.iter().flat_map(|(day, n)| std::iter::repeat_n(day * DAY * 1_000, *n));
    RuleView {
        name: shown.name(&rule.name),
        action: action(rule.action),
        enabled: rule.enabled,
        shadow: rule.shadow,
        hook: rule.hook.name(),
        tool: json.tool.map(|tool| shown.row(&tool)),
        file: json.target.map(|globs| shown.row(&globs.join(" "))),
        r#match: (!patterns.is_empty()).then(|| shown.row(&patterns.join(" and "))),
        message: shown.text(&rule.message).0,
        place: shown.name(&rule.place.to_string()),
        description: rule.description.as_deref().map(|text| shown.row(text)),
        source: match &rule.pack {
            Some(_) => "pack",
            None if is_users || rule.place.file.starts_with('~') => "user",
            None => "project",
        },
        fired: counts.fired - counts.guided + guided,
        guided,
        asked: in_range(|one| &one.asked),
        allowed,
        obeyed: counts.blocked.saturating_sub(counts.insisted),
        insisted: counts.insisted,
        last_ms: counts.last_at.max(spoken.iter().copied().max()).map(|at| at * 1_000),
        bars: bars(times, context.range, BARS),
        wrong: replayed.as_ref().map(|replay| replay.cases.iter().filter(|one| one.wrong).count()),
        of: replayed.map(|replay| replay.cases.len()),
        dead: dead(rule, &history.lately).filter(|_| history.spoken(rule).is_empty()),
    }
}

fn action(action: Action) -> &'static str {
    match action {
        Action::Interrupt => "block",
        Action::Ask => "ask",
        Action::Continue => "guide",
    }
}

fn dead(rule: &Rule, lately: &LatelyFired) -> Option<DeadRuleView> {
    let name = crate::ops::why::shown_rule(&rule.name);
    let fired = lately.rules.contains(&rule.name) || lately.rules.contains(&*name);
    let [calls, prompts, sessions] = lately.events;
    let looked_at = match rule.hook {
        Hook::PreToolUse | Hook::PostToolUse => calls,
        Hook::UserPromptSubmit | Hook::Stop => prompts,
        _ => sessions,
    };
    (rule.enabled && !fired && looked_at >= MIN_EVENTS).then(|| DeadRuleView {
        days: DEAD_DAYS,
        looked_at,
        reason: match rule.hook {
            Hook::PreToolUse | Hook::PostToolUse => "none of these calls was one that it is for",
            Hook::UserPromptSubmit => "no prompt had what it looks for",
            _ => "nothing that it looks for happened",
        }
        .to_owned(),
    })
}

fn broken(problem: &Problem, shown: &Shown) -> BrokenFileView {
    let place = problem.place.as_ref();
    BrokenFileView {
        file: place.map(|place| shown.name(&place.file)).unwrap_or_default(),
        frame: place.map(|place| shown.name(&place.to_string())).unwrap_or_default(),
        message: shown.row(&problem.message),
        hint: problem.hint.as_deref().map(|hint| shown.row(hint)),
    }
}

/// `rule/NAME`.
pub(super) fn one(request: &ViewRequest, stop: &QueryStop) -> Result<ViewAnswer, ViewError> {
    let name = request.rest().to_owned();
    let shown = Shown::new();
    let (rules, _, _) = loaded(request, stop, &shown)?;
    let wanted = shown.name(&name);
    let rule = rules.into_iter().find(|rule| rule.name == wanted);
    let firings = match stop.memory()? {
        Some(reader) => reader.ask(|reader| -> Result<_, QuestionError> {
            let query = sessions_query(request, reader)?;
            let calls = reader.blocked_calls(&name, &query, MAX_FIRINGS)?;
            let mut firings = Vec::new();
            for call in &calls {
                stop.check()?;
                firings.extend(firing(reader, call, &shown)?);
            }
            Ok(firings)
        })?,
        None => Vec::new(),
    };
    if rule.is_none() && firings.is_empty() {
        let error = ViewError::unknown(format!("no rule is named `{wanted}`"));
        return Err(error.hint("it may be a rule of another project"));
    }
    let replay = replay::result(&root(request), &name).map(|replay| (*replay).clone());
    whole(&RuleDetailView { rule, firings, replay })
}

fn firing(reader: &Reader, call: &BlockedCall, shown: &Shown) -> Result<Option<FiringView>, QuestionError> {
    let Some(row) = reader.get(&[call.observation])?.pop() else { return Ok(None) };
    let next = reader.next_call_alike(&row)?;
    let after_ms = next.as_ref().map(|next| at_ms(next) - at_ms(&row));
    let verdict = match &next {
        None => "none",
        Some(next) if next.is_blocked() && next.rule() == row.rule() => "insisted",
        Some(_) => "obeyed",
    };
    Ok(Some(FiringView {
        row: HookRowView {
            id: row.id.0.to_string(),
            at_ms: at_ms(&row),
            us: 0,
            session: Some(shown.name(&row.session_id.0)),
            agent: shown.name(row.harness().unwrap_or_default()),
            project: shown.name(row.project_root.as_deref().unwrap_or_default()),
            hook: Hook::PreToolUse.name(),
            tool: row.tool_name.as_deref().map(|tool| shown.name(tool)),
            target: Some(shown.row(subject(&row))),
            verdict: "block",
            rule: row.rule().map(|rule| shown.name(rule)),
            kind: "blocked",
            parts: Vec::new(),
            told: 0,
            obs: vec![row.id.0],
        },
        next: NextView { verdict, after_ms },
    }))
}

/// The body of `try`.
#[derive(Deserialize)]
struct TryWire {
    rule: Option<String>,
    tool: Option<String>,
    file: Option<String>,
    content: Option<String>,
    prompt: Option<String>,
    project: Option<String>,
}

/// `try`: judges a text by the rules of today; nothing is run, stored or traced.
pub(super) fn try_text(request: &ViewRequest) -> Result<ViewAnswer, ViewError> {
    let body = request.body.as_deref().unwrap_or_default();
    let wire: TryWire = serde_json::from_slice(body)
        .map_err(|error| ViewError::wrong(format!("the body cannot be read: {error}")))?;
    let root = wire.project.map(PathBuf::from).or_else(paths::home_dir).unwrap_or_default();
    let sample = Sample {
        tool: wire.tool.filter(|tool| !tool.is_empty()),
        file: wire.file.filter(|file| !file.is_empty()),
        content: wire.content,
        prompt: wire.prompt,
        ..Sample::default()
    };
    let rule = wire.rule.filter(|rule| !rule.is_empty());
    let explained = explain::explain(&root, &root, &sample, rule.as_deref())
        .map_err(|none| ViewError::unknown(none.message).hint(none.hint))?;
    let shown = Shown::new();
    let outcomes = explained.iter().map(|one| {
        let (outcome, message, lines) = match &one.why {
            Explanation::Fired(fired) => (action(fired.action), fired.message.clone(), fired.lines.clone()),
            Explanation::Unevaluated(why) => ("unevaluated", why.clone(), Vec::new()),
            why => ("silent", why.to_string(), Vec::new()),
        };
        TryOutcomeView { rule: shown.name(&one.rule.name), outcome, message: shown.text(&message).0, lines }
    });
    whole(&TryView { outcomes: outcomes.collect() })
}
