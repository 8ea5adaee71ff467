//! Several hints under one key: which is meant, which wins, and what each change touches.

use super::*;

const LINUX: &str = "linux";

fn os(os: &str) -> Value {
    json!({"os": [os]})
}

fn set(more: Value) -> Value {
    let mut params = json!({"component": "c", "key": "k", "value": "new"});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    params
}

#[test]
fn the_same_scope_updates_and_another_adds() {
    let mut bench = Bench::new();
    assert_eq!(bench.scoped("a", json!({"os": ["linux", "darwin"]}))["hint"]["version"], 1);
    let again = bench.scoped("b", json!({"os": ["darwin", "linux", "linux"], "branch": []}));
    assert_eq!((&again["hint"]["version"], &again["variants"]), (&json!(2), &json!(1)));
    let other = bench.scoped("c", os(LINUX));
    assert_eq!((&other["hint"]["version"], &other["variants"]), (&json!(1), &json!(2)));
    assert_eq!(other["outranked_by"], json!([{"os": ["darwin", "linux"]}]));
}

#[test]
fn a_scoped_override_beats_the_default_whatever_came_first() {
    for order in [[0, 1], [1, 0]] {
        let mut bench = Bench::new();
        for step in order {
            let (value, scope) = [("default", json!({})), ("override", os(LINUX))][step].clone();
            bench.scoped(value, scope);
        }
        assert_eq!(bench.value(os_context(LINUX)), "override");
        assert_eq!(bench.value(os_context("darwin")), "default");
        assert_eq!(bench.value(json!({})), "default");
    }
}

fn os_context(os: &str) -> Value {
    json!({ "os": os })
}

#[test]
fn a_correction_without_scope_says_what_outranks_it() {
    let mut bench = Bench::new();
    bench.scoped("old", os(LINUX));
    let answer = bench.scoped("corrected", json!({}));
    assert_eq!(answer["variants"], 2);
    assert_eq!(answer["outranked_by"], json!([{"os": ["linux"]}]));
    assert_eq!(bench.value(os_context(LINUX)), "old");
    let answer = bench.ok("set_hint", set(json!({"replace": true})));
    assert_eq!((&answer["variants"], &answer["hint"]["version"]), (&json!(1), &json!(2)));
    assert!(answer.get("outranked_by").is_none());
    assert_eq!(bench.value(os_context(LINUX)), "new");
}

#[test]
fn an_update_replaces_all_that_is_known_but_keeps_its_use() {
    let mut bench = Bench::new();
    let first = bench.ok("set_hint", set(json!({"meta": {"tags": ["a"], "priority": 9}})));
    bench.wait(60);
    bench.ok("bump", json!({"component": "c", "key": "k", "delta": 2}));
    let hint = bench.wait(60).ok("set_hint", set(json!({})))["hint"].clone();
    assert_eq!(hint["meta"], json!({"ttl": "session"}));
    assert_eq!((&hint["version"], &hint["use_count"]), (&json!(2), &json!(2)));
    assert_eq!(hint["created_at"], first["hint"]["created_at"]);
    assert_eq!(hint["updated_at"], "2026-01-02T03:06:05.678Z");
    assert_eq!(hint["last_used_at"], "2026-01-02T03:05:05.678Z");
}

#[test]
fn an_expected_version_guards_the_variant_that_the_set_touches() {
    let mut bench = Bench::new();
    let versions = |error: &Value| {
        (
            error["code"].clone(),
            error["data"]["expected_version"].clone(),
            error["data"]["current_version"].clone(),
        )
    };
    // 0: must not exist.
    assert_eq!(bench.ok("set_hint", set(json!({"if_match_version": 0})))["hint"]["version"], 1);
    let error = bench.error("set_hint", set(json!({"if_match_version": 0})));
    assert_eq!(versions(&error), (json!(40901), json!(0), json!(1)));
    assert_eq!(bench.ok("set_hint", set(json!({"if_match_version": 1})))["hint"]["version"], 2);
    let error = bench.error("set_hint", set(json!({"if_match_version": 1})));
    assert_eq!(versions(&error), (json!(40901), json!(1), json!(2)));
    // Another scope is another variant, with its own version count.
    let scoped = set(json!({"if_match_version": 2, "meta": {"scope": os(LINUX)}}));
    assert_eq!(versions(&bench.error("set_hint", scoped)), (json!(40901), json!(2), json!(0)));
    let scoped = set(json!({"if_match_version": 0, "meta": {"scope": os(LINUX)}}));
    assert_eq!(bench.ok("set_hint", scoped)["variants"], 2);
}

#[test]
fn the_only_variant_may_be_written_back_without_its_scope() {
    let mut bench = Bench::new();
    bench.scoped("old", os(LINUX));
    let answer = bench.ok("set_hint", set(json!({"if_match_version": 1})));
    assert_eq!((&answer["variants"], &answer["hint"]["version"]), (&json!(1), &json!(2)));
    assert_eq!(answer["hint"]["meta"]["scope"], os(LINUX));
    // With two of them it is unclear which one is meant.
    bench.scoped("other", os("darwin"));
    assert_eq!(bench.error("set_hint", set(json!({"if_match_version": 2})))["data"]["current_version"], 0);
    // And a default beside the only variant is still a new hint.
    let mut bench = Bench::new();
    bench.scoped("old", os(LINUX));
    assert_eq!(bench.ok("set_hint", set(json!({"if_match_version": 0})))["variants"], 2);
}

#[test]
fn delete_removes_all_variants_or_the_named_one() {
    let mut bench = Bench::new();
    bench.scoped("a", os(LINUX));
    bench.wait(1).scoped("b", os("darwin"));
    bench.wait(1).scoped("c", json!({}));
    let one = bench.ok("delete_hint", json!({"component": "c", "key": "k", "scope": {"os": "linux"}}));
    assert_eq!((&one["deleted"], &one["previous"]["value"]), (&json!(true), &json!("a")));
    assert!(one.get("deleted_count").is_none());
    let rest = bench.ok("delete_hint", json!({"component": "c", "key": "k"}));
    assert_eq!((&rest["deleted_count"], &rest["previous"]["value"]), (&json!(2), &json!("c")));
    assert_eq!(bench.ok("list_components", json!({})), json!({"components": []}));
}

#[test]
fn bump_means_the_context_then_the_last_returned_then_the_newest() {
    let mut bench = Bench::new();
    bench.scoped("linux", os(LINUX));
    bench.wait(1).scoped("darwin", os("darwin"));
    let bumped = |bench: &mut Bench, more: Value| bench.ok("bump", set(more))["hint"]["value"].clone();
    assert_eq!(bumped(&mut bench, json!({})), "darwin");
    assert_eq!(bumped(&mut bench, json!({"inferred": {"os": "linux"}})), "linux");
    assert_eq!(bench.value(os_context(LINUX)), "linux");
    assert_eq!(bumped(&mut bench, json!({})), "linux");
    assert_eq!(bumped(&mut bench, json!({"inferred": {"os": "darwin"}})), "linux");
    assert_eq!(bumped(&mut bench, json!({"context": {"os": "darwin"}})), "darwin");
    // A get does not count as a use.
    let get = json!({"component": "c", "key": "k", "context": {"os": "linux"}});
    assert_eq!(bench.ok("get_hint", get)["hint"]["use_count"], 3);
    // The variant that was returned last may be deleted since.
    bench.ok("delete_hint", json!({"component": "c", "key": "k", "scope": os(LINUX)}));
    assert_eq!(bumped(&mut bench, json!({})), "darwin");
}

#[test]
fn guessed_facts_fill_in_and_say_so_but_never_win() {
    let mut bench = Bench::new();
    bench.scoped("v", json!({"os": ["linux"], "branch": ["dev"]}));
    let get = json!({
        "component": "c", "key": "k",
        "context": {"branch": "dev"},
        "inferred": {"branch": "main", "os": "linux", "env": {"A": "1"}},
    });
    let reasons = bench.ok("get_hint", get)["match_explain"]["reasons"].clone();
    assert_eq!(reasons, json!(["branch=dev allowed", "os=linux allowed (inferred)"]));
    bench.scoped("v", json!({"env_required": ["A"]}));
    let get = json!({"component": "c", "key": "k", "inferred": {"os": "darwin", "env": {"A": "1"}}});
    let error = bench.error("get_hint", get);
    assert_eq!(
        error["data"]["candidates"],
        json!([
            {"scope": {"env_required": ["A"]}, "failed": ["`A` is not set"]},
            {"scope": {"branch": ["dev"], "os": ["linux"]}, "failed": ["no branch (not given, or a detached HEAD)", "os (inferred) differs"]},
        ])
    );
    assert_eq!(error["data"]["missing"], json!(["branch", "env A"]));
}

#[test]
fn empty_facts_and_a_detached_head_are_no_facts() {
    let mut bench = Bench::new();
    bench.scoped("v", json!({"branch": ["**"]}));
    for branch in [json!(""), json!("HEAD"), json!(null)] {
        assert_eq!(
            bench.value(json!({ "branch": branch })),
            "40401: `c/k` is known, but applies elsewhere: no branch (not given, or a detached HEAD)"
        );
    }
    bench.scoped("v", json!({"env_match": {"A": ""}}));
    assert_eq!(bench.value(json!({"env": {"A": ""}})), "v");
    assert!(bench.value(json!({"env": {"A": null}})).starts_with("40401"));
}

#[test]
fn a_glob_that_is_too_narrow_is_reported_with_one_that_would_match() {
    let mut bench = Bench::new();
    bench.scoped("v", json!({"cwd_glob": ["**/http-proxy*"]}));
    assert_eq!(
        bench.value(json!({"cwd": "/work/http-proxy/src/"})),
        "40401: `c/k` is known, but applies elsewhere: cwd differs, `**/http-proxy*/**` would match"
    );
    assert_eq!(bench.value(json!({"cwd": "/work/x/../http-proxy/./"})), "v");
}

#[test]
fn names_of_environment_variables_are_returned() {
    let mut bench = Bench::new();
    bench.scoped("v", json!({"env_required": ["B", "A"], "env_match": {"C": "1"}}));
    bench.ok("set_hint", set(json!({"key": "other", "meta": {"scope": {"env_required": ["D"]}}})));
    assert_eq!(bench.ok("env_names", json!({})), json!({"names": ["A", "B", "C", "D"]}));
    assert_eq!(bench.ok("env_names", json!({"component": "c", "key": "other"})), json!({"names": ["D"]}));
    assert_eq!(bench.ok("env_names", json!({"component": "x"})), json!({"names": []}));
}

#[test]
fn a_query_joins_its_filters() {
    let mut bench = Bench::new();
    let hints = [
        ("a", "build", json!("docker compose build"), json!({"tags": ["build", "docker"]})),
        ("a", "run", json!({"type": "command", "cmd": "docker run"}), json!({"tags": ["run"]})),
        (
            "b",
            "build",
            json!({"type": "json", "data": {"deep": ["make docker"]}}),
            json!({"tags": ["build"]}),
        ),
        ("b", "dock", json!("nothing"), json!({"scope": {"os": ["linux"]}})),
    ];
    for (component, key, value, meta) in hints {
        bench.ok("set_hint", json!({"component": component, "key": key, "value": value, "meta": meta}));
    }
    let mut check = |query: Value, expect: &[&str]| {
        let answer = bench.ok("query", query.clone());
        let names: Vec<String> = answer["hints"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| {
                assert_eq!(item["score"], item["match_explain"]["score"]);
                format!("{}/{}", item["component"].as_str().unwrap(), item["key"].as_str().unwrap())
            })
            .collect();
        assert_eq!(names, expect, "{query}");
    };
    check(json!({}), &["a/build", "a/run", "b/build"]);
    check(json!({"context": {"os": "linux"}}), &["b/dock", "a/build", "a/run", "b/build"]);
    check(json!({"component": "a"}), &["a/build", "a/run"]);
    check(json!({"component": "x"}), &[]);
    check(json!({"keys": ["run", "x"]}), &["a/run"]);
    check(json!({"tags": ["run", "docker"]}), &["a/build", "a/run"]);
    check(json!({"tags": "build", "component": "b"}), &["b/build"]);
    check(json!({"regex": "dock.*build"}), &["a/build"]);
    check(json!({"regex": "^make d"}), &["b/build"]);
    check(json!({"regex": "^dock$", "context": {"os": "linux"}}), &["b/dock"]);
    check(json!({"limit": 1}), &["a/build"]);
    let answer = bench.ok("query", json!({"component": "b", "keys": ["dock"]}));
    assert_eq!(answer, json!({"hints": [], "total": 0, "elsewhere": {"hints": 1, "missing": ["os"]}}));
}
