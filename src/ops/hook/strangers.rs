//! Rules of a repository that the user has not seen: the user is told of them once, and if the user wants that, their own
//! texts reach no model.

use std::path::PathBuf;

use crate::context;
use crate::journal::{marks, trusted};
use crate::ops::trust;
use crate::ops::turn::Turn;
use crate::rules::{Action, Book, Rule, RuleMessage, RuleSource};
use crate::system::rule_levels::RuleLevel;

/// The rule files that this event met and that the user has not seen.
#[derive(Default)]
pub(super) struct Strangers {
    unseen: Vec<(PathBuf, RuleSource)>,
    /// Whether rules must be trusted to speak, once that was asked.
    is_required: Option<bool>,
}

/// What a model reads instead of the text of a rule that nobody has trusted.
const MUTED: &str = "A rule of this repository refuses this. Its own text is not shown, because nobody has trusted the rules of this repository yet: a person can read and trust them with `nudge trust`, in a terminal.";

/// The longest path of a rule file that a model is shown.
const MAX_PATH: usize = 80;

impl Strangers {
    /// Notes which of the files the user has not seen.
    pub(super) fn meet(&mut self, level: &RuleLevel, sources: Vec<RuleSource>) {
        for source in sources.into_iter().filter(|source| !trusted::is_seen(&source.digest)) {
            self.add(level, source);
        }
    }

    fn add(&mut self, level: &RuleLevel, source: RuleSource) {
        let path = level.top.join(&source.file);
        if !self.unseen.iter().any(|(known, _)| *known == path) {
            self.unseen.push((path, source));
        }
    }

    /// Returns whether the own text of a rule must not reach the model.
    pub(super) fn mutes(&mut self, rule: &Rule, level: &RuleLevel, book: &Book<'_>) -> bool {
        let source = book.sources().into_iter().find(|source| source.file == rule.place.file);
        if source.as_ref().is_some_and(|source| trusted::is_seen(&source.digest)) {
            return false;
        }
        let is_required = *self.is_required.get_or_insert_with(trust::is_required);
        if let Some(source) = source.filter(|_| is_required) {
            self.add(level, source);
        }
        is_required
    }

    /// Returns what to tell the user, who is told of each version of a file once.
    pub(super) fn tell(&self, turn: &Turn<'_>) -> Option<String> {
        let can_tell = turn.agent.abilities.at(turn.event.hook).tell_user;
        if self.unseen.is_empty() || !can_tell {
            return None;
        }
        let files: Vec<(&PathBuf, &RuleSource)> =
            self.unseen.iter().map(|(path, source)| (path, source)).collect();
        trust::notice(&files).unwrap_or_else(|error| {
            // Without a place to write that down, once in a session.
            let mark = ["rules that nobody has seen".to_owned()];
            let is_new = marks::set(turn.event.session.as_ref(), &mark, turn.budget.within(marks::TIMEOUT));
            let text = format!("nudge: this repository brings rules that you may not know (what you have seen cannot be read: {error})");
            (is_new == [true]).then_some(text)
        })
    }
}

/// Returns what stands for a rule that is not trusted in everything that a model may read.
pub(super) fn label(rule: &Rule) -> String {
    format!("untrusted rule at {}", place(rule))
}

/// Returns our words for a rule that is not trusted; `None` if it would only guide.
pub(super) fn muted(rule: &Rule, action: Action) -> Option<RuleMessage> {
    let signature = context::signature("untrusted rule", Some(&place(rule)));
    let message = RuleMessage { rule: label(rule), action, message: MUTED.to_owned(), signature };
    action.holds_up().then_some(message)
}

/// Returns file and line; a path that could say something is not shown.
fn place(rule: &Rule) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    let file = &rule.place.file;
    if file.len() > MAX_PATH || !file.chars().all(is_plain) {
        return "a rule file of this repository".to_owned();
    }
    format!("{file}:{}", rule.place.line)
}
