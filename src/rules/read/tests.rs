//! Whole files and rules; `doubts` has rules that load but are doubtful, `keys` each key of the schema, right and
//! wrong, `rfc` the examples of the RFC, `traps` the mistakes that YAML invites.

mod doubts;
mod keys;
mod rfc;
mod traps;

use expect_test::{Expect, expect};

use super::*;
use crate::model::Severity;
use crate::rules::schema::Conditions;

const RULE: &str = "  - name: r\n    on: { hook: PreToolUse }\n    action: continue\n    message: m\n";

fn load(text: &str) -> Loaded {
    read("r.yaml", text, MissingVersion::Warn)
}

/// A file with one rule: the usual one, with `lines` replacing its keys or added to them.
fn with(lines: &str) -> Loaded {
    let usual = [
        ("on:", "    on: { hook: PreToolUse }\n"),
        ("action:", "    action: continue\n"),
        ("message:", "    message: m\n"),
    ];
    let mut text = "version: 1\nrules:\n  - name: r\n".to_owned();
    for line in lines.lines() {
        text += &format!("    {line}\n");
    }
    for (key, line) in usual {
        if !lines.lines().any(|line| line.starts_with(key)) {
            text += line;
        }
    }
    load(&text)
}

fn show(problems: &[Problem]) -> String {
    let line = |problem: &Problem| {
        let severity = match problem.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{severity} {problem}{hint}\n")
    };
    problems.iter().map(line).collect()
}

/// The rule loads without problems.
#[track_caller]
fn sound(lines: &str) -> Rule {
    let mut loaded = with(lines);
    assert_eq!(show(&loaded.problems), "", "{lines}");
    loaded.rules.pop().expect("the rule")
}

/// The rule does not load, for these reasons.
#[track_caller]
fn refused(lines: &str, expect: &Expect) {
    let loaded = with(lines);
    assert_eq!(loaded.rules, [], "{lines}");
    expect.assert_eq(&show(&loaded.problems));
}

/// The rule loads, with these problems.
#[track_caller]
fn noted(lines: &str, expect: &Expect) {
    let loaded = with(lines);
    assert_eq!(loaded.rules.len(), 1, "{lines}");
    expect.assert_eq(&show(&loaded.problems));
}

fn pattern(source: &str) -> Pattern {
    Pattern::new(source, PatternOptions { case_sensitive: true, multiline: true }).unwrap()
}

#[test]
fn a_rule_with_every_key_is_parsed() {
    let text = r#"
version: 1
x-owner: me
rules:
  - name: everything
    description: What it is for
    x-note: [anything, 1]
    on:
      hook: PreToolUse
      tool: Write|MultiEdit
      file: ["src/**", "!src/gen/**"]
      x-why: because
    match:
      content: foo
      new_string: bar
      old_string: baz
      case_sensitive: false
      multiline: false
    unless:
      content: allow
    action: interrupt
    message: Say {{ lines }}
    enabled: false
    once: session
    on_failure: closed
    examples:
      fires: [foo, { tool: Write, file: src/a.rs, content: foo, new_string: n, old_string: o }]
      quiet:
        - bar
"#;
    let relaxed = PatternOptions { case_sensitive: false, multiline: false };
    let relaxed = |field, source: &str, line, column| Matcher {
        field,
        pattern: Pattern::new(source, relaxed).unwrap(),
        part: None,
        line,
        column,
    };
    let bare = |text: &str| Sample { content: Some(text.into()), ..Sample::default() };
    let rule = Rule {
        name: "everything".into(),
        description: Some("What it is for".into()),
        place: FilePosition { file: "r.yaml".into(), line: 5, column: 5 },
        hook: Hook::PreToolUse,
        tool: Some(ToolFilter::new("Write|MultiEdit").unwrap()),
        file: Some(FileFilter::new(["src/**", "!src/gen/**"]).unwrap()),
        matchers: vec![
            relaxed(Field::Content, "foo", 14, 16),
            relaxed(Field::NewString, "bar", 15, 19),
            relaxed(Field::OldString, "baz", 16, 19),
        ],
        exceptions: vec![Matcher {
            field: Field::Content,
            pattern: pattern("allow"),
            part: None,
            line: 20,
            column: 16,
        }],
        does: None,
        commands: None,
        excepted_commands: None,
        action: Action::Interrupt,
        message: "Say {{ lines }}".into(),
        enabled: false,
        once_per_session: true,
        fails_closed: true,
        when: Conditions::default(),
        session: None,
        shadow: false,
        pack: None,
        examples: vec![
            Example { fires: true, sample: bare("foo"), line: 27, column: 15 },
            Example {
                fires: true,
                sample: Sample {
                    tool: Some("Write".into()),
                    file: Some("src/a.rs".into()),
                    content: Some("foo".into()),
                    new_string: Some("n".into()),
                    old_string: Some("o".into()),
                    prompt: None,
                    message: None,
                    output: None,
                    after: None,
                },
                line: 27,
                column: 20,
            },
            Example { fires: false, sample: bare("bar"), line: 29, column: 11 },
        ],
    };
    assert_eq!(load(text), Loaded { rules: vec![rule], ..Loaded::default() });
}

#[test]
fn absent_keys_have_their_defaults() {
    let rule = Rule {
        name: "r".into(),
        description: None,
        place: FilePosition { file: "r.yaml".into(), line: 3, column: 5 },
        hook: Hook::PreToolUse,
        tool: None,
        file: None,
        matchers: vec![],
        exceptions: vec![],
        does: None,
        commands: None,
        excepted_commands: None,
        action: Action::Continue,
        message: "m".into(),
        enabled: true,
        once_per_session: false,
        fails_closed: false,
        when: Conditions::default(),
        session: None,
        shadow: false,
        pack: None,
        examples: vec![],
    };
    assert_eq!(sound(""), rule);
    assert_eq!(sound("match: {}"), rule);
    assert_eq!(sound("enabled: true\non_failure: open"), rule);
}

#[test]
fn the_version_is_the_number_one() {
    let check = |first: &str, missing: MissingVersion, count: usize, expect: Expect| {
        let loaded = read("r.yaml", &format!("{first}rules:\n{RULE}"), missing);
        assert_eq!(loaded.rules.len(), count, "{first}");
        expect.assert_eq(&show(&loaded.problems));
    };
    use MissingVersion::{Refuse, Warn};
    check("version: 1\n", Warn, 1, expect![""]);
    check("version: 1\n", Refuse, 1, expect![""]);
    check(
        "version: 2\n",
        Warn,
        0,
        expect![[r#"
        error r.yaml:1:10: `version` must be the number 1 (only version 1 is supported; the whole file is ignored)
    "#]],
    );
    check(
        "version: \"1\"\n",
        Warn,
        0,
        expect![[r#"
        error r.yaml:1:10: `version` must be the number 1 (only version 1 is supported; the whole file is ignored)
    "#]],
    );
    check(
        "version: 1.0\n",
        Warn,
        0,
        expect![[r#"
        error r.yaml:1:10: `version` must be the number 1 (only version 1 is supported; the whole file is ignored)
    "#]],
    );
    check(
        "version:\n",
        Warn,
        0,
        expect![[r#"
        error r.yaml:1:8: `version` must be the number 1 (only version 1 is supported; the whole file is ignored)
    "#]],
    );
    check(
        "",
        Warn,
        1,
        expect![[r#"
        warning r.yaml:1:1: `version` is missing (add `version: 1` as the first line)
    "#]],
    );
    check(
        "",
        Refuse,
        1,
        expect![[r#"
        error r.yaml:1:1: `version` is missing (add `version: 1` as the first line)
    "#]],
    );
}

#[test]
fn a_file_without_rules_is_empty_or_says_so() {
    let check = |text: &str, expect: Expect| {
        let loaded = load(text);
        assert_eq!(loaded.rules, []);
        expect.assert_eq(&show(&loaded.problems));
    };
    check("", expect![""]);
    check("# nothing here\n", expect![""]);
    check("version: 1\nrules:\n", expect![""]);
    check("version: 1\nrules: []\n", expect![""]);
    check(
        "version: 1\n",
        expect![[r#"
        error r.yaml:1:1: `rules` is missing (add `rules:` and a list of rules)
    "#]],
    );
    check(
        "version: 1\nrule: []\n",
        expect![[r#"
        error r.yaml:2:1: unknown key `rule` in the file (did you mean `rules`?)
        error r.yaml:1:1: `rules` is missing (add `rules:` and a list of rules)
    "#]],
    );
    check(
        "version: 1\nrules: { name: r }\n",
        expect![[r#"
        error r.yaml:2:8: `rules` must be a list, but is a map (start each rule with `- name: …`)
    "#]],
    );
    check(
        "version: 1\nrules: text\n",
        expect![[r#"
        error r.yaml:2:8: `rules` must be a list, but is a text (start each rule with `- name: …`)
    "#]],
    );
    check(
        "- name: r\n",
        expect![[r#"
            error r.yaml:1:1: the file must be a map, but is a list (its keys are `version`, `packs`, `disable`, `shadow`, `rules`)
        "#]],
    );
    check(
        "just a text\n",
        expect![[r#"
            error r.yaml:1:1: the file must be a map, but is a text (its keys are `version`, `packs`, `disable`, `shadow`, `rules`)
        "#]],
    );
    check(
        "version: 1\nrules: [text, 1, null, [a]]\n",
        expect![[r#"
            error r.yaml:2:9: a rule must be a map, but is a text (its keys are `name`, `description`, `on`, `match`, `unless`, `when`, `after`, `without`, `times`, `within`, `action`, `message`, `enabled`, `once`, `on_failure`, `shadow`, `examples`)
            error r.yaml:2:15: a rule must be a map, but is a number (its keys are `name`, `description`, `on`, `match`, `unless`, `when`, `after`, `without`, `times`, `within`, `action`, `message`, `enabled`, `once`, `on_failure`, `shadow`, `examples`)
            error r.yaml:2:18: a rule must be a map, but is empty (its keys are `name`, `description`, `on`, `match`, `unless`, `when`, `after`, `without`, `times`, `within`, `action`, `message`, `enabled`, `once`, `on_failure`, `shadow`, `examples`)
            error r.yaml:2:24: a rule must be a map, but is a list (its keys are `name`, `description`, `on`, `match`, `unless`, `when`, `after`, `without`, `times`, `within`, `action`, `message`, `enabled`, `once`, `on_failure`, `shadow`, `examples`)
        "#]],
    );
}

#[test]
fn an_unknown_key_of_the_file_costs_no_rule() {
    let loaded = load(&format!("version: 1\nverison: 1\nrules:\n{RULE}"));
    assert_eq!(loaded.rules.len(), 1);
    expect![[r#"
        error r.yaml:2:1: unknown key `verison` in the file (did you mean `version`?)
    "#]]
    .assert_eq(&show(&loaded.problems));
}

#[test]
fn all_faults_of_a_rule_are_reported_at_once() {
    refused(
        "on: { hook: Bad, tool: \"(\" }\nmatch: { content: \"(\", x: y }\naction: no\nenabled: maybe\nonce: never",
        &expect![[r#"
            error r.yaml:4:17: rule `r`: `hook` cannot be `Bad` (known are `PreToolUse`, `PostToolUse`, `UserPromptSubmit`, `Stop`)
            error r.yaml:4:28: rule `r`: `tool` is not a regex: unclosed group at character 1 (as in `Write|Edit` or `mcp__.*`)
            error r.yaml:5:28: rule `r`: unknown key `x` in `match` (known are `content`, `command`, `new_string`, `old_string`, `prompt`, `message`, `output`, `in`, `case_sensitive`, `multiline`)
            error r.yaml:5:23: rule `r`: `content` is not a regex: unclosed group at character 1 (to match such a character literally, put a backslash before it)
            error r.yaml:6:13: rule `r`: `action` cannot be `no` (known are `interrupt`, `ask`, `continue`)
            error r.yaml:7:14: rule `r`: `enabled` must be true or false, but is a text (write `enabled: true` or `enabled: false`, without quotes)
            error r.yaml:8:11: rule `r`: `once` cannot be `never` (known are `session`)
        "#]],
    );
}

#[test]
fn a_broken_rule_costs_only_itself() {
    let text = format!("version: 1\nrules:\n{RULE}  - name: broken\n    on: {{ hook: Nope }}\n  - 3\n{RULE}");
    let loaded = load(&text);
    assert_eq!(loaded.rules.iter().map(|rule| rule.place.line).collect::<Vec<_>>(), [3, 10]);
    expect![[r#"
        error r.yaml:7:5: rule `broken`: `action` is missing (add `action: interrupt | ask | continue`)
        error r.yaml:7:5: rule `broken`: `message` is missing (add `message: …`)
        error r.yaml:8:17: rule `broken`: `hook` cannot be `Nope` (known are `PreToolUse`, `PostToolUse`, `UserPromptSubmit`, `Stop`)
        error r.yaml:9:5: a rule must be a map, but is a number (its keys are `name`, `description`, `on`, `match`, `unless`, `when`, `after`, `without`, `times`, `within`, `action`, `message`, `enabled`, `once`, `on_failure`, `shadow`, `examples`)
    "#]].assert_eq(&show(&loaded.problems));
}

#[test]
fn thousands_of_broken_rules_are_parsed_in_one_pass() {
    let text = format!("version: 1\nrules:\n{}", "  - a: b\n".repeat(20_000));
    assert_eq!(load(&text).problems.len(), 5 * 20_000);
}
