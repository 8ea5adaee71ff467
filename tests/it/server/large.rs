//! A store of the largest hints: it goes in and out again, and the server takes no RAM for a second one.

#![expect(clippy::unwrap_used, reason = "what cannot be read is a failed test")]

use std::fs;

use serde_json::{Map, Value, json};

use crate::hints::scene::Scene;
use crate::mcp_client::Client;
use crate::sandbox::Sandbox;
use crate::servers::{address, http, port, rpc, wait_until};

/// How many hints there are; `NUDGE_HINTS=5000 cargo test --test it full_store` for a full store.
#[expect(clippy::disallowed_methods, reason = "a variable says how much the test may take")]
fn count() -> usize {
    std::env::var("NUDGE_HINTS").ok().and_then(|count| count.parse().ok()).unwrap_or(280)
}

fn store(count: usize) -> Value {
    let mut components = Map::new();
    for number in 0..count {
        let component =
            components.entry(format!("c{}", number / 200)).or_insert_with(|| json!({ "hints": {} }));
        component["hints"][format!("k{number}")] =
            json!({ "value": format!("{number} ").repeat(65_536).split_at(65_536).0 });
    }
    json!({ "schema_version": "1.0", "components": components })
}

/// Returns the maximum RAM that a process ever took, in bytes.
fn peak(pid: &Value) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

#[test]
#[expect(clippy::print_stdout, reason = "what was measured is said")]
fn a_full_store_is_never_there_twice() {
    let scene = Scene::with(Sandbox::new().file("large.json", store(count()).to_string()), &[]);
    let pid = address(&scene.sandbox)["pid"].clone();
    // What the program itself takes, which in a debug build is mostly its own file.
    let idle = peak(&pid);
    scene.done(&["import", "large.json"]);
    let imported = peak(&pid);
    wait_until("the snapshot covers all", || {
        let (_, body) = http(port(&scene.sandbox), "GET", "/health", "", b"");
        let health: Value = serde_json::from_str(&body).unwrap();
        health["snapshot_generation"] == health["generation"]
    });
    let saved = peak(&pid);
    scene.done(&["export", "-o", "out.json"]);
    let exported = peak(&pid);
    let size = count() as u64 * 65_536;
    println!(
        "hints: {} MiB; peak idle {} MiB, after import {} MiB, snapshot {} MiB, export {} MiB",
        size >> 20,
        idle >> 20,
        imported >> 20,
        saved >> 20,
        exported >> 20
    );
    // Threads keep what they freed, as many as happened to run: between 4 and 20 MiB from run to run.
    assert!(imported - idle < size + size / 2 + (48 << 20), "import: {imported}, idle {idle}, for {size}");
    assert!(
        exported - imported < size / 4 + (2 << 20),
        "snapshot and export: {imported}, {saved}, {exported} for {size}"
    );
    let out: Value = serde_json::from_slice(&fs::read(scene.sandbox.path("out.json")).unwrap()).unwrap();
    let mut values = store(count())["components"].take();
    let mut output = out["components"].clone();
    for (component, number) in (0..count()).map(|number| (format!("c{}", number / 200), format!("k{number}")))
    {
        assert_eq!(
            output[&component]["hints"][&number]["value"].take(),
            values[&component]["hints"][&number]["value"].take()
        );
    }

    // In one piece there is a limit, on every way.
    let whole = rpc(&scene.sandbox, "nudge.query", &json!({ "limit": 5_000 }));
    assert_eq!(whole["error"]["code"], 42901);
    let batch = json!([{ "jsonrpc": "2.0", "id": 1, "method": "nudge.export" }]).to_string();
    let (_, said) = http(port(&scene.sandbox), "POST", "/rpc", "", batch.as_bytes());
    assert!(said.contains("42901") && said.len() < 1_000, "{} bytes", said.len());
    let mut proxy = Client::new(&scene.sandbox);
    let refused = proxy.call("nudge_export", json!({}));
    assert_eq!(
        refused["structuredContent"]["error"]["data"]["detail"],
        "the export is too long for one answer: ask for one `component`, or run `nudge export`"
    );
    let one = proxy.call_json("nudge_export", json!({ "component": "c1" }));
    assert_eq!(one["payload"]["components"].as_object().unwrap().keys().collect::<Vec<_>>(), ["c1"]);
}
