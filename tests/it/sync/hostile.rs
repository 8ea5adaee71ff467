//! A machine that sends nonsense: nothing of it is stored, and what is stored is redacted.

use std::fs;

use serde_json::{Value, json};

use super::scene::{Machines, bytes_of, contains};

const KEY: &str = "ffffffffffffffffffffffffffffff01";

/// Lets a machine that is only a list of lines call `b`; returns what `b` answers and whether it is content.
fn call(machines: &Machines, lines: &[Vec<u8>]) -> (String, Option<i32>) {
    let mut input = lines.join(&b'\n');
    input.push(b'\n');
    let mut command = machines.on("b").command(env!("CARGO_BIN_EXE_nudge"));
    let mut child = command
        .args(["sync", "--stdio"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || drop(std::io::Write::write_all(&mut stdin, &input)));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("a thread");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

fn greeting() -> Value {
    json!({ "nudge_sync": 1, "oldest": 1, "program": "9.9.9", "machine": KEY })
}

fn stock(has: &Value) -> Value {
    json!({ "stock": { "machine": KEY, "has": has } })
}

fn lot(after: i64, upto: i64, rows: usize) -> Value {
    json!({ "lot": { "machine": KEY, "after": after, "upto": upto, "rows": rows } })
}

fn row(number: i64, content: &str, now: i64) -> Value {
    json!([number, {
        "timestamp": now, "session_id": "s", "project": "p", "obs_type": "command", "source_event": "PostToolUse",
        "content": content, "event_key": format!("{number:032x}"), "metadata": { "command": content },
    }])
}

fn conversation(middle: &[Value]) -> Vec<Vec<u8>> {
    let mut lines = vec![greeting(), json!("lock"), stock(&json!({}))];
    lines.extend_from_slice(middle);
    lines.extend([
        json!({ "end": { "rows": 1, "forgotten": 0 } }),
        json!({ "got": { "stored": 0, "deleted": 0 } }),
    ]);
    lines.iter().map(|line| line.to_string().into_bytes()).collect()
}

fn scene() -> (Machines, i64) {
    let machines = Machines::new(&["b"]);
    machines.runs("b", "make own");
    let now = machines.rows("b")[0]["timestamp"].as_i64().expect("a time");
    (machines, now)
}

#[test]
fn what_a_machine_sends_is_checked_and_redacted_again() {
    let (machines, now) = scene();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let (said, code) = call(
        &machines,
        &conversation(&[lot(0, 9, 1), row(9, &format!("curl -H 'Authorization: Bearer {token}'"), now)]),
    );
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(machines.commands("b").len(), 2);
    assert!(!contains(&bytes_of(&machines.on("b").data_folder()), &token));
}

#[test]
fn rows_that_are_no_rows_are_skipped_and_the_rest_is_taken() {
    let (machines, now) = scene();
    let mut lines = conversation(&[lot(0, 9, 8)]);
    let rows = [
        vec![0xff, 0xfe],
        b"[1, {}]".to_vec(),
        b"{".to_vec(),
        format!("[2, {{\"x\": \"{}\"}}]", "y".repeat(10 << 20)).into_bytes(),
        row(3, "in the far future", now * 2).to_string().into_bytes(),
        row(4, "make good", now).to_string().into_bytes(),
        row(5, &"z".repeat(400_000), now).to_string().into_bytes(),
        row(6, "make better", now).to_string().into_bytes(),
    ];
    lines.splice(4..4, rows);
    let (said, code) = call(&machines, &lines);
    assert_eq!(code, Some(0), "{said}");
    let commands = machines.commands("b");
    assert_eq!(commands.len(), 4);
    assert!(commands.contains(&"make good".to_owned()) && commands.contains(&"make better".to_owned()));
}

#[test]
fn lines_that_break_the_rules_end_the_exchange_and_store_nothing() {
    let (machines, now) = scene();
    let before = machines.rows("b");
    let own = {
        let (said, _) = call(&machines, &[greeting().to_string().into_bytes()]);
        let greeting: Value =
            serde_json::from_str(said.trim().lines().next().expect("a line")).expect("JSON");
        greeting["machine"].as_str().expect("a key").to_owned()
    };
    let own_lot = json!({ "lot": { "machine": own, "after": 0, "upto": 9, "rows": 1 } });
    for (why, middle) in [
        ("rows of this machine", vec![own_lot, row(9, "make false", now)]),
        ("backwards", vec![lot(0, 9, 2), row(5, "make x", now), row(4, "make y", now)]),
        ("beyond the lot", vec![lot(0, 9, 1), row(10, "make x", now)]),
        ("a lot that ends before it begins", vec![lot(9, 3, 0)]),
        ("a negative number", vec![lot(-1, 3, 0)]),
        ("a hole", vec![lot(5, 9, 1), row(9, "make x", now)]),
        ("too many rows", vec![lot(0, 9, 1_000_000)]),
        ("an unknown line", vec![json!({ "drop_table": {} })]),
        ("a second greeting", vec![greeting()]),
        ("not JSON", vec![json!("lock")]),
    ] {
        let (said, code) = call(&machines, &conversation(&middle));
        assert_eq!(code, Some(1), "{why}: {said}");
        assert!(said.contains("\"failed\""), "{why}: {said}");
        assert_eq!(machines.rows("b"), before, "{why}");
    }
}

#[test]
fn versions_that_do_not_fit_are_refused_in_a_sentence() {
    let (machines, _) = scene();
    let newer = json!({ "nudge_sync": 9, "oldest": 9, "program": "9.9.9", "machine": KEY });
    let (said, code) = call(&machines, &[newer.to_string().into_bytes()]);
    assert_eq!(code, Some(1));
    assert!(
        said.contains("the nudge on the other machine is 9.9.9, and this one is too old for it"),
        "{said}"
    );
}

#[test]
fn a_caller_that_says_it_has_more_of_this_machine_than_there_is_gives_it_a_new_key() {
    let (machines, _) = scene();
    let key = |said: &str| {
        let line = said.lines().find(|line| line.contains("\"stock\"")).expect("a stock").to_owned();
        let stock: Value = serde_json::from_str(&line).expect("JSON");
        stock["stock"]["machine"].as_str().expect("a key").to_owned()
    };
    let (said, _) = call(&machines, &conversation(&[]));
    let first = key(&said);
    let mut lines = conversation(&[]);
    lines[2] = stock(&json!({ &first: { "upto": 5000, "forgotten": 0 } })).to_string().into_bytes();
    let (said, code) = call(&machines, &lines);
    assert_eq!(code, Some(0), "{said}");
    assert_ne!(key(&said), first);
    assert_eq!(machines.commands("b"), ["make own"]);
}

#[test]
fn a_host_that_sends_nonsense_harms_nobody() {
    let machines = Machines::new(&["a"]);
    machines.runs("a", "make own");
    for (script, code) in [
        ("yes nonsense | head -n 200000", 1),
        ("head -c 20000000 /dev/zero", 1),
        ("exit 3", 1),
        (
            "echo '{\"nudge_sync\":9,\"oldest\":9,\"program\":\"9.9.9\",\"machine\":\"00000000000000000000000000000009\"}'",
            1,
        ),
        (
            "echo '{\"nudge_sync\":1,\"oldest\":1,\"program\":\"1\",\"machine\":\"00000000000000000000000000000009\"}'; echo oops; cat > /dev/null",
            1,
        ),
    ] {
        fs::write(machines.bin("hosts/h"), format!("{script}\nexit $?\n")).expect("a host");
        machines.on("a").run(["sync", "ssh", "h"]).code(code);
        assert_eq!(machines.commands("a"), ["make own"], "{script}");
    }
}
