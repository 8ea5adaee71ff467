//! Tests of this module.

use super::*;

fn variables() -> MessageVariables<'static> {
    MessageVariables {
        lines: "3, 7".into(),
        file_path: "src/a.rs",
        matched: "TODO".into(),
        tool_name: "Write",
        prompt: "run it",
        after: "src/b.rs",
    }
}

#[track_caller]
fn check(template: &str, expect: &str) {
    assert_eq!(render(template, &variables()), expect);
}

#[test]
fn all_variables_are_filled_in() {
    check(
        "{{ lines }}|{{ file_path }}|{{ matched }}|{{ tool_name }}|{{ prompt }}|{{ after }}",
        "3, 7|src/a.rs|TODO|Write|run it|src/b.rs",
    );
}

#[test]
fn inner_spaces_do_not_matter() {
    check("{{lines}} {{  lines\t}} {{ lines}} {{lines }} {{\nlines\n}}", "3, 7 3, 7 3, 7 3, 7 3, 7");
}

#[test]
fn inserted_values_are_not_expanded_again() {
    let variables = MessageVariables { matched: "{{ lines }} {{".into(), prompt: "lines }}", ..variables() };
    assert_eq!(render("{{ matched }}{{ prompt }}", &variables), "{{ lines }} {{lines }}");
}

#[test]
fn unknown_variables_stay_as_written() {
    check("{{ unknown }} {{Lines}} {{ file path }}", "{{ unknown }} {{Lines}} {{ file path }}");
    check("{ lines } {{}} {{ }} {{ lines } }", "{ lines } {{}} {{ }} {{ lines } }");
    check("{{{ lines }}}", "{3, 7}");
    check("{{{{ lines }}}}", "{{3, 7}}");
    check("{{ {{ lines }}", "{{ 3, 7");
    check("${{ secrets.TOKEN }}", "${{ secrets.TOKEN }}");
    check("{{", "{{");
    check("", "");
    check(
        "{{ größe }} {{日本語 日本語 日本語 日本語 日本語 日本語 日本語 日本語",
        "{{ größe }} {{日本語 日本語 日本語 日本語 日本語 日本語 日本語 日本語",
    );
}

#[test]
fn a_variable_without_a_value_is_empty() {
    assert_eq!(render("a {{ lines }}{{ file_path }}{{ prompt }} b", &MessageVariables::default()), "a  b");
}

#[test]
fn a_message_ends_with_its_last_word() {
    check("one\ntwo\n\n", "one\ntwo");
    check("  indented", "  indented");
}

#[test]
fn a_value_that_is_too_long_is_cut() {
    let prompt = "é".repeat(MAX_VALUE + 5);
    let variables = MessageVariables { prompt: &prompt, ..MessageVariables::default() };
    assert_eq!(render("{{ prompt }}!", &variables), "é".repeat(MAX_VALUE) + "!");
}

#[test]
fn a_long_run_of_braces_is_read_in_one_pass() {
    let braces = "{".repeat(300_000);
    check(&braces, &braces);
    assert_eq!(unknown_variables(&braces), Vec::<&str>::new());
}

#[test]
fn unknown_variables_are_found() {
    let check = |template: &str, expect: &[&str]| assert_eq!(unknown_variables(template), expect);
    check("{{ lines }} {{ file }} {{match}}", &["file", "match"]);
    check("{{ lines | join }} {{ a.b }} {{ lines }}", &["lines | join", "a.b"]);
    check("{{ }} { x } {{ x", &[]);
}

#[test]
fn twenty_lines_are_listed_and_the_others_counted() {
    let check = |count: usize, more: bool, expect: &str| {
        assert_eq!(line_list(&(1..=count).collect::<Vec<_>>(), more), expect);
    };
    let twenty = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20";
    check(0, false, "");
    check(1, false, "1");
    check(3, false, "1, 2, 3");
    check(3, true, "1, 2, 3 (+ more)");
    check(20, false, twenty);
    check(21, false, &format!("{twenty} (+1 more)"));
    check(50, true, &format!("{twenty} (+30 or more)"));
}

#[test]
fn a_match_becomes_one_clean_short_line() {
    let check = |text: &str, expect: &str| assert_eq!(matched_text(text), expect);
    check("TODO: x", "TODO: x");
    check("one\ntwo", "one");
    check("one\r\ntwo", "one");
    check("\n\r\n  two\nthree", "  two");
    check("\n", "");
    check("", "");
    check("a\u{1b}[31mb\u{7}\tc\u{9b}", "a[31mbc");
    check(&"é".repeat(300), &"é".repeat(200));
}
