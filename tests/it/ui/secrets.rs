//! No secret that agents saw reaches the page, however it was stored.

use super::page::Page;
use super::stream::Followed;
use crate::memory::scene::{failed, import, line, play};
use crate::payload::{bash, edit, event, prompt};
use crate::sandbox::Sandbox;
use crate::servers::Server;
use serde_json::json;

/// Secrets of 23 sorts, as agents meet them: what is written, and the part that must not be seen. They are built here,
/// so that no scanner takes this file for a leak.
fn secrets() -> Vec<(String, String)> {
    let long = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6";
    let hex = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";
    let tokens = [
        ("ghp_", 36),
        ("github_pat_11ABCDEFG0", 40),
        ("glpat-", 20),
        ("sk_live_", 24),
        ("xoxb-123456789012-1234567890123-", 24),
        ("AIza", 35),
        ("npm_", 36),
        ("hf_", 34),
        ("sk-ant-api03-", 40),
        ("dop_v1_", 0),
        ("shpat_", 32),
        ("SG.abcdefghijklmnopqrstuv.", 43),
        ("lin_api_", 40),
        ("pypi-AgEIcHlwaS5vcmc", 40),
        ("glsa_", 32),
        ("hvs.", 24),
    ];
    let mut all: Vec<(String, String)> = tokens
        .iter()
        .map(|(start, length)| match *length {
            0 => format!("{start}{hex}"),
            length => format!("{start}{}", &long[..length]),
        })
        .map(|token| (token.clone(), token))
        .collect();
    for (before, secret, after) in [
        ("", "AKIAQWERTZUIOPASDFGH", ""),
        ("postgres://shop:", "pq7Rs9T0k1L2", "@db/shop"),
        ("PASSWORD=", "hunter2-Zx81", ""),
        ("Authorization: Basic ", "c2hvcDpodW50ZXIyLVp4ODE=", ""),
        ("Cookie: session=", "8f14e45fceea167a5a36dedd4bea2543", ""),
        ("", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P", ""),
        (
            "-----BEGIN PRIVATE KEY-----\n",
            "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ",
            "\n-----END PRIVATE KEY-----",
        ),
    ] {
        all.push((format!("{before}{secret}{after}"), secret.to_owned()));
    }
    assert_eq!(all.len(), 23);
    all
}

fn assert_hidden(text: &str, place: &str) {
    for (_, secret) in secrets() {
        assert!(!text.contains(&secret), "{secret} is in {place}");
    }
    assert!(text.contains("REDACTED"), "something was there to hide in {place}");
}

#[test]
fn no_secret_reaches_the_page() {
    let sandbox = Sandbox::new();
    for (index, (secret, _)) in secrets().iter().enumerate() {
        let session = format!("session-{index}");
        let events = vec![
            event("SessionStart").with("source", "startup"),
            prompt(&format!("deploy with {secret}")),
            failed(
                &format!("curl -H 'Authorization: Bearer {secret}' x"),
                &format!("Exit code 1\nbad token {secret}"),
            ),
            edit("app.env", "TOKEN=", &format!("TOKEN={secret}")).after(),
            bash(&format!("export TOKEN={secret}")).after(),
        ];
        play(&sandbox, events.into_iter().map(|one| one.session(&session)).collect());
    }
    // What an older version stored as it was is redacted on its way out.
    let stored: Vec<String> = secrets()
        .iter()
        .enumerate()
        .map(|(index, (secret, _))| {
            line(&format!("echo {secret}"), json!({ "session_id": format!("old-{index}") }))
        })
        .collect();
    import(&sandbox, &stored);
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let mut all = String::new();
    for question in [
        "meta",
        "overview",
        "density",
        "lanes?limit=200",
        "feed?limit=200",
        "sessions?limit=200",
        "search?q=token",
        "search?q=deploy",
        "search?q=echo",
        "walls",
        "files",
        "file?path=app.env",
        "rules",
        "told",
        "hints",
        "notes",
        "plan",
        "health",
    ] {
        let reply = page.get(question);
        assert_eq!(reply.status, 200, "{question}: {}", reply.body);
        all.push_str(&reply.body);
    }
    for index in 0..secrets().len() {
        all.push_str(&page.get(&format!("session/session-{index}")).body);
        all.push_str(&page.get(&format!("session/old-{index}")).body);
    }
    for id in 1..120 {
        all.push_str(&page.get(&format!("observation/{id}")).body);
    }
    assert_hidden(&all, "an answer");
    // The stream says the same as the answers, and so does a report.
    let (_, mut followed) = Followed::open(&page, "");
    followed.next("hello");
    let (first, _) = &secrets()[0];
    play(
        &sandbox,
        vec![
            prompt(&format!("deploy once more with {first}")).session("live"),
            failed(&format!("deploy --token {first}"), &format!("Exit code 1\nbad token {first}"))
                .session("live"),
        ],
    );
    let mut streamed = String::new();
    while !streamed.contains("\"marks\"") || !streamed.contains("PostToolUseFailure") {
        streamed.push_str(&followed.any());
    }
    assert!(!streamed.contains(first), "{first} is in the stream");
    sandbox.run(["report", "--html", "secrets.html", "--all", "--since", "9999d"]).code(0);
    let report = std::fs::read_to_string(sandbox.path("secrets.html")).expect("a report");
    assert_hidden(&report, "a report");
}
