//! Tries rules on a sample, and says for each why it fires or does not.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::load;
use super::try_out::{RuleTry, SessionFacts, happened, own_match, try_rules, try_rules_after, try_rules_of};
use crate::model::{Event, Hook, Problem};
use crate::rules::{
    self, Book, Conditions, EarlierCall, Field, Fired, MissingVersion, Rule, RuleOutcome, Sample, SessionWait,
};
use crate::system::project::ProjectPlace;
use crate::system::{clock, rule_levels, target};

/// A rule with its result on the sample.
pub(crate) struct Explained {
    pub(crate) rule: Rule,
    pub(crate) why: Explanation,
}

/// Why a rule fires on a sample, or why not.
pub(crate) enum Explanation {
    Fired(Fired),
    Off,
    OtherHook(Hook),
    OtherTool,
    OtherFile,
    Undescribed(String),
    Unmatched(&'static str),
    /// This condition of `when` is not true here.
    Unmet(&'static str),
    Excepted,
    /// It matches, but what it asks about the session is not true.
    Waits(SessionWait),
    Unevaluated(String),
}

/// Why nothing could be explained.
pub(crate) struct Unexplained {
    pub(crate) message: String,
    pub(crate) hint: String,
}

/// The deadline for one rule; a person waits longer than an agent.
const DEADLINE: Duration = Duration::from_secs(5);

pub(crate) fn explain(
    root: &Path,
    cwd: &Path,
    sample: &Sample,
    only: Option<&str>,
) -> Result<Vec<Explained>, Unexplained> {
    let named = sample.file.iter().map(|file| target::normalise(&cwd.join(file)));
    let levels = rule_levels::of_event(&ProjectPlace::find(None, cwd), named);
    let (files, _) = load::at(&levels, MissingVersion::Warn);
    let (mut all, mut problems): (Vec<Rule>, Vec<Problem>) = (Vec::new(), Vec::new());
    for file in files {
        all.extend(file.loaded.rules);
        problems.extend(file.loaded.problems);
    }
    if let Some(name) = only.filter(|name| !all.iter().any(|rule| rule.name == *name)) {
        return Err(unloaded(name, &all, &problems));
    }
    let wanted = all.into_iter().filter(|rule| only.is_none_or(|name| rule.name == name));
    Ok(wanted.map(|rule| explain_one(rule, root, cwd, sample)).collect())
}

/// Returns whether a rule is limited to a part of the source, and the language of the file is not known.
pub(crate) fn has_unknown_parts(file: &str, explained: &[Explained]) -> bool {
    let mut matchers = explained.iter().flat_map(|one| one.rule.matchers.iter().chain(&one.rule.exceptions));
    rules::language_of(file).is_none() && matchers.any(|matcher| matcher.part.is_some())
}

/// Explains why a named rule is not loaded: it has an error, or the name is misspelled.
pub(super) fn unloaded(name: &str, all: &[Rule], problems: &[Problem]) -> Unexplained {
    let mut faults = problems.iter().filter(|problem| problem.is_error());
    if let Some(fault) = faults.find(|fault| fault.rule.as_deref() == Some(name)) {
        let place = fault.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        let hint = fault.hint.clone().unwrap_or_else(|| "run `nudge validate`".to_owned());
        return Unexplained {
            message: format!("rule `{name}` is not loaded: {}{place}", fault.message),
            hint,
        };
    }
    let hint = match rules::nearest(name, all.iter().map(|rule| rule.name.as_str())) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "run `nudge rules` to see what is loaded, `nudge validate` to see what is wrong".to_owned(),
    };
    Unexplained { message: format!("no rule is named `{name}`"), hint }
}

fn explain_one(rule: Rule, root: &Path, cwd: &Path, sample: &Sample) -> Explained {
    let why = reason(&rule, root, cwd, sample);
    Explained { rule, why }
}

fn reason(rule: &Rule, root: &Path, cwd: &Path, sample: &Sample) -> Explanation {
    if !rule.enabled {
        return Explanation::Off;
    }
    if !sample.fits(rule.hook) {
        return Explanation::OtherHook(rule.hook);
    }
    let mut event = match rules::describe(rule, sample) {
        Ok(event) => event,
        Err(why) => return Explanation::Undescribed(why),
    };
    event.cwd = cwd.to_owned();
    explain_event(rule, event, root, sample.after.as_deref().unwrap_or_default())
}

/// Explains the result of one rule on an event, after something happened in its session. A sample says nothing of an
/// agent, so conditions on it count as true.
pub(crate) fn explain_event(rule: &Rule, event: Event, root: &Path, earlier: &[EarlierCall]) -> Explanation {
    let when = Conditions { agent: None, mode: None, subagent: None, ..rule.when.clone() };
    let rule = &Rule { when, ..rule.clone() };
    let bytes = Book::pack(std::slice::from_ref(rule), Vec::new());
    let Some(book) = Book::open(&bytes) else {
        return Explanation::Unevaluated("the rule cannot be packed".into());
    };
    let tool = event.tool.as_ref().map(|tool| tool.name.clone());
    let root = load::root_of(rule, root);
    let facts = match facts_of(&book, rule, earlier, (&event.cwd, &root)) {
        Ok(facts) => facts,
        Err(why) => return Explanation::Undescribed(why),
    };
    let event = Arc::new(event);
    let tried = try_rules_after(&book, &event, &root, &facts, DEADLINE);
    match tried.into_iter().next().map(|tried| tried.outcome) {
        Some(RuleOutcome::Fired(fired)) => Explanation::Fired(fired),
        Some(RuleOutcome::Unmatched(field)) => Explanation::Unmatched(field.name()),
        Some(RuleOutcome::Unmet(condition)) => Explanation::Unmet(condition),
        Some(RuleOutcome::Excepted) => Explanation::Excepted,
        Some(RuleOutcome::Waits(why)) => Explanation::Waits(why),
        Some(RuleOutcome::Unevaluated(why)) => Explanation::Unevaluated(why),
        None => match (&rule.tool, tool) {
            (Some(filter), Some(tool)) if !filter.accepts(&tool) => Explanation::OtherTool,
            // A rule whose programs do not run is not tried at all.
            _ if rule.commands.is_some() && concerns(rule, &event, &root) => {
                Explanation::Unmatched(Field::Command.name())
            }
            _ => Explanation::OtherFile,
        },
    }
}

/// Returns whether an event is about the files of a rule, whatever it runs.
fn concerns(rule: &Rule, event: &Arc<Event>, root: &Path) -> bool {
    let without_commands = Rule { commands: None, ..rule.clone() };
    let bytes = Book::pack(&[without_commands], Vec::new());
    Book::open(&bytes).is_some_and(|book| !try_rules(&book, event, root, DEADLINE).is_empty())
}

/// Returns what a session knows after these calls.
fn facts_of(
    book: &Book<'_>,
    rule: &Rule,
    earlier: &[EarlierCall],
    place: (&Path, &Path),
) -> Result<SessionFacts, String> {
    let now = i64::try_from(clock::since_epoch(clock::now()).as_millis()).unwrap_or(i64::MAX);
    let (cwd, root) = place;
    let mut facts = SessionFacts::default();
    for one in earlier {
        let event = Arc::new(Event { cwd: cwd.to_owned(), ..rules::describe_earlier(one)? });
        let calls = rules::calls(&event);
        facts.at_ms = Some(now.saturating_sub(one.ago.saturating_mul(1_000)));
        let trying = RuleTry { hook: event.hook, event: &event, calls: &calls, root, facts: &facts };
        let mut news = happened(book, &trying, true);
        // A rule that counts its own matches counts those too.
        if event.tool.is_some() == rule.hook.is_tool_use() {
            let event = Arc::new(Event { hook: rule.hook, ..Event::clone(&event) });
            let trying = RuleTry { hook: rule.hook, event: &event, calls: &calls, root, facts: &facts };
            let tried = try_rules_of(book, &trying, DEADLINE);
            news.extend(tried.iter().filter_map(|one| own_match(&one.rule, &one.outcome, &trying)));
        }
        facts.add(news);
        facts.settle();
    }
    facts.at_ms = Some(now);
    Ok(facts)
}

impl fmt::Display for Explanation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Explanation::Fired(_) => write!(out, "it matches"),
            Explanation::Off => write!(out, "it is disabled"),
            Explanation::OtherHook(hook) => write!(out, "it is for {}", hook.name()),
            Explanation::OtherTool => write!(out, "it is for another tool"),
            Explanation::OtherFile => write!(out, "it is for other files"),
            Explanation::Undescribed(why) => write!(out, "the sample says too little: {why}"),
            Explanation::Unmatched(field) => write!(out, "its `{field}` is not found"),
            Explanation::Unmet(condition) => write!(out, "its `when: {condition}` is not true here"),
            Explanation::Excepted => write!(out, "its `unless` is found"),
            Explanation::Waits(why) => write!(out, "{why}"),
            Explanation::Unevaluated(why) => write!(out, "{why}"),
        }
    }
}
