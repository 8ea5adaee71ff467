//! What a page may change, and that one that only reads may not.

use serde_json::{Value, json};

use super::page::{Page, PageReply, post};
use crate::memory::scene::remembered;
use crate::servers::Server;

fn act(page: &Page, body: &Value) -> PageReply {
    post(page.port, "act", &page.halves(), body)
}

#[test]
fn a_page_that_reads_changes_nothing() {
    let sandbox = remembered();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    for action in ["pin", "unpin", "forget", "rule_enable", "rule_disable"] {
        let reply = act(&page, &json!({ "action": action, "request_id": "1", "ids": [1], "dry": true }));
        assert_eq!(reply.status, 403, "{action}: {}", reply.body);
    }
    assert_eq!(page.data("observation/1")["obs"]["pinned"], false);
}

#[test]
fn pins_are_set_once_for_each_request() {
    let sandbox = remembered();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "edit");
    let pin = json!({ "action": "pin", "request_id": "a", "ids": [2, 999] });
    assert_eq!(act(&page, &pin).json()["data"], json!({ "pinned": true, "missing": [999] }));
    assert_eq!(page.data("observation/2")["obs"]["pinned"], true);
    assert_eq!(act(&page, &json!({ "action": "unpin", "request_id": "b", "ids": [2] })).status, 200);
    // The first request again is answered, and does nothing.
    assert_eq!(act(&page, &pin).json()["data"], json!({ "pinned": true, "missing": [999] }));
    assert_eq!(page.data("observation/2")["obs"]["pinned"], false);
    let many: Vec<i64> = (1..=201).collect();
    for wrong in [
        json!({ "action": "pin", "request_id": "c", "ids": many }),
        json!({ "action": "pin", "request_id": "c", "ids": [] }),
        json!({ "action": "pin", "request_id": "", "ids": [1] }),
        json!({ "action": "erase", "request_id": "c", "ids": [1] }),
        json!({ "action": "pin" }),
    ] {
        assert_eq!(act(&page, &wrong).status, 400, "{wrong}");
    }
}

#[test]
fn forgetting_needs_its_proof() {
    let sandbox = remembered();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "edit");
    let forget = |request: &str, ids: &[i64], proof: &str| {
        act(&page, &json!({ "action": "forget", "request_id": request, "ids": ids, "proof": proof })).status
    };
    assert_eq!(forget("1", &[2], ""), 409);
    let proposal = json!({ "action": "forget", "request_id": "2", "ids": [2], "dry": true });
    let proposed = act(&page, &proposal).json()["data"].clone();
    assert_eq!((&proposed["count"], &proposed["pinned"]), (&json!(1), &json!(0)));
    assert_eq!(page.get("observation/2").status, 200, "a proposal removes nothing");
    let proof = proposed["proof"].as_str().expect("a proof");
    assert_eq!(forget("3", &[2, 3], proof), 409, "it is for these observations only");
    assert_eq!(forget("4", &[2], proof), 409, "and is used up");
    let again = json!({ "action": "forget", "request_id": "5", "ids": [2], "dry": true });
    let proof = act(&page, &again).json()["data"]["proof"].as_str().expect("a proof").to_owned();
    assert_eq!(forget("6", &[2], &proof), 200);
    assert_eq!(page.get("observation/2").status, 404);
}

#[test]
fn rules_are_switched_in_projects_that_were_opened() {
    let rule = "version: 1\nrules:\n  - name: a-rule\n    on:\n      hook: PreToolUse\n    match:\n      content: \"x\"\n    action: interrupt\n    message: \"no\"\n";
    let sandbox = remembered().file(".nudge.yaml", rule);
    let root = sandbox.path("").to_str().expect("UTF-8").trim_end_matches('/').to_owned();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "edit");
    let switch = |action: &str, project: &str| {
        act(
            &page,
            &json!({ "action": action, "request_id": format!("{action}{project}"), "name": "a-rule", "project": project }),
        )
    };
    assert_eq!(switch("rule_disable", "/somewhere/else").status, 403);
    let done = switch("rule_disable", &root);
    assert_eq!(done.status, 200, "{}", done.body);
    let enabled = |page: &Page| page.data(&format!("rules?project={root}"))["rules"][0]["enabled"].clone();
    assert_eq!(enabled(&page), false);
    assert_eq!(switch("rule_enable", &root).status, 200);
    assert_eq!(enabled(&page), true);
}
