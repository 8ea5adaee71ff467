//! Values of hints from the command line: templates, secrets, texts from stdin, and what they may be.

use expect_test::expect;
use serde_json::json;

use crate::hints::scene::Scene;
use crate::sandbox::Sandbox;
use crate::servers::rpc;

#[test]
fn secrets_are_kept_on_purpose_and_shown_only_if_asked_for() {
    let scene = Scene::new();
    let secret = "AKIAIOSFODNN7EXAMPLQ";
    let refused = scene.run(&["set", "api", "key", secret]);
    refused.code(1).stdout(expect![""]).stderr(expect![[r#"
        error: the hint seems to contain a secret in `value` (aws-key): leave it out, or store it on purpose with `meta.sensitivity: "secret"`
        hint: if it is meant to be kept, add `--allow-secret`: it is shown as `[secret]`
    "#]]);
    scene.done(&["set", "api", "key", secret, "--allow-secret"]).stdout(expect![[r#"
        ✔ upserted hint api/key (v1)
          score base: ttl=session
    "#]]);
    scene.done(&["get", "api", "key"]).stdout(expect![[r#"
        value: [secret]
        match:
          score: 0.30
          reasons:
            - no scope: applies everywhere
    "#]]);
    scene.run(&["get", "api", "key", "--value"]).code(1).stdout(expect![""]).stderr(expect![[r#"
        error: api/key is a secret
        hint: add `--reveal` to have it printed
    "#]]);
    assert_eq!(scene.done(&["get", "api", "key", "--value", "--reveal"]).stdout.trim(), secret);
    assert!(scene.done(&["get", "api", "key", "--reveal"]).stdout.contains(secret));
    assert_eq!(scene.done(&["get", "api", "key", "--json"]).json()["hint"]["value"], secret);
    for args in
        [&["query"][..], &["ls", "api"], &["export"], &["set", "api", "key", secret, "--allow-secret"]]
    {
        let ran = scene.done(args);
        assert!(!ran.stdout.contains(secret) && !ran.stderr.contains(secret), "{}", ran.stdout);
    }
    assert!(scene.done(&["export", "--include-secrets"]).stdout.contains(secret));
    let tolerant = Scene::with(Sandbox::new(), &["--no-secret-guard"]);
    tolerant.done(&["set", "api", "key", secret]);
}

#[test]
fn a_template_is_returned_as_it_was_set() {
    let scene = Scene::new();
    let set = [
        "set",
        "api",
        "call",
        "curl {{host}}:{{port}}/{{path}}",
        "--type",
        "template",
        "--default",
        "port=80",
    ];
    scene.done(&set);
    scene.done(&["get", "api", "call"]).stdout(expect![[r#"
        value: curl {{host}}:{{port}}/{{path}}
        type: template in mustache, defaults port=80
        match:
          score: 0.30
          reasons:
            - no scope: applies everywhere
    "#]]);
    scene.done(&["get", "api", "call", "--value"]).stdout(expect![["curl {{host}}:{{port}}/{{path}}\n"]]);
    for (format, body) in
        [("handlebars", "{{#if a}}{{a}}{{/if}}"), ("jinja", "{{ a }}"), ("interpolate", "${a}")]
    {
        scene.done(&["set", "api", format, body, "--format", format]);
        let hint = scene.done(&["get", "api", format, "--json"]).json()["hint"]["value"].take();
        assert_eq!(hint, json!({ "type": "template", "format": format, "body": body }));
    }
}

#[test]
fn values_come_from_stdin_and_back_unchanged() {
    let scene = Scene::new();
    let value = "one\n\ttwo \u{1b}[31mred\u{1b}[0m $(id) 'é'";
    let ran = scene.sandbox.run_with(["set", "a", "b", "-"], format!("{value}\n").as_bytes());
    ran.code(0);
    assert_eq!(scene.done(&["get", "a", "b", "--value"]).stdout, format!("{value}\n"));
    scene.done(&["get", "a", "b"]).stdout(expect![[r#"
        value:
          one
          	two \u{1b}[31mred\u{1b}[0m $(id) 'é'
        match:
          score: 0.30
          reasons:
            - no scope: applies everywhere
    "#]]);
    scene.done(&["query"]).stdout(expect![[r#"
        a/b  0.30  one ⏎ two \u{1b}[31mred\u{1b}[0m $(id) 'é'
          no scope: applies everywhere
    "#]]);
    scene.sandbox.run_with(["set", "a", "c", "-"], b"\xff").code(1).stderr(expect![[r#"
        error: the value is not UTF-8
    "#]]);
    let long = vec![b'x'; 2 << 20];
    scene.sandbox.run_with(["set", "a", "c", "-"], &long).code(1).stderr(expect![[r#"
        error: the value is longer than any hint may be
    "#]]);
    scene.run(&["set", "a", "c", &"x".repeat(100_000)]).code(1).stderr(expect![[r#"
        error: `value` is larger than 64 KiB
    "#]]);
}

#[test]
fn a_template_is_data() {
    let scene = Scene::new();
    let set = |format: &str| {
        let value = json!({ "type": "template", "format": format, "body": "{% if %}" });
        rpc(&scene.sandbox, "nudge.set_hint", &json!({ "component": "api", "key": "run", "value": value }))
    };
    let error = set("erb")["error"].take();
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!(40001), &json!("`value.format` must be one of mustache, handlebars, jinja, interpolate"))
    );
    // The seed checks the format and not the body: the reader may have its own template engine.
    assert_eq!(set("jinja")["result"]["hint"]["version"], 1);
    scene.done(&["get", "api", "run", "--value"]).stdout(expect![[r#"
        {% if %}
    "#]]);
}

/// An empty value is a value, and a priority may be a fraction, as the seed says.
#[test]
fn values_may_be_empty_and_priorities_fractions() {
    let scene = Scene::new();
    scene.done(&["set", "v", "empty", "", "--priority", "5.5"]);
    let got = scene.done(&["get", "v", "empty", "--json"]).json();
    assert_eq!((&got["hint"]["value"], &got["hint"]["meta"]["priority"]), (&json!(""), &json!(5.5)));
    let set = json!({ "component": "v", "key": "cmd", "value": "{\"type\":\"command\",\"cmd\":\"make\"}" });
    let answer = rpc(&scene.sandbox, "nudge.set_hint", &set);
    assert_eq!(answer["result"]["hint"]["value"], json!({ "type": "command", "cmd": "make" }));
}

#[test]
fn a_bump_beyond_the_limit_says_so() {
    let scene = Scene::new();
    scene.done(&["set", "a", "b", "1"]);
    scene.done(&["bump", "a", "b", "--delta", "5000000"]).stderr(expect![[r#"
        note: one bump counts up to 1000000 uses; the rest was not counted
    "#]]);
}
