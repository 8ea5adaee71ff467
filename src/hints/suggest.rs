//! What may be put before an agent unasked: hints that hold where it stands and bear on what it does, few, and none twice.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::origin::{self, Origins};
use super::rank::{Ranked, order, ranked};
use super::shelf::{Place, Shelf};
use super::{explain, repo};
use crate::model::HintContext;

/// The moment at which a hook asks.
#[derive(Debug, Clone)]
pub(crate) struct Occasion {
    pub(crate) trigger: Trigger,
    pub(crate) text: Text,
    pub(crate) context: HintContext,
}

/// The words of the prompt, or the failed command and what it said; in small letters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    text: String,
    words: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trigger {
    SessionStart,
    Prompt,
    Failure,
}

/// A hint that is put before an agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Suggestion {
    component: String,
    key: String,
    /// As a person would write it down.
    value: String,
    reasons: Vec<String>,
    tags: Vec<String>,
}

/// What was put before which session, and when.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Told(BTreeMap<String, TellingWire>);

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct TellingWire {
    /// Component, key and scope of each hint that was told.
    hints: Vec<String>,
    /// In milliseconds since 1970; only those of the last ten minutes.
    told_at: Vec<i64>,
    asked_at: i64,
}

const WINDOW: SignedDuration = SignedDuration::from_mins(10);
const FORGOTTEN_AFTER: SignedDuration = SignedDuration::from_hours(24);
const MOST_SESSIONS: usize = 256;

/// Chooses what to put before a session, at most so many; what is chosen counts as told.
pub(crate) fn suggest(
    (shelf, origins): (&Shelf, &Origins),
    told: &mut Told,
    session: &str,
    occasion: &Occasion,
    (most, most_in_window): (usize, usize),
    now: Timestamp,
) -> Vec<Suggestion> {
    let telling = told.session(session, now);
    let room = most_in_window.saturating_sub(telling.told_at.len()).min(most);
    let eligible = ranked(shelf.all(now).filter(|(_, kept)| !kept.hint.is_secret()), &occasion.context, now);
    let mut chosen: Vec<(u32, Vec<String>, Ranked<'_>)> = Vec::new();
    let mut seen = BTreeSet::new();
    for hint in eligible {
        // The best variant of a key speaks for it.
        if !seen.insert(hint.place) {
            continue;
        }
        let origin = origins.of(hint.place, hint.kept);
        if origin::may_push(&hint.kept.hint.meta.scope, origin, &occasion.context)
            && let Some((weight, why)) = relevance(&hint, occasion)
            && !telling.hints.contains(&identity(&hint))
        {
            chosen.push((weight, why, hint));
        }
    }
    chosen.sort_by(|(weight, _, hint), (other_weight, _, other)| {
        other_weight.cmp(weight).then_with(|| order(hint, other))
    });
    chosen.truncate(room);
    let suggestions = chosen.iter().map(|(_, why, hint)| {
        telling.hints.push(identity(hint));
        telling.told_at.push(now.as_millisecond());
        let mut reasons = why.clone();
        reasons.extend(explain::reasons(hint.kept, &occasion.context, now));
        reasons.extend(origins.of(hint.place, hint.kept).map(origin::in_words));
        Suggestion {
            component: hint.place.component.to_owned(),
            key: hint.place.key.to_owned(),
            value: hint.kept.hint.value.shown(),
            reasons,
            tags: hint.kept.hint.meta.tags.clone(),
        }
    });
    suggestions.collect()
}

impl Told {
    /// Returns what this session was told; sessions that are long over are forgotten.
    fn session(&mut self, session: &str, now: Timestamp) -> &mut TellingWire {
        let now = now.as_millisecond();
        let after = |span: SignedDuration| now - span.as_millis() as i64;
        self.0.retain(|_, telling| telling.asked_at > after(FORGOTTEN_AFTER));
        if self.0.len() >= MOST_SESSIONS
            && !self.0.contains_key(session)
            && let Some(oldest) = self.0.iter().min_by_key(|(_, telling)| telling.asked_at)
        {
            let oldest = oldest.0.clone();
            self.0.remove(&oldest);
        }
        let telling = self.0.entry(session.to_owned()).or_default();
        telling.asked_at = now;
        telling.told_at.retain(|at| *at > after(WINDOW));
        telling
    }
}

fn identity(hint: &Ranked<'_>) -> String {
    // A hint that was corrected is another one.
    let Place { component, key } = hint.place;
    format!("{component}\n{key}\n{}\n{}", hint.kept.hint.meta.scope, hint.kept.hint.version)
}

/// Says how much a hint bears on the occasion, and why; nothing where it does not.
fn relevance(hint: &Ranked<'_>, occasion: &Occasion) -> Option<(u32, Vec<String>)> {
    let here = here(hint, &occasion.context);
    let (component, key) = (hint.place.component, hint.place.key);
    let named = occasion.text.has_word(component).then(|| format!("`{component}` is mentioned"));
    match occasion.trigger {
        Trigger::SessionStart => here.map(|here| (1, here.reason.into_iter().collect())),
        Trigger::Prompt => {
            let word = word(hint, &occasion.text);
            match (named, here, word) {
                (Some(named), here, word) => {
                    let weight = 4 + u32::from(word.is_some()) * 2 + u32::from(here.is_some());
                    Some((weight, [Some(named), word].into_iter().flatten().collect()))
                }
                (None, Some(here), Some(word)) => Some((3, here.reason.into_iter().chain([word]).collect())),
                _ => None,
            }
        }
        Trigger::Failure => {
            if here.is_none() && named.is_none() || repeats(hint, &occasion.text) {
                return None;
            }
            let word = word(hint, &occasion.text);
            let shared = occasion.text.shared_words(&hint.kept.hint.value.shown());
            let alike = (shared.len() >= 2).then(|| format!("it has `{}` in common", shared.join("`, `")));
            if word.is_none() && alike.is_none() {
                return None;
            }
            let is_key = occasion.text.has_word(key);
            let weight = u32::from(named.is_some()) * 2
                + u32::from(is_key) * 3
                + u32::from(word.is_some()) * 2
                + shared.len().min(4) as u32;
            Some((weight, [named, word, alike].into_iter().flatten().collect()))
        }
    }
}

/// Why a hint belongs to where the agent stands.
struct Here {
    /// Empty where the scope says it anyway.
    reason: Option<String>,
}

fn here(hint: &Ranked<'_>, context: &HintContext) -> Option<Here> {
    let scope = &hint.kept.hint.meta.scope;
    if !(scope.cwd_glob.is_empty() && scope.repo.is_empty() && scope.branch.is_empty()) {
        return Some(Here { reason: None });
    }
    let component = hint.place.component;
    let is_folder =
        context.cwd.as_ref().is_some_and(|cwd| cwd.value.split('/').any(|name| name == component));
    let is_repo = context.repo.as_ref().is_some_and(|repo| repo::last_name(&repo.value) == component);
    let reason = match (is_folder, is_repo) {
        (true, _) => format!("cwd is in `{component}`"),
        (false, true) => format!("the repository is `{component}`"),
        (false, false) => return None,
    };
    Some(Here { reason: Some(reason) })
}

/// Says which of the hint's own words stands in the text.
fn word(hint: &Ranked<'_>, text: &Text) -> Option<String> {
    let words = std::iter::once(hint.place.key).chain(hint.kept.hint.meta.tags.iter().map(String::as_str));
    words.into_iter().find(|word| text.has_word(word)).map(|word| format!("it is about `{word}`"))
}

/// Says whether the failed command is what the hint says anyway.
fn repeats(hint: &Ranked<'_>, text: &Text) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let value = plain(&hint.kept.hint.value.shown().to_lowercase());
    plain(text.text.lines().next().unwrap_or_default()) == value || plain(&text.text) == value
}

impl Text {
    pub(crate) fn new(text: &str) -> Text {
        let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= MOST_TEXT).unwrap_or(text.len());
        let text = text[..end].to_lowercase();
        Text { words: words(&text).map(str::to_owned).collect(), text }
    }

    /// Says whether the text has the name as a word of its own; `build` is none in `rebuild` or `build-tools`.
    fn has_word(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        name.len() >= 2
            && self.text.match_indices(&name).any(|(at, _)| {
                let after = self.text[at + name.len()..].chars().next();
                !self.text[..at].ends_with(is_part) && !after.is_some_and(is_part)
            })
    }

    /// Returns the words that the value has too, each once.
    fn shared_words(&self, value: &str) -> Vec<String> {
        let mut shared: Vec<String> = Vec::new();
        for word in words(&value.to_lowercase()).filter(|word| self.words.contains(*word)) {
            if !shared.iter().any(|known| known == word) {
                shared.push(word.to_owned());
            }
        }
        shared
    }
}

/// Longer texts are cut: what a prompt is about stands near its beginning.
const MOST_TEXT: usize = 16 * 1024;

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_part(c)).filter(|word| word.chars().count() >= 3 && !ORDINARY.contains(word))
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// Words that say nothing about what is done.
const ORDINARY: [&str; 9] = ["the", "and", "for", "not", "with", "from", "this", "true", "false"];

#[cfg(test)]
mod tests;
