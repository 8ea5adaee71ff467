//! `nudge validate`: the RFC's output where all is well, and what to do where it is not.

use expect_test::expect;

use crate::rules::examples;
use crate::sandbox::{BLOCK_TODO, Sandbox, rules};

#[test]
fn success_looks_as_in_the_rfc() {
    let sandbox = Sandbox::new().rule("rules.yaml", &examples::five_rules());
    let rfc = expect![[r#"
        .nudge/rules.yaml: 5 rules loaded
          - no-console-log (PreToolUse, interrupt)
          - test-naming (PreToolUse, continue)
          - server-start-hint (UserPromptSubmit, continue)
          - no-relative-imports (PreToolUse, interrupt)
          - large-file-warning (PreToolUse, continue)
    "#]];
    sandbox.run(["validate", ".nudge/rules.yaml"]).code(0).stdout(&rfc);
    sandbox.run(["validate"]).code(0).stdout(&rfc);
}

#[test]
fn what_is_worth_knowing_is_said_beside_it() {
    let sandbox = Sandbox::new().rule("rules.yaml", &format!("version: 1\n{}", examples::TODOS));
    sandbox.run(["validate"]).code(0).stderr(expect![[r#"
        .nudge/rules.yaml:7:13: note: rule `no-todos`: `Edit` matches only that tool: MultiEdit and NotebookEdit are not covered
             7 |       tool: Write|Edit
               |             ^
          hint: write `Edit|MultiEdit|NotebookEdit` to cover them
    "#]]);
}

#[test]
fn every_file_is_listed_in_loading_order() {
    let sandbox = Sandbox::new()
        .rule("b.yaml", BLOCK_TODO)
        .rule("a/a.yml", "")
        .file(".nudge.yaml", BLOCK_TODO.replace("no-todo", "other"))
        .user_rules(&rules(&[
            "{ name: mine, on: { hook: Stop }, action: continue, message: m, enabled: false }",
        ]));
    sandbox.run(["validate"]).code(0).stdout(expect![[r#"
        $BASE/home/config/nudge/rules.yaml: 1 rule loaded
          - mine (Stop, continue) (disabled)
        .nudge.yaml: 1 rule loaded
          - other (PreToolUse, interrupt)
        .nudge/a/a.yml: 0 rules loaded
        .nudge/b.yaml: 1 rule loaded
          - no-todo (PreToolUse, interrupt)
    "#]]);
    sandbox.from("src").run(["validate"]).code(0).stdout(expect![[r#"
        $BASE/home/config/nudge/rules.yaml: 1 rule loaded
          - mine (Stop, continue) (disabled)
        .nudge.yaml: 1 rule loaded
          - other (PreToolUse, interrupt)
        .nudge/a/a.yml: 0 rules loaded
        .nudge/b.yaml: 1 rule loaded
          - no-todo (PreToolUse, interrupt)
    "#]]);
}

#[test]
fn errors_have_their_place_and_what_to_do() {
    let text = "\
version: 1
rules:
  - name: one
    on: { hook: PreToolUse, tool: 'Write|' , fil: '*.ts' }
    match:
      content: 'a(b'
      promt: x
    action: stop
    message: '{{ line }}'
  - name: two
    on: { hook: Stop }
    match: { content: x }
    action: continue
    message: m
  - name: three
    on: { hook: Stop }
    action: continue
    message: Fine.
";
    Sandbox::new().rule("a.yaml", text).run(["validate"]).code(1).stderr(expect![[""]]).stdout(expect![[
        r#"
        .nudge/a.yaml: 1 rule loaded
          - three (Stop, continue)
        .nudge/a.yaml:4:46: error: rule `one`: unknown key `fil` in `on`
             4 |     on: { hook: PreToolUse, tool: 'Write|' , fil: '*.ts' }
               |                                              ^
          hint: did you mean `file`?
        .nudge/a.yaml:6:16: error: rule `one`: `content` is not a regex: unclosed group at character 2
             6 |       content: 'a(b'
               |                ^
          hint: to match such a character literally, put a backslash before it
        .nudge/a.yaml:7:7: error: rule `one`: unknown key `promt` in `match`
             7 |       promt: x
               |       ^
          hint: did you mean `prompt`?
        .nudge/a.yaml:8:13: error: rule `one`: `action` cannot be `stop`
             8 |     action: stop
               |             ^
          hint: did you mean `interrupt`?
        .nudge/a.yaml:12:23: error: rule `two`: `content` does not exist on Stop
            12 |     match: { content: x }
               |                       ^
          hint: use `message`
    "#
    ]]);
}

#[test]
fn broken_yaml_has_its_place() {
    let text = "version: 1\nrules:\n  - name: a\n    on:\n      hook: PreToolUse\n      file: **/*.ts\n";
    let sandbox = Sandbox::new().rule("a.yaml", text);
    sandbox.run(["validate", ".nudge/a.yaml"]).code(1).stdout(expect![[r#"
        .nudge/a.yaml: 0 rules loaded
        .nudge/a.yaml:6:13: error: not valid YAML: while parsing node, found unknown anchor
             6 |       file: **/*.ts
               |             ^
          hint: quote this: `"**/*.ts"` (a bare `*` starts an alias)
    "#]]);
}

#[test]
fn a_missing_version_is_an_error_here() {
    Sandbox::new().file(".nudge.yaml", examples::TODOS).run(["validate"]).code(1).stdout(expect![[r#"
        .nudge.yaml: 1 rule loaded
          - no-todos (PreToolUse, interrupt)
        .nudge.yaml:1:1: error: `version` is missing
             1 | rules:
               | ^
          hint: add `version: 1` as the first line
    "#]]);
}

#[test]
fn a_pattern_that_is_too_large_for_some_texts_is_a_warning() {
    let rule = r"{ name: a, on: { hook: PreToolUse }, match: { content: '\w{1,500}\s\w{1,500}Q' }, action: continue, message: m }";
    Sandbox::new().rule("a.yaml", &rules(&[rule])).run(["validate"]).code(0).stdout(expect![[r#"
        .nudge/a.yaml: 1 rule loaded
          - a (PreToolUse, continue)
        .nudge/a.yaml:3:60: warning: rule `a`: `content` is not evaluated on texts beyond ASCII: the pattern needs more than 4 MB when compiled
             3 |   - { name: a, on: { hook: PreToolUse }, match: { content: '\w{1,500}\s\w{1,500}Q' }, action: contin
               |                                                            ^
          hint: make the pattern smaller, or split the rule
    "#]]);
}

#[test]
fn a_pattern_that_is_too_large_is_an_error() {
    let rule = r"{ name: a, on: { hook: PreToolUse }, match: { content: '([a-z]{1,500}x){1,500}' }, action: continue, message: m }";
    Sandbox::new().rule("a.yaml", &rules(&[rule])).run(["validate"]).code(1).stdout(expect![[r#"
        .nudge/a.yaml: 1 rule loaded
          - a (PreToolUse, continue)
        .nudge/a.yaml:3:60: error: rule `a`: `content` cannot be evaluated: the pattern needs more than 4 MB when compiled
             3 |   - { name: a, on: { hook: PreToolUse }, match: { content: '([a-z]{1,500}x){1,500}' }, action: conti
               |                                                            ^
          hint: make the pattern smaller, or split the rule
    "#]]);
}

#[test]
fn duplicate_names_are_a_warning() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).rule("b.yaml", BLOCK_TODO);
    sandbox.run(["validate"]).code(0).stdout(expect![[r#"
        .nudge/a.yaml: 1 rule loaded
          - no-todo (PreToolUse, interrupt)
        .nudge/b.yaml: 1 rule loaded
          - no-todo (PreToolUse, interrupt)
        .nudge/b.yaml:3:5: warning: rule `no-todo`: the name is used twice, first at .nudge/a.yaml:3:5
             3 |   - name: no-todo
               |     ^
          hint: both fire; rename one of them
    "#]]);
}

#[test]
fn a_file_may_be_named_from_anywhere() {
    let sandbox = Sandbox::new().file("rules/a.yaml", "version: 1\nrules: [7]\n").from("sub/deep");
    sandbox.run(["validate", "../../rules/a.yaml"]).code(1).stdout(expect![[r#"
        ../../rules/a.yaml: 0 rules loaded
        ../../rules/a.yaml:2:9: error: a rule must be a map, but is a number
             2 | rules: [7]
               |         ^
          hint: its keys are `name`, `description`, `on`, `match`, `unless`, `when`, `after`, `without`, `times`, `within`, `action`, `message`, `enabled`, `once`, `on_failure`, `shadow`, `examples`
    "#]]);
    sandbox.run(["validate", "absent.yaml"]).code(1).stdout(expect![[""]]).stderr(expect![[r#"
        error: `absent.yaml` cannot be read: No such file or directory (os error 2)
        hint: run `nudge validate` without a file to check all rules of this project
    "#]]);
    sandbox.run(["validate", "../.."]).code(1).stdout(expect![[""]]).stderr(expect![[r#"
        error: `../..` cannot be read: not a regular file
        hint: run `nudge validate` without a file to check all rules of this project
    "#]]);
}

#[test]
fn without_rules_it_says_where_to_start() {
    Sandbox::new().run(["validate"]).code(0).stdout(expect![[r#"
        no rule files in $BASE/project
        `nudge init` makes one; `nudge demo` shows rules at work
    "#]]);
}

#[test]
fn examples_are_tried() {
    let text = "\
version: 1
rules:
  - name: no-console
    on: { hook: PreToolUse, tool: Write|Edit, file: 'src/**/*.ts' }
    match: { content: 'console\\.log' }
    action: interrupt
    message: m
    examples:
      fires:
        - console.log(1)
        - { tool: Edit, new_string: console.log(1) }
        - console.warn(1)
        - { file: lib/a.ts, content: console.log(1) }
      quiet:
        - logger.info(1)
        - { file: lib/a.ts, content: console.log(1) }
        - console.log(2)
  - name: done
    on: { hook: Stop }
    match: { message: done }
    action: continue
    message: m
    examples: { fires: [all done], quiet: [not yet] }
  - name: start
    on: { hook: UserPromptSubmit }
    match: { prompt: start }
    action: continue
    message: m
    enabled: false
    examples: { fires: [start it, { prompt: restart }], quiet: [stop it] }
";
    Sandbox::new().rule("a.yaml", text).run(["validate"]).code(1).stdout(expect![[r#"
        .nudge/a.yaml: 3 rules loaded
          - no-console (PreToolUse, interrupt)
          - done (Stop, continue)
          - start (UserPromptSubmit, continue) (disabled)
        .nudge/a.yaml:12:11: error: rule `no-console`: the rule is quiet on this example, but should fire
            12 |         - console.warn(1)
               |           ^
          hint: its `content` is not found
        .nudge/a.yaml:13:11: error: rule `no-console`: the rule is quiet on this example, but should fire
            13 |         - { file: lib/a.ts, content: console.log(1) }
               |           ^
          hint: it is for other files
        .nudge/a.yaml:17:11: error: rule `no-console`: the rule fires on this example, but should be quiet
            17 |         - console.log(2)
               |           ^
          hint: it says: m
    "#]]);
}

#[test]
fn the_result_in_json() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO).rule("b.yaml", "version: 1\nrules: [7]\n");
    sandbox.run(["validate", "--json"]).code(1).stderr(expect![[""]]).stdout(expect![[r#"
        {
          "ok": false,
          "files": [
            {
              "file": ".nudge/a.yaml",
              "rules": [
                {
                  "name": "no-todo",
                  "description": null,
                  "hook": "PreToolUse",
                  "tool": "Write|Edit|MultiEdit",
                  "target": null,
                  "action": "interrupt",
                  "enabled": true,
                  "once": null,
                  "shadow": false,
                  "pack": null,
                  "file": ".nudge/a.yaml",
                  "line": 3
                }
              ],
              "problems": [
                {
                  "severity": "note",
                  "place": {
                    "file": ".nudge/a.yaml",
                    "line": 4,
                    "column": 35
                  },
                  "rule": "no-todo",
                  "message": "`Edit` matches only that tool: NotebookEdit is not covered",
                  "hint": "write `Edit|MultiEdit|NotebookEdit` to cover them"
                }
              ]
            },
            {
              "file": ".nudge/b.yaml",
              "rules": [],
              "problems": [
                {
                  "severity": "error",
                  "place": {
                    "file": ".nudge/b.yaml",
                    "line": 2,
                    "column": 9
                  },
                  "rule": null,
                  "message": "a rule must be a map, but is a number",
                  "hint": "its keys are `name`, `description`, `on`, `match`, `unless`, `when`, `after`, `without`, `times`, `within`, `action`, `message`, `enabled`, `once`, `on_failure`, `shadow`, `examples`"
                }
              ]
            }
          ],
          "problems": []
        }
    "#]]);
    let good = Sandbox::new().rule("a.yaml", BLOCK_TODO).run(["validate", "--json", ".nudge/a.yaml"]);
    assert_eq!(good.code(0).json()["ok"], true);
}

#[test]
fn the_schema_names_every_key() {
    let ran = Sandbox::new().run(["validate", "--schema"]);
    let schema = ran.code(0).json();
    let rule = &schema["properties"]["rules"]["items"];
    let keys = |map: &serde_json::Value| {
        map["properties"].as_object().expect("keys").keys().cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    expect!["version packs disable shadow rules"].assert_eq(&keys(&schema));
    expect!["name description on match unless when after without times within action message enabled once on_failure shadow examples"]
        .assert_eq(&keys(rule));
    expect!["hook tool file does"].assert_eq(&keys(&rule["properties"]["on"]));
    expect!["content command new_string old_string prompt message output in case_sensitive multiline"]
        .assert_eq(&keys(&rule["properties"]["match"]));
    Sandbox::new().run(["validate", "--schema", "--json"]).code(2);
}
