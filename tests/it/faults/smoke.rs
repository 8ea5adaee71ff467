//! The tool itself: a fault that is injected reaches the program.

use serde_json::json;

use super::{event, rounds, run_traced};
use crate::sandbox::Sandbox;

#[test]
#[ignore = "needs strace; .ci/run runs it"]
fn an_injected_fault_reaches_the_program_and_the_hook_fails_open() {
    let sandbox = Sandbox::new();
    let log = sandbox.beside("trace");
    let bash = json!({ "tool_name": "Bash", "tool_input": { "command": "make" }, "tool_use_id": "t1" });
    let input = event(&sandbox, "s", "PreToolUse", bash);
    for when in 1..=rounds(3) {
        let inject = format!("openat:error=EIO:when={when}+");
        let args = ["hook", "--harness", "claude-code"];
        let ran = run_traced(&sandbox, &args, &input, ("openat", Some(&inject)), &log);
        let trace = std::fs::read_to_string(&log).expect("a trace");
        // With many rounds, the hook opens fewer files than that.
        if when > 3 && !trace.contains("(INJECTED)") {
            break;
        }
        assert!(trace.contains("(INJECTED)"), "{trace}");
        // The loader opens the first files, and cannot do without them.
        if ran.status.success() {
            assert_eq!(String::from_utf8_lossy(&ran.stderr), "");
        }
    }
}
