//! Stores a rule for agents: a new one, or in place of the one that is named. No two are on the same matter unawares.

use super::store::{MOST_BYTES, check_plain, is_whole, secret_in};
use super::{Refused, lock, with_end};
use crate::model::Note;
use crate::nexus::rules::file;
use crate::nexus::{Locked, Nexus, NexusError};
use crate::notes::{self, Merged, RuleFault, Why};

/// What somebody wants all agents to follow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct NewRule {
    /// With or without `.md`; else the text's first words name it.
    pub(crate) name: Option<String>,
    pub(crate) text: String,
    /// The text takes the place of the rule that has this name.
    pub(crate) overwrite: bool,
    /// A rule of its own, even if another one is on the same matter.
    pub(crate) insist: bool,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RuleStored {
    Created {
        name: String,
    },
    Changed {
        name: String,
        /// What stood there; git may not have it yet.
        before: String,
    },
    /// All of it was there already.
    Unchanged {
        name: String,
    },
}

/// Why a rule is not stored.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RuleRefused {
    #[error("`{name}` is no name for a rule: {fault}")]
    Name { name: String, fault: RuleFault, proposal: Option<String> },
    #[error("to change a rule, its name is needed")]
    ChangesWhich,
    #[error("there is a rule on this matter, `{}`: {why}", file(.name))]
    Exists { name: String, why: Why },
    #[error("this looks like it holds a secret ({0}), and rules go into git")]
    Secret(String),
    #[error("the rule has {} KB, and {} are the most", .bytes.div_ceil(1024), MOST_BYTES >> 10)]
    TooLong { bytes: usize },
    #[error("`{}` is no plain text, so it is left as it is", file(.0))]
    NotText(String),
    #[error(transparent)]
    Other(#[from] Refused),
    #[error(transparent)]
    Nexus(#[from] NexusError),
}

impl RuleRefused {
    /// Returns what to do about it, where something can be done.
    pub(crate) fn hint(&self) -> Option<String> {
        Some(match self {
            RuleRefused::Name { proposal: Some(proposal), .. } => format!("call it `{proposal}`"),
            RuleRefused::Name { .. } | RuleRefused::Other(Refused::NoName) => {
                "give it a name in a word or a few, as in `testing`".to_owned()
            }
            RuleRefused::ChangesWhich => "without one, the text becomes a rule of its own".to_owned(),
            RuleRefused::Exists { name, why } => {
                let own = if *why == Why::SameName { "another name" } else { "`new`" };
                format!(
                    "to change it, give the name `{name}`, `overwrite`, and all that it shall say; {own} makes a rule \
                     of its own"
                )
            }
            RuleRefused::Secret(kind) => return Refused::Secret(kind.clone()).hint(),
            RuleRefused::TooLong { .. } => {
                "a rule is read by every agent: say it in a sentence or two".to_owned()
            }
            RuleRefused::NotText(_) => return None,
            RuleRefused::Other(refused) => return refused.hint(),
            RuleRefused::Nexus(error) => return error.hint(),
        })
    }
}

/// Stores a rule.
pub(crate) fn store_rule(nexus: &Nexus, new: &NewRule) -> Result<RuleStored, RuleRefused> {
    check_text(nexus, new)?;
    let given = new.name.as_deref().map(|name| with_end(name, &file("")));
    match given.as_deref() {
        None if new.overwrite => return Err(RuleRefused::ChangesWhich),
        // A rule that is there may have any name; a new one has a good one.
        Some(name) if find(&nexus.rules()?, name).is_none() => check_name(name)?,
        _ => {}
    }
    let name = given.or_else(|| notes::rule_name_from_text(&new.text)).ok_or(Refused::NoName)?;
    let text = format!("{}\n", new.text.trim_end().trim_start_matches(['\n', '\r']));
    let locked = lock(nexus)?;
    let rules = nexus.rules()?;
    match find(&rules, &name) {
        Some(old) if new.overwrite => return change(&locked, old, &text),
        Some(old) if holds(old, &text) => return Ok(RuleStored::Unchanged { name: old.name.clone() }),
        Some(old) => return Err(RuleRefused::Exists { name: old.name.clone(), why: Why::SameName }),
        None if new.insist => {}
        None => {
            if let Some(old) = rules.iter().find(|rule| holds(rule, &text)) {
                return Ok(RuleStored::Unchanged { name: old.name.clone() });
            }
            if let Some(found) = notes::same_matter(&name, &text, &rules) {
                return Err(RuleRefused::Exists { name: found.name, why: found.why });
            }
        }
    }
    if nexus.has_rule(&name) {
        return Err(RuleRefused::NotText(name));
    }
    locked.write_rule(&name, &text)?;
    Ok(RuleStored::Created { name })
}

/// Returns all rules, by name.
pub(crate) fn rules(nexus: &Nexus) -> Result<Vec<Note>, RuleRefused> {
    Ok(nexus.rules()?)
}

fn change(locked: &Locked<'_>, old: &Note, text: &str) -> Result<RuleStored, RuleRefused> {
    let name = old.name.clone();
    if old.text == text {
        return Ok(RuleStored::Unchanged { name });
    }
    if !is_whole(old) {
        return Err(RuleRefused::NotText(name));
    }
    locked.write_rule(&name, text)?;
    Ok(RuleStored::Changed { name, before: old.text.clone() })
}

/// Finds a rule by its name; some systems do not tell `A.md` from `a.md`, and git carries the files to them.
fn find<'r>(rules: &'r [Note], name: &str) -> Option<&'r Note> {
    let exact = rules.iter().find(|rule| rule.name == name);
    exact.or_else(|| rules.iter().find(|rule| rule.name.eq_ignore_ascii_case(name)))
}

/// Says whether all of a text stands in a rule.
fn holds(rule: &Note, text: &str) -> bool {
    notes::merge(&rule.text, text, &[]) == Merged::Unchanged
}

/// So much is shown of a name that is none.
const MOST_SHOWN: usize = 100;

fn check_name(name: &str) -> Result<(), RuleRefused> {
    notes::check_rule_name(name).map_err(|fault| RuleRefused::Name {
        name: name.escape_debug().take(MOST_SHOWN).collect(),
        fault,
        proposal: notes::propose_rule_name(name),
    })
}

/// Refuses what must not be stored; a secret is named by its kind only.
fn check_text(nexus: &Nexus, new: &NewRule) -> Result<(), RuleRefused> {
    if new.text.trim().is_empty() {
        return Err(Refused::Empty.into());
    }
    if new.text.len() > MOST_BYTES {
        return Err(RuleRefused::TooLong { bytes: new.text.len() });
    }
    check_plain(&new.text)?;
    match secret_in(nexus, &[&new.text, new.name.as_deref().unwrap_or_default()])? {
        Some(kind) => Err(RuleRefused::Secret(kind)),
        None => Ok(()),
    }
}
