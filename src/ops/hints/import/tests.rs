//! A store in parts is the same store.

use serde_json::{Value, json};

use super::parts;

fn store() -> Value {
    json!({
        "schema_version": "1.0",
        "session_id": "s",
        "components": {
            "api": { "hints": { "build": { "value": "make" }, "run": { "value": "x".repeat(80) } },
                     "variants": { "build": [{ "value": "a" }, { "value": "b" }], "odd": 7 } },
            "bad": 1,
            "empty": {},
            "other": { "hints": [], "more": 2 },
        },
    })
}

/// Joins parts as a merge would.
fn joined(parts: Vec<(Value, usize)>) -> Value {
    let mut whole = json!({});
    for (part, _) in parts {
        merge(&mut whole, part);
    }
    whole
}

fn merge(whole: &mut Value, part: Value) {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            for (key, value) in part {
                merge(whole.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(whole), Value::Array(part)) => whole.extend(part),
        (whole, part) => *whole = part,
    }
}

#[test]
fn a_store_that_fits_is_sent_as_it_is() {
    let size = store().to_string().len();
    assert_eq!(parts(store(), size), (vec![(store(), size)], vec![]));
}

#[test]
fn a_store_in_parts_is_the_same_store() {
    for most in [140, 160, 200, 300] {
        let (parts, left_out) = parts(store(), most);
        assert!(parts.len() > 1, "{most}");
        assert!(parts.iter().all(|(_, size)| *size <= most), "{parts:?}");
        assert!(parts.iter().all(|(part, _)| part["schema_version"] == "1.0"));
        assert_eq!((joined(parts), left_out), (store(), vec![]), "{most}");
    }
}

#[test]
fn a_hint_that_is_too_large_is_reported() {
    let (parts, left_out) = parts(store(), 60);
    let mut rest = store();
    rest["components"]["api"]["hints"].as_object_mut().expect("hints").remove("run");
    assert_eq!(joined(parts), rest);
    let detail = "the hint is larger than the maximum request";
    assert_eq!(
        json!(left_out),
        json!([{ "component": "api", "key": "run", "reason": "E_INVALID", "detail": detail }])
    );
}

#[test]
fn what_is_not_a_store_is_left_to_the_server() {
    for odd in
        [json!([1, 2, 3]), json!("x".repeat(100)), json!({ "components": [1], "more": "x".repeat(100) })]
    {
        let size = odd.to_string().len();
        assert_eq!(parts(odd.clone(), 10), (vec![(odd, size)], vec![]));
    }
}
