//! The project's memory over MCP: stored, searched, and cleared only with the paths that were shown.

use serde_json::json;

use crate::mcp_client::Client;
use crate::repository::{commit_all, git, repository};

#[test]
fn an_agent_stores_finds_and_clears_notes() {
    let sandbox = repository();
    let mut client = Client::new(&sandbox);
    let content = "# Rate limits of the GitHub API\n\nSearch allows 30 requests per minute.\n";
    let stored = client
        .call_json("nx_memory_store", json!({ "content": content, "category": "external", "tags": ["api"] }));
    let path = ".nexus/memory/external-rate-limits-github-api.md";
    assert_eq!(stored, json!({ "stored": "created", "path": path }));
    let again = client.call_json("nx_memory_store", json!({ "content": content, "category": "external" }));
    assert_eq!(again, json!({ "stored": "unchanged", "path": path, "why": "it has this name" }));
    let found = client.call_json("nx_memory_search", json!({ "query": "search requests" }));
    let hit =
        json!({ "path": path, "line": "Search allows 30 requests per minute.", "tags": ["api"], "reads": 0 });
    assert_eq!(found, json!({ "total": 1, "notes": [hit] }));
    commit_all(&sandbox, "a note");

    let plan = client.call_json("nx_memory_gc", json!({}));
    assert_eq!((&plan["dry_run"], &plan["notes"][0]["path"]), (&json!(true), &json!(path)));
    for arguments in [
        json!({ "paths": [path] }),
        json!({ "confirm": true }),
        json!({ "confirm": true, "paths": [path, ".nexus/memory/other-note.md"] }),
        json!({ "confirm": true, "paths": ["external-rate-limits-github-api.md"] }),
        json!({ "confirm": true, "paths": [".nexus/memory/*.md"] }),
        json!({ "confirm": true, "paths": [".nexus/memory/../context/design.md"] }),
    ] {
        let result = client.call("nx_memory_gc", arguments.clone());
        assert_eq!(result["isError"], true, "{arguments}");
        assert!(sandbox.path(path).exists(), "{arguments}");
    }
    let gone = client.call_json("nx_memory_gc", json!({ "confirm": true, "paths": [path] }));
    let before = git(&sandbox, "", &["rev-parse", "HEAD~1"]);
    let recovery = format!("git checkout {} -- {path}", before.trim());
    assert_eq!(gone["removed"][0]["recovery"], recovery);
    assert!(!sandbox.path(path).exists());
    let put = |name: &str, text: &str| sandbox.put(&format!(".nexus/memory/{name}"), text);
    put("import-speed.md", "Import: 20 MB per second.\n");
    put("csv-speed.md", "CSV: 30 MB per second.\n");
    let (from, into) = (".nexus/memory/csv-speed.md", ".nexus/memory/import-speed.md");
    let refused = client.call("nx_memory_gc", json!({ "into": into, "paths": [from] }));
    assert_eq!(refused["isError"], true);
    let merged = client.call_json("nx_memory_gc", json!({ "confirm": true, "paths": [from], "into": into }));
    assert_eq!((&merged["merged_into"], &merged["removed"][0]["path"]), (&json!(into), &json!(from)));
    let text = std::fs::read_to_string(sandbox.path(into)).expect("the note");
    assert_eq!(text, "Import: 20 MB per second.\n\nCSV: 30 MB per second.\n");
    sandbox.run(["note", "restore", "csv-speed"]).code(0);
    // No tool writes the records of reads.
    assert!(!sandbox.path(".nexus/state/claude-code").exists());
}

#[test]
fn a_refusal_says_how_to_fix_it() {
    let sandbox = repository();
    let mut client = Client::new(&sandbox);
    let mut error =
        |arguments| client.call("nx_memory_store", arguments)["structuredContent"]["error"].clone();
    let token = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    assert_eq!(
        error(json!({ "content": format!("use {token}"), "name": "deploy-the-shop" })),
        "this looks like it contains a secret (github-token), and notes go into git; say where the secret is kept, \
         instead of the secret itself"
    );
    assert_eq!(
        error(json!({ "content": "text", "name": "external-api-v2-limits" })),
        "`external-api-v2-limits.md` is not a valid name for a note: `v2` is a version, which belongs in the text; call it \
         `external-api-limits.md`"
    );
}
