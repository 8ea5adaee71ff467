//! The gate of a pattern: texts of which at least one must be present, or the pattern cannot match.
//!
//! Searching a literal costs a fraction of compiling a regex, and settles most rules for most events.

use regex_syntax::hir::literal::{ExtractKind, Extractor};
use regex_syntax::hir::{Hir, HirKind};
use serde::{Deserialize, Serialize};

use super::{Haystack, PatternOptions};

/// Every group must have at least one text that is present.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Gate {
    pub(crate) all: Vec<AnyOf>,
}

/// Texts of which at least one must be present.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AnyOf {
    pub(crate) texts: Vec<String>,
    /// Compare without regard to case; the texts are lower case then.
    pub(crate) fold: bool,
}

/// Searching for more alternatives than this costs more than it saves.
const MAX_TEXTS: usize = 16;

impl Gate {
    /// Returns the gate of a plain pattern.
    pub(super) fn of(source: &str, hir: &Hir, options: PatternOptions) -> Gate {
        if options.case_sensitive {
            return Gate {
                all: required(hir).map(|texts| AnyOf { texts, fold: false }).into_iter().collect(),
            };
        }
        // Case folding turns each letter into a class, so the literals are taken from the unfolded pattern.
        let unfolded = super::parse(source, PatternOptions { case_sensitive: true, ..options });
        let texts = unfolded
            .ok()
            .as_ref()
            .and_then(required)
            .filter(|texts| texts.iter().all(|text| text.is_ascii()));
        let lower = |texts: Vec<String>| texts.into_iter().map(|text| text.to_ascii_lowercase()).collect();
        Gate { all: texts.map(|texts| AnyOf { texts: lower(texts), fold: true }).into_iter().collect() }
    }

    /// Returns whether the pattern may match, given a function that checks whether a text is present.
    pub(crate) fn opens(&self, mut present: impl FnMut(&str, bool) -> bool) -> bool {
        self.all.iter().all(|group| group.texts.iter().any(|text| present(text, group.fold)))
    }
}

/// Searches for one text; with `fold`, the text must be ASCII.
pub(crate) fn contains(haystack: &Haystack<'_>, text: &str, fold: bool) -> bool {
    if !fold {
        return memchr::memmem::find(haystack.text.as_bytes(), text.as_bytes()).is_some();
    }
    // Some non-ASCII letters fold to ASCII ones (the Kelvin sign folds to `k`): leave that to the regex.
    !haystack.ascii || contains_folded(haystack.text.as_bytes(), text.as_bytes())
}

fn contains_folded(bytes: &[u8], lower: &[u8]) -> bool {
    let Some((&first, _)) = lower.split_first() else { return true };
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), bytes)
        .any(|at| bytes[at..].get(..lower.len()).is_some_and(|window| window.eq_ignore_ascii_case(lower)))
}

/// Returns the texts that the pattern matches, if it is only a choice of literal texts.
pub(super) fn exact_literals(hir: &Hir) -> Option<Vec<String>> {
    // The extractor ignores `^` and `\b`.
    if !hir.properties().look_set().is_empty() {
        return None;
    }
    let found = Extractor::new().kind(ExtractKind::Prefix).extract(hir);
    let literals =
        found.literals().filter(|all| found.is_exact() && !all.is_empty() && all.len() <= MAX_TEXTS)?;
    literals
        .iter()
        .map(|one| String::from_utf8(one.as_bytes().to_vec()).ok().filter(|text| !text.is_empty()))
        .collect()
}

/// Returns texts of which every match contains at least one.
fn required(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Literal(literal) => String::from_utf8(literal.0.to_vec()).ok().map(|text| vec![text]),
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Concat(items) => items.iter().filter_map(required).max_by_key(|texts| strength(texts)),
        HirKind::Alternation(items) => {
            let texts: Vec<Vec<String>> = items.iter().map(required).collect::<Option<_>>()?;
            Some(texts.concat()).filter(|texts| texts.len() <= MAX_TEXTS)
        }
        _ => None,
    }
}

/// Prefers the set whose shortest text is longest, since it rejects the most; among equals, the smallest set.
fn strength(texts: &[String]) -> (usize, std::cmp::Reverse<usize>) {
    (texts.iter().map(String::len).min().unwrap_or(0), std::cmp::Reverse(texts.len()))
}
