//! Patterns that only count characters: `(?s).{10000,}` for a large file, `^.{120,}$` for a long line.
//!
//! Compiled, such a repetition takes megabytes and is very slow; counting characters gives the same result.

use std::ops::Range;

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};
use serde::{Deserialize, Serialize};

use super::Haystack;

/// Matches at least this many characters, in a line or in the whole text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Count {
    at_least: usize,
    per_line: bool,
}

/// Below this, a compiled regex is cheap enough, and its matches are exact.
const MIN_COUNT: u32 = 64;

impl Count {
    pub(super) fn recognise(hir: &Hir) -> Option<Count> {
        let (before, repetition, after) = parts(hir)?;
        if repetition.min < MIN_COUNT || !repetition.greedy {
            return None;
        }
        let per_line = match class_of(&repetition.sub)? {
            Any::ButNewline => true,
            Any::Character => false,
        };
        // A whole text also begins and ends at line boundaries.
        let starts = before.is_none_or(|look| look == Look::StartLF || (!per_line && look == Look::Start));
        let ends = after.is_none_or(|look| {
            (look == Look::EndLF || (!per_line && look == Look::End)) && repetition.max.is_none()
        });
        (starts && ends).then_some(Count { at_least: repetition.min as usize, per_line })
    }

    pub(super) fn matches<'t>(&self, haystack: &Haystack<'t>) -> Box<dyn Iterator<Item = Range<usize>> + 't> {
        let (haystack, at_least) = (*haystack, self.at_least);
        let whole = 0..haystack.text.len();
        let long = move |span: &Range<usize>| {
            span.len() >= at_least
                && (haystack.ascii || haystack.text[span.clone()].chars().nth(at_least - 1).is_some())
        };
        if self.per_line {
            Box::new(haystack.lines().filter(long))
        } else {
            Box::new(std::iter::once(whole).filter(long))
        }
    }
}

/// Splits `^.{n,}$` into its three parts; groups around the repetition do not matter.
fn parts(hir: &Hir) -> Option<(Option<Look>, &Repetition, Option<Look>)> {
    match hir.kind() {
        HirKind::Repetition(repetition) => Some((None, repetition, None)),
        HirKind::Capture(capture) => parts(&capture.sub),
        HirKind::Concat(items) => {
            let look = |hir: &Hir| if let HirKind::Look(look) = hir.kind() { Some(*look) } else { None };
            match items.as_slice() {
                [first, middle] => match (look(first), look(middle)) {
                    (Some(before), None) => bare(middle).map(|repetition| (Some(before), repetition, None)),
                    (None, Some(after)) => bare(first).map(|repetition| (None, repetition, Some(after))),
                    _ => None,
                },
                [first, middle, last] => bare(middle)
                    .map(|repetition| (look(first), repetition, look(last)))
                    .filter(|(before, _, after)| before.is_some() && after.is_some()),
                _ => None,
            }
        }
        _ => None,
    }
}

fn bare(hir: &Hir) -> Option<&Repetition> {
    match hir.kind() {
        HirKind::Repetition(repetition) => Some(repetition),
        HirKind::Capture(capture) => bare(&capture.sub),
        _ => None,
    }
}

enum Any {
    Character,
    ButNewline,
}

fn class_of(hir: &Hir) -> Option<Any> {
    let hir = if let HirKind::Capture(capture) = hir.kind() { &capture.sub } else { hir };
    let HirKind::Class(Class::Unicode(class)) = hir.kind() else { return None };
    let ranges: Vec<_> = class.ranges().iter().map(|range| (range.start(), range.end())).collect();
    match ranges.as_slice() {
        [('\0', char::MAX)] => Some(Any::Character),
        [('\0', '\t'), ('\u{b}', char::MAX)] => Some(Any::ButNewline),
        _ => None,
    }
}
