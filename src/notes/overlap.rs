//! Finds the note that a new text belongs to: one of the same category with the same name or the same topic.
//!
//! A session sees only the names of notes, so a text is never added under a name that says something else: what is known
//! about production does not go into the note about staging, however alike the two texts are. A text that is not merged
//! is reported as similar, and gc proposes to merge it. The thresholds are strict, too: several words must be shared, and
//! a good part of all words.

use std::collections::HashSet;
use std::fmt;

use super::terms::terms;
use crate::model::{Category, Note, tags};

/// The note that a text belongs to, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Overlap {
    pub(crate) name: String,
    pub(crate) why: OverlapReason,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OverlapReason {
    SameName,
    /// The names differ only in category, word order, or singular and plural.
    SameTopic,
    /// Both contain these words.
    SharedTerms(Vec<String>),
}

/// Maximum number of shared words that are given as the reason.
const MAX_NAMED: usize = 8;

/// How much two texts must share to count as one.
struct Thresholds {
    /// The minimum similarity of the topics, from 0 to 1.
    topics: f64,
    /// The minimum number of shared words if the topics are similar.
    with_topic: usize,
    /// The minimum number of shared words if they are not.
    without_topic: usize,
}

/// For a text that is merged automatically.
const AUTOMATIC: Thresholds = Thresholds { topics: 0.5, with_topic: 3, without_topic: 6 };
/// For a text of one or two sentences, where the user is asked first.
const ASK_FIRST: Thresholds = Thresholds { topics: 0.6, with_topic: 2, without_topic: 3 };

/// A text that is to be stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewText<'t> {
    pub(crate) name: Option<&'t str>,
    /// Somebody chose the name; otherwise it was made from the text.
    pub(crate) is_named: bool,
    pub(crate) category: Option<Category>,
    pub(crate) text: &'t str,
}

/// Finds the note that a text belongs to.
pub(crate) fn overlap(new: NewText<'_>, notes: &[Note]) -> Option<Overlap> {
    nearest(new, notes, &AUTOMATIC, |own, old| old.names_topic_of(own, new.is_named))
}

/// Finds a note that is similar to a text, whatever its name says.
pub(crate) fn similar(new: NewText<'_>, notes: &[Note]) -> Option<Overlap> {
    nearest(new, notes, &AUTOMATIC, |_, _| true)
}

/// Finds the rule that is on the same topic as a text with this name.
pub(crate) fn same_matter(name: &str, text: &str, rules: &[Note]) -> Option<Overlap> {
    let new = NewText { name: Some(name), is_named: true, category: None, text };
    nearest(new, rules, &ASK_FIRST, |_, _| true)
}

fn nearest(
    NewText { name, category, text, .. }: NewText<'_>,
    notes: &[Note],
    thresholds: &Thresholds,
    fits: impl Fn(&Profile, &Profile) -> bool,
) -> Option<Overlap> {
    if let Some(same) = notes.iter().find(|note| Some(note.name.as_str()) == name) {
        return Some(Overlap { name: same.name.clone(), why: OverlapReason::SameName });
    }
    let category = category.or_else(|| Category::of(name?));
    let new = Profile::new(name.unwrap_or_default(), text);
    let near = notes.iter().filter(|note| may_merge(category, Category::of(&note.name)));
    let mut best: Option<(f64, Overlap)> = None;
    for note in near {
        let old = Profile::new(&note.name, &note.text);
        let (score, why) = if !new.slug.is_empty() && new.slug == old.slug {
            (f64::INFINITY, OverlapReason::SameTopic)
        } else {
            let Some((score, shared)) = new.shared(&old, thresholds).filter(|_| fits(&new, &old)) else {
                continue;
            };
            (score, OverlapReason::SharedTerms(shared))
        };
        if best.as_ref().is_none_or(|(other, _)| score > *other) {
            best = Some((score, Overlap { name: note.name.clone(), why }));
        }
    }
    best.map(|(_, overlap)| overlap)
}

/// Returns whether notes of these categories may be merged: only two different categories prevent it.
fn may_merge(one: Option<Category>, other: Option<Category>) -> bool {
    one.is_none() || other.is_none() || one == other
}

/// Returns the shared words of two notes that could be merged; `None` if they should not be.
pub(super) fn shared(one: &Profile, other: &Profile) -> Option<Vec<String>> {
    if !may_merge(one.category, other.category) {
        return None;
    }
    if !one.slug.is_empty() && one.slug == other.slug {
        return Some(one.topic.iter().take(MAX_NAMED).cloned().collect());
    }
    one.shared(other, &AUTOMATIC).map(|(_, terms)| terms)
}

/// The words of a note, for comparison.
pub(super) struct Profile {
    category: Option<Category>,
    /// The words of the name, in alphabetical order.
    slug: Vec<String>,
    /// The words of name, tags and heading.
    topic: Vec<String>,
    /// All words.
    all: Vec<String>,
    known: HashSet<String>,
}

impl Profile {
    pub(super) fn new(name: &str, text: &str) -> Profile {
        let category = Category::of(name);
        let stem = name.strip_suffix(".md").unwrap_or(name);
        let stem = category.and_then(|category| stem.strip_prefix(category.name())).unwrap_or(stem);
        let mut slug = terms(stem);
        let heading = text.lines().find(|line| line.starts_with('#')).unwrap_or_default();
        let topic = terms(&format!("{stem} {heading} {}", tags(text).join(" ")));
        let all = terms(&format!("{stem} {text}"));
        slug.sort();
        Profile { category, slug, topic, known: all.iter().cloned().collect(), all }
    }

    /// Returns whether the name of this note is true of another text, too: all its words are in the name that somebody
    /// chose for the text, or in the text itself.
    fn names_topic_of(&self, other: &Profile, is_named: bool) -> bool {
        let is_there = |word: &String| {
            if is_named { other.slug.contains(word) } else { other.known.contains(word) }
        };
        self.slug.iter().all(is_there)
    }

    /// Returns a score and the shared words, if they reach the thresholds.
    fn shared(&self, other: &Profile, thresholds: &Thresholds) -> Option<(f64, Vec<String>)> {
        let common: Vec<String> =
            self.all.iter().filter(|word| other.known.contains(*word)).cloned().collect();
        let in_topic = self.topic.iter().filter(|word| other.topic.contains(word)).count();
        // Topics are compared with both sizes, texts only with the shorter one: a new finding is short, its note may be
        // long.
        let topics = 2.0 * ratio(in_topic, self.topic.len() + other.topic.len());
        let texts = ratio(common.len(), self.all.len().min(other.all.len()));
        let same_topic =
            in_topic >= 2 && topics >= thresholds.topics && common.len() >= thresholds.with_topic;
        let same_text = common.len() >= thresholds.without_topic && texts >= 0.6;
        let both = in_topic >= 2 && topics >= 0.34 && common.len() >= 4 && texts >= 0.4;
        let named = common.into_iter().take(MAX_NAMED).collect();
        (same_topic || same_text || both).then_some((topics + texts, named))
    }
}

fn ratio(of: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { of as f64 / whole as f64 }
}

impl fmt::Display for OverlapReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OverlapReason::SameName => out.write_str("it has this name"),
            OverlapReason::SameTopic => out.write_str("its name has the same words"),
            OverlapReason::SharedTerms(terms) => write!(out, "both mention {}", terms.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests;
