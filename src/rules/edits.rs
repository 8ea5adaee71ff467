//! What an edit makes of a file, and which parts of the result it brought in.

use std::ops::Range;

use crate::model::Replacement;

/// The file after an edit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Edited {
    pub(crate) text: String,
    /// What the edit brought in, in order; an empty span marks where something was only taken out.
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

/// Finds the result of replacements that have already happened: where the new texts stand now.
pub(crate) fn locate(after: &str, replacements: &[Replacement]) -> Option<Edited> {
    let mut inserted = Vec::new();
    for replacement in replacements.iter().filter(|replacement| !replacement.new.is_empty()) {
        let kept = common(&replacement.old, &replacement.new);
        let found = after.match_indices(replacement.new.as_str());
        let before = inserted.len();
        inserted.extend(
            found
                .take(if replacement.all { usize::MAX } else { 1 })
                .map(|(at, new)| at + kept.front..at + new.len() - kept.back),
        );
        if inserted.len() == before {
            return None;
        }
    }
    inserted.sort_by_key(|span| span.start);
    Some(Edited { text: after.to_owned(), inserted })
}

fn apply_one(file: &Edited, replacement: &Replacement) -> Option<Edited> {
    let Replacement { old, new, all } = replacement;
    // An empty old text stands for a file that is made anew.
    if old.is_empty() {
        return file.text.is_empty().then(|| Edited { text: new.clone(), inserted: vec![0..new.len()] });
    }
    let kept = common(old, new);
    let mut result =
        Edited { text: String::with_capacity(file.text.len() + new.len()), inserted: Vec::new() };
    // How far each place of the old file has moved, to carry the earlier spans along.
    let mut moves: Vec<(usize, usize)> = Vec::new();
    let mut copied = 0;
    for (at, _) in file.text.match_indices(old.as_str()).take(if *all { usize::MAX } else { 1 }) {
        result.text.push_str(&file.text[copied..at]);
        let start = result.text.len();
        result.text.push_str(new);
        result.inserted.push(start + kept.front..result.text.len() - kept.back);
        copied = at + old.len();
        moves.push((copied, result.text.len()));
    }
    if moves.is_empty() {
        return None;
    }
    result.text.push_str(&file.text[copied..]);
    let moved = |at: usize| match moves.iter().rev().find(|(old_end, _)| *old_end <= at) {
        Some((old_end, new_end)) => at - old_end + new_end,
        None => at.min(result.text.len()),
    };
    let earlier = file.inserted.iter().map(|span| moved(span.start)..moved(span.end).max(moved(span.start)));
    let earlier: Vec<_> = earlier.collect();
    result.inserted.extend(earlier);
    result.inserted.sort_by_key(|span| span.start);
    Some(result)
}

/// How much of two texts is the same at the front and at the back.
struct Common {
    front: usize,
    back: usize,
}

/// An edit quotes some of its surroundings in both texts; only what differs was brought in.
fn common(old: &str, new: &str) -> Common {
    let same = |(a, b): &(char, char)| a == b;
    let front: usize = old.chars().zip(new.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (old, new) = (&old[front..], &new[front..]);
    let back = old.chars().rev().zip(new.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    Common { front, back }
}

#[cfg(test)]
mod tests;
