//! Merges a new text into a note: as a separate section, and only what is not in it yet.
//!
//! Nothing is dated: git knows when each line was added, and readers of the note do not need it.

use std::collections::HashSet;

use crate::model::tags;

/// The result of merging a text into a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Merged {
    /// The note already contains all of it.
    Unchanged,
    Text(String),
}

/// Appends a text to the text of a note; both may begin with a line of tags, which are merged into one.
pub(crate) fn merge(old: &str, new: &str, new_tags: &[String]) -> Merged {
    let mut all_tags = tags(old);
    for tag in tags(new).iter().chain(new_tags) {
        if !all_tags.contains(tag) {
            all_tags.push(tag.clone());
        }
    }
    let (old_body, new_body) = (body(old), body(new));
    let has_all_tags = all_tags == tags(old);
    let section = section(old_body, new_body);
    if contains(old_body, new_body) || section.is_empty() {
        return if has_all_tags { Merged::Unchanged } else { Merged::Text(format_note(&all_tags, old_body)) };
    }
    let gap = if old_body.is_empty() { "" } else { "\n\n" };
    Merged::Text(format_note(&all_tags, &format!("{old_body}{gap}{section}")))
}

/// Formats the text of a note, with its tags in the first line.
fn format_note(tags: &[String], body: &str) -> String {
    if tags.is_empty() {
        format!("{body}\n")
    } else {
        format!("<!-- tags: {} -->\n{body}\n", tags.join(", "))
    }
}

/// Returns a text without its tags and surrounding empty lines.
fn body(text: &str) -> &str {
    let rest = if tags(text).is_empty() { text } else { text.split_once('\n').map_or("", |(_, rest)| rest) };
    rest.trim_end().trim_start_matches(['\n', '\r'])
}

/// Makes a section from a text: a note has one title, so the title of the new text is dropped or becomes a subheading.
fn section(old: &str, new: &str) -> String {
    let (first, rest) = new.split_once('\n').unwrap_or((new, ""));
    let Some(title) = first.strip_prefix("# ").filter(|_| !old.is_empty()) else { return new.to_owned() };
    let same = old.lines().any(|line| line.starts_with('#') && words(line) == words(first));
    if same {
        rest.trim_start_matches(['\n', '\r']).to_owned()
    } else {
        format!("## {title}\n{rest}").trim_end().to_owned()
    }
}

/// A note that is compared with many others: what `merge` would look at, worked out once.
#[derive(Debug)]
pub(super) struct Comparable {
    tags: Vec<String>,
    /// The body with single spaces between and around its words.
    text: String,
    /// The words of its headings.
    headings: HashSet<String>,
    title: Option<ComparableTitle>,
}

/// The title of a note, and the body in the two forms that it can have as a section of another note.
#[derive(Debug)]
struct ComparableTitle {
    words: String,
    /// Without the title, which the other note has.
    rest: String,
    /// With the title as a subheading.
    section: String,
}

impl Comparable {
    pub(super) fn new(text: &str) -> Comparable {
        let body = body(text);
        let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
        let title = first.strip_prefix("# ").map(|title| ComparableTitle {
            words: words(first),
            rest: spaced(rest),
            section: spaced(&format!("## {title}\n{rest}")),
        });
        let headings = body.lines().filter(|line| line.starts_with('#')).map(words);
        Comparable { tags: tags(text), text: spaced(body), headings: headings.collect(), title }
    }

    /// Returns whether another note contains all of this one; of two equal notes, the first one stays.
    pub(super) fn is_in(&self, other: &Comparable, other_is_first: bool) -> bool {
        self.is_within(other) && (other_is_first || !other.is_within(self))
    }

    /// Returns whether merging this note into another one would change nothing.
    fn is_within(&self, other: &Comparable) -> bool {
        let is_there = |text: &str| text.len() <= other.text.len() && other.text.contains(text);
        let as_section = |title: &ComparableTitle| match other.headings.contains(&title.words) {
            true => title.rest.trim().is_empty() || is_there(&title.rest),
            false => is_there(&title.section),
        };
        !other.text.trim().is_empty()
            && self.tags.iter().all(|tag| other.tags.contains(tag))
            && (is_there(&self.text) || self.title.as_ref().is_some_and(as_section))
    }
}

fn spaced(text: &str) -> String {
    format!(" {} ", text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn contains(old: &str, new: &str) -> bool {
    spaced(old).contains(&spaced(new)) || spaced(old).contains(&spaced(&section(old, new)))
}

fn words(line: &str) -> String {
    line.trim_start_matches('#').split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Comparable, Merged, merge};

    #[test]
    fn a_text_becomes_a_section() {
        let check = |old: &str, new: &str, tags: &[&str], expected: &str| {
            let tags: Vec<String> = tags.iter().map(ToString::to_string).collect();
            let merged = match merge(old, new, &tags) {
                Merged::Unchanged => "unchanged".to_owned(),
                Merged::Text(text) => text,
            };
            assert_eq!(merged, expected, "{old:?} + {new:?}");
        };
        check("# A\n\nOne.\n", "Two.", &[], "# A\n\nOne.\n\nTwo.\n");
        check("# A\n\nOne.\n", "# A\n\nTwo.\n", &[], "# A\n\nOne.\n\nTwo.\n");
        check("# A\n\nOne.\n", "# B\n\nTwo.\n", &[], "# A\n\nOne.\n\n## B\n\nTwo.\n");
        check("# A\n\nOne two\nthree.\n", "one", &[], "# A\n\nOne two\nthree.\n\none\n");
        check("# A\n\nOne two\nthree.\n", "One  two three.", &[], "unchanged");
        check("# A\n\nOne.\n\n## B\n\nTwo.\n", "# B\n\nTwo.\n", &[], "unchanged");
        check("# A\n\nOne.\n", "# A", &[], "unchanged");
        check("", "# A\n\nOne.", &[], "# A\n\nOne.\n");
        check("", "Two.", &["x"], "<!-- tags: x -->\nTwo.\n");
        check(
            "<!-- tags: a, b -->\n# A\n",
            "<!-- tags: b, c -->\nTwo.",
            &["d"],
            "<!-- tags: a, b, c, d -->\n# A\n\nTwo.\n",
        );
        check("<!-- tags: a -->\n# A\n\nOne.\n", "One.", &["b"], "<!-- tags: a, b -->\n# A\n\nOne.\n");
    }

    proptest! {
        /// The comparison of many notes answers as a merge would.
        #[test]
        fn what_is_within_would_not_be_added(
            old in "(<!-- tags: x -->\\n)?(# a\\n)?[#ab \\n-]{1,20}",
            new in "(<!-- tags: x -->\\n)?(# a\\n)?[#ab \\n-]{1,8}",
        ) {
            let is_within = Comparable::new(&new).is_within(&Comparable::new(&old));
            let merges = merge(&old, &new, &[]) != Merged::Unchanged;
            for text in [&old, &new] {
                prop_assume!(!super::spaced(super::body(text)).trim().is_empty());
            }
            prop_assert_eq!(is_within, !merges, "{:?} in {:?}", new, old);
        }

        #[test]
        fn merging_any_text_twice_adds_nothing(old in "[#a \\n-]{0,20}", new in "(<!-- tags: x -->\\n)?[#ab \\n-]{0,20}") {
            if let Merged::Text(once) = merge(&old, &new, &[]) {
                prop_assert_eq!(merge(&once, &new, &[]), Merged::Unchanged, "{:?}", once);
            }
        }
    }

    #[test]
    fn merging_twice_adds_nothing() {
        for new in ["# B\n\nTwo.", "Two.\n\n- a\n- b\n", "<!-- tags: x -->\n# A\n\nMore"] {
            let Merged::Text(once) = merge("# A\n\nOne.\n", new, &[]) else {
                panic!("{new}: nothing was merged")
            };
            assert_eq!(merge(&once, new, &[]), Merged::Unchanged, "{new}");
        }
    }
}
