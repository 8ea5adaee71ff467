//! Escape sequences → spans, and where long lines break.

use expect_test::{Expect, expect};

use super::{COLUMNS, spans, svg, wrapped};

#[test]
fn styles_become_classes() {
    let check = |line: &str, expected: Expect| expected.assert_eq(&spans(line));
    check("plain", expect!["plain"]);
    check("a < b && \"c\"", expect!["a &lt; b &amp;&amp; &quot;c&quot;"]);
    check("\u{1b}[1m\u{1b}[31mno\u{1b}[0m, told", expect![[r#"<tspan class="bold red">no</tspan>, told"#]]);
    check("\u{1b}[1;36mboth\u{1b}[0m", expect![[r#"<tspan class="bold cyan">both</tspan>"#]]);
    check("\u{1b}[2m\u{1b}[0mempty", expect!["empty"]);
}

#[test]
fn a_long_line_goes_on_below_in_its_quotation_and_style() {
    let fits = format!("   │ {}", "x".repeat(COLUMNS - 5));
    assert_eq!(wrapped(&fits, COLUMNS), [fits.as_str()]);
    let long = format!("   │ \u{1b}[1m{} end of it\u{1b}[0m", "x".repeat(COLUMNS - 10));
    let first = format!("   │ \u{1b}[1m{} end", "x".repeat(COLUMNS - 10));
    assert_eq!(wrapped(&long, COLUMNS), [first.as_str(), "   │ \u{1b}[1mof it\u{1b}[0m"]);
    // Without a space there is nothing to break at.
    let whole = "x".repeat(COLUMNS + 10);
    assert_eq!(wrapped(&whole, COLUMNS), [whole.as_str()]);
}

#[test]
fn a_picture_is_as_high_as_its_lines() {
    let height = |lines: &[String]| {
        let picture = svg("about", lines);
        let (_, rest) = picture.split_once(" height=\"").expect("a height");
        rest.split('"').next().and_then(|height| height.parse::<usize>().ok()).expect("a number")
    };
    let lines = ["a".to_owned(), String::new(), "b".to_owned()];
    assert_eq!(height(&lines) - height(&lines[..1]), 2 * super::LINE);
}
