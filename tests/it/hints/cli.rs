//! Hints from the command line, with a real server: the seed's transcript and its scenarios.

use expect_test::expect;
use serde_json::json;

use crate::hints::scene::Scene;
use crate::sandbox::Sandbox;
use crate::servers::rpc;

const SET: [&str; 12] = [
    "set",
    "http-proxy",
    "build",
    "docker compose build router",
    "--tags",
    "build,docker",
    "--priority",
    "7",
    "--ttl",
    "session",
    "--scope-cwd-glob",
    "**/http-proxy*",
];

#[test]
fn the_transcript_of_the_seed_is_true() {
    let scene = Scene::new();
    scene.done(&SET);
    scene.done(&SET);
    scene
        .done(&SET)
        .stdout(expect![[r#"
        ✔ upserted hint http-proxy/build (v3)
          score base: priority=7 tags=build,docker ttl=session scope=cwd_glob
    "#]])
        .stderr(expect![""]);
    for _ in 0..3 {
        scene.run_in("http-proxy", &["bump", "http-proxy", "build"]).code(0);
    }
    scene.run_in("http-proxy", &["get", "http-proxy", "build"]).code(0).stdout(expect![[r#"
        value: docker compose build router
        match:
          score: 0.46
          reasons:
            - cwd matched **/http-proxy*
            - used 3 times, just now
            - priority 7
    "#]]);
    scene.run_in("http-proxy", &["bump", "http-proxy", "build"]).code(0).stdout(expect![[r#"
        ↑ bumped frecency: use_count=4 last_used_at=now
    "#]]);
}

#[test]
fn json_is_the_result_and_nothing_else() {
    let scene = Scene::new();
    let mut args = SET.to_vec();
    args.push("--json");
    let set = scene.done(&args).json();
    assert_eq!((&set["hint"]["version"], &set["variants"]), (&json!(1), &json!(1)));
    let got = scene.run_in("http-proxy", &["get", "http-proxy", "build", "--json"]).json();
    assert_eq!(got["hint"], set["hint"]);
    assert_eq!(got["match_explain"]["matched"], true);
    let found = scene.run_in("http-proxy", &["query", "--regex", "dock.*build", "--json"]).json();
    assert_eq!(found["hints"][0]["hint"], set["hint"]);
    let listed = scene.done(&["ls", "--json"]).json();
    assert_eq!(listed, json!({ "components": [{ "name": "http-proxy", "hint_count": 1 }] }));
    let refused = scene.run(&["get", "http-proxy", "nothing", "--json"]);
    refused.code(1);
    assert_eq!(refused.json()["error"]["code"], 40401);
    let deleted = scene.done(&["delete", "http-proxy", "build", "--json"]).json();
    assert_eq!((&deleted["deleted"], &deleted["previous"]), (&json!(true), &set["hint"]));
}

#[test]
fn a_query_says_what_it_does_not_list() {
    let scene = Scene::new();
    scene.done(&["query", "--tags", "x"]).stdout(expect![""]).stderr(expect![[r#"
        there is no such hint; `nudge ls` lists all components
    "#]]);
    scene.done(&["set", "a", "b", "1", "--scope-os", "windows"]);
    scene.done(&["query", "--os", "linux"]).stdout(expect![""]).stderr(expect![[r#"
        nothing applies here; elsewhere: 1 hint
    "#]]);
    scene.done(&["set", "a", "c", "1"]);
    scene.done(&["set", "a", "d", "1", "--priority", "6"]);
    let ran = scene.done(&["query", "--os", "linux", "--limit", "1"]);
    ran.stdout(expect![[r#"
        a/d  0.32  1
          no scope: applies everywhere; priority 6
    "#]])
        .stderr(expect![[r#"
        1 more hint; `--limit` shows them
    "#]]);
    scene.run(&["query", "--limit", "0"]).code(1).stderr(expect![[r#"
        error: `limit` must be at least 1, not 0
    "#]]);
    scene.run(&["query", "--regex", "("]).code(1);
}

#[test]
fn each_system_gets_its_own_path() {
    let scene = Scene::new();
    scene.done(&["set", "http-proxy", "directory", "c:\\code\\http-proxy", "--scope-os", "windows"]);
    scene.done(&["set", "http-proxy", "directory", "/Users/dev/code/http-proxy", "--scope-os", "darwin"]);
    let get = |os: &str| scene.run(&["get", "http-proxy", "directory", "--value", "--os", os]);
    get("windows").code(0).stdout(expect![[r#"
        c:\code\http-proxy
    "#]]);
    get("Darwin").code(0).stdout(expect![[r#"
        /Users/dev/code/http-proxy
    "#]]);
    get("linux").code(1).stdout(expect![""]).stderr(expect![[r#"
        error: `http-proxy/directory` is known, but applies elsewhere
          os=darwin: os differs
          os=windows: os differs
        hint: say where you stand with `--cwd`, `--repo`, `--branch`, `--os` or `--env`
    "#]]);
    scene.done(&["ls", "http-proxy"]).stdout(expect![[r#"
        directory
          /Users/dev/code/http-proxy  v1  os=darwin
          c:\code\http-proxy  v1  os=windows
    "#]]);
}

#[test]
fn a_toggle_holds_on_its_branches_and_for_its_time() {
    let scene = Scene::new();
    let scope = ["--scope-branch", "hotfix/*"];
    scene.done(
        &[&["set", "api", "env.FEATURE_X", "1", "--ttl", "PT2H", "--tags", "env,test"], &scope[..]].concat(),
    );
    scene.done(&["get", "api", "env.FEATURE_X", "--branch", "hotfix/login", "--value"]).stdout(expect![[
        r#"
        1
    "#
    ]]);
    scene.run(&["get", "api", "env.FEATURE_X", "--branch", "main"]).code(1).stderr(expect![[r#"
        error: `api/env.FEATURE_X` is known, but applies elsewhere
          branch=hotfix/*: branch differs
        hint: say where you stand with `--cwd`, `--repo`, `--branch`, `--os` or `--env`
    "#]]);
    scene.done(&["set", "api", "short", "1", "--ttl", "PT0.001S"]);
    scene.run(&["get", "api", "short"]).code(1);
    scene.run(&["set", "api", "x", "1", "--ttl", "2 moons"]).code(1).stdout(expect![""]).stderr(expect![[
        r#"
        error: `ttl` must be `session` or an ISO-8601 duration longer than zero, like `PT2H` or `P1D`
    "#
    ]]);
}

#[test]
fn a_seed_file_is_of_use_at_once() {
    let seed = json!({ "components": { "api": { "hints": {
        "build": { "value": { "type": "command", "cmd": "make api" }, "meta": { "tags": ["build"] } },
    } } } });
    let scene = Scene::with(Sandbox::new().file("nudge-seed.json", seed.to_string()), &[]);
    scene.done(&["import", "./nudge-seed.json"]).stdout(expect![[r#"
        ✔ imported 1 hint
    "#]]);
    scene.done(&["query", "--component", "api", "--tags", "build", "--limit", "3"]).stdout(expect![[r#"
        api/build  0.30  make api
          no scope: applies everywhere
    "#]]);
    scene.done(&["get", "api", "build", "--value"]).stdout(expect![[r#"
        make api
    "#]]);
}

#[test]
fn a_hint_that_another_one_outranks_is_shown() {
    let scene = Scene::new();
    scene.done(&SET);
    let ran = scene.done(&["set", "http-proxy", "build", "make"]);
    ran.stdout(expect![[r#"
        ✔ upserted hint http-proxy/build (v1)
          score base: ttl=session
    "#]])
        .stderr(expect![[r#"
        note: this key has 2 variants; where several fit, the best is given
          this one is passed over where another fits: cwd_glob=**/http-proxy*
          to change that one instead, repeat its scope; `--replace` drops all others
    "#]]);
    scene.run_in("http-proxy", &["get", "http-proxy", "build", "--value"]).stdout(expect![[r#"
        docker compose build router
    "#]]);
    scene.done(&["set", "http-proxy", "build", "make", "--replace"]).stderr(expect![""]);
    scene.run_in("http-proxy", &["get", "http-proxy", "build", "--value"]).stdout(expect![[r#"
        make
    "#]]);
}

#[test]
fn below_a_folder_that_matches_the_wider_glob_is_proposed() {
    let scene = Scene::new();
    scene.done(&SET);
    let below = scene.run_in("http-proxy/src", &["get", "http-proxy", "build"]);
    below.code(1).stdout(expect![""]).stderr(expect![[r#"
        error: `http-proxy/build` is known, but applies elsewhere
          cwd_glob=**/http-proxy*: cwd differs, `**/http-proxy*/**` would match
        hint: say where you stand with `--cwd`, `--repo`, `--branch`, `--os` or `--env`
    "#]]);
    scene.run_in("we[ir]d {a,b}", &["set", "http-proxy", "run", "make run", "--scope-here"]).code(0);
    for folder in ["we[ir]d {a,b}", "we[ir]d {a,b}/src/deep"] {
        scene.run_in(folder, &["get", "http-proxy", "run", "--value"]).code(0).stdout(expect![["make run
"]]);
    }
    scene.run_in("weird a", &["get", "http-proxy", "run"]).code(1);
}

#[test]
fn variants_can_be_deleted_one_by_one() {
    let scene = Scene::new();
    scene.done(&["set", "a", "b", "1"]);
    scene.done(&["set", "a", "b", "2", "--scope-os", "linux"]);
    scene.done(&["set", "a", "b", "3", "--scope-os", "darwin"]);
    scene.done(&["delete", "a", "b", "--scope-os", "linux"]).stdout(expect![[r#"
        ✔ deleted hint a/b (v1)
    "#]]);
    scene.done(&["delete", "a", "b", "--no-scope"]).stdout(expect![[r#"
        ✔ deleted hint a/b (v1)
    "#]]);
    scene.run(&["delete", "a", "b", "--no-scope"]).code(1).stderr(expect![[r#"
        error: `a/b` has no variant with this scope
        hint: `nudge ls` lists what there is
    "#]]);
    scene.done(&["set", "a", "b", "1"]);
    scene.done(&["rm", "a", "b"]).stdout(expect![[r#"
        ✔ deleted hint a/b (2 variants)
    "#]]);
    scene.run(&["rm", "a", "b"]).code(1).stderr(expect![[r#"
        error: there is no component `a`
        hint: `nudge ls` lists what there is
    "#]]);
    scene.run(&["delete", "a", "b", "--no-scope", "--scope-os", "linux"]).code(2);
}

#[test]
fn versions_hold_against_each_other() {
    let scene = Scene::new();
    scene.done(&["set", "a", "b", "1", "--if-match-version", "0"]);
    let again = scene.run(&["set", "a", "b", "1", "--if-match-version", "0"]);
    again.code(1).stdout(expect![""]).stderr(expect![[r#"
        error: expected version 0, but it is 1: read it again
        hint: look at it with `nudge get --json`, and give its `version`
    "#]]);
    scene.done(&["set", "a", "b", "2", "--if-match-version", "1"]).stdout(expect![[r#"
        ✔ upserted hint a/b (v2)
          score base: ttl=session
    "#]]);
}

#[test]
fn the_port_may_come_before_or_after_the_command() {
    let scene = Scene::new();
    scene.done(&["-p", &scene.port(), "set", "a", "b", "1"]);
    scene.done(&["get", "a", "b", "-p", &scene.port(), "--value"]).stdout(expect![["1\n"]]);
    scene.done(&["ls", "--port", &scene.port()]);
    let nobody = scene.run(&["-p", "1", "ls"]);
    nobody.code(1).stdout(expect![""]).stderr(expect![[r#"
        error: no server is running (nobody listens on port 1)
        hint: start one with `nudge serve` in another terminal; agents that have `nudge serve` as an MCP server start it themselves
    "#]]);
    scene.run(&["-p", "0", "ls"]).code(2);
    scene.run(&["-p", "many", "ls"]).code(2);
}

#[test]
fn without_a_server_each_command_says_how_to_start_one() {
    let sandbox = Sandbox::new().file("a.json", "{}");
    for args in [
        &["get", "a", "b"][..],
        &["set", "a", "b", "c"],
        &["rm", "a", "b"],
        &["bump", "a", "b"],
        &["ls"],
        &["query"],
        &["export"],
        &["import", "a.json"],
    ] {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        let output = command.args(["-p", "1"]).args(args).output().expect("it runs");
        let ran = sandbox.ran(&output);
        ran.code(1).stdout(expect![""]);
        assert!(ran.stderr.contains("error: no server is running"), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("nudge serve"), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn what_is_wrong_on_the_line_is_wrong_before_anybody_is_asked() {
    let sandbox = Sandbox::new();
    for args in [
        ["set", "a", "b", "c", "--format", "perl"],
        ["set", "a", "b", "c", "--priority", "much"],
        ["set", "a", "b", "c", "--confidence", "nan"],
        ["set", "a", "b", "c", "--scope-os", "beos"],
        ["set", "a", "b", "{", "--type", "json"],
        ["get", "a", "b", "--json", "--value", "--reveal"],
        ["export", "--json", "-o", "x", "--format", "json"],
    ] {
        sandbox.run(args).code(2);
    }
}

#[test]
fn all_variants_are_listed_and_secrets_only_by_their_place() {
    let scene = Scene::new();
    scene.done(&["set", "vault", "key", "hidden-one", "--allow-secret", "--scope-os", "linux"]);
    scene.done(&["set", "vault", "key", "hidden-two", "--allow-secret"]);
    scene.done(&["set", "vault", "key", "plain", "--scope-branch", "x"]);
    scene.done(&["ls", "vault"]).stdout(expect![[r#"
        key
          [secret]  v1  everywhere
          [secret]  v1  os=linux
          plain  v1  branch=x
    "#]]);
}

#[test]
fn what_the_seed_names_is_known() {
    let scene = Scene::new();
    scene.done(&["set", "api", "build", "make"]);
    scene.done(&["list-components"]).stdout(expect![[r#"
        api  1 hint
    "#]]);
    let context = json!({ "files_open": ["/work/api/main.rs"] });
    let asked = json!({ "component": "api", "key": "build", "context": context });
    assert_eq!(rpc(&scene.sandbox, "nudge.get_hint", &asked)["result"]["hint"]["value"], "make");
}

/// The default was useful twice, and the exception for this branch still wins.
#[test]
fn a_scoped_hint_is_given_where_it_applies_however_useful_the_default_was() {
    let scene = Scene::new();
    scene.done(&["set", "web", "build", "make all"]);
    scene.done(&["set", "web", "build", "make hotfix", "--scope-branch", "hotfix/*"]);
    for _ in 0..3 {
        scene.done(&["bump", "web", "build", "--branch", "main"]);
    }
    scene.done(&["get", "web", "build", "--branch", "hotfix/1", "--value"]).stdout(expect![[r#"
        make hotfix
    "#]]);
    scene.done(&["get", "web", "build", "--branch", "hotfix/1"]).stdout(expect![[r#"
        value: make hotfix
        match:
          score: 0.34
          reasons:
            - branch=hotfix/1 matched hotfix/*
            - outranked: no scope, less specific
    "#]]);
}

#[test]
fn a_typing_mistake_is_answered_with_what_was_probably_meant() {
    let scene = Scene::new();
    scene.done(&["set", "http-proxy", "build", "make", "--scope-env-required", "NUDGE_TEST_UNSET"]);
    scene.run(&["get", "http-proxy", "buidl"]).code(1).stderr(expect![[r#"
        error: `http-proxy` has no hint `buidl`: did you mean `build`?
        hint: `nudge ls` lists what there is
    "#]]);
    scene.run(&["get", "http-porxy", "build"]).code(1).stderr(expect![[r#"
        error: there is no component `http-porxy`: did you mean `http-proxy`?
        hint: `nudge ls` lists what there is
    "#]]);
    scene.run(&["get", "http-proxy", "build"]).code(1).stderr(expect![[r#"
        error: `http-proxy/build` is known, but applies elsewhere
          env_required=NUDGE_TEST_UNSET: `NUDGE_TEST_UNSET` is not set
        hint: say where you stand with `--cwd`, `--repo`, `--branch`, `--os` or `--env`
    "#]]);
    scene.run(&["query", "--regex", "a(b"]).code(1).stderr(expect![[r#"
        error: `regex` is not valid: unclosed group, at character 2
    "#]]);
}
