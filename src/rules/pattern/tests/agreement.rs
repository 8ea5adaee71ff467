//! On generated patterns and texts, every plan agrees with the plain engines.

use proptest::prelude::*;

use super::*;

fn options() -> impl Strategy<Value = PatternOptions> {
    (any::<bool>(), any::<bool>())
        .prop_map(|(case_sensitive, multiline)| PatternOptions { case_sensitive, multiline })
}

fn joined(parts: &'static [&'static str], max: usize) -> impl Strategy<Value = String> {
    let part = proptest::sample::select(parts);
    proptest::collection::vec(part, 0..max).prop_map(|parts| parts.concat())
}

const ASCII: &[&str] =
    &["a", "b", "k", "A", "B", "K", "foo", "Foo", "bar", " ", "_", "1", "\n", "\n\n", "\r\n"];
const ANY: &[&str] = &[
    "a", "b", "k", "A", "K", "foo", "bar", " ", "1", "\n", "\r\n", "\r", "é", "É", "日", "\u{212a}", "ſ", "s",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![joined(ASCII, 12), joined(ANY, 12)]
}

const PARTS: &[&str] = &[
    "a",
    "b",
    "k",
    "foo",
    "bar",
    "A",
    "é",
    "s",
    " ",
    "\\n",
    "\\r",
    ".",
    "|",
    "|",
    "?",
    "*",
    "+",
    "+?",
    "{2}",
    "{1,2}",
    "^",
    "$",
    "\\b",
    "\\B",
    "\\w",
    "\\s",
    "\\d",
    "\\W",
    "[ab]",
    "[^a]",
    "[a-k]",
    "(a|b)",
    "(foo|bar)",
    "(?:",
    ")",
    "(?i)",
    "(?s)",
    "(?-i:k)",
    "\\A",
    "\\z",
    "\\p{L}",
];

/// The result of the `regex` crate, with Unicode.
fn regex_says(source: &str, options: PatternOptions, text: &str) -> Option<Vec<Range<usize>>> {
    let regex = regex::RegexBuilder::new(source)
        .case_insensitive(!options.case_sensitive)
        .multi_line(options.multiline)
        .crlf(text.contains("\r\n"))
        .build()
        .ok()?;
    Some(regex.find_iter(text).map(|found| found.range()).collect())
}

/// Whether `fancy-regex` finds anything, line by line, so that no match starts inside a `\r\n`.
fn fancy_says(source: &str, options: PatternOptions, text: &str) -> Option<bool> {
    let regex = fancy_regex::RegexBuilder::new(source)
        .case_insensitive(!options.case_sensitive)
        .multi_line(options.multiline)
        .crlf(text.contains("\r\n"))
        .build()
        .ok()?;
    let whole_text = source.contains("[\\s\\S]*") || source.starts_with("(?s");
    let starts = regex.find_iter(text).map(|found| found.map(|found| found.start()));
    let starts = starts.collect::<Result<Vec<_>, _>>().ok()?;
    Some(starts.iter().any(|at| whole_text || text.get(at.saturating_sub(1)..at + 1) != Some("\r\n")))
}

fn term() -> impl Strategy<Value = String> {
    let wanted = prop_oneof![
        4 => joined(&["a", "b", "foo", "(a|b)", "[ab]", "é", "\\b", "k", "$", "^", "\\w", "1+"], 3),
        1 => joined(PARTS, 3),
    ];
    (any::<bool>(), proptest::sample::select(&[".*", ".*", ".*?", "[\\s\\S]*", "[\\s\\S]*?"][..]), wanted)
        .prop_map(|(negated, star, wanted)| format!("(?{}{star}{wanted})", if negated { '!' } else { '=' }))
}

fn conjunction() -> impl Strategy<Value = String> {
    let flags = proptest::sample::select(&["", "", "(?s)", "(?i)", "(?m)", "(?si)"][..]);
    let anchor = proptest::sample::select(&["", "", "^", "\\A"][..]);
    let tail = proptest::sample::select(&["", "", ".*", ".*$"][..]);
    (flags, anchor, proptest::collection::vec(term(), 1..4), tail)
        .prop_map(|(flags, anchor, terms, tail)| format!("{flags}{anchor}{}{tail}", terms.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn plain_patterns_agree_with_the_regex_crate(source in joined(PARTS, 6), options in options(), text in text()) {
        let Some(expect) = regex_says(&source, options, &text) else { return Ok(()) };
        let found = search_in(&Pattern::new(&source, options).unwrap(), &text).unwrap();
        prop_assert_eq!(found.is_some(), !expect.is_empty(), "{:?} on {:?}", source, text);
        let spans: Vec<_> = expect.into_iter().filter(|span| !span.is_empty()).take(MAX_HITS).collect();
        prop_assert_eq!(found.unwrap_or_default().spans, spans, "{:?} on {:?}", source, text);
    }

    #[test]
    fn choices_of_texts_agree_with_the_regex_crate(
        texts in proptest::collection::vec(joined(&["a", "b", "foo", "é", "A", "s", "k"], 4), 1..5),
        options in options(),
        text in text(),
    ) {
        let source = texts.join("|");
        let expect = regex_says(&source, options, &text).unwrap();
        let found = search_in(&Pattern::new(&source, options).unwrap(), &text).unwrap();
        prop_assert_eq!(found.is_some(), !expect.is_empty(), "{:?} on {:?}", source, text);
        let spans: Vec<_> = expect.into_iter().filter(|span| !span.is_empty()).collect();
        prop_assert_eq!(found.unwrap_or_default().spans, spans, "{:?} on {:?}", source, text);
    }

    #[test]
    fn conjunctions_agree_with_fancy_regex(source in conjunction(), options in options(), text in text()) {
        // In `fancy-regex` a flag that is set inside a look-ahead stays set after it.
        prop_assume!(!source[1..].contains("(?i)") && !source[1..].contains("(?s)"));
        let Ok(pattern) = Pattern::new(&source, options) else { return Ok(()) };
        let Some(expect) = fancy_says(&source, options, &text) else { return Ok(()) };
        let found = search_in(&pattern, &text).unwrap();
        prop_assert_eq!(found.is_some(), expect, "{:?} on {:?}", source, text);
        for span in found.unwrap_or_default().spans {
            prop_assert!(text.get(span).is_some());
        }
    }

    #[test]
    fn counts_agree_with_the_regex_crate(
        source in proptest::sample::select(&[
            ".{66,}", "^.{66,}$", "^.{66,}", ".{66,}$", "(?s).{66,}", "[\\s\\S]{66,}", "(?s)^.{66,}$",
            "(?s)\\A.{66,}\\z", "(.{66,})", ".{66,70}", "^.{66,70}", "(?s).{66,70}", "(?s)^.{66,70}$",
            "(?s).{66,}$", "(?s)\\A.{66,70}",
        ][..]),
        options in options(),
        pieces in proptest::collection::vec((0_usize..70, proptest::sample::select(ANY)), 0..4),
    ) {
        let text: String = pieces.iter().map(|(count, letter)| "x".repeat(*count) + letter).collect();
        let text = if text.is_ascii() { text } else { text.replace("xx", "éx") };
        let expect = regex_says(source, options, &text).unwrap();
        let found = search_in(&Pattern::new(source, options).unwrap(), &text).unwrap();
        prop_assert_eq!(found.is_some(), !expect.is_empty(), "{} on {:?}", source, text);
        // With an upper bound the matches are pieces of a line; counting returns the whole line.
        if !source.contains("70") {
            prop_assert_eq!(found.unwrap_or_default().spans, expect, "{} on {:?}", source, text);
        }
    }
}
