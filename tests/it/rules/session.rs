//! `after`, `without`, `times` and `within`: rules that ask what happened earlier in the session.

use expect_test::expect;
use serde_json::json;

use crate::payload::{Payload, bash, edit, event, prompt, stop, write};
use crate::sandbox::{Sandbox, rules};

const TESTS: &str = "{ name: tests, on: { hook: Stop }, after: { tool: Write|Edit, file: 'src/**' }, without: { content: 'cargo test' }, action: interrupt, message: '{{ after }} changed and the tests have not run since.' }";

fn sandbox(rule: &str) -> Sandbox {
    Sandbox::new().file(".nudge.yaml", rules(&[rule]))
}

fn failed(command: &str) -> Payload {
    bash(command).with("hook_event_name", "PostToolUseFailure").with("error", "Exit code 101\nboom")
}

/// A command that ended with 0 and printed this.
fn printed(command: &str, output: &str) -> Payload {
    let response = json!({ "stdout": output, "stderr": "", "interrupted": false });
    bash(command).with("hook_event_name", "PostToolUse").with("tool_response", response)
}

fn blocks(sandbox: &Sandbox, payload: Payload) -> bool {
    sandbox.hook("claude-code", payload).blocks()
}

fn happens(sandbox: &Sandbox, payload: Payload) {
    sandbox.hook("claude-code", payload).reply(expect!["nothing"]);
}

fn fact_files(sandbox: &Sandbox) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(sandbox.data_folder().join("sessions")) else { return Vec::new() };
    let files = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with("facts-"));
    files.map(|entry| std::fs::read_to_string(entry.path()).expect("a file of facts")).collect()
}

#[test]
fn an_agent_that_changed_the_source_runs_the_tests_before_it_stops() {
    let sandbox = sandbox(TESTS);
    happens(&sandbox, stop("done"));
    happens(&sandbox, write("docs/a.md", "x").after());
    happens(&sandbox, stop("done"));
    happens(&sandbox, write("src/a.rs", "x").after());
    sandbox
        .hook("claude-code", stop("done"))
        .reply(expect!["block: src/a.rs changed and the tests have not run since."]);
    // It is refused once in a turn: an agent that cannot run the tests may stop.
    sandbox
        .hook("claude-code", stop("done").with("stop_hook_active", true))
        .reply(expect!["user: src/a.rs changed and the tests have not run since."]);
    happens(&sandbox, failed("cargo test"));
    assert!(blocks(&sandbox, stop("done")));
    happens(
        &sandbox,
        printed(
            "cargo test 2>&1 | tail -3",
            "test a ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored",
        ),
    );
    assert!(blocks(&sandbox, stop("done")), "it failed behind a pipe");
    happens(&sandbox, printed("cargo test", "test result: ok. 2 passed; 0 failed; 0 ignored"));
    happens(&sandbox, stop("done"));
    let why = sandbox.run(["why"]).stdout;
    assert!(
        why.contains("rule `tests` matched, and waits: its `without` has happened since: `cargo test`"),
        "{why}"
    );
    happens(&sandbox, edit("src/b.rs", "a", "b").after());
    assert!(blocks(&sandbox, stop("done")));
    let why = sandbox.run(["why"]).stdout;
    assert!(why.contains("rule `tests` fired: it blocks, after `src/b.rs`"), "{why}");
}

#[test]
fn a_file_that_a_command_writes_counts_and_a_failed_edit_does_not() {
    let one = sandbox(TESTS);
    happens(
        &one,
        edit("src/a.rs", "a", "b").with("hook_event_name", "PostToolUseFailure").with("error", "no"),
    );
    happens(&one, stop("done"));
    happens(&one, printed("echo x > src/a.rs", ""));
    assert!(blocks(&one, stop("done")));
}

#[test]
fn a_call_may_need_another_one_before_it() {
    let kubectl = "{ name: context, on: { hook: PreToolUse, tool: Bash }, match: { content: '^kubectl (apply|delete)' }, without: { content: '^kubectl config use-context staging' }, action: interrupt, message: Choose the context first. }";
    let sandbox = sandbox(kubectl);
    let apply = || bash("kubectl apply -f x.yaml");
    assert!(blocks(&sandbox, apply()));
    assert!(blocks(&sandbox, apply()), "every time");
    happens(&sandbox, bash("kubectl get pods"));
    happens(&sandbox, failed("kubectl config use-context staging"));
    assert!(blocks(&sandbox, apply()));
    // What runs in the background has not succeeded yet.
    let started = json!({ "stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": "b1" });
    happens(&sandbox, printed("kubectl config use-context staging", "").with("tool_response", started));
    assert!(blocks(&sandbox, apply()));
    happens(&sandbox, printed("kubectl config use-context staging", "Switched"));
    happens(&sandbox, apply());
    assert!(blocks(&sandbox, apply().session("session-2")), "another session has not chosen");
}

#[test]
fn a_person_may_open_the_way_with_a_prompt() {
    let deploy = "{ name: deploy, on: { hook: PreToolUse, tool: Bash }, match: { content: '^deploy' }, without: { prompt: 'you may deploy' }, action: interrupt, message: no }";
    let sandbox = sandbox(deploy);
    assert!(blocks(&sandbox, bash("deploy now")));
    sandbox.hook("claude-code", prompt("do not"));
    assert!(blocks(&sandbox, bash("deploy now")));
    sandbox.hook("claude-code", prompt("yes, you may deploy"));
    happens(&sandbox, bash("deploy now"));
}

#[test]
fn three_failures_in_a_row_are_enough() {
    let again = "{ name: again, on: { hook: PreToolUse, tool: Bash }, match: { content: '^make' }, after: { tool: Bash, content: '^make', outcome: failed }, without: { tool: Bash, content: '^make' }, times: 3, action: interrupt, message: Stop and think. }";
    let sandbox = sandbox(again);
    for _ in 0..2 {
        happens(&sandbox, failed("make"));
    }
    happens(&sandbox, bash("make"));
    happens(&sandbox, printed("make", ""));
    for _ in 0..2 {
        happens(&sandbox, failed("make"));
    }
    happens(&sandbox, bash("make"));
    let why = sandbox.run(["why"]).stdout;
    assert!(why.contains("it has happened only 2 times (`times`)"), "{why}");
    happens(&sandbox, failed("make x"));
    assert!(blocks(&sandbox, bash("make")));
    // The third failure itself is counted where a rule is asked after it.
    let after =
        again.replace("hook: PreToolUse", "hook: PostToolUse").replace("match: { content: '^make' }, ", "");
    let sandbox = self::sandbox(&after);
    happens(&sandbox, failed("make"));
    happens(&sandbox, failed("make"));
    assert!(sandbox.hook("claude-code", failed("make")).stdout.contains("Stop and think."));
}

#[test]
fn a_rule_may_count_its_own_matches_in_a_window() {
    let fetch = "{ name: fetch, on: { hook: PreToolUse, tool: Bash }, match: { content: '^curl' }, times: 3, within: 10m, action: interrupt, message: That is the third. }";
    let sandbox = sandbox(fetch);
    happens(&sandbox, bash("curl a"));
    happens(&sandbox, bash("wget b"));
    happens(&sandbox, bash("curl b"));
    assert!(blocks(&sandbox, bash("curl c")));
    assert!(blocks(&sandbox, bash("curl c")), "and every one after it");
    happens(&sandbox, bash("curl a").session("session-2"));
    let test = |after: [&str; 2]| {
        let [one, two] = after;
        let args = [
            "test",
            "--rule",
            "fetch",
            "--tool",
            "Bash",
            "--content",
            "curl c",
            "--after",
            one,
            "--after",
            two,
        ];
        sandbox.run(args).code(0).stdout.clone()
    };
    assert!(test(["curl a", "curl b"]).contains("INTERRUPT"));
    assert!(test(["11m ago curl a", "curl b"]).contains("it has happened only 2 times (`times`)"));
}

#[test]
fn a_sample_says_what_happened_before_it() {
    let sandbox = sandbox(TESTS);
    let check = |after: &[&str], expect: &str| {
        let mut args = vec!["test", "--rule", "tests", "--message", "done"];
        after.iter().for_each(|one| args.extend(["--after", one]));
        let ran = sandbox.ran(&sandbox.command(env!("CARGO_BIN_EXE_nudge")).args(&args).output().unwrap());
        assert!(ran.code(0).stdout.contains(expect), "{after:?}: {}", ran.stdout);
    };
    check(&[], "Reason: its `after` has not happened in this session");
    check(&["Write src/a.rs"], "  src/a.rs changed and the tests have not run since.");
    check(&["Write src/a.rs", "failed cargo test"], "INTERRUPT");
    check(&["Write src/a.rs", "cargo test --all"], "its `without` has happened since: `cargo test --all`");
    check(&["cargo test", "Edit src/a.rs"], "INTERRUPT");
    check(&["Write docs/a.md"], "NO MATCH");
    sandbox.run(["test", "--message", "done", "--after", ""]).code(2);
}

#[test]
fn examples_may_say_what_happened_before_them() {
    let with = |examples: &str| {
        let rule = TESTS.replace("action:", &format!("examples: {examples}, action:"));
        sandbox(&rule).run(["validate"])
    };
    with("{ fires: [done, { message: done, after: [Write src/a.rs] }], quiet: [{ message: done, after: [] }, { message: done, after: [Write src/a.rs, cargo test] }] }").code(0);
    with("{ fires: [{ message: done, after: [{ tool: Bash, content: 'echo > src/a.rs' }, { content: 'cargo test', tool: Bash, failed: true }] }] }").code(0);
    let wrong = with("{ fires: [{ message: done, after: [Write src/a.rs, cargo test] }] }");
    assert!(
        wrong.code(1).stdout.contains("its `without` has happened since: `cargo test`"),
        "{}",
        wrong.stdout
    );
}

#[test]
fn mistakes_are_reported() {
    let check = |keys: &str, message: &str| {
        let rule = format!("{{ name: a, on: {{ hook: Stop }}, {keys}, action: continue, message: m }}");
        let ran = sandbox(&rule).run(["validate"]);
        assert!(ran.code(1).stdout.contains(message), "{keys}: {}", ran.stdout);
    };
    check("after: {}", "`after` names nothing");
    check("without: { outcome: failed }", "`without` names nothing");
    check("after: { tool: Bash, outcome: ok }", "`outcome` cannot be `ok`");
    check("after: { prompt: x, tool: Bash }", "a prompt has no `tool`");
    check("after: { message: x }", "unknown key `message` in `after`");
    check("times: 3", "`times` needs an `after` on Stop");
    check("within: 10m", "`within` alone says nothing");
    check("after: { tool: Bash }, times: 0", "write a number from 1 to 100");
    check("after: { tool: Bash }, times: '3'", "`times` is not such a number");
    check("after: { tool: Bash }, within: 10", "`within` is not a time: `10`");
    check("after: { tool: Bash, content: '(' }", "`content` is not a regex");
}

#[test]
fn nothing_is_kept_unless_a_rule_asks() {
    let plain = sandbox("{ name: a, on: { hook: Stop }, action: continue, message: m }");
    plain.hook("claude-code", write("src/a.rs", "x").after());
    assert_eq!(fact_files(&plain), Vec::<String>::new());
    let asking = sandbox(TESTS);
    asking.hook("claude-code", write("src/a.rs", "token = 1").after());
    asking.hook("claude-code", printed("ls", ""));
    asking.hook(
        "claude-code",
        printed("API_KEY=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 cargo test", ""),
    );
    let [facts] = fact_files(&asking).try_into().unwrap();
    assert_eq!(facts.lines().count(), 2, "{facts}");
    assert!(facts.contains("src/a.rs") && !facts.contains("abcdefghijkl"), "{facts}");
    let private = sandbox(TESTS);
    private.put_user_settings("[observations]\nenabled = false\n");
    private.hook("claude-code", write("src/a.rs", "x").after());
    let [facts] = fact_files(&private).try_into().unwrap();
    assert!(!facts.contains("src/a.rs"), "{facts}");
    assert!(blocks(&private, stop("done")));
}

#[test]
fn a_session_that_ends_and_is_resumed_knows_what_happened() {
    let sandbox = sandbox(TESTS);
    happens(&sandbox, write("src/a.rs", "x").after().with("agent_id", "sub1").with("agent_type", "tester"));
    sandbox.hook("claude-code", event("SessionEnd").with("reason", "prompt_input_exit"));
    sandbox.hook("claude-code", event("SessionStart").with("source", "resume"));
    assert!(blocks(&sandbox, stop("done")), "a subagent belongs to the session");
    for id in ["../../x", "a/b", "\u{0}", &"x".repeat(5_000)] {
        happens(&sandbox, write("src/a.rs", "x").after().session(id));
        assert!(blocks(&sandbox, stop("done").session(id)), "{id:?}");
    }
}

#[test]
fn parallel_calls_are_all_counted() {
    let fetch = "{ name: fetch, on: { hook: PreToolUse, tool: Bash }, after: { content: '^curl' }, times: 20, action: interrupt, message: enough }";
    let sandbox = sandbox(fetch);
    let hooks: Vec<_> = (0..20).map(|_| sandbox.start_hook(printed("curl a", ""))).collect();
    for hook in hooks {
        assert!(hook.wait_with_output().unwrap().status.success());
    }
    assert_eq!(fact_files(&sandbox)[0].lines().count(), 20);
    assert!(blocks(&sandbox, bash("curl b")));
}

#[test]
fn a_check_leaves_such_rules_out() {
    let rule = "{ name: a, on: { hook: PreToolUse, tool: Write }, match: { content: x }, after: { tool: Bash }, action: interrupt, message: m }";
    let ran = sandbox(rule).file("a.ts", "x").run(["check"]);
    assert!(
        ran.code(0).stderr.contains("1 rule asks what happened in a session, so it is left out"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_command_that_has_run_is_recognised_by_its_words() {
    let rule = "{ name: tests, on: { hook: Stop }, after: { tool: Write|Edit, file: 'src/**' }, without: { command: ['cargo test', 'cargo nextest run'] }, action: interrupt, message: 'Run the tests.' }";
    let sandbox = sandbox(rule);
    happens(&sandbox, write("src/a.rs", "x").after());
    // Words about a command are not the command.
    happens(&sandbox, printed("grep 'cargo test' README.md", "cargo test"));
    happens(&sandbox, printed("git commit -m 'cargo test passes'", "ok"));
    assert!(blocks(&sandbox, stop("done")));
    happens(&sandbox, failed("cd core && timeout 60 cargo test"));
    assert!(blocks(&sandbox, stop("done")));
    happens(
        &sandbox,
        printed("cd core && timeout 60 cargo +nightly test --all", "test result: ok. 2 passed; 0 failed"),
    );
    happens(&sandbox, stop("done"));
    let wrong =
        "{ name: a, on: { hook: Stop }, after: { command: '--force' }, action: interrupt, message: 'x' }";
    let refused = self::sandbox(wrong).run(["validate"]);
    assert!(refused.code(1).stdout.contains("`command` can never match"), "{}", refused.stdout);
}
