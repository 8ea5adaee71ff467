//! No secret that agents saw reaches the page, however it was stored.

use super::page::Page;
use crate::memory::scene::{failed, import, line, play};
use crate::payload::{bash, edit, event, prompt};
use crate::sandbox::Sandbox;
use crate::servers::Server;
use serde_json::json;

/// Secrets of several sorts, as agents meet them; built here, so that no scanner takes this file for a leak.
fn secrets() -> Vec<String> {
    let long = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
    [
        ("ghp_", 36),
        ("gho_", 36),
        ("ghs_", 36),
        ("glpat-", 20),
        ("AKIA", 0),
        ("sk_live_", 24),
        ("xoxb-123456789012-1234567890123-", 24),
        ("AIza", 35),
        ("npm_", 36),
        ("hf_", 34),
    ]
    .iter()
    .map(|(start, length)| match *length {
        0 => format!("{start}{}", "QWERTZUIOPASDFGH"),
        length => format!("{start}{}", &long[..length]),
    })
    .collect()
}

#[test]
fn no_secret_reaches_the_page() {
    let sandbox = Sandbox::new();
    for (index, secret) in secrets().iter().enumerate() {
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
        .map(|(index, secret)| {
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
    for id in 1..60 {
        all.push_str(&page.get(&format!("observation/{id}")).body);
    }
    for secret in secrets() {
        assert!(!all.contains(&secret), "{secret} is in an answer");
    }
    assert!(all.contains("REDACTED"), "something was there to hide");
}
