//! How long hints live, with a clock that the test controls.

use super::*;

fn short(bench: &mut Bench) -> Value {
    let meta = json!({"ttl": "PT1H", "scope": {"env_required": ["A"]}});
    bench.ok("set_hint", json!({"component": "c", "key": "k", "value": "v", "meta": meta}))
}

#[test]
fn an_expired_hint_is_invisible() {
    let mut bench = Bench::with(HintLimits { max_hints: 1, ..limits() });
    short(&mut bench);
    let here = json!({"env": {"A": "1"}});
    let query = json!({"context": here});
    let is_there = |bench: &mut Bench| {
        [
            bench.ask("get_hint", json!({"component": "c", "key": "k", "context": here})).is_ok(),
            bench.ok("query", query.clone())["total"] == 1,
            bench.ok("list_components", json!({}))["components"] != json!([]),
            bench.ok("export", json!({}))["payload"]["components"] != json!({}),
            bench.ok("env_names", json!({}))["names"] != json!([]),
            bench.service.counts(bench.now).hints == 1,
        ]
    };
    bench.wait(3_599);
    assert_eq!(is_there(&mut bench), [true; 6]);
    bench.wait(1);
    assert_eq!(is_there(&mut bench), [false; 6]);
    assert_eq!(bench.error("bump", json!({"component": "c", "key": "k"}))["code"], 40401);
    assert_eq!(bench.error("delete_hint", json!({"component": "c", "key": "k"}))["code"], 40401);
    // It does not count towards the limit, and has no version.
    let other = json!({"component": "d", "key": "k", "value": "v"});
    assert_eq!(bench.ok("set_hint", other)["variants"], 1);
}

#[test]
fn a_set_on_an_expired_hint_starts_over() {
    let mut bench = Bench::new();
    short(&mut bench);
    bench.ok("bump", json!({"component": "c", "key": "k"}));
    bench.wait(3_600);
    let params = json!({
        "component": "c", "key": "k", "value": "v", "if_match_version": 0,
        "meta": {"ttl": "PT1H", "scope": {"env_required": ["A"]}},
    });
    let hint = bench.ok("set_hint", params)["hint"].clone();
    assert_eq!((&hint["version"], &hint["use_count"]), (&json!(1), &json!(0)));
}

#[test]
fn a_set_extends_the_life_and_a_bump_does_not() {
    let mut bench = Bench::new();
    short(&mut bench);
    bench.wait(3_000);
    short(&mut bench);
    bench.wait(3_000);
    bench.ok("bump", json!({"component": "c", "key": "k"}));
    bench.wait(599);
    assert_eq!(bench.value(json!({"env": {"A": ""}})), "v");
    bench.wait(1);
    assert!(bench.value(json!({"env": {"A": ""}})).starts_with("40401"));
}

#[test]
fn the_default_ttl_applies_to_hints_without_one() {
    let mut bench = Bench::with(HintLimits { default_ttl: "PT1M".into(), ..limits() });
    let short = bench.scoped("short", json!({}));
    assert_eq!(short["hint"]["meta"]["ttl"], "PT1M");
    bench.ok("set_hint", json!({"component": "d", "key": "k", "value": "v", "meta": {"ttl": "session"}}));
    bench.wait(60);
    assert_eq!(bench.ok("list_components", json!({}))["components"], json!([{"name": "d", "hint_count": 1}]));
}

#[test]
fn an_invalid_default_ttl_is_refused() {
    let now = Bench::new().now;
    for ttl in ["", "2h", "PT0S", "P"] {
        let opened = HintService::open(HintLimits { default_ttl: ttl.into(), ..limits() }, now);
        assert_eq!(
            opened.err().as_deref(),
            Some(
                "the default TTL is not valid: `ttl` must be `session` or an ISO-8601 duration longer than zero, like `PT2H` or `P1D`"
            )
        );
    }
}

#[test]
fn a_sweep_frees_and_changes_nothing_else() {
    let mut bench = Bench::new();
    short(&mut bench);
    bench.ok("set_hint", json!({"component": "d", "key": "k", "value": "v"}));
    bench.wait(3_600);
    let before = bench.ok("export", json!({}));
    bench.service.sweep(bench.now);
    assert_eq!(bench.ok("export", json!({})), before);
}
