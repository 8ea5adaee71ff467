//! Imports: what is skipped, what is refused as a whole, and that an export and import lose nothing.

use expect_test::expect;
use proptest::prelude::*;

use super::*;

fn store(components: Value) -> Value {
    json!({"schema_version": "1.0", "components": components})
}

#[test]
fn hostile_entries_cost_only_themselves() {
    let mut bench = Bench::new();
    let deep = (0..90).fold(json!(1), |inner, _| json!([inner]));
    let payload = store(json!({
        "good": {"hints": {"k": {"value": "v", "version": 3, "use_count": 2, "last_used_at": "2026-01-01T00:00:00+01:00"}}},
        "list": [],
        "number": 5,
        "empty": {},
        "hints-list": {"hints": []},
        "variants-list": {"variants": []},
        "variant": {"variants": {"k": {"value": "v"}}},
        "bad": {"hints": {
            "": {"value": "v"},
            "control\u{7}": {"value": "v"},
            "null": null,
            "text": "v",
            "no value": {"meta": {}},
            "unknown": {"value": "v", "mta": {}},
            "meta": {"value": "v", "meta": []},
            "deep": {"value": {"type": "json", "data": deep}},
            "climbs": {"value": "v", "meta": {"scope": {"cwd_glob": ["../x"]}}},
            "secret": {"value": "PASSWORD=correct7horse"},
            "expired": {"value": "v", "updated_at": "2025-01-01T00:00:00Z", "meta": {"ttl": "P1D"}},
            "version": {"value": "v", "version": 0},
            "moment": {"value": "v", "updated_at": "yesterday"},
            "uses": {"value": "v", "use_count": -1},
        }},
    }));
    let answer = bench.ok("import", json!({ "payload": payload }));
    assert_eq!((&answer["imported"], &answer["skipped"]), (&json!(1), &json!(20)));
    let errors: Vec<String> = answer["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| {
            let text = |name: &str| error[name].as_str().unwrap().to_owned();
            format!("{}/{}: {}: {}", text("component"), text("key"), text("reason"), text("detail"))
        })
        .collect();
    expect![[r#"
        list/: E_INVALID: a component must be an object, not a list
        number/: E_INVALID: a component must be an object, not a number
        empty/: E_INVALID: a component must have `hints`
        hints-list/: E_INVALID: `hints` must be an object, not a list
        variants-list/: E_INVALID: `variants` must be an object, not a list
        variant/k: E_INVALID: the variants of a key must be a list, not an object
        bad/: E_INVALID: `key` must not be empty
        bad/control: E_INVALID: `key` must not contain control characters
        bad/null: E_INVALID: `hint` must be an object, not null
        bad/text: E_INVALID: `hint` must be an object, not a text
        bad/no value: E_INVALID: `hint.value` is missing
        bad/unknown: E_INVALID: `hint` has no field `mta`: did you mean `meta`?
        bad/meta: E_INVALID: `meta` must be an object, not a list
        bad/deep: E_INVALID: `value` is nested deeper than 64
        bad/climbs: E_SCOPE_INVALID: a glob of `scope.cwd_glob` must not contain `..`
        bad/secret: E_SECRET_REJECTED: the hint seems to contain a secret in `value` (password): leave it out, or store it on purpose with `meta.sensitivity: "secret"`
        bad/expired: E_INVALID: it has expired
        bad/version: E_INVALID: `hint.version` must be a whole number from 1 to 9007199254740991
        bad/moment: E_INVALID: `hint.updated_at` must be a timestamp like 2026-01-02T03:04:05Z
        bad/uses: E_INVALID: `hint.use_count` must be a whole number from 0 to 9007199254740991"#]].assert_eq(&errors.join("\n"));
    let hint = bench.ok("get_hint", json!({"component": "good", "key": "k"}))["hint"].clone();
    assert_eq!((&hint["version"], &hint["use_count"]), (&json!(3), &json!(2)));
    assert_eq!(hint["last_used_at"], "2025-12-31T23:00:00.000Z");
}

#[test]
fn no_more_than_twenty_errors_are_listed() {
    let mut bench = Bench::new();
    let hints: Map<String, Value> = (0..3_000).map(|number| (number.to_string(), json!(1))).collect();
    let answer = bench.ok("import", json!({"payload": store(json!({"c": {"hints": hints}}))}));
    assert_eq!(answer["skipped"], 3_000);
    assert_eq!(answer["errors"].as_array().unwrap().len(), 20);
}

#[test]
fn in_a_merge_existing_hints_win() {
    let mut bench = Bench::new();
    bench.scoped("mine", json!({"os": ["linux"]}));
    let payload = store(json!({"c": {
        "hints": {"k": {"value": "default"}},
        "variants": {"k": [{"value": "theirs", "meta": {"scope": {"os": "linux"}}}, {"value": "twice"}]},
    }}));
    assert_eq!(
        bench.ok("import", json!({ "payload": payload, "mode": "merge" })),
        json!({"imported": 1, "skipped": 2, "errors": [{
            "component": "c", "key": "k", "reason": "E_INVALID",
            "detail": "the same component, key and scope appear twice in this import: the first one is used",
        }]})
    );
    assert_eq!(bench.value(json!({"os": "linux"})), "mine");
    assert_eq!(bench.value(json!({})), "default");
}

#[test]
fn over_the_limit_is_skipped_one_by_one() {
    let mut bench = Bench::with(HintLimits { max_hints: 2, ..limits() });
    let payload =
        store(json!({"c": {"hints": {"a": {"value": "v"}, "b": {"value": "v"}, "c": {"value": "v"}}}}));
    let answer = bench.ok("import", json!({ "payload": payload }));
    assert_eq!((&answer["imported"], &answer["skipped"]), (&json!(2), &json!(1)));
    assert_eq!(answer["errors"][0]["reason"], "E_QUOTA");
}

#[test]
fn a_replacement_is_validated_before_anything_is_deleted() {
    let mut bench = Bench::new();
    bench.scoped("old", json!({}));
    let before = bench.ok("export", json!({}));
    let payload = store(
        json!({"d": {"hints": {"a": {"value": "v"}, "b": {"value": "PASSWORD=correct7horse"}, "c": 1}}}),
    );
    let error = bench.error("import", json!({"payload": payload, "mode": "replace"}));
    assert_eq!((&error["code"], &error["data"]["reason"]), (&json!(40002), &json!("E_SECRET_REJECTED")));
    assert_eq!(error["data"]["errors"].as_array().unwrap().len(), 2);
    assert_eq!(bench.ok("export", json!({})), before);

    let payload = store(json!({"d": {"hints": {
        "a": {"value": "v"},
        "gone": {"value": "v", "updated_at": "2025-01-01T00:00:00Z", "meta": {"ttl": "P1D"}},
    }}}));
    let answer = bench.ok("import", json!({"payload": payload, "mode": "replace"}));
    assert_eq!((&answer["imported"], &answer["skipped"]), (&json!(1), &json!(1)));
    assert_eq!(bench.ok("list_components", json!({}))["components"], json!([{"name": "d", "hint_count": 1}]));
}

#[test]
fn a_replacement_may_come_in_parts() {
    let mut bench = Bench::new();
    bench.scoped("old", json!({}));
    let part = |id: &str, number: usize, last: bool, value: Value| {
        let components = json!({ format!("part{number}"): {"hints": {"k": {"value": value}}} });
        json!({
            "payload": store(components), "mode": "replace",
            "stage": {"id": id, "part": number, "last": last},
        })
    };
    let names = |bench: &mut Bench| -> Vec<String> {
        let components = bench.ok("list_components", json!({}))["components"].clone();
        components.as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap().to_owned()).collect()
    };
    let waiting = json!({"imported": 0, "skipped": 0, "errors": [], "staged": true});
    assert_eq!(bench.ok("import", part("x", 0, false, json!("v"))), waiting);
    assert_eq!(names(&mut bench), ["c"]);
    assert_eq!(bench.ok("import", part("x", 1, true, json!("v")))["imported"], 2);
    assert_eq!(names(&mut bench), ["part0", "part1"]);

    // One bad part fails the whole import, and the existing hints stay.
    bench.ok("import", part("y", 0, false, json!(1)));
    assert_eq!(bench.error("import", part("y", 1, true, json!("v")))["code"], 40001);
    assert_eq!(names(&mut bench), ["part0", "part1"]);

    // A missing part, as after a change of servers or ten minutes, is reported.
    bench.ok("import", part("z", 0, false, json!("v")));
    bench.wait(600);
    let error = bench.error("import", part("z", 1, true, json!("v")));
    assert_eq!(
        error["message"],
        "part 1 of the import arrived, but part 0 was expected: send all parts again"
    );
    assert_eq!(names(&mut bench), ["part0", "part1"]);

    // Only a few can be in progress at once.
    bench.ok("import", part("1", 0, false, json!("v")));
    bench.ok("import", part("2", 0, false, json!("v")));
    assert_eq!(bench.error("import", part("3", 0, false, json!("v")))["code"], 42901);
}

#[test]
fn secrets_are_exported_only_on_request() {
    let mut bench = Bench::new();
    let hint = |key: &str, sensitivity: &str| json!({"component": "c", "key": key, "value": "v", "meta": {"sensitivity": sensitivity}});
    bench.ok("set_hint", hint("open", "normal"));
    bench.ok("set_hint", hint("hidden", "secret"));
    let keys = |answer: &Value| -> Vec<String> {
        answer["payload"]["components"]["c"]["hints"].as_object().unwrap().keys().cloned().collect()
    };
    let answer = bench.ok("export", json!({}));
    assert_eq!((keys(&answer), &answer["skipped_secrets"]), (vec!["open".to_owned()], &json!(1)));
    let answer = bench.ok("export", json!({"include_secrets": true}));
    assert_eq!(keys(&answer), ["hidden", "open"]);
    assert_eq!(answer["skipped_secrets"], 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn an_export_is_imported_unchanged(
        hints in proptest::collection::vec(
            ("[a-b]", "[x-y]", 0_usize..5, 0_usize..6, 1_u8..=10, 0_u32..3, any::<bool>()), 0..20
        )
    ) {
        let scopes = [
            json!({}), json!({"os": ["linux"]}), json!({"branch": ["dev"], "os": ["darwin"]}),
            json!({"repo": "git:a/b"}), json!({"env_match": {"A": ["1"]}}), json!({"cwd_glob": ["/a/**"]}),
        ];
        let values = [
            json!("text"), json!({"type": "command", "shell": "sh", "cmd": "make"}),
            json!({"type": "path", "abs": "/a//b"}), json!({"type": "json", "data": [1, {"a": null}]}),
            json!({"type": "template", "format": "jinja", "body": "{{ a }}", "defaults": {"a": "1"}}),
        ];
        let mut bench = Bench::new();
        for (component, key, value, scope, priority, uses, secret) in hints {
            let sensitivity = if secret { "secret" } else { "normal" };
            let meta = json!({"scope": scopes[scope], "priority": priority, "sensitivity": sensitivity, "ttl": "P1D"});
            bench.wait(1).ok("set_hint", json!({"component": component, "key": key, "value": values[value], "meta": meta}));
            for _ in 0..uses {
                bench.ok("bump", json!({"component": component, "key": key}));
            }
        }
        let export = json!({"include_secrets": true});
        let before = bench.ok("export", export.clone())["payload"].clone();
        for mode in ["merge", "replace"] {
            let mut other = Bench::new();
            other.now = bench.now;
            let answer = other.ok("import", json!({"payload": before, "mode": mode}));
            prop_assert_eq!(&answer["skipped"], &json!(0));
            prop_assert_eq!(&other.ok("export", export.clone())["payload"]["components"], &before["components"]);
        }
        let mut other = Bench::new();
        other.service.restore(written(&bench.service.snapshot()).as_slice(), bench.now).unwrap();
        other.now = bench.now;
        prop_assert_eq!(&other.ok("export", export)["payload"], &before);
    }
}
