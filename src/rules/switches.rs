//! What a rule file switches: rules that it disables or only counts, and rules of packs that it changes.
//!
//! All rule files of one owner (the user, or one folder of a project) are one unit: what one of them switches applies to
//! the rules and packs of all of them. Nothing here reaches the rules of another owner, except that the user's own
//! `disable` also applies to packs that a project uses.

use std::collections::HashSet;

use super::packs::{PACKS, RulePack};
use super::schema::{Action, Rule};
use super::suggest::did_you_mean;
use crate::model::{FilePosition, Problem};

/// What one rule file switches.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Switches {
    pub(crate) disable: Vec<RuleReference>,
    pub(crate) shadow: Vec<RuleReference>,
    pub(crate) changes: Vec<RuleChange>,
}

/// A rule that a list of a file names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RuleReference {
    pub(crate) rule: String,
    pub(crate) place: FilePosition,
}

/// An entry of `rules` that changes a rule of a pack: it has the rule's name, and no `on`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RuleChange {
    pub(crate) rule: String,
    pub(crate) place: FilePosition,
    pub(crate) action: Option<Action>,
    pub(crate) message: Option<String>,
    pub(crate) enabled: Option<bool>,
    pub(crate) once_per_session: Option<bool>,
    pub(crate) fails_closed: Option<bool>,
    pub(crate) shadow: Option<bool>,
}

/// Whose files switch something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SwitchOwner {
    /// What the user disables applies to the packs of every project, so none of them must be used here.
    User,
    Project,
}

/// Applies what the files of one owner switch to the rules of all of them; returns switches that have no effect.
pub(crate) fn settle(rules: &mut Vec<Rule>, switches: &[Switches], owner: SwitchOwner) -> Vec<Problem> {
    unite_packs(rules);
    let mut problems = Vec::new();
    for change in switches.iter().flat_map(|one| &one.changes) {
        match rules.iter_mut().find(|rule| rule.pack.is_some() && rule.name == change.rule) {
            Some(rule) => change.apply(rule),
            None => problems.push(unused(&change.rule, &change.place, rules)),
        }
    }
    let mut each = |named: &[RuleReference], switch: fn(&mut Rule), reaches_packs: bool| {
        for reference in named {
            let mut found = reaches_packs && pack_of(&reference.rule).is_some();
            for rule in rules.iter_mut().filter(|rule| rule.name == reference.rule) {
                switch(rule);
                found = true;
            }
            if !found {
                problems.push(unused(&reference.rule, &reference.place, rules));
            }
        }
    };
    for switches in switches {
        each(&switches.shadow, |rule| rule.shadow = true, false);
        each(&switches.disable, |rule| rule.enabled = false, owner == SwitchOwner::User);
    }
    problems
}

/// Applies what the user disables to the packs of a project.
pub(crate) fn disable_in_packs(rules: &mut [Rule], users: &[Switches]) {
    let names = |rule: &Rule| users.iter().flat_map(|one| &one.disable).any(|named| named.rule == rule.name);
    for rule in rules.iter_mut().filter(|rule| rule.pack.is_some() && names(rule)) {
        rule.enabled = false;
    }
}

impl RuleChange {
    fn apply(&self, rule: &mut Rule) {
        rule.action = self.action.unwrap_or(rule.action);
        if let Some(message) = &self.message {
            rule.message.clone_from(message);
        }
        rule.enabled = self.enabled.unwrap_or(rule.enabled);
        rule.once_per_session = self.once_per_session.unwrap_or(rule.once_per_session);
        rule.fails_closed = self.fails_closed.unwrap_or(rule.fails_closed);
        rule.shadow = self.shadow.unwrap_or(rule.shadow);
    }
}

/// Keeps each rule of a pack once, and none that a whole rule of the same name replaces.
fn unite_packs(rules: &mut Vec<Rule>) {
    let mut taken: HashSet<String> =
        rules.iter().filter(|rule| rule.pack.is_none()).map(|rule| rule.name.clone()).collect();
    rules.retain(|rule| rule.pack.is_none() || taken.insert(rule.name.clone()));
}

/// Returns the pack that has a rule of this name.
pub(super) fn pack_of(rule: &str) -> Option<&'static RulePack> {
    PACKS.iter().find(|pack| pack.names(rule))
}

fn unused(name: &str, place: &FilePosition, rules: &[Rule]) -> Problem {
    let problem = match pack_of(name) {
        Some(pack) => Problem::warning(format!(
            "`{name}` is a rule of the pack `{}`, which is not used here",
            pack.name
        ))
        .hint(format!("add `{}` to `packs`, or remove this", pack.name)),
        None => Problem::warning(format!("no rule here is named `{name}`"))
            .hint(did_you_mean(name, rules.iter().map(|rule| rule.name.as_str()))),
    };
    problem.at(&place.file, place.line, place.column)
}

#[cfg(test)]
mod tests;
