//! What no client can cause: a bug in a tool.

use super::*;

#[test]
fn a_panic_fails_only_one_question() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let broken = runtime.block_on(answer(|| panic!("a bug")));
    assert_eq!(
        serde_json::to_value(broken).unwrap(),
        json!({
            "resultType": "complete",
            "content": [{ "type": "text", "text": "nudge hit an internal error on this question; other questions still work" }],
            "isError": true,
        })
    );
    let next = runtime.block_on(answer(|| Ok(Response::Found(FoundPageWire::default()))));
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
