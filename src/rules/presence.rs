//! Finds which of many texts are in a long one, in one pass for dozens of them together.

use std::collections::HashSet;

use aho_corasick::{AhoCorasick, Input, MatchKind, Span, packed};

/// The vectorised search takes at most this many texts at a time.
const MAX_TEXTS: usize = 64;

/// Returns the wanted texts that are present.
pub(super) fn present_texts<'w>(text: &str, mut wanted: Vec<&'w str>) -> HashSet<&'w str> {
    wanted.sort_unstable();
    wanted.dedup();
    let mut present = HashSet::new();
    for some in wanted.chunks(MAX_TEXTS) {
        let mut missing = some.to_vec();
        let mut from = 0;
        // A text that was found is not searched again, so that a frequent text costs no more than a rare one.
        while let Some(at) = find_any(text, from, &missing) {
            let (found, rest): (Vec<&str>, Vec<&str>) =
                missing.iter().partition(|one| text.as_bytes()[at..].starts_with(one.as_bytes()));
            present.extend(found);
            (missing, from) = (rest, at);
        }
    }
    present
}

/// Returns the position of the first match of any text, at `from` or later.
fn find_any(text: &str, from: usize, wanted: &[&str]) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    let span = Span { start: from, end: text.len() };
    if let Some(searcher) = packed::Searcher::new(wanted) {
        return searcher.find_in(text, span).map(|found| found.start());
    }
    // The default match kind returns the match that ends first, which may not be the one that starts first.
    let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(wanted).ok()?;
    automaton.find(Input::new(text).span(span)).map(|found| found.start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_texts_are_all_found() {
        let found = present_texts(
            "say console.log here",
            vec!["console", "sole.log", "log", "absent", "console.log", "so"],
        );
        assert_eq!(found, HashSet::from(["console", "sole.log", "log", "console.log", "so"]));
    }

    #[test]
    fn the_result_is_that_of_a_plain_search() {
        let strategy = ("[abc]{0,60}", proptest::collection::vec("[abc]{1,4}", 0..150));
        proptest::proptest!(|((text, wanted) in strategy)| {
            let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
            let plain: HashSet<&str> = wanted.iter().copied().filter(|one| text.contains(one)).collect();
            assert_eq!(present_texts(&text, wanted), plain);
        });
    }
}
