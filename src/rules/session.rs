//! What a rule asks about the session: whether something has happened, whether something else has succeeded since, and
//! how often.
//!
//! A session keeps facts: one for each time that something happens which a rule asks about. So nothing is kept of a call
//! that no rule asks about, and a question needs no pattern.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use super::schema::{Action, CallEnding, Conditions, Field, Happening, Matcher, Rule, SessionCondition};
use crate::model::{FilePosition, Hook, SessionFact, sha256_hex};

/// The answer to what a rule asks about the session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SessionAnswer {
    /// Everything is true; the text is what happened last.
    True(String),
    Waits(SessionWait),
}

/// Why a rule that asks about the session does not fire yet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SessionWait {
    /// `after` has not happened.
    Never,
    /// `after` has happened, but not within the time.
    TooLongAgo(String),
    /// `without` has happened since.
    Done(String),
    /// It has happened only this often.
    TooFew(usize),
}

impl SessionCondition {
    /// Asks the facts of a session. A rule that counts its own matches has this one not among the facts yet.
    pub(crate) fn ask(&self, rule: &Rule, root: &Path, facts: &[SessionFact], now_ms: i64) -> SessionAnswer {
        let of = |key: u64| move |fact: &&SessionFact| fact.key == key;
        let since =
            self.within.map_or(i64::MIN, |seconds| now_ms.saturating_sub(seconds.saturating_mul(1_000)));
        let done = self.without.as_ref().and_then(|without| {
            let key = without.key(root);
            // Without `after` and `times`, the time is about this.
            let is_recent = |fact: &SessionFact| self.counts() || fact.at_ms >= since;
            facts.iter().rposition(|fact| fact.key == key && is_recent(fact))
        });
        let is_done = |at: usize| SessionAnswer::Waits(SessionWait::Done(facts[at].what.clone()));
        let later = &facts[done.map_or(0, |at| at + 1)..];
        let wanted = self.times.unwrap_or(1) as usize;
        let Some(after) = &self.after else {
            let Some(times) = self.times else {
                return done.map_or_else(|| SessionAnswer::True(String::new()), is_done);
            };
            let own = own_key(rule, root);
            let counted = later.iter().filter(of(own)).filter(|fact| fact.at_ms >= since).count() + 1;
            let is_enough = counted >= times as usize;
            let what = || later.iter().rev().find(of(own)).map(|fact| fact.what.clone()).unwrap_or_default();
            return if is_enough {
                SessionAnswer::True(what())
            } else {
                SessionAnswer::Waits(SessionWait::TooFew(counted))
            };
        };
        let key = after.key(root);
        let last = later.iter().rev().find(of(key));
        let counted = later.iter().filter(of(key)).filter(|fact| fact.at_ms >= since).count();
        match (last, done) {
            (Some(last), _) if counted >= wanted => SessionAnswer::True(last.what.clone()),
            (Some(_), _) if counted > 0 => SessionAnswer::Waits(SessionWait::TooFew(counted)),
            (Some(last), _) => SessionAnswer::Waits(SessionWait::TooLongAgo(last.what.clone())),
            (None, Some(at)) if facts[..at].iter().any(|fact| fact.key == key) => is_done(at),
            (None, _) => SessionAnswer::Waits(SessionWait::Never),
        }
    }

    /// Returns whether the rule counts something other than `without`.
    fn counts(&self) -> bool {
        self.after.is_some() || self.times.is_some()
    }

    /// Returns whether the rule counts its own matches.
    pub(crate) fn counts_matches(&self) -> bool {
        self.after.is_none() && self.times.is_some()
    }

    /// Returns everything that the session must take note of.
    pub(crate) fn happenings(&self) -> impl Iterator<Item = &Happening> {
        self.after.iter().chain(&self.without)
    }
}

impl Happening {
    /// Returns the key of its facts, for a rule whose files are relative to this folder.
    pub(crate) fn key(&self, root: &Path) -> u64 {
        fact_key(root, self.identity())
    }

    /// Returns a number that is the same for the same happening, wherever it is written.
    pub(super) fn identity(&self) -> u64 {
        let anywhere = |matcher: &Matcher| Matcher { line: 0, column: 0, ..matcher.clone() };
        let same = Happening { matchers: self.matchers.iter().map(anywhere).collect(), ..self.clone() };
        let hash = sha256_hex(&postcard::to_stdvec(&same).unwrap_or_default());
        u64::from_str_radix(&hash[..16], 16).unwrap_or_default()
    }

    /// Returns the event that shows it.
    pub(crate) fn hook(&self) -> Hook {
        let is_prompt = self.matchers.iter().any(|matcher| matcher.field == Field::Prompt);
        if is_prompt { Hook::UserPromptSubmit } else { Hook::PostToolUse }
    }

    /// Returns a rule that fires when it happens, whatever its ending.
    pub(super) fn as_rule(&self) -> Rule {
        let (hook, matchers) = (self.hook(), self.matchers.clone());
        let (tool, file, commands) = (self.tool.clone(), self.file.clone(), self.commands.clone());
        Rule { tool, file, matchers, commands, ..Rule::bare(hook) }
    }

    /// Returns whether an event counts whose call ended in this way; `None` if that is not known.
    pub(crate) fn counts(wanted: Option<CallEnding>, ending: Option<CallEnding>, changes_file: bool) -> bool {
        match wanted {
            Some(wanted) => ending == Some(wanted),
            // A change that failed has changed nothing.
            None => !(changes_file && ending == Some(CallEnding::Failed)),
        }
    }
}

/// Returns the key of a fact in a folder whose rules ask about it.
pub(crate) fn fact_key(root: &Path, identity: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (root, identity).hash(&mut hasher);
    hasher.finish()
}

/// Returns the key of the matches of a rule that counts them.
pub(crate) fn own_key(rule: &Rule, root: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    ("own", &rule.name, &rule.place.file).hash(&mut hasher);
    fact_key(root, hasher.finish())
}

impl Rule {
    /// Returns a rule without a name that fires on every event of a hook.
    pub(crate) fn bare(hook: Hook) -> Rule {
        Rule {
            name: String::new(),
            description: None,
            place: FilePosition { file: String::new(), line: 0, column: 0 },
            hook,
            tool: None,
            file: None,
            matchers: Vec::new(),
            exceptions: Vec::new(),
            does: None,
            commands: None,
            excepted_commands: None,
            action: Action::Continue,
            message: String::new(),
            enabled: true,
            once_per_session: false,
            fails_closed: false,
            when: Conditions::default(),
            session: None,
            shadow: false,
            pack: None,
            examples: Vec::new(),
        }
    }
}

impl fmt::Display for SessionWait {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |what: &str| if what.is_empty() { String::new() } else { format!(": `{what}`") };
        match self {
            SessionWait::Never => write!(out, "its `after` has not happened in this session"),
            SessionWait::TooLongAgo(what) => {
                write!(out, "its `after` happened, but not `within` the time{}", named(what))
            }
            SessionWait::Done(what) => write!(out, "its `without` has happened since{}", named(what)),
            SessionWait::TooFew(1) => write!(out, "it has happened only once (`times`)"),
            SessionWait::TooFew(count) => write!(out, "it has happened only {count} times (`times`)"),
        }
    }
}

#[cfg(test)]
mod tests;
