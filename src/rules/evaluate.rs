//! Evaluates the rules that apply to an event, and returns the outcome of each.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::call::{Call, Subject};
use super::lexer::{self, CodePart};
use super::message::{self, MessageVariables};
use super::pattern::{Gate, Haystack, Hits, Unevaluated, contains};
use super::presence::present_texts;
use super::schema::{Action, Field, Matcher, Rule};
use super::session::{SessionAnswer, SessionWait};
use crate::model::Event;
use crate::shell::{CommandMatch, CommandPatterns};

/// A rule that applies to an event, with the calls that it must check.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) rule: Arc<Rule>,
    pub(crate) calls: Vec<usize>,
    /// The answer to what the rule asks about the session.
    pub(crate) session: Option<SessionAnswer>,
    /// The file that a rule with `does` is about.
    pub(crate) touched: Option<String>,
}

/// Everything that evaluation needs, in one value, so that it can move to another thread.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) event: Arc<Event>,
    pub(crate) calls: Vec<Call>,
    pub(crate) candidates: Vec<Candidate>,
}

/// The outcome of one rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RuleOutcome {
    Fired(Fired),
    /// This field of `match` was not found.
    Unmatched(Field),
    /// This condition of `when` is not true.
    Unmet(&'static str),
    /// `unless` was found.
    Excepted,
    /// It matches, but what it asks about the session is not true yet.
    Waits(SessionWait),
    /// It could not be evaluated, for this reason.
    Unevaluated(String),
}

/// A rule that fired.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fired {
    pub(crate) action: Action,
    pub(crate) message: String,
    /// The line numbers of the matches, if they are in a file's content.
    pub(crate) lines: Vec<usize>,
    /// What happened earlier in the session, if the rule asks for that.
    pub(crate) happened: String,
}

/// Maximum number of further files that a message names.
const MAX_OTHERS: usize = 10;

/// Appends the other files that the rule fired on, so that all of them are corrected at once.
fn with_others(mut fired: Fired, others: &[String]) -> Fired {
    if !others.is_empty() {
        let named = others.iter().take(MAX_OTHERS).cloned().collect::<Vec<_>>().join(", ");
        let more = others.len().saturating_sub(MAX_OTHERS);
        let more = if more > 0 { format!(" (+{more} more)") } else { String::new() };
        fired.message = format!("{}\nAlso in: {named}{more}", fired.message.trim_end());
    }
    fired
}

/// Texts longer than this are scanned once for all gates together.
const LONG_TEXT: usize = 32 << 10;

impl Trial {
    /// Returns whether evaluation may take long enough to need a deadline.
    pub(crate) fn may_take_long(&self) -> bool {
        let backtracks = self
            .candidates
            .iter()
            .any(|candidate| patterns(&candidate.rule).any(|one| one.pattern.backtracks()));
        let reads_commands = self.candidates.iter().any(|candidate| {
            let rule = &candidate.rule;
            (rule.commands.is_some() || rule.excepted_commands.is_some())
                && candidate
                    .calls
                    .iter()
                    .any(|&call| self.calls[call].length(&self.event, Field::Command) > LONG_TEXT)
        });
        backtracks
            || reads_commands
            || self.fields().any(|(call, field, _)| self.calls[call].length(&self.event, field) > LONG_TEXT)
    }

    /// Evaluates each candidate and reports its outcome as soon as it is known; those that are certainly fast come
    /// first.
    pub(crate) fn run(&self, mut report: impl FnMut(usize, RuleOutcome)) {
        let texts = Texts::new(self);
        for slow in [false, true] {
            for (index, candidate) in self.candidates.iter().enumerate() {
                if patterns(&candidate.rule).any(|one| one.pattern.backtracks()) == slow {
                    report(index, self.try_rule(candidate, &texts));
                }
            }
        }
    }

    fn try_rule(&self, candidate: &Candidate, texts: &Texts<'_>) -> RuleOutcome {
        let mut result = None;
        let (mut fired, mut others): (Option<(Fired, &str)>, Vec<String>) = (None, Vec::new());
        for &call in &candidate.calls {
            let outcome = match self.try_call(candidate, call, texts) {
                Ok(outcome) => outcome,
                Err(Unevaluated(why)) => RuleOutcome::Unevaluated(why),
            };
            match outcome {
                RuleOutcome::Fired(one) => {
                    let file = self.calls[call].path(&self.event).unwrap_or_default();
                    match &fired {
                        None => fired = Some((one, file)),
                        Some((_, first)) if file.is_empty() || file == *first => {}
                        Some(_) => {
                            let lines = message::line_list(&one.lines, false);
                            let lines = if lines.is_empty() { lines } else { format!(" (line {lines})") };
                            let named = format!("{file}{lines}");
                            if !others.contains(&named) {
                                others.push(named);
                            }
                        }
                    }
                }
                // A call that could not be evaluated matters more than another call that did not match.
                RuleOutcome::Unevaluated(_) => result = Some(outcome),
                _ => result = result.or(Some(outcome)),
            }
        }
        match fired {
            Some((fired, _)) => RuleOutcome::Fired(with_others(fired, &others)),
            None => result.unwrap_or(RuleOutcome::Excepted),
        }
    }

    fn try_call(
        &self,
        candidate: &Candidate,
        call: usize,
        texts: &Texts<'_>,
    ) -> Result<RuleOutcome, Unevaluated> {
        let rule = &candidate.rule;
        let mut found: Vec<(Field, FieldMatch)> = Vec::new();
        for matcher in &rule.matchers {
            match texts.find(call, matcher, true)? {
                Some(hit) => found.push((matcher.field, hit)),
                None => return Ok(RuleOutcome::Unmatched(matcher.field)),
            }
        }
        let called = &self.calls[call];
        let mut commands = rule.commands.as_ref().map(|patterns| called.commands(patterns));
        if commands.as_ref().is_some_and(Vec::is_empty) {
            return Ok(RuleOutcome::Unmatched(Field::Command));
        }
        if !rule.exceptions.is_empty() || rule.excepted_commands.is_some() {
            let mut all = true;
            for matcher in &rule.exceptions {
                all &= texts.find(call, matcher, false)?.is_some();
            }
            if all && excepts(rule.excepted_commands.as_ref(), called, &mut commands) {
                return Ok(RuleOutcome::Excepted);
            }
        }
        let happened = match &candidate.session {
            Some(SessionAnswer::Waits(why)) => return Ok(RuleOutcome::Waits(why.clone())),
            Some(SessionAnswer::True(what)) => what.as_str(),
            None => "",
        };
        let command = commands.and_then(|commands| commands.into_iter().next());
        if let Some(command) = command {
            let matched = message::matched_text(&command.written);
            found.insert(0, (Field::Command, FieldMatch { matched, lines: Vec::new(), more: false }));
        }
        Ok(RuleOutcome::Fired(self.fire(candidate, called, &found, happened)))
    }

    fn fire(
        &self,
        candidate: &Candidate,
        call: &Call,
        found: &[(Field, FieldMatch)],
        happened: &str,
    ) -> Fired {
        let rule = &candidate.rule;
        let in_file = |(field, _): &&(Field, FieldMatch)| matches!(field, Field::Content | Field::NewString);
        let lined = found.iter().find(in_file).map(|(_, found)| found);
        let lines = lined.map(|found| found.lines.clone()).unwrap_or_default();
        let variables = MessageVariables {
            lines: message::line_list(&lines, lined.is_some_and(|found| found.more)),
            file_path: call.path(&self.event).or(candidate.touched.as_deref()).unwrap_or_default(),
            matched: found.first().map(|(_, found)| found.matched.clone()).unwrap_or_default(),
            tool_name: self.event.tool.as_ref().map(|tool| tool.name.as_str()).unwrap_or_default(),
            prompt: self.event.prompt.as_deref().unwrap_or_default(),
            after: happened,
        };
        let message = message::render(&rule.message, &variables);
        Fired { action: rule.action, message, lines, happened: happened.to_owned() }
    }

    /// Returns each call, field and part that some candidate checks, once.
    fn fields(&self) -> impl Iterator<Item = TextKey> + use<> {
        let mut all: HashSet<TextKey> = HashSet::new();
        for candidate in &self.candidates {
            for (field, part) in patterns(&candidate.rule).map(|matcher| (matcher.field, matcher.part)) {
                all.extend(candidate.calls.iter().map(|&call| (call, field, part)));
            }
        }
        all.into_iter()
    }
}

/// Returns whether `unless` excepts every command that `match` found; those that it excepts are taken away.
fn excepts(
    excepted: Option<&CommandPatterns>,
    call: &Call,
    commands: &mut Option<Vec<CommandMatch>>,
) -> bool {
    let Some(excepted) = excepted.map(|patterns| call.commands(patterns)) else { return true };
    let Some(commands) = commands else { return !excepted.is_empty() };
    let is_excepted = |one: &CommandMatch| {
        excepted.iter().any(|other| {
            // Of a text that could not be read, nothing is known but its words.
            one.simple.is_empty() || other.simple.iter().any(|simple| one.simple.contains(simple))
        })
    };
    commands.retain(|one| !is_excepted(one));
    commands.is_empty()
}

/// What one matcher found, with everything that a message may contain.
struct FieldMatch {
    matched: String,
    lines: Vec<usize>,
    more: bool,
}

/// A field of a call, and the part of it that counts.
type TextKey = (usize, Field, Option<CodePart>);

/// Every text that some candidate checks, built once.
struct Texts<'t> {
    all: HashMap<TextKey, Vec<Prepared<'t>>>,
}

struct Prepared<'t> {
    subject: Subject<'t>,
    ascii: bool,
    crlf: bool,
    /// The gate texts that are present, if the text is too long to search for each separately.
    present: Option<HashSet<&'t str>>,
}

impl<'t> Texts<'t> {
    fn new(trial: &'t Trial) -> Texts<'t> {
        let all = trial.fields().map(|key| {
            let (call, field, part) = key;
            let mut subjects = trial.calls[call].subjects(&trial.event, field);
            if let (Some(part), Some(language)) = (part, trial.calls[call].language(&trial.event)) {
                for subject in &mut subjects {
                    subject.text = Cow::Owned(lexer::only(&subject.text, language, part));
                }
            }
            let prepared = subjects.into_iter().map(|subject| Prepared::new(subject, trial, call, field));
            (key, prepared.collect())
        });
        Texts { all: all.collect() }
    }

    /// Searches the texts of a call for a matcher; with `edited`, only in what an edit added.
    fn find(&self, call: usize, matcher: &Matcher, edited: bool) -> Result<Option<FieldMatch>, Unevaluated> {
        let key = (call, matcher.field, matcher.part);
        let Some(texts) = self.all.get(&key) else { return Ok(None) };
        for prepared in texts {
            if prepared.opens(matcher.pattern.gate())
                && let Some(hits) = prepared.search(matcher, edited)?
            {
                return Ok(Some(prepared.describe(&hits)));
            }
        }
        Ok(None)
    }
}

impl<'t> Prepared<'t> {
    fn new(subject: Subject<'t>, trial: &'t Trial, call: usize, field: Field) -> Prepared<'t> {
        let Haystack { ascii, crlf, .. } = Haystack::new(&subject.text);
        let present = (subject.text.len() > LONG_TEXT).then(|| {
            let here = trial.candidates.iter().filter(|candidate| candidate.calls.contains(&call));
            let matchers =
                here.flat_map(|candidate| patterns(&candidate.rule)).filter(|one| one.field == field);
            let groups = matchers.flat_map(|matcher| &matcher.pattern.gate().all).filter(|group| !group.fold);
            present_texts(&subject.text, groups.flat_map(|group| &group.texts).map(String::as_str).collect())
        });
        Prepared { subject, ascii, crlf, present }
    }

    fn haystack(&self) -> Haystack<'_> {
        Haystack { text: &self.subject.text, ascii: self.ascii, crlf: self.crlf }
    }

    fn opens(&self, gate: &Gate) -> bool {
        let haystack = self.haystack();
        gate.opens(|text, fold| match &self.present {
            Some(present) if !fold => present.contains(text),
            _ => contains(&haystack, text, fold),
        })
    }

    fn search(&self, matcher: &Matcher, edited: bool) -> Result<Option<Hits>, Unevaluated> {
        let within = self.subject.within.as_deref().filter(|_| edited);
        matcher.pattern.search(&self.haystack(), within)
    }

    fn describe(&self, hits: &Hits) -> FieldMatch {
        let text = self.subject.text.as_ref();
        let matched =
            hits.spans.first().map(|span| message::matched_text(&text[span.clone()])).unwrap_or_default();
        let (mut lines, mut line, mut counted): (Vec<usize>, usize, usize) = (Vec::new(), 1, 0);
        for span in &hits.spans {
            line += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..span.start.max(counted)]).count();
            counted = counted.max(span.start);
            if lines.last() != Some(&line) {
                lines.push(line);
            }
        }
        FieldMatch { matched, lines, more: hits.more }
    }
}

fn patterns(rule: &Rule) -> impl Iterator<Item = &Matcher> {
    rule.matchers.iter().chain(&rule.exceptions)
}

#[cfg(test)]
mod tests;
