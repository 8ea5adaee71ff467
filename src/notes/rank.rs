//! Searches notes, the best first, each with the best matching line.

use super::terms::terms;
use crate::model::{Note, shortened};

/// A note that matches a query.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hit<'n> {
    pub(crate) note: &'n Note,
    pub(crate) line: String,
}

/// Maximum length of a shown line, in characters.
const MAX_LINE: usize = 160;

/// Returns the notes that contain any word of the query; names, tags and headings count more than other text.
pub(crate) fn rank<'n>(query: &str, notes: &'n [Note]) -> Vec<Hit<'n>> {
    let wanted = terms(query);
    let mut scored: Vec<(usize, Hit<'n>)> = notes
        .iter()
        .filter_map(|note| {
            let titles = note.text.lines().filter(|line| line.starts_with('#') || line.starts_with("<!--"));
            let title = terms(&format!("{} {}", note.name, titles.collect::<Vec<_>>().join(" ")));
            let text = terms(&note.text);
            let scores: Vec<usize> = wanted
                .iter()
                .map(|word| 3 * usize::from(has_word(&title, word)) + usize::from(has_word(&text, word)))
                .collect();
            let all = scores.iter().all(|score| *score > 0);
            let score = scores.iter().sum::<usize>() * if all { 2 } else { 1 };
            (score > 0).then(|| (score, Hit { note, line: best_line(note, &wanted) }))
        })
        .collect();
    scored.sort_by(|(one, a), (two, b)| two.cmp(one).then_with(|| a.note.name.cmp(&b.note.name)));
    scored.into_iter().map(|(_, hit)| hit).collect()
}

/// Returns whether one of the words matches; a prefix of at least three characters matches too.
fn has_word(words: &[String], wanted: &str) -> bool {
    words.iter().any(|word| word == wanted || wanted.chars().count() >= 3 && word.starts_with(wanted))
}

fn best_line(note: &Note, wanted: &[String]) -> String {
    let lines = note.text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("<!--"));
    let count = |line: &&str| {
        let words = terms(line);
        wanted.iter().filter(|word| has_word(&words, word)).count()
    };
    // Among equals the first one, and text rather than a heading, which the name already says.
    let best = lines.rev().max_by_key(|line| (count(line), !line.starts_with('#')));
    shortened(best.unwrap_or_default().trim(), MAX_LINE).into_owned()
}

#[cfg(test)]
mod tests {
    use super::rank;
    use crate::model::Note;

    #[test]
    fn notes_are_found_by_their_words() {
        let note =
            |name: &str, text: &str| Note { name: name.into(), text: text.into(), bytes: text.len() as u64 };
        let notes = [
            note("pattern-release-steps.md", "# Release\n\nTag and publish.\nThen tell the others.\n"),
            note("external-crate-limits.md", "<!-- tags: publish -->\nA crate has at most 10 MB.\n"),
            note("empirical-conformance-run.md", "The conformance suite takes a minute after a release.\n"),
        ];
        let check = |query: &str, expected: &[&str]| {
            let hits = rank(query, &notes);
            let shown: Vec<String> =
                hits.iter().map(|hit| format!("{}: {}", hit.note.name, hit.line)).collect();
            assert_eq!(shown, expected, "{query}");
        };
        check(
            "release",
            &[
                "pattern-release-steps.md: # Release",
                "empirical-conformance-run.md: The conformance suite takes a minute after a release.",
            ],
        );
        check(
            "publish a crate",
            &[
                "external-crate-limits.md: A crate has at most 10 MB.",
                "pattern-release-steps.md: Tag and publish.",
            ],
        );
        check(
            "conform",
            &["empirical-conformance-run.md: The conformance suite takes a minute after a release."],
        );
        check("nothing like it", &[]);
        check("", &[]);
    }
}
