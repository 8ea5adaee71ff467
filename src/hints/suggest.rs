//! Chooses the hints that are pushed to an agent automatically: only those that apply in its context and are relevant
//! to what it does, only a few, and none twice.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::explain;
use super::origin::{self, Origins};
use super::rank::{Ranked, best_variants, order};
use super::table::{HintName, HintTable};
use crate::model::repo;
use crate::model::{HintContext, HintSuggestion, PushTrigger};

/// The hook event that asks for hints.
#[derive(Debug, Clone)]
pub(crate) struct Occasion {
    pub(crate) trigger: PushTrigger,
    pub(crate) text: Text,
    pub(crate) context: HintContext,
}

/// The prompt, or the failed command with its output, in lower case.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    text: String,
    words: BTreeSet<String>,
}

/// Which hints were pushed to which session, and when.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct PushedHints(BTreeMap<String, SessionPushesWire>);

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct SessionPushesWire {
    /// Component, key, scope and version of each hint that was pushed.
    hints: Vec<String>,
    /// In milliseconds since 1970; only pushes of the last ten minutes.
    told_at: Vec<i64>,
    asked_at: i64,
}

const RATE_WINDOW: SignedDuration = SignedDuration::from_mins(10);
const SESSION_LIFETIME: SignedDuration = SignedDuration::from_hours(24);
const MAX_SESSIONS: usize = 256;

/// Chooses up to `max` hints to push to a session, and records them as pushed.
pub(crate) fn suggest(
    (table, origins): (&HintTable, &Origins),
    log: &mut PushedHints,
    session: &str,
    occasion: &Occasion,
    (max, max_in_window): (usize, usize),
    now: Timestamp,
) -> Vec<HintSuggestion> {
    let pushes = log.session(session, now);
    let room = max_in_window.saturating_sub(pushes.told_at.len()).min(max);
    let eligible = best_variants(table.all(now), &occasion.context, now);
    let mut chosen: Vec<(u32, Vec<String>, Ranked<'_>)> = Vec::new();
    for hint in eligible.into_iter().filter(|hint| !hint.kept.hint.is_secret()) {
        let origin = origins.of(hint.place, hint.kept);
        if origin::may_push(&hint.kept.hint.meta.scope, origin, &occasion.context)
            && let Some((weight, why)) = relevance(&hint, occasion)
            && !pushes.hints.contains(&identity(&hint))
        {
            chosen.push((weight, why, hint));
        }
    }
    chosen.sort_by(|(weight, _, hint), (other_weight, _, other)| {
        other_weight.cmp(weight).then_with(|| order(hint, other))
    });
    chosen.truncate(room);
    let suggestions = chosen.iter().map(|(_, why, hint)| {
        pushes.hints.push(identity(hint));
        pushes.told_at.push(now.as_millisecond());
        let mut reasons = why.clone();
        reasons.extend(explain::reasons(hint.kept, &occasion.context, now));
        reasons.extend(origins.of(hint.place, hint.kept).map(origin::in_words));
        HintSuggestion {
            component: hint.place.component.to_owned(),
            key: hint.place.key.to_owned(),
            value: hint.kept.hint.value.shown(),
            reasons,
            tags: hint.kept.hint.meta.tags.clone(),
        }
    });
    suggestions.collect()
}

impl PushedHints {
    /// Returns the pushes to this session; deletes those of sessions that ended long ago.
    fn session(&mut self, session: &str, now: Timestamp) -> &mut SessionPushesWire {
        let now = now.as_millisecond();
        let after = |span: SignedDuration| now - span.as_millis() as i64;
        self.0.retain(|_, pushes| pushes.asked_at > after(SESSION_LIFETIME));
        if self.0.len() >= MAX_SESSIONS
            && !self.0.contains_key(session)
            && let Some(oldest) = self.0.iter().min_by_key(|(_, pushes)| pushes.asked_at)
        {
            let oldest = oldest.0.clone();
            self.0.remove(&oldest);
        }
        let pushes = self.0.entry(session.to_owned()).or_default();
        pushes.asked_at = now;
        pushes.told_at.retain(|at| *at > after(RATE_WINDOW));
        pushes
    }
}

fn identity(hint: &Ranked<'_>) -> String {
    // A hint that was updated may be pushed again, hence the version.
    let HintName { component, key } = hint.place;
    format!("{component}\n{key}\n{}\n{}", hint.kept.hint.meta.scope, hint.kept.hint.version)
}

/// Returns how relevant a hint is to the event, and why; `None` if it is not.
fn relevance(hint: &Ranked<'_>, occasion: &Occasion) -> Option<(u32, Vec<String>)> {
    let here = location_match(hint, &occasion.context);
    let (component, key) = (hint.place.component, hint.place.key);
    let named = occasion.text.has_word(component).then(|| format!("`{component}` is mentioned"));
    match occasion.trigger {
        PushTrigger::SessionStart => here.map(|here| (1, here.reason.into_iter().collect())),
        PushTrigger::Prompt => {
            let word = mentioned_word(hint, &occasion.text);
            match (named, here, word) {
                (Some(named), here, word) => {
                    let weight = 4 + u32::from(word.is_some()) * 2 + u32::from(here.is_some());
                    Some((weight, [Some(named), word].into_iter().flatten().collect()))
                }
                (None, Some(here), Some(word)) => Some((3, here.reason.into_iter().chain([word]).collect())),
                _ => None,
            }
        }
        PushTrigger::Failure => {
            if here.is_none() && named.is_none() || is_failed_command(hint, &occasion.text) {
                return None;
            }
            let word = mentioned_word(hint, &occasion.text);
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

/// Why a hint belongs to the current folder or repository.
struct LocationMatch {
    /// `None` if the scope already says so.
    reason: Option<String>,
}

fn location_match(hint: &Ranked<'_>, context: &HintContext) -> Option<LocationMatch> {
    let scope = &hint.kept.hint.meta.scope;
    if !(scope.cwd_glob.is_empty() && scope.repo.is_empty() && scope.branch.is_empty()) {
        return Some(LocationMatch { reason: None });
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
    Some(LocationMatch { reason: Some(reason) })
}

/// Returns a reason if the hint's key or one of its tags is in the text.
fn mentioned_word(hint: &Ranked<'_>, text: &Text) -> Option<String> {
    let words = std::iter::once(hint.place.key).chain(hint.kept.hint.meta.tags.iter().map(String::as_str));
    words.into_iter().find(|word| text.has_word(word)).map(|word| format!("it is about `{word}`"))
}

/// Returns whether the failed command is what the hint would propose.
fn is_failed_command(hint: &Ranked<'_>, text: &Text) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let value = plain(&hint.kept.hint.value.shown().to_lowercase());
    plain(text.text.lines().next().unwrap_or_default()) == value || plain(&text.text) == value
}

impl Text {
    pub(crate) fn new(text: &str) -> Text {
        let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_TEXT).unwrap_or(text.len());
        let text = text[..end].to_lowercase();
        Text { words: words(&text).map(str::to_owned).collect(), text }
    }

    /// Returns whether the text contains the name as a whole word; `rebuild` and `build-tools` do not contain `build`.
    fn has_word(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        name.len() >= 2
            && self.text.match_indices(&name).any(|(at, _)| {
                let after = self.text[at + name.len()..].chars().next();
                !self.text[..at].ends_with(is_word_char) && !after.is_some_and(is_word_char)
            })
    }

    /// Returns the words that also appear in the value, each once.
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

/// Longer texts are cut: the topic of a prompt is near its beginning.
const MAX_TEXT: usize = 16 * 1024;

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word_char(c))
        .filter(|word| word.chars().count() >= 3 && !STOP_WORDS.contains(word))
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// Words that say nothing about the task.
const STOP_WORDS: [&str; 9] = ["the", "and", "for", "not", "with", "from", "this", "true", "false"];

#[cfg(test)]
mod tests;
