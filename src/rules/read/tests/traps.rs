//! Mistakes that YAML invites, and hostile files.

use super::*;

#[track_caller]
fn check(text: &str, rules: &[&str], expect: &Expect) {
    let loaded = load(text);
    let names: Vec<&str> = loaded.rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, rules, "{text}");
    expect.assert_eq(&show(&loaded.problems));
}

fn on(line: &str) -> String {
    format!(
        "version: 1\nrules:\n  - name: r\n    action: continue\n    message: m\n    on:\n      hook: PreToolUse\n{line}\n"
    )
}

#[test]
fn an_unquoted_exclamation_mark_is_a_tag_and_refused() {
    check(
        &on("      file: !**/test/**"),
        &[],
        &expect![[r#"
        error r.yaml:8:13: YAML tags are not supported (quote this: a text that starts with `!` needs quotes)
    "#]],
    );
    check(
        &on("      file: [!a, b]"),
        &[],
        &expect![[r#"
        error r.yaml:8:14: YAML tags are not supported (quote this: a text that starts with `!` needs quotes)
    "#]],
    );
}

#[test]
fn an_unquoted_star_is_an_alias_and_refused() {
    check(
        &on("      file: **/*.ts"),
        &[],
        &expect![[r#"
        error r.yaml:8:13: not valid YAML: while parsing node, found unknown anchor (quote this: `"**/*.ts"` (a bare `*` starts an alias))
    "#]],
    );
    check(
        &on("      tool: *"),
        &[],
        &expect![[r#"
        error r.yaml:8:13: not valid YAML: while scanning an anchor or alias, did not find expected alphabetic or numeric character (quote this: `"*"` (a bare `*` starts an alias))
    "#]],
    );
}

#[test]
fn unquoted_braces_are_a_map_and_refused() {
    let text = "version: 1\nrules:\n  - name: r\n    on: { hook: Stop }\n    action: continue\n    message: {{ lines }} are bad\n";
    check(
        text,
        &[],
        &expect![[r#"
        error r.yaml:6:26: not valid YAML: while parsing a block mapping, did not find expected key (quote this: `"{{ lines }} are bad"` (a bare `{` starts a map))
    "#]],
    );
    check(
        &text.replace(" are bad", ""),
        &[],
        &expect![[r#"
        error r.yaml:6:14: rule `r`: `message` must be a text, but is a map (quote this if it is meant as one text)
    "#]],
    );
}

#[test]
fn a_bad_escape_in_double_quotes_is_explained() {
    check(
        &on("    match:\n      content: \"console\\.log\""),
        &[],
        &expect![[r#"
        error r.yaml:9:16: not valid YAML: while parsing a quoted scalar, found unknown escape character (in double quotes a backslash must be doubled; single quotes take it as it is)
    "#]],
    );
    check(&on("    match:\n      content: 'console\\.log'"), &["r"], &expect![""]);
}

#[test]
fn tabs_are_explained() {
    check(
        "version: 1\nrules:\n\t- name: r\n",
        &[],
        &expect![[r#"
        error r.yaml:3:2: not valid YAML: tabs disallowed within this context (block indentation) (YAML is indented with spaces, not tabs)
    "#]],
    );
}

#[test]
fn a_file_cut_short_says_where() {
    check(
        "rules: [",
        &[],
        &expect![[r#"
        error r.yaml:2:1: not valid YAML: while parsing a node, did not find expected node content
    "#]],
    );
    check(
        "version: 1\nrules:\n  - name: \"r\n",
        &[],
        &expect![[r#"
        error r.yaml:3:11: not valid YAML: while scanning a quoted scalar, found unexpected end of stream
    "#]],
    );
}

#[test]
fn a_byte_order_mark_and_crlf_do_no_harm() {
    let text = format!("\u{feff}version: 1\nrules:\n{RULE}").replace('\n', "\r\n");
    check(&text, &["r"], &expect![""]);
}

#[test]
fn anchors_and_merge_keys_share_what_rules_have_in_common() {
    let text = r#"
version: 1
x-usual: &usual
  action: continue
  message: m
  on: &write { hook: PreToolUse, tool: Write }
rules:
  - <<: *usual
    name: a
  - name: b
    <<: *usual
    action: interrupt
  - <<: *usual
    name: c
    on:
      <<: *write
      tool: Bash
"#;
    check(text, &["a", "b", "c"], &expect![""]);
    let rules = load(text).rules;
    assert_eq!(rules[1].action, Action::Interrupt);
    assert_eq!(rules[2].tool, ToolFilter::new("Bash").ok());
    assert_eq!(
        rules.iter().map(|rule| (rule.place.line, rule.place.column)).collect::<Vec<_>>(),
        [(8, 5), (10, 5), (13, 5)]
    );
}

#[test]
fn a_duplicate_key_costs_its_rule() {
    check(
        &format!("version: 1\nrules:\n{}{RULE}    name: again\n", RULE.replace("name: r", "name: good")),
        &["good"],
        &expect![[r#"
            error r.yaml:11:5: rule `r`: the key `name` appears twice (keep one of them)
        "#]],
    );
}

#[test]
fn a_second_document_is_refused() {
    check(
        &format!("version: 1\nrules:\n{RULE}---\nversion: 1\n"),
        &[],
        &expect![[r#"
            error r.yaml:7:1: more than one YAML document in this file (remove the `---`, or split the file in two)
        "#]],
    );
}

#[test]
fn files_designed_to_explode_are_refused() {
    let mut laughs = "version: 1\nx-a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        laughs += &format!("x-a{level}: &a{level} [{aliases}]\n");
    }
    check(
        &laughs,
        &[],
        &expect![[r#"
        error r.yaml:6:7: too many values in this file
    "#]],
    );
    check(
        &format!("version: 1\nx-deep: {}\n", "[".repeat(200)),
        &[],
        &expect![[r#"
        error r.yaml:2:72: nested too deeply
    "#]],
    );
}

#[test]
fn a_file_of_thousands_of_rules_is_read() {
    let text = format!("version: 1\nrules:\n{}", RULE.repeat(5_000));
    let loaded = load(&text);
    assert_eq!((loaded.rules.len(), loaded.problems.len()), (5_000, 0));
}

#[test]
fn a_very_long_key_is_only_unknown() {
    let key = "k".repeat(200_000);
    let loaded = load(&format!("version: 1\n? {key}\n: 1\nrules:\n{RULE}"));
    assert_eq!((loaded.rules.len(), loaded.problems.len()), (1, 1));
}
