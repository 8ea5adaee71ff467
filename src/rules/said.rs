//! What the rules that fired say together: one text that an agent reads to its end.

use super::schema::Action;
use crate::model::Outcome;

/// The words of one rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    pub(crate) rule: String,
    pub(crate) action: Action,
    pub(crate) message: String,
}

/// The longest text that an agent is told; Claude Code diverts more than 10,000 characters to a file.
const MAX_MESSAGE: usize = 8_000;
const BETWEEN: &str = "\n\n---\n\n";
/// So many of the rules that had to be silent are named, the others counted.
const MAX_NAMED: usize = 10;
/// The longest name that is shown whole.
const MAX_NAME: usize = 60;

/// All that fired speak, in their order; if one of them interrupts, the whole does.
pub(crate) fn join(says: &[Said]) -> Outcome {
    if says.is_empty() {
        return Outcome::Pass;
    }
    let message = if length(says) <= MAX_MESSAGE { joined(says) } else { shortened(says) };
    if says.iter().any(|said| said.action == Action::Interrupt) {
        Outcome::Block(message)
    } else {
        Outcome::Guide(message)
    }
}

/// Keeps as many messages as there is room for: those that interrupt come first, or nobody would know why.
fn shortened(says: &[Said]) -> String {
    let (first, then): (Vec<&Said>, Vec<&Said>) =
        says.iter().partition(|said| said.action == Action::Interrupt);
    let (mut kept, mut cut): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut room = MAX_MESSAGE;
    for said in first.into_iter().chain(then) {
        let needed = said.message.chars().count() + BETWEEN.len();
        if needed <= room {
            room -= needed;
            kept.push(&said.message);
            continue;
        }
        cut.push(&said.rule);
        // A message that is too long for any room is better in part than not at all.
        if kept.is_empty() {
            kept.push(beginning(&said.message, MAX_MESSAGE));
            room = 0;
        }
    }
    format!("{}\n… (cut: {} had more to say)", kept.join(BETWEEN), named(&cut))
}

fn named(rules: &[&str]) -> String {
    let names = rules.iter().take(MAX_NAMED).map(|rule| format!("`{}`", beginning(rule, MAX_NAME)));
    let mut names: Vec<String> = names.collect();
    if rules.len() > MAX_NAMED {
        names.push(format!("{} more rules", rules.len() - MAX_NAMED));
    }
    names.join(", ")
}

fn joined(says: &[Said]) -> String {
    says.iter().map(|said| said.message.as_str()).collect::<Vec<_>>().join(BETWEEN)
}

fn length(says: &[Said]) -> usize {
    says.iter().map(|said| said.message.chars().count() + BETWEEN.len()).sum::<usize>() - BETWEEN.len()
}

fn beginning(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests;
