//! Computes the result of an edit, and which parts of it the edit added.

use std::ops::Range;

use crate::model::Replacement;

/// The file after an edit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Edited {
    pub(crate) text: String,
    /// The ranges that the edit added, sorted and disjoint; an empty range marks a deletion.
    pub(crate) inserted: Vec<Range<usize>>,
}

/// Applies the replacements one after the other; `None` if one of them does not fit the file.
pub(crate) fn apply(before: &str, replacements: &[Replacement]) -> Option<Edited> {
    let mut edited = Edited { text: before.to_owned(), inserted: Vec::new() };
    for replacement in replacements {
        edited = apply_one(&edited, replacement)?;
    }
    Some(edited)
}

/// Finds the new texts of replacements that have already been applied.
pub(crate) fn locate(after: &str, replacements: &[Replacement]) -> Option<Edited> {
    let mut inserted = Vec::new();
    for replacement in replacements.iter().filter(|replacement| !replacement.new.is_empty()) {
        let kept = common(&replacement.old, &replacement.new);
        let found = after.match_indices(replacement.new.as_str());
        let before = inserted.len();
        let found = found.take(if replacement.all { usize::MAX } else { 1 });
        inserted.extend(found.map(|(at, new)| at + kept.front..at + new.len() - kept.back));
        if inserted.len() == before {
            return None;
        }
    }
    Some(Edited { text: after.to_owned(), inserted: merged(inserted) })
}

fn apply_one(file: &Edited, replacement: &Replacement) -> Option<Edited> {
    let Replacement { old, new, all } = replacement;
    // An empty old text means a new file.
    if old.is_empty() {
        let inserted = std::iter::once(0..new.len()).collect();
        return file.text.is_empty().then(|| Edited { text: new.clone(), inserted });
    }
    let kept = common(old, new);
    let mut result =
        Edited { text: String::with_capacity(file.text.len() + new.len()), inserted: Vec::new() };
    let mut moves: Vec<Move> = Vec::new();
    let mut copied = 0;
    for (at, _) in file.text.match_indices(old.as_str()).take(if *all { usize::MAX } else { 1 }) {
        result.text.push_str(&file.text[copied..at]);
        let start = result.text.len();
        result.text.push_str(new);
        copied = at + old.len();
        moves.push(Move {
            old: at + kept.front..copied - kept.back,
            new: start + kept.front..result.text.len() - kept.back,
        });
    }
    if moves.is_empty() {
        return None;
    }
    result.text.push_str(&file.text[copied..]);
    let earlier = file.inserted.iter().map(|span| {
        let start = moved(&moves, span.start).start;
        start..moved(&moves, span.end).end.max(start)
    });
    let spans = earlier.chain(moves.iter().map(|one| one.new.clone()));
    result.inserted = merged(spans.collect());
    Some(result)
}

/// One changed part: its old and its new range.
struct Move {
    old: Range<usize>,
    new: Range<usize>,
}

/// Maps a position in the old text to the new one; a position inside a changed part maps to that whole part.
fn moved(moves: &[Move], at: usize) -> Range<usize> {
    let passed = moves.partition_point(|one| one.old.start <= at);
    let Some(Move { old, new }) = passed.checked_sub(1).map(|last| &moves[last]) else { return at..at };
    if old.start < at && at < old.end {
        return new.clone();
    }
    let position = if at == old.start { new.start } else { at - old.end + new.end };
    position..position
}

/// Sorts ranges and merges those that touch, so that they can be searched.
fn merged(mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.sort_by_key(|span| (span.start, span.end));
    let mut disjoint: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for span in spans {
        match disjoint.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => disjoint.push(span),
        }
    }
    disjoint
}

/// The lengths of the common prefix and suffix of two texts.
struct Common {
    front: usize,
    back: usize,
}

/// An edit repeats some context in both texts; only the rest was added.
fn common(old: &str, new: &str) -> Common {
    let same = |(a, b): &(char, char)| a == b;
    let front: usize = old.chars().zip(new.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (old, new) = (&old[front..], &new[front..]);
    let back = old.chars().rev().zip(new.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    Common { front, back }
}

#[cfg(test)]
mod tests;
