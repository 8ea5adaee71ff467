//! Each trap separately; `agreement` compares every plan with a plain regex engine.

#![expect(clippy::single_range_in_vec_init, reason = "a list of spans may have one")]

mod agreement;

use super::*;

const DEFAULT: PatternOptions = PatternOptions { case_sensitive: true, multiline: true };
const ANY_CASE: PatternOptions = PatternOptions { case_sensitive: false, multiline: true };
const ONE_LINE: PatternOptions = PatternOptions { case_sensitive: true, multiline: false };

fn pattern(source: &str) -> Pattern {
    Pattern::new(source, DEFAULT).unwrap()
}

/// Checks the gate first, as every caller does.
fn search_in(pattern: &Pattern, text: &str) -> Result<Option<Hits>, Unevaluated> {
    let haystack = Haystack::new(text);
    if !pattern.gate().opens(|text, fold| contains(&haystack, text, fold)) {
        return Ok(None);
    }
    pattern.search(&haystack, None)
}

fn search(source: &str, text: &str) -> Result<Option<Hits>, Unevaluated> {
    search_in(&pattern(source), text)
}

/// Compares the texts of the matches; `None` if the pattern does not fire.
#[track_caller]
fn check(source: &str, text: &str, expect: Option<&[&str]>) {
    check_with(DEFAULT, source, text, expect);
}

#[track_caller]
fn check_with(options: PatternOptions, source: &str, text: &str, expect: Option<&[&str]>) {
    let hits = search_in(&Pattern::new(source, options).unwrap(), text).unwrap();
    let found = hits.map(|hits| hits.spans.into_iter().map(|span| &text[span]).collect::<Vec<_>>());
    assert_eq!(found.as_deref(), expect, "{source} on {text:?}");
}

#[track_caller]
fn check_plan(source: &str, expect: &str) {
    let plan = format!("{:?}", pattern(source).plan);
    assert_eq!(plan.split(['(', ' ']).next(), Some(expect), "{source}");
}

#[test]
fn every_pattern_gets_the_cheapest_plan_that_is_right() {
    check_plan("TODO|FIXME|XXX", "Literals");
    check_plan("(TODO|FIX(ME)?)", "Literals");
    check_plan("console\\.(log|debug|info)", "Literals");
    check_plan("from ['\"]\\.\\./", "Literals");
    check_plan("\\bTODO\\b", "Regex");
    check_plan("^TODO", "Regex");
    check_plan("x*", "Regex");
    check_plan(".", "Regex");
    check_plan("(a+)+$", "Regex");
    check_plan("(?s).{10000,}", "Count");
    check_plan("[\\s\\S]{10000,}", "Count");
    check_plan("(?s)^.{10000,}$", "Count");
    check_plan("(?s)\\A.{10000,}\\z", "Count");
    check_plan("^.{120,}$", "Count");
    check_plan(".{120,}", "Count");
    check_plan("(.{120,})", "Count");
    check_plan("^.{120,200}$", "Regex");
    check_plan(".{20,}", "Regex");
    check_plan("\\A.{120,}", "Regex");
    check_plan("(?=.*a)(?=.*b)", "Conjunction");
    check_plan("(?s)^(?=.*a)(?!.*b).*$", "Conjunction");
    check_plan("(?=[\\s\\S]*a)(?=[\\s\\S]*?b)", "Conjunction");
    check_plan("(?=.*a|b)", "Backtrack");
    check_plan("(?=[\\s\\S]*a|b)", "Backtrack");
    check_plan("(?=.*a)(?=[\\s\\S]*b)", "Backtrack");
    check_plan("(?=.*a)b", "Backtrack");
    check_plan("(?=.+a)", "Backtrack");
    check_plan("(?=a)(a+)+$", "Backtrack");
    check_plan("(?=.*(a))(?=.*\\1)", "Backtrack");
    check_plan("(?=.*[])])", "Backtrack");
    check_plan("(?<!x)y", "Backtrack");
    check_plan("(a)\\1", "Backtrack");
}

#[test]
fn a_pattern_that_matches_nothing_in_particular_fires_without_lines() {
    check("x*", "abc", Some(&[]));
    check("x*", "", Some(&[]));
    check("x*", "axxb", Some(&["xx"]));
    check("^", "", Some(&[]));
    check(".*", "", Some(&[]));
    check(".*", "a\n\nb", Some(&["a", "b"]));
    check(".", "", None);
}

#[test]
fn a_match_after_many_empty_ones_is_still_found() {
    // Every `x` restarts the count; 900 empty matches before each are not too many.
    let text = format!("{0}x{0}xx", ".".repeat(900));
    check("x*", &text, Some(&["x", "xx"]));
    // The search stops before it has seen all of them.
    check("x*", &format!("{}x", ".".repeat(100_000)), Some(&[]));
}

#[test]
fn fifty_matches_are_enough() {
    for source in [".", "x", "x|y", "(?<=[xX\\n]|^)x"] {
        let at_the_limit = search(source, &"x".repeat(50)).unwrap().unwrap();
        assert_eq!((at_the_limit.spans.len(), at_the_limit.more), (50, false), "{source}");
        let above = search(source, &"x".repeat(20_000)).unwrap().unwrap();
        assert_eq!((above.spans.len(), above.more), (50, true), "{source}");
    }
    let lines = search("(?=.*x)", &"x\n".repeat(51)).unwrap().unwrap();
    assert_eq!((lines.spans.len(), lines.more), (50, true));
    let lines = search("(?=.*x)", &"x\n".repeat(50)).unwrap().unwrap();
    assert_eq!((lines.spans.len(), lines.more), (50, false));
}

#[test]
fn a_line_ends_before_crlf_too() {
    check("foo$", "foo\r\nbar\r\n", Some(&["foo"]));
    check("^bar$", "foo\r\nbar\r\n", Some(&["bar"]));
    check("o.*$", "foo\r\nbar", Some(&["oo"]));
    check("foo(?!x)$", "foo\r\nbar", Some(&["foo"]));
    check("(?=.*foo$)", "foo\r\nbar", Some(&["foo"]));
    check("foo$", "foo\rbar", None);
    check_with(ONE_LINE, "foo$", "foo\r\n", None);
    check_with(ONE_LINE, "^bar", "foo\nbar", None);
    check_with(DEFAULT, "^bar", "foo\nbar", Some(&["bar"]));
}

#[test]
fn counting_starts_at_the_threshold() {
    for (source, n) in [("(?s).{100,}", 100), ("[\\s\\S]{100,}", 100), (".{100,}", 100), ("^.{100,}$", 100)] {
        for letter in ["x", "é", "日"] {
            let (enough, short) = (letter.repeat(n), letter.repeat(n - 1));
            check(source, &enough, Some(&[&enough]));
            check(source, &short, None);
            check(source, &format!("{short}\r"), Some(&[&format!("{short}\r")]));
        }
    }
    let two = format!("{}\n{}", "x".repeat(60), "y".repeat(60));
    check(".{100,}", &two, None);
    check("(?s).{100,}", &two, Some(&[&two]));
    let crlf = format!("{}\r\n{}", "x".repeat(99), "y".repeat(100));
    check(".{100,}", &crlf, Some(&[&"y".repeat(100)]));
}

#[test]
fn counting_ten_thousand_characters_in_a_large_text() {
    let text = "0123456789".repeat(500_000);
    check("(?s).{10000,}", &text, Some(&[&text]));
    check("(?s).{50000,}", &text, Some(&[&text]));
    check(".{10000,}", &"x".repeat(9_999), None);
}

#[test]
fn a_run_of_look_aheads_means_and() {
    let text = "let a = 1;\nlet b = 2;\nlet ab = 3;\n";
    check("(?=.*a)(?=.*b)", text, Some(&["a"]));
    check("(?=.*b)(?=.*a)", text, Some(&["b"]));
    check("(?s)(?=.*a)(?=.*b)", text, Some(&["a"]));
    check("(?=.*1)(?=.*2)", text, None);
    check("(?s)(?=.*1)(?=.*2)", text, Some(&["1"]));
    check("(?=[\\s\\S]*1)(?=[\\s\\S]*?2)", text, Some(&["1"]));
    check("^(?=.*let)(?!.*a)", text, Some(&["let"]));
    check("(?s)\\A(?!.*license)", text, Some(&[]));
    check("(?s)\\A(?!.*let)", text, None);
    check("(?=.*A)(?=.*B)", text, None);
    check("(?i)(?=.*A)(?=.*B)", text, Some(&["a"]));
    check_with(ANY_CASE, "(?=.*A)(?=.*B)", text, Some(&["a"]));
    check("(?=.*(a|é))(?=.*3)", "é 3", Some(&["é"]));
    check("(?=.*[)])(?=.*\\()", "()", Some(&[")"]));
}

#[test]
fn a_choice_inside_a_look_ahead_is_not_a_conjunction() {
    check("(?=.*a|b)", "b", Some(&[]));
    check("(?=.*a|b)(?=.*c)", "xb", None);
    check("(?=.*(?:a|b))(?=.*c)", "xbc", Some(&["b"]));
}

#[test]
fn a_conjunction_of_long_matches_is_not_quadratic() {
    let text = "a".repeat(300_000);
    check("(?s)^(?=.*a)(?!.*a.*c)", &text, Some(&["a"]));
    check("(?s)^(?!.*a.*)", &text, None);
    check("(?s)(?!.*a.*)", &text, Some(&[]));
}

#[test]
fn back_references_and_other_look_around_are_evaluated() {
    check("(\\w)\\1", "book", Some(&["oo"]));
    check("(?<!un)safe", "unsafe safe", Some(&["safe"]));
    check("foo(?!bar)", "foobar foobaz", Some(&["foo"]));
    check_with(ANY_CASE, "FOO(?=BAR)", "foobar", Some(&["foo"]));
    check("(a)\\1", "é", None);
}

#[test]
fn backtracking_is_for_texts_of_64_kilobytes() {
    let check = |length: usize, expect: Result<Option<Hits>, Unevaluated>| {
        assert_eq!(search("(x)\\1", &"a".repeat(length)), expect);
    };
    let why = "look-around and back-references are limited to texts of 64 KB";
    check(64 << 10, Ok(None));
    check((64 << 10) + 1, Err(Unevaluated(why.into())));
}

#[test]
fn a_stopped_search_says_so() {
    let text = "a".repeat(40) + "!";
    let Err(Unevaluated(why)) = search("^(a|a)*(?<=x)$", &text) else { panic!("an answer") };
    assert!(why.starts_with("the search was stopped: "), "{why}");
}

#[test]
fn nested_repetition_is_linear() {
    let text = "a".repeat(1_000_000) + "!";
    check("(a+)+$", &text, None);
    check("(x+x+)+y", &"x".repeat(200_000), None);
}

#[test]
fn a_pattern_that_is_too_large_is_found_by_checking() {
    let check =
        |source: &str, expect: PatternSupport| assert_eq!(pattern(source).reach(), expect, "{source}");
    let why = || "the pattern needs more than 4 MB when compiled".to_owned();
    check("\\w{1,500}\\s\\w{1,500}", PatternSupport::AsciiOnly(why()));
    check("(?=.*\\w{1,500}\\s\\w{1,500})", PatternSupport::AsciiOnly(why()));
    check("(?=.*a)(?!.*\\w{1,500}\\s\\w{1,500})", PatternSupport::AsciiOnly(why()));
    check("([a-z]{1,500}x){1,500}", PatternSupport::Nothing(why()));
    for source in ["(?s).{50000,}", "(?=.*a)(?=.*b)", "TODO|FIXME", "\\bTODO\\b", "(a)\\1"] {
        check(source, PatternSupport::AnyText);
    }
    // For an ASCII text it is small enough; for any other it cannot be evaluated.
    assert!(search("\\w{1,500}\\s\\w{1,500}", "ab cd").unwrap().is_some());
    assert_eq!(search("\\w{1,500}\\s\\w{1,500}", "é"), Err(Unevaluated(too_large())));
}

#[test]
fn an_invalid_pattern_says_what_is_wrong_and_where() {
    let check = |source: &str, expect: &str| {
        assert_eq!(Pattern::new(source, DEFAULT), Err(PatternError(expect.into())), "{source}");
    };
    check("(", "unclosed group at character 1");
    check("a)", "unopened group at character 2");
    check("[z-a]", "invalid character class range, the start must be <= the end at character 2");
    check("*", "repetition operator missing expression at character 1");
    check("\\p{Nope}", "Unicode property not found at character 1");
    check("a{2,1}", "invalid repetition count range, the start must be <= the end at character 2");
    check("(?=a)[z-a]", "invalid character class range, the start must be <= the end");
    check("(é)\\2", "invalid back reference to group 2");
    check("é(?=a))", "general parsing error: end of string not reached at character 7");
    // Such a match could end inside a character.
    check("(?-u).", "pattern can match invalid UTF-8 at character 6");
    check("(?-u)\\xC3", "pattern can match invalid UTF-8 at character 6");
}

#[test]
fn a_pattern_designed_to_explode_is_refused() {
    let check = |source: &str, expect: &str| {
        assert_eq!(Pattern::new(source, DEFAULT), Err(PatternError(expect.into())), "{source:.40}");
    };
    let nested = |inner: &str| format!("{}{inner}{}", "(".repeat(50_000), ")".repeat(50_000));
    check(&"(?=".repeat(50_000), "pattern too deeply nested at character 190");
    check(&nested("(?=a)"), "pattern too deeply nested at character 64");
    let sentence = "exceed the maximum number of nested parentheses/brackets (250) at character 251";
    check(&nested("a"), sentence);
    check("(?<a>x\\g<a>?\\g<a>?)", "the pattern is too complex");
    check("(?=a)\\w{1,500}\\s\\w{1,500}", "the pattern needs more than 4 MB when compiled");
}

#[test]
fn case_folds_as_unicode_says() {
    check_with(ANY_CASE, "todo", "ToDo", Some(&["ToDo"]));
    check_with(ANY_CASE, "straße", "STRAßE", Some(&["STRAßE"]));
    check_with(ANY_CASE, "kelvin", "\u{212a}elvin", Some(&["\u{212a}elvin"]));
    check_with(ANY_CASE, "É", "é", Some(&["é"]));
    check("(?i)todo", "TODO", Some(&["TODO"]));
    check_with(ANY_CASE, "(?-i)todo", "TODO", None);
    check_with(ANY_CASE, "foo.*BAR", "FOO bar", Some(&["FOO bar"]));
}

#[test]
fn gates_contain_what_every_match_contains() {
    let check = |source: &str, options: PatternOptions, expect: &[(&[&str], bool)]| {
        let pattern = Pattern::new(source, options).unwrap();
        let texts = pattern
            .gate
            .all
            .iter()
            .map(|one| (one.texts.iter().map(String::as_str).collect::<Vec<_>>(), one.fold));
        let texts = texts.collect::<Vec<_>>();
        let texts = texts.iter().map(|(texts, fold)| (texts.as_slice(), *fold)).collect::<Vec<_>>();
        assert_eq!(texts, expect, "{source}");
    };
    check("TODO|FIXME", DEFAULT, &[(&["TODO", "FIXME"], false)]);
    check("\\bunwrap\\(\\)", DEFAULT, &[(&["unwrap()"], false)]);
    check("a+longer?x*", DEFAULT, &[(&["longe"], false)]);
    check("(foo|ba[rz])x?", DEFAULT, &[(&["foo", "ba"], false)]);
    check("(foo|\\d)x?", DEFAULT, &[]);
    check("a?b*", DEFAULT, &[]);
    check("Foo\\d", ANY_CASE, &[(&["foo"], true)]);
    check("(?i)foo: ", DEFAULT, &[(&[": "], false)]);
    check("(?=.*foo)(?=.*bar)(?!.*baz)", DEFAULT, &[(&["foo"], false), (&["bar"], false)]);
    check("(a)\\1", DEFAULT, &[]);
}

#[test]
fn only_matches_that_touch_added_text_count() {
    let check = |source: &str, text: &str, spans: &[Range<usize>], expect: Option<&[&str]>| {
        let hits = pattern(source).search(&Haystack::new(text), Some(spans)).unwrap();
        let found = hits.map(|hits| hits.spans.into_iter().map(|span| &text[span]).collect::<Vec<_>>());
        assert_eq!(found.as_deref(), expect, "{source} on {text:?} within {spans:?}");
    };
    let text = "one two one";
    check("one", text, &[0..1], Some(&["one"]));
    check("one", text, &[2..4], Some(&["one"]));
    check("one", text, &[3..8], None);
    check("one", text, &[4..7, 8..11], Some(&["one"]));
    check("one", text, &[], None);
    check("\\bone\\b", text, &[0..11], Some(&["one", "one"]));
    // Deleting text between two characters may have made them a match.
    check("one", text, &[1..1], Some(&["one"]));
    check("one", text, &[0..0, 3..3], None);
    check("x*", text, &[4..4], Some(&[]));
    check("^", text, &[4..7], None);
    check("(?=.*one)(?=.*two)", text, &[4..7], Some(&["one"]));
    check("(?=.*one)(?=.*two)", text, &[7..8], None);
    check("(?=.*one)(?!.*three)", text, &[7..8], Some(&["one"]));
    check("(o)(?=n)", text, &[8..9], Some(&["o"]));
    check("(?s).{64,}", &"x".repeat(64), &[3..3], Some(&[&"x".repeat(64)]));
}

#[test]
fn touching_is_the_same_in_one_span_and_in_many() {
    let spans = [0..2, 4..4, 5..7, 7..7, 7..9, 12..12];
    for start in 0..14 {
        for end in start..14 {
            let found = start..end;
            let one_by_one = spans.iter().any(|span| {
                if found.is_empty() {
                    span.start <= found.start && found.start <= span.end
                } else {
                    found.start < span.end && span.start < found.end
                }
            });
            assert_eq!(touches(&spans, &found), one_by_one, "{found:?}");
        }
    }
}
