//! Which note a new text belongs to: one of the same category that has its name, or speaks of the same things.
//!
//! A text that is joined wrongly can be told apart again (`--new`); one that is not joined shows up as a duplicate in
//! the plan of gc. So the measure is strict: it asks for several shared words, and a good part of all of them.

use std::collections::HashSet;
use std::fmt;

use super::terms::terms;
use crate::model::{Category, Note, tags};

/// The note that a text belongs to, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Overlap {
    pub(crate) name: String,
    pub(crate) why: Why,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Why {
    SameName,
    /// The names differ in their category, their order or their number only.
    SameTopic,
    /// These words are in both.
    SharedTerms(Vec<String>),
}

/// So many shared words are named as the reason.
const MOST_NAMED: usize = 8;

/// How much two texts share that are called one.
struct Measure {
    /// Of their topics, so much, and in all so many words.
    topics: f64,
    with_topic: usize,
    /// Without a common topic, so many words.
    without_topic: usize,
}

/// For a text that is joined without a question.
const JOINED: Measure = Measure { topics: 0.5, with_topic: 3, without_topic: 6 };
/// For a text of a sentence or two, where somebody is asked first.
const ASKED: Measure = Measure { topics: 0.6, with_topic: 2, without_topic: 3 };

/// Finds the note that a text of this name belongs to.
pub(crate) fn overlap(
    name: Option<&str>,
    category: Option<Category>,
    text: &str,
    notes: &[Note],
) -> Option<Overlap> {
    nearest(name, category, text, notes, &JOINED)
}

/// Finds the rule that is on the same matter as a text of this name.
pub(crate) fn same_matter(name: &str, text: &str, rules: &[Note]) -> Option<Overlap> {
    nearest(Some(name), None, text, rules, &ASKED)
}

fn nearest(
    name: Option<&str>,
    category: Option<Category>,
    text: &str,
    notes: &[Note],
    measure: &Measure,
) -> Option<Overlap> {
    if let Some(same) = notes.iter().find(|note| Some(note.name.as_str()) == name) {
        return Some(Overlap { name: same.name.clone(), why: Why::SameName });
    }
    let category = category.or_else(|| Category::of(name?));
    let new = Profile::new(name.unwrap_or_default(), text);
    let near = notes.iter().filter(|note| may_join(category, Category::of(&note.name)));
    let mut best: Option<(f64, Overlap)> = None;
    for note in near {
        let old = Profile::new(&note.name, &note.text);
        let (score, why) = if !new.slug.is_empty() && new.slug == old.slug {
            (f64::INFINITY, Why::SameTopic)
        } else {
            let Some((score, shared)) = new.shared(&old, measure) else { continue };
            (score, Why::SharedTerms(shared))
        };
        if best.as_ref().is_none_or(|(other, _)| score > *other) {
            best = Some((score, Overlap { name: note.name.clone(), why }));
        }
    }
    best.map(|(_, overlap)| overlap)
}

/// Only two categories that are both named and differ keep texts apart.
fn may_join(one: Option<Category>, other: Option<Category>) -> bool {
    one.is_none() || other.is_none() || one == other
}

/// Says whether two notes could be one, and names the words that they share.
pub(super) fn shared(one: &Profile, other: &Profile) -> Option<Vec<String>> {
    if !may_join(one.category, other.category) {
        return None;
    }
    if !one.slug.is_empty() && one.slug == other.slug {
        return Some(one.topic.iter().take(MOST_NAMED).cloned().collect());
    }
    one.shared(other, &JOINED).map(|(_, terms)| terms)
}

/// What a note is about, in words that can be compared.
pub(super) struct Profile {
    category: Option<Category>,
    /// The words of the name, in order of the alphabet.
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

    /// Returns how much of the two is common, and which words, if it is enough to call them one.
    fn shared(&self, other: &Profile, measure: &Measure) -> Option<(f64, Vec<String>)> {
        let common: Vec<String> =
            self.all.iter().filter(|word| other.known.contains(*word)).cloned().collect();
        let in_topic = self.topic.iter().filter(|word| other.topic.contains(word)).count();
        // Of the topics all counts, of the texts only the shorter: a new finding is short, its note may be long.
        let topics = 2.0 * part(in_topic, self.topic.len() + other.topic.len());
        let texts = part(common.len(), self.all.len().min(other.all.len()));
        let same_topic = in_topic >= 2 && topics >= measure.topics && common.len() >= measure.with_topic;
        let same_text = common.len() >= measure.without_topic && texts >= 0.6;
        let both = in_topic >= 2 && topics >= 0.34 && common.len() >= 4 && texts >= 0.4;
        let named = common.into_iter().take(MOST_NAMED).collect();
        (same_topic || same_text || both).then_some((topics + texts, named))
    }
}

fn part(of: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { of as f64 / whole as f64 }
}

impl fmt::Display for Why {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::SameName => out.write_str("it has this name"),
            Why::SameTopic => out.write_str("its name has the same words"),
            Why::SharedTerms(terms) => write!(out, "both speak of {}", terms.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests;
