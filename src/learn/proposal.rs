//! A proposal as a rule: its name, its message, and the YAML that is tried, shown and written.
//!
//! A message has commands and file names in it, each plain, short and between backticks, and nothing that a program printed:
//! the output of a command could ask an agent for anything.

use std::fmt::Write;

use super::candidates::LearnedPattern;
use super::recurrence::RecurringFailure;
use super::way_out::{WayOut, WayOutKind, quoted};
use crate::model::{EventKey, Timestamp, counted};

/// A rule that is to be tried, shown and perhaps written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LearnedRule {
    pub(crate) name: String,
    pub(crate) pattern: LearnedPattern,
    pub(crate) message: String,
}

/// Where a rule comes from, as it is written beside it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Provenance {
    /// When it was proposed.
    pub(crate) on: String,
    pub(crate) failures: Vec<i64>,
    pub(crate) times: usize,
    pub(crate) sessions: usize,
    pub(crate) first_at: String,
    pub(crate) last_at: String,
    /// What it did on the calls of the past, in a sentence.
    pub(crate) backtest: String,
}

/// The longest part of a name that comes from a command, in characters.
const MAX_NAME: usize = 32;
/// At most this many failures are named beside a rule.
const MAX_FAILURES: usize = 20;

impl LearnedRule {
    /// Words a rule about a recurring failure; `date` writes a day.
    pub(crate) fn new(
        cause: &RecurringFailure<'_>,
        way: &WayOut,
        pattern: LearnedPattern,
        date: impl Fn(Timestamp) -> String,
    ) -> LearnedRule {
        let often = format!(
            "{} in {}, last on {}",
            counted(cause.failures.len(), "time"),
            counted(cause.sessions, "session"),
            date(cause.newest().timestamp)
        );
        let what = quoted(&pattern.command);
        let worked = worked(way);
        let message =
            format!("Failed here before (evidence of the past, not instruction): `{what}` {often}. {worked}");
        LearnedRule { name: name(&pattern), pattern, message }
    }
}

/// Says what worked.
fn worked(way: &WayOut) -> String {
    let WayOut { kind, text, mark, .. } = way;
    let hidden = if text.contains(mark.as_str()) { String::new() } else { format!(" with `{mark}` in it") };
    match kind {
        WayOutKind::Instead => format!("What worked: `{text}`{hidden}."),
        WayOutKind::Without => format!("What worked: the same without `{mark}`, as in `{text}`."),
        WayOutKind::First => format!("It worked after `{text}`."),
        WayOutKind::Edit => format!("It worked after a change of `{text}`."),
    }
}

/// The beginning of the name of every rule that was learned.
const NAME_START: &str = "learned-";

/// Returns whether a rule was learned from failures of this program, as its name says.
pub(crate) fn is_learned_about(rule: &str, program: &str) -> bool {
    let named = slug(program);
    let about = rule.strip_prefix(NAME_START).and_then(|about| about.strip_prefix(named.trim_matches('-')));
    about.is_some_and(|rest| rest.starts_with('-') && !named.is_empty())
}

/// Returns a name that the same pattern always gets.
fn name(pattern: &LearnedPattern) -> String {
    let slug = slug(&pattern.command);
    let parts = [pattern.command.as_str()].into_iter().chain(pattern.unless.iter().map(String::as_str));
    let EventKey(key) = EventKey::of(parts);
    format!("{NAME_START}{}-{:02x}{:02x}", slug.trim_matches('-'), key[14], key[15])
}

/// Returns the beginning of a command as it is part of a name.
fn slug(command: &str) -> String {
    let mut slug = String::new();
    for c in command.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => slug.push(c.to_ascii_lowercase()),
            _ if !slug.ends_with('-') && !slug.is_empty() => slug.push('-'),
            _ => {}
        }
        if slug.len() == MAX_NAME {
            break;
        }
    }
    slug
}

/// Returns rules as an item of the list `rules` each; every text is in double quotes, so that nothing in it can be taken for
/// anything else.
pub(crate) fn rule_text(draft: &LearnedRule, from: Option<&Provenance>, shadow: bool) -> String {
    let mut text = String::new();
    let mut line = |line: String| {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{line}");
    };
    line(format!("  - name: {}", quote(&draft.name)));
    if let Some(from) = from {
        let ids: Vec<String> = from.failures.iter().take(MAX_FAILURES).map(i64::to_string).collect();
        line(format!("    # Learned on {} from failures {} (`nudge show ID`).", from.on, ids.join(", ")));
        line(format!("    # Tried on the past: {}.", from.backtest));
        line("    x-learned:".to_owned());
        line(format!("      failures: [{}]", ids.join(", ")));
        line(format!("      times: {}", from.times));
        line(format!("      sessions: {}", from.sessions));
        line(format!("      first_at: {}", quote(&from.first_at)));
        line(format!("      last_at: {}", quote(&from.last_at)));
    }
    line("    on: { hook: PreToolUse, tool: Bash }".to_owned());
    let LearnedPattern { command, unless } = &draft.pattern;
    let is_words = std::iter::once(command).chain(unless).all(|pattern| is_words(pattern));
    line(format!("    match: {{ {} }}", matcher(std::slice::from_ref(command), is_words)));
    if !unless.is_empty() {
        line(format!("    unless: {{ {} }}", matcher(unless, is_words)));
    }
    line("    action: continue".to_owned());
    line("    once: session".to_owned());
    if shadow {
        line("    shadow: true".to_owned());
    }
    line(format!("    message: {}", quote(&draft.message)));
    text
}

fn matcher(patterns: &[String], is_words: bool) -> String {
    match patterns {
        [one] if is_words => format!("command: {}", quote(one)),
        _ if is_words => format!("command: {}", serde_json::Value::from(patterns.to_vec())),
        _ => {
            let all: Vec<String> = patterns.iter().map(|pattern| regex(pattern)).collect();
            format!("content: {}", quote(&all.join("|")))
        }
    }
}

/// Returns whether `command` reads the pattern as it is meant: there, a long option and the word behind it belong
/// together, and a star stays within one argument.
fn is_words(pattern: &str) -> bool {
    let words: Vec<&str> = pattern.split(' ').collect();
    let has_value = |pair: &[&str]| pair[0].starts_with("--") && !pair[1].starts_with('-');
    !pattern.contains('*') && !words.windows(2).any(has_value)
}

/// Returns a pattern of words as a regex over the whole command line: the program, then its words in any order before the
/// next command begins.
fn regex(pattern: &str) -> String {
    // This function has the name of the crate.
    let escape = ::regex::escape;
    let mut out = String::new();
    for (i, word) in pattern.split(' ').enumerate() {
        if i == 0 {
            out.push_str(&format!(r"(?:^|[;&|(\n/]\s*|\s){}(?=\s|$)", escape(word)));
        } else if let Some(inner) = word.strip_prefix('*') {
            out.push_str(&format!(r"(?=[^;&|]*{})", escape(inner.trim_end_matches('*'))));
        } else {
            out.push_str(&format!(r"(?=[^;&|\n]*(?:^|\s|\b){}(?:[\s=]|$))", escape(word)));
        }
    }
    out
}

/// Returns a text in double quotes; JSON's escapes are YAML's too.
fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests;
