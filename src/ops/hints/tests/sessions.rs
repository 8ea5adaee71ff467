//! What outlives a call: repeated answers, snapshots, and the push log of a session.

use super::*;

fn set(key: &str, value: &str, meta: Value) -> Value {
    json!({"component": "http-proxy", "key": key, "value": value, "meta": meta})
}

fn with_id(mut params: Value, id: &str) -> Value {
    params["request_id"] = id.into();
    params
}

#[test]
fn a_question_with_the_same_id_is_answered_the_same_and_changes_nothing() {
    let mut bench = Bench::new();
    let first = bench.ok("set_hint", with_id(set("k", "v", json!({})), "1"));
    assert_eq!(bench.wait(5).ok("set_hint", with_id(set("k", "v", json!({})), "1")), first);
    let bump = json!({"component": "http-proxy", "key": "k"});
    let bumped = bench.ok("bump", with_id(bump.clone(), "1"));
    assert_eq!(bumped["hint"]["use_count"], 1);
    assert_eq!(bench.ok("bump", with_id(bump.clone(), "1")), bumped);
    assert_eq!(bench.ok("bump", with_id(bump.clone(), "2"))["hint"]["use_count"], 2);
    let gone = bench.ok("delete_hint", with_id(bump.clone(), "3"));
    assert_eq!(bench.ok("delete_hint", with_id(bump.clone(), "3")), gone);
    let refused = bench.error("delete_hint", with_id(bump.clone(), "4"));
    bench.ok("set_hint", set("k", "v", json!({})));
    assert_eq!(bench.error("delete_hint", with_id(bump.clone(), "4")), refused);
    // A question that changes nothing is answered again.
    bench.ok("get_hint", with_id(bump.clone(), "5"));
    bench.ok("delete_hint", bump.clone());
    assert_eq!(bench.error("get_hint", with_id(bump, "5"))["code"], 40401);
}

#[test]
fn the_last_256_answers_are_kept() {
    let mut bench = Bench::new();
    bench.ok("set_hint", set("k", "v", json!({})));
    let bump = json!({"component": "http-proxy", "key": "k"});
    for number in 0..257 {
        bench.ok("bump", with_id(bump.clone(), &number.to_string()));
    }
    assert_eq!(bench.ok("bump", with_id(bump.clone(), "1"))["hint"]["use_count"], 2);
    assert_eq!(bench.ok("bump", with_id(bump, "0"))["hint"]["use_count"], 258);
}

#[test]
fn the_next_server_continues_from_a_snapshot() {
    let mut bench = Bench::new();
    bench.ok("set_hint", set("k", "v", json!({"sensitivity": "secret", "scope": {"os": ["linux"]}})));
    bench.ok("set_hint", set("gone", "v", json!({"ttl": "PT1M"})));
    bench.ok("set_hint", set("open", "v", json!({})));
    let bump = with_id(json!({"component": "http-proxy", "key": "k"}), "1");
    bench.ok("bump", bump.clone());
    let asked = json!({
        "trigger": "session_start", "session": "s", "context": {"cwd": "/work/http-proxy", "os": "linux"},
    });
    assert_eq!(bench.ok("suggest", asked.clone())["suggestions"].as_array().unwrap().len(), 2);
    let before = bench.ok("export", json!({"include_secrets": true}));
    let snapshot = written(&bench.service.snapshot());

    let mut next = Bench::with(HintLimits { max_hints: 1, ..limits() });
    next.wait(1).ok("set_hint", set("mine", "v", json!({})));
    let generation = next.service.generation();
    next.service.restore(snapshot.as_slice(), next.now).unwrap();
    assert!(next.service.generation() > generation);
    assert_eq!(next.ok("export", json!({"include_secrets": true})), before);
    assert_eq!(next.ok("bump", bump)["hint"]["use_count"], 1);
    assert_eq!(next.ok("suggest", asked), json!({"suggestions": []}));
    next.wait(60);
    assert_eq!(next.ok("list_components", json!({}))["components"][0]["hint_count"], 2);
}

#[test]
fn an_unreadable_snapshot_leaves_the_service_as_it_is() {
    let mut bench = Bench::new();
    bench.ok("set_hint", set("k", "v", json!({})));
    let before = written(&bench.service.snapshot());
    let whole = String::from_utf8(before.clone()).unwrap();
    for damaged in ["", "{}", "[]", &whole[..whole.len() / 2], &whole.replace("\"1.0\"", "\"2.0\"")] {
        assert!(bench.service.restore(damaged.as_bytes(), bench.now).is_err(), "{damaged}");
        assert_eq!(written(&bench.service.snapshot()), before);
    }
}

#[test]
fn every_change_counts_and_reading_does_not() {
    let mut bench = Bench::new();
    let mut check = |method: &str, params: Value, changes: bool| {
        let before = bench.service.generation();
        bench.ok(method, params);
        assert_eq!(bench.service.generation() > before, changes, "{method}");
    };
    let key = json!({"component": "http-proxy", "key": "k"});
    check("set_hint", set("k", "v", json!({})), true);
    check("get_hint", key.clone(), false);
    check("query", json!({}), false);
    check("list_components", json!({}), false);
    check("export", json!({}), false);
    check("env_names", json!({}), false);
    check("bump", key.clone(), true);
    check("import", json!({"payload": {"components": {}}}), true);
    check("delete_hint", key, true);
}
