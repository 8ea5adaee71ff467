//! Joins the messages of all rules that fired into one text, short enough that an agent reads all of it.

use super::schema::Action;
use crate::model::{Outcome, beginning};

/// The message of one rule that fired.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RuleMessage {
    pub(crate) rule: String,
    pub(crate) action: Action,
    pub(crate) message: String,
}

/// Maximum length of the whole text, in characters; Claude Code diverts more than 10,000 characters to a file.
const MAX_MESSAGE: usize = 8_000;
const SEPARATOR: &str = "\n\n---\n\n";
/// Maximum number of named rules among those that were cut; the others are counted.
const MAX_NAMED: usize = 10;
/// Maximum length of a rule's name, in characters.
const MAX_NAME: usize = 60;

/// Joins the messages in their order; blocks if any of the rules interrupts.
pub(crate) fn join(messages: &[RuleMessage]) -> Outcome {
    if messages.is_empty() {
        return Outcome::Pass;
    }
    let message = if length(messages) <= MAX_MESSAGE { joined(messages) } else { shortened(messages) };
    if messages.iter().any(|one| one.action == Action::Interrupt) {
        Outcome::Block(message)
    } else {
        Outcome::Guide(message)
    }
}

/// Keeps as many messages as there is room for; those that interrupt come first, since they explain the block.
fn shortened(messages: &[RuleMessage]) -> String {
    let (first, then): (Vec<&RuleMessage>, Vec<&RuleMessage>) =
        messages.iter().partition(|one| one.action == Action::Interrupt);
    let (mut kept, mut cut): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut room = MAX_MESSAGE;
    for one in first.into_iter().chain(then) {
        let needed = one.message.chars().count() + SEPARATOR.len();
        if needed <= room {
            room -= needed;
            kept.push(&one.message);
            continue;
        }
        cut.push(&one.rule);
        // Part of a message that is too long is better than none.
        if kept.is_empty() {
            kept.push(beginning(&one.message, MAX_MESSAGE));
            room = 0;
        }
    }
    format!("{}\n… (cut: {} had more to say)", kept.join(SEPARATOR), named(&cut))
}

fn named(rules: &[&str]) -> String {
    let names = rules.iter().take(MAX_NAMED).map(|rule| format!("`{}`", beginning(rule, MAX_NAME)));
    let mut names: Vec<String> = names.collect();
    if rules.len() > MAX_NAMED {
        names.push(format!("{} more rules", rules.len() - MAX_NAMED));
    }
    names.join(", ")
}

fn joined(messages: &[RuleMessage]) -> String {
    messages.iter().map(|one| one.message.as_str()).collect::<Vec<_>>().join(SEPARATOR)
}

fn length(messages: &[RuleMessage]) -> usize {
    messages.iter().map(|one| one.message.chars().count() + SEPARATOR.len()).sum::<usize>() - SEPARATOR.len()
}

#[cfg(test)]
mod tests;
