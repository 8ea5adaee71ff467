//! The page with the program itself: commands that it copies are run, and hostile text comes through real hooks.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;

use crate::hostile::{CENSUS, corpus};
use crate::payload::{bash, edit, event, prompt, tool};
use crate::sandbox::Sandbox;
use crate::servers::Server;
use crate::{Check, Stage};

pub(crate) const CHECKS: [(&str, Check); 5] = [
    ("program::copied_commands_run_and_show_the_same", copied_commands_run),
    ("program::a_text_is_tried_with_the_rules_of_the_project", a_text_is_tried),
    ("program::hostile_text_of_real_hooks_stays_text", hostile_hooks_stay_text),
    ("program::hooks_are_on_the_page_by_themselves", hooks_are_on_the_page),
    ("program::a_report_asks_nobody_and_fits_two_sheets", a_report_asks_nobody),
];

const RULE: &str = "version: 1\nrules:\n  - name: no-force\n    on:\n      hook: PreToolUse\n      tool: Bash\n    match:\n      content: \"push --force\"\n    action: interrupt\n    message: \"Use --force-with-lease.\"\n";

/// Opens the page of a running server, and leaves its address behind.
fn enter(stage: &Stage, sandbox: &Sandbox) -> String {
    let link = sandbox.run(["ui", "--no-open", "--json"]).json()["url"].as_str().expect("a link").to_owned();
    stage.browser.open_anew(&link);
    stage.browser.wait("localStorage.getItem('nudge-key')");
    link.split('#').next().expect("an address").to_owned()
}

fn failed(command: &str, error: &str) -> crate::payload::Payload {
    bash(command).with("hook_event_name", "PostToolUseFailure").with("error", error)
}

fn copied_commands_run(stage: &Stage) {
    let sandbox = Sandbox::new().rule("rules.yaml", RULE);
    sandbox.run(["init"]);
    let error = "Exit code 101\nerror: linking with `cc` failed: cannot find -lssl for the crate openssl-sys";
    for session in ["first-session-1", "second-session-2"] {
        for (index, payload) in [
            event("SessionStart").with("source", "startup"),
            prompt("make the 'linker' error go away; $(touch pwned)"),
            failed("cargo build", error),
            edit("build.rs", "fn main() {}", "fn main() { link(\"ssl\") }").after(),
            bash("cargo build").after(),
            bash("git push --force").with("hook_event_name", "PreToolUse"),
        ]
        .into_iter()
        .enumerate()
        {
            let payload = payload.session(session).with("tool_use_id", format!("{session}-{index}"));
            sandbox.hook("claude-code", payload);
        }
    }
    let _server = Server::start(&sandbox, &[]);
    let page = enter(stage, &sandbox);
    let project = sandbox.beside("project").display().to_string().replace('/', "%2F");
    let mut commands = BTreeSet::new();
    for route in [
        "/",
        "/live",
        "/sessions",
        "/session/first-session-1",
        "/search?q=cargo",
        "/walls",
        "/files",
        "/rules",
        "/told",
        "/hints",
        "/notes",
        "/plan",
        "/health",
    ] {
        let separator = if route.contains('?') { '&' } else { '?' };
        stage.browser.open_anew(&format!("{page}#{route}{separator}p={project}"));
        stage.browser.settled();
        stage.browser.script(
            "window.copied = []; navigator.clipboard.writeText = async (text) => { window.copied.push(text); };
             document.activeElement?.blur();",
            &[],
        );
        stage.browser.press("y");
        let found = stage.browser.ask(
            "[...window.copied, ...[...document.querySelectorAll('[data-copy]')].map((one) => one.dataset.copy)]",
        );
        let found = found.as_array().expect("a list").iter().filter_map(|text| text.as_str());
        commands.extend(found.filter(|text| text.starts_with("nudge ")).map(str::to_owned));
    }
    // A hook call that is chosen says how to ask for it.
    stage.browser.open_anew(&format!("{page}#/live?p={project}"));
    stage.browser.settled();
    stage.browser.script("document.querySelector('.feed-row').click();", &[]);
    stage.browser.wait("document.querySelector('[data-copy^=\"nudge why\"]')");
    commands.insert(stage.browser.text("document.querySelector('[data-copy^=\"nudge why\"]').dataset.copy"));
    for wanted in
        ["nudge show ", "nudge sessions ", "nudge search ", "nudge why ", "nudge rules disable no-force"]
    {
        assert!(commands.iter().any(|command| command.starts_with(wanted)), "{wanted}: {commands:?}");
    }
    let program = Path::new(env!("CARGO_BIN_EXE_nudge"));
    let folder = program.parent().expect("a folder").display();
    for command in &commands {
        let output = sandbox
            .command("sh")
            .args(["-c", &format!("PATH=\"{folder}:/usr/bin:/bin\"; {command}")])
            .output()
            .expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        // `doctor` says by its exit code that it found something, which it does in an empty home.
        assert!(output.status.success() || command == "nudge doctor", "{command}: {text}{error}");
        if let Some(id) = command.strip_prefix("nudge show ") {
            assert!(text.contains(id), "{command}: {text}");
        }
        if command.starts_with("nudge sessions first") {
            assert!(text.contains("linker"), "{command}: {text}");
        }
    }
    assert!(!sandbox.path("pwned").exists(), "no prompt is run by a shell");
    stage.assert_clean(&["Failed to load resource"]);
}

fn a_text_is_tried(stage: &Stage) {
    let sandbox = Sandbox::new().rule("rules.yaml", RULE);
    let push = bash("git push").with("hook_event_name", "PreToolUse").with("tool_use_id", "push-1");
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup"));
    sandbox.hook("claude-code", prompt("push it"));
    sandbox.hook("claude-code", push);
    let _server = Server::start(&sandbox, &[]);
    let page = enter(stage, &sandbox);
    let project = sandbox.beside("project").display().to_string().replace('/', "%2F");
    stage.browser.open_anew(&format!("{page}#/rule/no-force?p={project}"));
    stage.browser.wait("document.querySelector('.try textarea')");
    stage.browser.script(
        "document.querySelector('.try textarea').value = 'git push --force'; document.querySelector('.try button').click();",
        &[],
    );
    stage.browser.wait_for("would block");
    stage.browser.open_anew(&format!("{page}#/health?p={project}"));
    stage.browser.wait(
        "[...document.querySelectorAll('.check-row')].some((row) => /Rules\\s+1 rule/.test(row.innerText))",
    );
    stage.assert_clean(&[]);
}

fn hostile_hooks_stay_text(stage: &Stage) {
    let lines: Vec<String> = corpus().into_iter().filter(|line| line.len() < 4_000).collect();
    let name = |line: &str| line.replace(['/', '\0', '\n', '\r'], "_").chars().take(60).collect::<String>();
    let sandbox = Sandbox::new();
    for (index, line) in lines.iter().enumerate() {
        let session =
            if index % 4 == 0 { format!("s{index}-{}", name(line)) } else { format!("s-{}", index / 4) };
        let payload = match index % 6 {
            0 => prompt(line),
            1 => bash(line).after(),
            2 => failed(line, &format!("Exit code 1\n{line}")),
            3 => edit(&format!("src/{}", name(line)), "old", line).after(),
            4 => tool("Grep", json!({ "pattern": line, "path": line })).after(),
            _ => tool(&format!("mcp__{}__call", name(line)), json!({ "text": line })).after(),
        };
        let payload = payload.session(&session).with("tool_use_id", format!("h-{index}"));
        sandbox.hook("claude-code", payload);
    }
    let _server = Server::start(&sandbox, &[]);
    let page = enter(stage, &sandbox);
    let known: BTreeSet<String> = stage
        .browser
        .script(CENSUS, &[])
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    assert!(known.contains("main"), "{known:?}");
    for route in [
        "/?r=all",
        "/live?r=all",
        "/sessions?r=all",
        "/session/s-1",
        "/search?q=alert&r=all",
        "/search?q=script&r=all",
        "/walls?r=all",
        "/files?r=all",
        "/told?r=all",
    ] {
        stage.browser.open_anew(&format!("{page}#{route}"));
        stage.browser.settled();
        assert_eq!(stage.browser.ask("typeof window.pwned"), json!("undefined"), "{route}");
        let strange = stage.browser.ask(
            "[...document.querySelectorAll('img, iframe, object, embed, base, form[action], style, math, script:not([src])')].length",
        );
        assert_eq!(strange, json!(0), "{route}");
        let outside = "[...document.querySelectorAll('[href]')].filter((one) => one.tagName === 'A' && !one.getAttribute('href').startsWith('#/')).length";
        assert_eq!(stage.browser.ask(outside), json!(0), "{route}");
        assert_eq!(
            stage.browser.ask("document.documentElement.scrollWidth <= innerWidth"),
            json!(true),
            "{route}"
        );
    }
    stage.assert_clean(&[]);
}

/// What agents do while the page is open is on their lanes and in the feed, without a reload.
fn hooks_are_on_the_page(stage: &Stage) {
    let sandbox = Sandbox::new().rule("rules.yaml", RULE);
    sandbox.hook("claude-code", event("SessionStart").with("source", "startup").session("first-session-1"));
    let _server = Server::start(&sandbox, &[]);
    let page = enter(stage, &sandbox);
    stage.browser.open_anew(&format!("{page}#/"));
    stage.browser.settled();
    stage.browser.wait_for("following");
    stage.browser.wait("document.querySelector('.live-on')");
    stage.browser.script("window.loadedOnce = true", &[]);
    let error = "Exit code 101\nerror: linking with `cc` failed: cannot find -lssl for the crate openssl-sys";
    let mut sent = 0;
    let mut hook = |session: &str, payload: crate::payload::Payload| {
        sent += 1;
        sandbox.hook("claude-code", payload.session(session).with("tool_use_id", format!("live-{sent}")));
    };
    let has_mark = |name: &str| {
        stage.browser.wait(&format!(
            "[...document.querySelectorAll('.mark-button')].some((one) => one.getAttribute('aria-label').startsWith({}))",
            json!(name)
        ));
    };
    hook("first-session-1", prompt("make the linker error go away"));
    has_mark("prompt");
    stage.browser.wait_for("make the linker error go away");
    hook("first-session-1", failed("cargo build", error));
    has_mark("failed");
    stage.browser.wait(
        "[...document.querySelectorAll('.glance-row')].some((row) => row.innerText.includes('cargo build'))",
    );
    hook("first-session-1", edit("build.rs", "fn main() {}", "fn main() { link(\"ssl\") }").after());
    hook("first-session-1", bash("cargo build").after());
    has_mark("fixed");
    hook("first-session-1", bash("git push --force").with("hook_event_name", "PreToolUse"));
    has_mark("blocked");
    stage.browser.wait(
        "[...document.querySelectorAll('.glance-row')].some((row) => row.innerText.includes('no-force'))",
    );
    // Another session meets the failure and is told what ended it.
    hook("second-session-2", event("SessionStart").with("source", "startup"));
    hook("second-session-2", prompt("build it again"));
    hook("second-session-2", failed("cargo build", error));
    stage.browser.wait_for("build it again");
    has_mark("told");
    stage.browser.wait_for("carried 1 fix");
    let told = "[...document.querySelectorAll('.mark-button')].filter((one) => one.getAttribute('aria-label').startsWith('told')).at(-1)";
    stage.browser.script(&format!("{told}.focus()"), &[]);
    stage.browser.wait_for("seen before");
    assert_eq!(stage.browser.ask("window.loadedOnce === true"), json!(true), "nothing was loaded again");
    stage.assert_clean(&[]);
}

/// The file that the command writes: every page of it without a network, and a week on two sheets.
fn a_report_asks_nobody(stage: &Stage) {
    let sandbox = Sandbox::new().rule("rules.yaml", RULE);
    let lines: Vec<String> = corpus().into_iter().filter(|line| line.len() < 4_000).collect();
    let sessions = 20;
    for (index, line) in lines.iter().enumerate() {
        let session = format!("report-session-{}", index % sessions);
        let payloads = [
            (index < sessions).then(|| event("SessionStart").with("source", "startup")),
            Some(prompt(line)),
            Some(failed(line, &format!("Exit code 1\n{line}"))),
            Some(edit("src/one.rs", "old", line).after()),
        ];
        for (n, payload) in payloads.into_iter().flatten().enumerate() {
            sandbox
                .hook("claude-code", payload.session(&session).with("tool_use_id", format!("r-{index}-{n}")));
        }
    }
    let file = sandbox.beside("week.html");
    let file_name = file.to_str().expect("UTF-8");
    sandbox.run(["report", "--html", file_name, "--since", "7d"]).code(0);
    let address = format!("file://{file_name}");
    stage.browser.requests();
    stage.browser.offline(true);
    for route in [
        "/",
        "/live",
        "/sessions",
        "/session/report-session-1",
        "/search?q=alert",
        "/walls",
        "/files",
        "/rules",
        "/told",
        "/hints",
        "/notes",
        "/plan",
        "/health",
    ] {
        stage.browser.open_anew(&format!("{address}#{route}"));
        stage.browser.settled();
        stage.browser.wait_for("Report");
        assert_eq!(
            stage.browser.ask("document.querySelector('.failure')?.innerText ?? null"),
            json!(null),
            "{route}"
        );
        assert_eq!(stage.browser.ask("typeof window.pwned"), json!("undefined"), "{route}");
        assert_eq!(stage.browser.ask("document.querySelectorAll('script').length"), json!(2), "{route}");
        assert_eq!(stage.browser.trouble(), Vec::<String>::new(), "{route}");
        if route == "/" {
            let sheets = stage.browser.sheets();
            assert!((1..=2).contains(&sheets), "the week is on {sheets} sheets");
        }
    }
    stage.browser.offline(false);
    let elsewhere = |url: &String| !url.starts_with("file:") && !url.starts_with("about:");
    let asked: Vec<String> = stage.browser.requests().into_iter().filter(elsewhere).collect();
    assert_eq!(asked, Vec::<String>::new());
    stage.browser.console_errors();
}
