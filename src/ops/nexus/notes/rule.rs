//! Stores a rule for agents: a new one, or one that replaces the named rule. Two rules on the same topic are refused
//! unless the caller insists.

use super::store::{MAX_BYTES, check_plain, is_whole, secret_in};
use super::{NoteError, lock, with_extension};
use crate::model::Note;
use crate::nexus::rules::file;
use crate::nexus::{Locked, Nexus, NexusError};
use crate::notes::{self, Merged, OverlapReason, RuleFault};

/// A rule that somebody wants all agents to follow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct NewRule {
    /// With or without `.md`; without a name, the text's first words become one.
    pub(crate) name: Option<String>,
    pub(crate) text: String,
    /// The text replaces the rule with this name.
    pub(crate) overwrite: bool,
    /// Stores a separate rule, even if another one is on the same topic.
    pub(crate) insist: bool,
}

/// What happened to the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RuleStored {
    Created {
        name: String,
    },
    Changed {
        name: String,
        /// The old text; it may not be committed yet.
        before: String,
    },
    /// The rule already contains all of the text.
    Unchanged {
        name: String,
    },
}

/// Why a rule is not stored.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GuidanceError {
    #[error("`{name}` is not a valid name for a rule: {fault}")]
    Name { name: String, fault: RuleFault, proposal: Option<String> },
    #[error("to change a rule, give its name")]
    ChangesWhich,
    #[error("there is already a rule on this topic, `{}`: {why}", file(.name))]
    Exists { name: String, why: OverlapReason },
    #[error("this looks like it contains a secret ({0}), and rules go into git")]
    Secret(String),
    #[error("the rule has {} KB, and the limit is {} KB", .bytes.div_ceil(1024), MAX_BYTES >> 10)]
    TooLong { bytes: usize },
    #[error("`{}` is not plain text, so it is left as it is", file(.0))]
    NotText(String),
    #[error(transparent)]
    Other(#[from] NoteError),
    #[error(transparent)]
    Nexus(#[from] NexusError),
}

impl GuidanceError {
    /// Returns what the user can do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        Some(match self {
            GuidanceError::Name { proposal: Some(proposal), .. } => format!("call it `{proposal}`"),
            GuidanceError::Name { .. } | GuidanceError::Other(NoteError::NoName) => {
                "give it a name of one or a few words, such as `testing`".to_owned()
            }
            GuidanceError::ChangesWhich => "without `overwrite`, the text becomes a new rule".to_owned(),
            GuidanceError::Exists { name, why } => {
                let own = if *why == OverlapReason::SameName { "another name" } else { "`new`" };
                format!(
                    "to change it, give the name `{name}`, `overwrite`, and its full new text; {own} makes a separate \
                     rule"
                )
            }
            GuidanceError::Secret(kind) => return NoteError::Secret(kind.clone()).hint(),
            GuidanceError::TooLong { .. } => {
                "every agent reads every rule: say it in a sentence or two".to_owned()
            }
            GuidanceError::NotText(_) => return None,
            GuidanceError::Other(refused) => return refused.hint(),
            GuidanceError::Nexus(error) => return error.hint(),
        })
    }
}

/// Stores a rule.
pub(crate) fn store_rule(nexus: &Nexus, new: &NewRule) -> Result<RuleStored, GuidanceError> {
    check_text(nexus, new)?;
    let given = new.name.as_deref().map(|name| with_extension(name, &file("")));
    match given.as_deref() {
        None if new.overwrite => return Err(GuidanceError::ChangesWhich),
        // An existing rule may have any name; a new one needs a valid one.
        Some(name) if find(&nexus.rules()?, name).is_none() => check_name(name)?,
        _ => {}
    }
    let name = given.or_else(|| notes::rule_name_from_text(&new.text)).ok_or(NoteError::NoName)?;
    let text = format!("{}\n", new.text.trim_end().trim_start_matches(['\n', '\r']));
    let locked = lock(nexus)?;
    let rules = nexus.rules()?;
    match find(&rules, &name) {
        Some(old) if new.overwrite => return change(&locked, old, &text),
        Some(old) if contains_all(old, &text) => return Ok(RuleStored::Unchanged { name: old.name.clone() }),
        Some(old) => {
            return Err(GuidanceError::Exists { name: old.name.clone(), why: OverlapReason::SameName });
        }
        None if new.insist => {}
        None => {
            if let Some(old) = rules.iter().find(|rule| contains_all(rule, &text)) {
                return Ok(RuleStored::Unchanged { name: old.name.clone() });
            }
            if let Some(found) = notes::same_matter(&name, &text, &rules) {
                return Err(GuidanceError::Exists { name: found.name, why: found.why });
            }
        }
    }
    if nexus.has_rule(&name) {
        return Err(GuidanceError::NotText(name));
    }
    locked.write_rule(&name, &text)?;
    Ok(RuleStored::Created { name })
}

/// Returns all rules, by name.
pub(crate) fn rules(nexus: &Nexus) -> Result<Vec<Note>, GuidanceError> {
    Ok(nexus.rules()?)
}

fn change(locked: &Locked<'_>, old: &Note, text: &str) -> Result<RuleStored, GuidanceError> {
    let name = old.name.clone();
    if old.text == text {
        return Ok(RuleStored::Unchanged { name });
    }
    if !is_whole(old) {
        return Err(GuidanceError::NotText(name));
    }
    locked.write_rule(&name, text)?;
    Ok(RuleStored::Changed { name, before: old.text.clone() })
}

/// Finds a rule by its name. Some systems do not distinguish `A.md` from `a.md`, and git carries the files to them.
fn find<'r>(rules: &'r [Note], name: &str) -> Option<&'r Note> {
    let exact = rules.iter().find(|rule| rule.name == name);
    exact.or_else(|| rules.iter().find(|rule| rule.name.eq_ignore_ascii_case(name)))
}

/// Returns whether a rule contains all of a text.
fn contains_all(rule: &Note, text: &str) -> bool {
    notes::merge(&rule.text, text, &[]) == Merged::Unchanged
}

/// Maximum number of characters shown of an invalid name.
const MAX_SHOWN_NAME: usize = 100;

fn check_name(name: &str) -> Result<(), GuidanceError> {
    notes::check_rule_name(name).map_err(|fault| GuidanceError::Name {
        name: name.escape_debug().take(MAX_SHOWN_NAME).collect(),
        fault,
        proposal: notes::propose_rule_name(name),
    })
}

/// Refuses what must not be stored; the error names only the kind of a secret.
fn check_text(nexus: &Nexus, new: &NewRule) -> Result<(), GuidanceError> {
    if new.text.trim().is_empty() {
        return Err(NoteError::Empty.into());
    }
    if new.text.len() > MAX_BYTES {
        return Err(GuidanceError::TooLong { bytes: new.text.len() });
    }
    check_plain(&new.text)?;
    match secret_in(nexus, &[&new.text, new.name.as_deref().unwrap_or_default()])? {
        Some(kind) => Err(GuidanceError::Secret(kind)),
        None => Ok(()),
    }
}
