//! Tests of this module.

use super::*;

/// Writes a tree in one line, each value with what `place` returns for it.
fn show(node: &Node, place: &impl Fn(&Node) -> String) -> String {
    let list = |items: Vec<String>| items.join(", ");
    let value = match &node.value {
        YamlValue::Null => "null".to_owned(),
        YamlValue::Bool(truth) => truth.to_string(),
        YamlValue::Integer(number) => number.to_string(),
        YamlValue::Text { text, .. } => format!("{text:?}"),
        YamlValue::List(items) => format!("[{}]", list(items.iter().map(|item| show(item, place)).collect())),
        YamlValue::Map(entries) => {
            let entry = |(key, value): &(Node, Node)| format!("{}: {}", show(key, place), show(value, place));
            format!("{{{}}}", list(entries.iter().map(entry).collect()))
        }
    };
    value + &place(node)
}

fn show_places(text: &str) -> String {
    show(&parse(text).unwrap().unwrap(), &|node| format!("@{}:{}", node.line, node.column))
}

#[track_caller]
fn check(text: &str, expect: &str) {
    let shown =
        parse(text).map(|node| node.map_or("nothing".to_owned(), |node| show(&node, &|_| String::new())));
    assert_eq!(shown.as_deref(), Ok(expect), "{text}");
}

#[track_caller]
fn check_error(text: &str, line: usize, column: usize, message: &str, hint: Option<&str>) {
    let expect = YamlError { line, column, message: message.into(), hint: hint.map(str::to_owned) };
    assert_eq!(parse(text), Err(expect), "{text:.80}");
}

#[test]
fn values_are_read_by_the_core_schema() {
    check("a", "\"a\"");
    check("[~, null, Null]", "[null, null, null]");
    check("[true, True, FALSE, yes, no, on, off]", r#"[true, true, false, "yes", "no", "on", "off"]"#);
    check(
        "[1, -2, 0, 1.0, 1e3, 0x10, 99999999999999999999]",
        r#"[1, -2, 0, "1.0", "1e3", "0x10", "99999999999999999999"]"#,
    );
    check(r#"["1", 'true', "~", ""]"#, r#"["1", "true", "~", ""]"#);
    check("a: |\n  one\n  two\nb: >\n  one\n  two\n", r#"{"a": "one\ntwo\n", "b": "one two\n"}"#);
    check("on: { hook: Stop }", r#"{"on": {"hook": "Stop"}}"#);
    check("a:\nb: [x, y]\n", r#"{"a": null, "b": ["x", "y"]}"#);
    check("? [a]\n: b\n1: c\n", r#"{["a"]: "b", 1: "c"}"#);
}

#[test]
fn a_file_without_values_is_nothing() {
    check("", "nothing");
    check("# only\n# comments\n", "nothing");
    check("---\n", "nothing");
    check("\u{feff}", "nothing");
    check("~", "nothing");
}

#[test]
fn a_byte_order_mark_is_skipped() {
    check("\u{feff}a: 1", r#"{"a": 1}"#);
    check("a: 1\r\nb: x\r\n", r#"{"a": 1, "b": "x"}"#);
}

#[test]
fn every_value_has_its_position() {
    let text = "# rules\nversion: 1\nrules:\n  - name: a\n    on: { hook: Stop }\n  -  b\n";
    assert_eq!(
        show_places(text),
        "{\"version\"@2:1: 1@2:10, \"rules\"@3:1: [{\"name\"@4:5: \"a\"@4:11, \"on\"@5:5: \
         {\"hook\"@5:11: \"Stop\"@5:17}@5:9}@4:5, \"b\"@6:6]@4:3}@2:1"
    );
    let wide = parse("é: 日本: x\n").map_err(|error| (error.line, error.column));
    assert_eq!(wide.map(|_| ()), Err((1, 6)));
}

#[test]
fn anchors_and_aliases_copy() {
    check("a: &x [1, 2]\nb: *x\n", r#"{"a": [1, 2], "b": [1, 2]}"#);
    check("a: &x t\nb: [*x, *x]\n", r#"{"a": "t", "b": ["t", "t"]}"#);
    assert_eq!(show_places("a: &x t\nb: *x\n"), "{\"a\"@1:1: \"t\"@1:4, \"b\"@2:1: \"t\"@2:4}@1:1");
}

#[test]
fn merge_keys_add_only_keys_that_the_map_lacks() {
    let check = |on: &str, expect: &str| {
        let text = format!("base: &base {{ hook: Stop, tool: Write }}\non: {on}\n");
        check(&text, &format!(r#"{{"base": {{"hook": "Stop", "tool": "Write"}}, "on": {expect}}}"#));
    };
    check("{ <<: *base }", r#"{"hook": "Stop", "tool": "Write"}"#);
    check("{ tool: Edit, <<: *base }", r#"{"tool": "Edit", "hook": "Stop"}"#);
    check("{ <<: *base, tool: Edit }", r#"{"tool": "Edit", "hook": "Stop"}"#);
    check("{ <<: [{ hook: Pre }, *base] }", r#"{"hook": "Pre", "tool": "Write"}"#);
    check("{ \"<<\": *base }", r#"{"<<": {"hook": "Stop", "tool": "Write"}}"#);
}

#[test]
fn a_merge_of_anything_else_is_refused() {
    check_error("a: { <<: 1 }", 1, 10, "`<<` takes a map, or a list of maps", None);
    check_error("a: { <<: [1] }", 1, 10, "`<<` takes a map, or a list of maps", None);
}

#[test]
fn duplicate_keys_stay_in_the_tree() {
    check("- { a: 1, \"a\": 2 }", r#"[{"a": 1, "a": 2}]"#);
    check("[{ a: 1 }, { a: 2 }]", r#"[{"a": 1}, {"a": 2}]"#);
}

#[test]
fn there_is_one_document() {
    check("---\na: 1\n...\n", r#"{"a": 1}"#);
    let hint = "remove the `---`, or split the file in two";
    check_error("a: 1\n---\nb: 2\n", 2, 1, "more than one YAML document in this file", Some(hint));
}

#[test]
fn common_mistakes_have_a_hint() {
    let check = |text: &str, expect: &str| {
        let error = parse(text).expect_err(text);
        assert_eq!(error.hint.as_deref().unwrap_or("none"), expect, "{text}: {}", error.message);
    };
    let backslash = "in double quotes a backslash must be doubled; single quotes take it as it is";
    check("a: \"x\\.y\"", backslash);
    check("a: { b: \"x\\.y\" }\n", backslash);
    check("a:\n  b: `x`\n", "quote this: `\"`x`\"` (a bare backtick is reserved)");
    check("a: one: two\n", "quote this: `\"one: two\"` (a bare `: ` starts a map)");
    check("a: say \"x\": y\n", "quote this: `'say \"x\": y'` (a bare `: ` starts a map)");
    check("a: [a-z]+\nb: 1\n", "quote this: `\"[a-z]+\"` (a bare `[` starts a list)");
    check("a: [a-z]\\d\nb: 1\n", "quote this: `'[a-z]\\d'` (a bare `[` starts a list)");
    check("a: {b}+\nb: 1\n", "quote this: `\"{b}+\"` (a bare `{` starts a map)");
    check("a: 1\n\tb: 2\n", "YAML is indented with spaces, not tabs");
    check("a:\n  b: 1\n\tc: 2\n", "YAML is indented with spaces, not tabs");
    check("a: [", "none");
}

#[test]
fn tags_are_refused() {
    let message = "YAML tags are not supported";
    let hint = Some("quote this: a text that starts with `!` needs quotes");
    check_error("file: !test", 1, 7, message, hint);
    check_error("a: !!str x", 1, 4, message, hint);
    check_error("a: !!map { b: c }", 1, 4, message, hint);
    check_error("a: ! [b]", 1, 4, message, hint);
}

#[test]
fn values_that_need_quotes_have_a_hint() {
    let check = |text: &str, expect: &str| {
        let error = parse(text).unwrap_err();
        assert_eq!((error.line, error.hint.as_deref()), (2, Some(expect)), "{text}: {}", error.message);
    };
    check("a: 1\nfile: !**/test/**\n", "quote this: a text that starts with `!` needs quotes");
    check("a: 1\nfile: !(a|b)\n", "quote this: `\"!(a|b)\"` (a bare `!` starts a tag)");
    check("a: 1\nfile: **/*.ts\n", "quote this: `\"**/*.ts\"` (a bare `*` starts an alias)");
    check("a: 1\nfile: *.ts\n", "quote this: `\"*.ts\"` (a bare `*` starts an alias)");
    check("a:\n  - **/*.ts\n", "quote this: `\"**/*.ts\"` (a bare `*` starts an alias)");
    check(
        "a: 1\nmessage: {{ lines }} are bad\n",
        "quote this: `\"{{ lines }} are bad\"` (a bare `{` starts a map)",
    );
    check(
        "a: 1\ncontent: \"\\.\"\n",
        "in double quotes a backslash must be doubled; single quotes take it as it is",
    );
    check("a:\n\tb: 1\n", "YAML is indented with spaces, not tabs");
}

#[test]
fn invalid_yaml_says_where() {
    let check = |text: &str, line: usize, column: usize| {
        let error = parse(text).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{text}: {}", error.message);
        assert!(error.message.starts_with("not valid YAML: "), "{}", error.message);
    };
    check("rules: [", 2, 1);
    check("a: 1\n b: 2\n", 2, 3);
    check("a: \"open\n", 1, 4);
    check("a: *nobody\n", 1, 4);
    check("{ a: 1", 2, 1);
}

#[test]
fn aliases_count_at_their_full_size() {
    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        laughs += &format!("a{level}: &a{level} [{aliases}]\n");
    }
    assert_eq!(parse(&laughs).unwrap_err().message, "too many values in this file");

    let long_text = format!("a: &a \"{}\"\nb: [{}]\n", "x".repeat(100_000), vec!["*a"; 1_000].join(", "));
    assert_eq!(parse(&long_text).unwrap_err().message, "too many values in this file");

    let anchors = (0..60).map(|at| format!("&a{at} [")).collect::<String>();
    let nested = format!("{anchors}{}{}", vec!["x"; 50_000].join(", "), "]".repeat(60));
    assert_eq!(parse(&nested).unwrap_err().message, "too many values in this file");

    let merges = format!("a: &a {{ k: v }}\nb: {{ {} }}\n", vec!["<<: *a"; 100_000].join(", "));
    assert_eq!(parse(&merges).unwrap_err().message, "too many values in this file");
}

#[test]
fn large_files_of_many_rules_are_read() {
    let rule = "  - name: a\n    on: { hook: PreToolUse, tool: Write, file: [a, b, c] }\n    match: { content: x }\n    message: m\n";
    let text = format!("version: 1\nrules:\n{}", rule.repeat(5_000));
    assert!(matches!(parse(&text), Ok(Some(_))));
    let long = format!("a: \"{}\"\n", "x".repeat(1_000_000));
    assert!(matches!(parse(&long), Ok(Some(_))));
    let keys: String = (0..50_000).map(|key| format!("k{key}: v\n")).collect();
    assert!(matches!(parse(&keys), Ok(Some(_))));
}

#[test]
fn deep_nesting_is_refused() {
    let flow = |depth: usize| format!("{}x{}", "[".repeat(depth), "]".repeat(depth));
    assert!(matches!(parse(&flow(64)), Ok(Some(_))));
    check_error(&flow(65), 1, 65, "nested too deeply", None);
    check_error(&"[".repeat(100_000), 1, 256, "not valid YAML: recursion limit exceeded", None);
    let block = "- ".repeat(10_000) + "x";
    check_error(&block, 1, 129, "nested too deeply", None);
}
