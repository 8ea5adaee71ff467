//! Tests of this module.

use serde_json::json;

use super::*;

#[track_caller]
fn check(response: &Value, error: Option<&str>, output: &str, exit_code: Option<i64>, failed: bool) {
    let result = parse_result(response, error.map(str::to_owned), &Value::Null);
    let expect = ToolResult { output: output.into(), exit_code, failed, ..ToolResult::default() };
    assert_eq!(result, expect, "{response}");
}

#[test]
fn an_exit_code_is_found_wherever_it_is() {
    check(&json!("hi\n"), None, "hi\n", None, false);
    check(&json!({ "stdout": "a", "exitCode": 1 }), None, "a", Some(1), true);
    check(&json!("{\"exitCode\":1,\"stdout\":\"a\"}"), None, "a", Some(1), true);
    check(&json!({ "output": "a", "exit": 0 }), None, "a", Some(0), false);
    check(&json!({ "resultType": "failure", "textResultForLlm": "no" }), None, "no", None, true);
    check(&json!({ "resultType": "success", "textResultForLlm": "yes" }), None, "yes", None, false);
}

#[test]
fn quoting_an_exit_code_is_not_having_one() {
    check(&json!("Exit code: 3\na"), None, "Exit code: 3\na", None, false);
    check(&json!("{ not json"), None, "{ not json", None, false);
    check(&Value::Null, None, "", None, false);
    check(&json!([1]), None, "", None, false);
}

#[test]
fn an_error_of_the_tool_is_a_failure() {
    check(&Value::Null, Some("it broke"), "it broke", None, true);
    check(&json!("printed"), Some("it broke"), "printed", None, true);
}
