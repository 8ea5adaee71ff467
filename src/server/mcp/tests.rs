//! What no client can bring about: a bug in a tool.

use super::*;

#[test]
fn a_panic_is_one_refusal() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let broken = runtime.block_on(answer(|| panic!("a bug")));
    assert_eq!(
        serde_json::to_value(broken).unwrap(),
        json!({
            "resultType": "complete",
            "content": [{ "type": "text", "text": "nudge broke down over this question; others are still answered" }],
            "isError": true,
        })
    );
    let next = runtime.block_on(answer(|| Ok(Response::Found(Vec::new()))));
    assert_eq!(
        serde_json::to_value(next).unwrap(),
        json!({
            "resultType": "complete",
            "content": [{ "type": "text", "text": "[]" }],
            "structuredContent": { "observations": [] },
            "isError": false,
        })
    );
}
