//! Joins the messages of all rules that fired into one text, short enough that an agent reads all of it.

use super::schema::Action;
use crate::model::{Outcome, beginning};

/// The message of one rule that fired.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RuleMessage {
    pub(crate) rule: String,
    pub(crate) action: Action,
    pub(crate) message: String,
    /// Says who speaks, on a line under the message.
    pub(crate) signature: String,
}

/// Whether the messages are signed: an agent's screen does not say whose they are, but the memory knows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Signed {
    Yes,
    No,
}

impl RuleMessage {
    /// Returns whether another message says the same, wherever its rule is.
    pub(crate) fn says_same(&self, other: &RuleMessage) -> bool {
        (&self.rule, self.action, &self.message) == (&other.rule, other.action, &other.message)
    }

    /// Returns the line under the message.
    fn under(&self, signed: Signed) -> String {
        match signed {
            Signed::Yes => format!("\n{}", self.signature),
            Signed::No => String::new(),
        }
    }

    fn text(&self, signed: Signed) -> String {
        match signed {
            Signed::Yes => format!("{}{}", self.message.trim_end(), self.under(signed)),
            Signed::No => self.message.clone(),
        }
    }
}

/// Maximum length of the whole text, in characters; Claude Code diverts more than 10,000 characters to a file.
const MAX_MESSAGE: usize = 8_000;
const SEPARATOR: &str = "\n\n---\n\n";
/// Maximum number of named rules among those that were cut; the others are counted.
const MAX_NAMED: usize = 10;
/// Maximum length of a rule's name, in characters.
const MAX_NAME: usize = 60;

/// Joins the messages in their order: blocks if any of the rules interrupts, otherwise asks if any of them asks.
pub(crate) fn join(messages: &[RuleMessage], signed: Signed) -> Outcome {
    let has = |action| messages.iter().any(|one| one.action == action);
    match () {
        () if messages.is_empty() => Outcome::Pass,
        () if has(Action::Interrupt) => Outcome::Block(joined(messages, signed)),
        () if has(Action::Ask) => {
            // The person reads why; the model gets the guidance, which is not about the question.
            let (asking, guiding): (Vec<RuleMessage>, Vec<RuleMessage>) =
                messages.iter().cloned().partition(|one| one.action == Action::Ask);
            let context = (!guiding.is_empty()).then(|| joined(&guiding, signed));
            Outcome::Ask { reason: joined(&asking, signed), context }
        }
        () => Outcome::Guide(joined(messages, signed)),
    }
}

/// Joins texts that belong to one answer.
pub(crate) fn join_texts(first: String, then: Option<String>) -> String {
    match then {
        Some(then) => format!("{first}{SEPARATOR}{then}"),
        None => first,
    }
}

fn joined(messages: &[RuleMessage], signed: Signed) -> String {
    let texts: Vec<String> = messages.iter().map(|one| one.text(signed)).collect();
    let length = texts.iter().map(|text| text.chars().count() + SEPARATOR.len()).sum::<usize>();
    let fits = length - SEPARATOR.len() <= MAX_MESSAGE;
    if fits { texts.join(SEPARATOR) } else { shortened(messages, signed) }
}

/// Keeps as many messages as there is room for; those that interrupt come first, since they explain the block.
fn shortened(messages: &[RuleMessage], signed: Signed) -> String {
    let (first, then): (Vec<&RuleMessage>, Vec<&RuleMessage>) =
        messages.iter().partition(|one| one.action == Action::Interrupt);
    let (mut kept, mut cut): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut room = MAX_MESSAGE;
    for one in first.into_iter().chain(then) {
        let text = one.text(signed);
        let needed = text.chars().count() + SEPARATOR.len();
        if needed <= room {
            room -= needed;
            kept.push(text);
            continue;
        }
        cut.push(&one.rule);
        // Part of a message that is too long is better than none.
        if kept.is_empty() {
            let under = one.under(signed);
            let room_for_message = MAX_MESSAGE.saturating_sub(under.chars().count());
            kept.push(format!("{}{under}", beginning(&one.message, room_for_message)));
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

#[cfg(test)]
mod tests;
