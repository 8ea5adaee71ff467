//! The maximum number of hints.

use super::*;

fn set(component: &str, key: &str) -> Value {
    json!({"component": component, "key": key, "value": "v"})
}

#[test]
fn a_component_has_up_to_two_hundred_variants() {
    let mut bench = Bench::new();
    for number in 0..100 {
        bench.ok("set_hint", set("c", &format!("k{number}")));
        bench.scoped("v", json!({"branch": [format!("b{number}")]}));
    }
    let error = bench.error("set_hint", set("c", "one-more"));
    assert_eq!(error["code"], 42901);
    assert_eq!(
        error["message"],
        "the limit for hints of `c` (200) is reached: delete hints that are no longer needed"
    );
    // An update does not count as a new hint, and another component has its own limit.
    assert_eq!(bench.ok("set_hint", set("c", "k0"))["hint"]["version"], 2);
    bench.ok("set_hint", set("d", "k"));
    assert_eq!(
        bench.ok("list_components", json!({})),
        json!({"components": [{"name": "c", "hint_count": 200}, {"name": "d", "hint_count": 1}]})
    );
    // Replacing many variants with one does not exceed the limit either.
    let mut replace = set("c", "k");
    replace["replace"] = json!(true);
    assert_eq!(bench.ok("set_hint", replace)["variants"], 1);
}

#[test]
fn there_are_up_to_five_hundred_components() {
    let mut bench = Bench::new();
    for number in 0..500 {
        bench.ok("set_hint", set(&format!("c{number}"), "k"));
    }
    let error = bench.error("set_hint", set("one-more", "k"));
    assert_eq!(
        error["message"],
        "the limit for components (500) is reached: delete hints that are no longer needed"
    );
    bench.ok("set_hint", set("c0", "another"));
    bench.ok("delete_hint", json!({"component": "c1", "key": "k"}));
    bench.ok("set_hint", set("one-more", "k"));
}

#[test]
fn a_refused_set_leaves_no_trace() {
    let mut bench = Bench::with(HintLimits { max_hints: 1, ..limits() });
    bench.ok("set_hint", set("c", "k"));
    let before = (bench.ok("export", json!({})), bench.service.generation());
    assert_eq!(bench.error("set_hint", set("d", "k"))["code"], 42901);
    assert_eq!((bench.ok("export", json!({})), bench.service.generation()), before);
}

#[test]
fn the_guard_can_be_disabled() {
    let mut bench = Bench::with(HintLimits { secret_guard: false, ..limits() });
    bench.ok("set_hint", json!({"component": "c", "key": "k", "value": "PASSWORD=correct7horse"}));
}

#[test]
fn counts_are_returned() {
    let mut bench = Bench::new();
    let hint = |key: &str, meta: Value| json!({"component": "c", "key": key, "value": "v", "meta": meta});
    bench.ok("set_hint", hint("a", json!({"tags": ["build", "docker"]})));
    bench.ok("set_hint", hint("b", json!({"tags": ["test"], "sensitivity": "secret"})));
    bench.ok("bump", json!({"component": "c", "key": "b", "delta": 3}));
    assert_eq!(
        json!(bench.service.counts(bench.now)),
        json!({
            "components": 1, "hints": 2, "secrets": 1, "uses": 3,
            "top_tags": [
                {"tag": "test", "hints": 1, "uses": 3},
                {"tag": "build", "hints": 1, "uses": 0},
                {"tag": "docker", "hints": 1, "uses": 0},
            ],
        })
    );
}

#[test]
fn one_is_found_among_five_thousand() {
    let mut bench = Bench::new();
    for number in 0..5_000 {
        let meta = json!({"scope": {"cwd_glob": [format!("**/p{number}/**")]}});
        let (component, key) = (format!("c{}", number / 100), format!("k{number}"));
        bench.ok("set_hint", json!({"component": component, "key": key, "value": "v", "meta": meta}));
    }
    let context = json!({"cwd": "/work/p4999/src"});
    assert_eq!(bench.ok("query", json!({"regex": "k4.*", "context": context}))["total"], 1);
    assert_eq!(bench.error("set_hint", set("c0", "more"))["code"], 42901);
}

#[test]
fn the_best_of_many_are_listed_in_order() {
    let mut bench = Bench::new();
    for number in 0..50 {
        let meta = json!({"priority": number * 7 % 10 + 1, "confidence": f64::from(number) / 50.0});
        bench.ok(
            "set_hint",
            json!({"component": "c", "key": format!("k{number}"), "value": "v", "meta": meta}),
        );
    }
    let all = bench.ok("query", json!({"limit": 50}));
    let few = bench.ok("query", json!({"limit": 7}));
    assert_eq!(few["total"], 50);
    assert_eq!(few["hints"].as_array().unwrap()[..], all["hints"].as_array().unwrap()[..7]);
}
