//! The plugin for OpenCode, driven by node as OpenCode would drive it; without node, the test does nothing.

use std::fs;
use std::process::{Command, Stdio};

use expect_test::expect;

use crate::sandbox::{Sandbox, rules};

/// Plays a session with either interface, and prints what becomes of it.
const SESSION: &str = r#"
import plugin from "./nudge.mjs"

const say = (...words) => console.log(words.join(" "))
const attempt = async (name, call) => {
  try { await call(); say(name, "ran") } catch (error) { say(name, "refused:", error.message) }
}

say("version 1")
const toasts = []
const client = { tui: { showToast: async ({ body }) => toasts.push(body.message) }, app: { log: async () => {} } }
const hooks = await plugin.server({ client, directory: process.cwd() })
await hooks.config({ mcp: { "my notes": {} } })
await hooks.event({ event: { type: "session.created", properties: { info: { id: "s1" } } } })
await hooks.event({ event: { type: "session.created", properties: { info: { id: "child", parentID: "s1" } } } })
await hooks["chat.message"]({ sessionID: "s1" }, { message: {}, parts: [{ type: "text", text: "make a release" }] })
const asked = { system: [] }
await hooks["experimental.chat.system.transform"]({ sessionID: "s1" }, asked)
say("system:", asked.system.join(" | ") || "none")
const write = (content) => hooks["tool.execute.before"]({ tool: "write", sessionID: "child", callID: "c1" }, { args: { filePath: "a.txt", content } })
await attempt("good", () => write("fine"))
await attempt("bad", () => write("FORBIDDEN"))
const output = { title: "", output: "deployed", metadata: { exit: 0 } }
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s1", callID: "c2", args: { command: "deploy" } }, output)
say("output:", JSON.stringify(output.output))
await attempt("server", () => hooks["tool.execute.before"]({ tool: "my_notes_drop_all", sessionID: "s1", callID: "c5" }, { args: {} }))
const parts = { content: [{ type: "text", text: "kept" }] }
await hooks["tool.execute.after"]({ tool: "my_notes_keep", sessionID: "s1", callID: "c6", args: { note: "deploy" } }, parts)
say("parts:", JSON.stringify(parts.content))
await hooks["tool.execute.before"]({ tool: "edit", sessionID: "s1", callID: "c7" }, { args: { filePath: "a.txt", oldString: "x", newString: "y" } })
const threw = { type: "tool", tool: "edit", sessionID: "s1", callID: "c7", state: { status: "error", input: { filePath: "a.txt", oldString: "x", newString: "y" }, error: "not found" } }
hooks.event({ event: { type: "message.part.updated", properties: { part: threw } } })
const later = { system: ["one"] }
await hooks["experimental.chat.system.transform"]({ sessionID: "s1" }, later)
say("after a failure:", later.system.slice(1).map((text) => JSON.stringify(text)).join(" | ") || "none")
const title = { system: ["You are a title generator."] }
await hooks["experimental.chat.system.transform"]({ sessionID: "s1" }, title)
say("title:", title.system.length)
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
await hooks.dispose()
say("user:", toasts.join(" | ") || "nothing")

say("version 2")
const found = {}
const register = (kind) => ({ hook: async (name, call) => { found[`${kind} ${name}`] = call } })
await plugin.setup({ location: { directory: process.cwd() }, tool: register("tool"), session: register("session") })
await found["session prompt"]({ sessionID: "s2", prompt: { text: "make a release" } })
const context = { sessionID: "s2", system: [] }
await found["session context"](context)
say("system:", context.system.map((part) => `${part.type} ${part.text.split("\n")[0]}`).join(" | ") || "none")
const before = (content) => found["tool execute.before"]({ sessionID: "s2", callID: "c3", tool: "write", input: { filePath: "a.txt", content } })
await attempt("good", () => before("fine"))
await attempt("bad", () => before("FORBIDDEN"))
const after = { sessionID: "s2", callID: "c4", tool: "shell", input: { command: "deploy" }, result: { content: [{ type: "text", text: "deployed" }] } }
await found["tool execute.after"](after)
say("result:", JSON.stringify(after.result))
"#;

/// What happens if the program does not answer; the user is warned if it is missing.
fn untouched(user: &str) -> String {
    format!(
        r#"version 1
system: none
good ran
bad ran
output: "deployed"
server ran
parts: [{{"type":"text","text":"kept"}}]
after a failure: none
title: 1
user: {user}
version 2
system: none
good ran
bad ran
result: {{"content":[{{"type":"text","text":"deployed"}}]}}
"#
    )
}

#[test]
fn both_interfaces_refuse_guide_and_fail_open() {
    if Command::new("node").arg("--version").stdout(Stdio::null()).status().is_err() {
        return;
    }
    let sandbox = Sandbox::new().rule(
        "all.yaml",
        &rules(&[
            "{ name: no, on: { hook: PreToolUse, tool: Write }, match: { content: FORBIDDEN }, action: interrupt, message: write ALLOWED }",
            "{ name: mind, on: { hook: PreToolUse, tool: Bash }, match: { content: deploy }, action: continue, message: Mondays only }",
            "{ name: server, on: { hook: PreToolUse, tool: mcp__my_notes__drop_all }, action: interrupt, message: keep them }",
            "{ name: kept, on: { hook: PostToolUse, tool: mcp__my_notes__keep }, action: continue, message: noted }",
            "{ name: failed, on: { hook: PostToolUse, tool: Edit }, action: continue, message: read it first }",
            "{ name: prompt, on: { hook: UserPromptSubmit }, match: { prompt: release }, action: continue, message: say it in the changelog }",
        ]),
    );
    let plugin = include_str!("../../../assets/opencode/nudge.js");
    let play = |program: &str| {
        let named = plugin.replacen("= \"nudge\"", &format!("= {program:?}"), 1);
        // On a busy machine, a build without optimisation may take longer than an agent should wait.
        sandbox.put("nudge.mjs", named.replacen("= 5000", "= 120000", 1));
        sandbox.put("session.mjs", SESSION);
        let mut command = sandbox.command("node");
        command.arg("session.mjs");
        let ran = sandbox.ran(&command.output().expect("node runs"));
        assert_eq!(ran.stderr, "");
        ran.stdout
    };
    expect![[r#"
        version 1
        system: say it in the changelog
        [nudge: prompt · .nudge/all.yaml:8]
        good ran
        bad refused: write ALLOWED
        [nudge: no · .nudge/all.yaml:3]
        output: "deployed\n\nMondays only\n[nudge: mind · .nudge/all.yaml:4]"
        server refused: keep them
        [nudge: server · .nudge/all.yaml:5]
        parts: [{"type":"text","text":"kept"},{"type":"text","text":"noted\n[nudge: kept · .nudge/all.yaml:6]"}]
        after a failure: "say it in the changelog\n[nudge: prompt · .nudge/all.yaml:8]\n\nread it first\n[nudge: failed · .nudge/all.yaml:7]"
        title: 1
        user: nudge: this repository brings 6 rules (.nudge/all.yaml); `nudge trust` shows them
        version 2
        system: text ## nudge: Recent Context | text say it in the changelog
        good ran
        bad refused: write ALLOWED
        [nudge: no · .nudge/all.yaml:3]
        result: {"content":[{"type":"text","text":"deployed"},{"type":"text","text":"Mondays only\n[nudge: mind · .nudge/all.yaml:4]"}]}
    "#]]
    .assert_eq(&play(env!("CARGO_BIN_EXE_nudge")));
    assert_eq!(
        play("/nowhere/nudge"),
        untouched("/nowhere/nudge is not installed here: no rules, no memory")
    );
    let broken = sandbox.path("broken.sh");
    fs::write(&broken, "#!/bin/sh\necho rubbish; exit 3\n").expect("a program");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&broken, fs::Permissions::from_mode(0o755)).expect("it may run");
        assert_eq!(play(broken.to_str().expect("UTF-8")), untouched("nothing"));
    }
}
