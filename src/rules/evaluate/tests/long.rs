//! Long texts, whose gates are searched together, give the same outcomes as short ones.

use proptest::prelude::*;

use super::*;

const PATTERNS: [(&str, bool); 14] = [
    ("TODO", true),
    ("todo", true),
    ("todo", false),
    ("TODO|FIXME", true),
    ("FIX", true),
    ("FIXME!?", true),
    ("\\bfix\\w+", false),
    ("(?=.*TODO)(?=.*FIXME)", true),
    ("(?s)(?=.*TODO)(?!.*never)", true),
    ("(?=.*todo)(?!.*fixme)", false),
    ("kelvin", false),
    ("é+", true),
    ("^x$", true),
    (".{100,}", true),
];

fn rules() -> Vec<String> {
    let pattern = |(source, case_sensitive): (&str, bool)| {
        rule(&format!("match: {{ content: '{source}', case_sensitive: {case_sensitive} }}"))
    };
    PATTERNS.map(pattern).to_vec()
}

fn outcomes(text: &str) -> Vec<RuleOutcome> {
    let mut outcomes = vec![RuleOutcome::Excepted; PATTERNS.len()];
    trial(&rules(), write(text), None).run(|index, outcome| outcomes[index] = outcome);
    outcomes
}

/// The outcome `by` lines further down, with a message that only says what was matched.
fn further_down(outcome: RuleOutcome, by: usize) -> RuleOutcome {
    let RuleOutcome::Fired(Fired { action, message, lines, happened }) = outcome else { return outcome };
    let message = message.split('|').next_back().unwrap_or_default().to_owned();
    let lines = lines.into_iter().map(|line| line + by).collect();
    RuleOutcome::Fired(Fired { action, message, lines, happened })
}

#[test]
fn line_numbers_are_right_after_thousands_of_lines() {
    let text = format!("{}TODO\n{}FIXME TODO\n", "a line\n".repeat(9_999), "é\n".repeat(10));
    check("match: { content: TODO }", write(&text), "fired 10000, 10011|TODO");
    check("match: { content: fixme, case_sensitive: false }", write(&text), "fired 10011|FIXME");
    check("match: { content: '(?=.*TODO)(?=.*FIXME)' }", write(&text), "fired 10011|TODO");
    check("match: { content: NOTHING }", write(&text), "unmatched content");
    let edited = text.replace("FIXME TODO", "old");
    check_edit("match: { content: FIXME }", &edited, edit(&[("old", "FIXME")]), "fired 10011|FIXME");
}

#[test]
fn overlapping_gate_texts_are_all_found() {
    let text = "-".repeat(LONG_TEXT) + "abcd";
    for source in ["abcd", "bc", "bcd", "cd", "d", "abc"] {
        let rules = ["abcd", "bc", "bcd", "cd", "d", "abc", source]
            .map(|source| rule(&format!("match: {{ content: '{source}' }}")));
        let mut fired = 0;
        trial(&rules, write(&text), None)
            .run(|_, outcome| fired += usize::from(matches!(outcome, RuleOutcome::Fired(_))));
        assert_eq!(fired, rules.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_long_text_gives_the_outcomes_of_a_short_one(
        parts in proptest::collection::vec(proptest::sample::select(&[
            "TODO", "todo", "FIXME", "FIX", "never", "\u{212a}elvin", "é", "x", " ", "\n", "\n", "\r\n",
        ][..]), 0..10),
    ) {
        let short = parts.concat();
        // Empty lines before the text change only the line numbers in the messages.
        let padding = "\n".repeat(LONG_TEXT);
        let expect: Vec<RuleOutcome> =
            outcomes(&short).into_iter().map(|outcome| further_down(outcome, LONG_TEXT)).collect();
        let found: Vec<RuleOutcome> =
            outcomes(&(padding + &short)).into_iter().map(|outcome| further_down(outcome, 0)).collect();
        prop_assert_eq!(found, expect, "{:?}", short);
    }
}
