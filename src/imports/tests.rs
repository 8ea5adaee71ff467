//! What records of other tools become.

use serde_json::{Value, json};

use super::*;

mod guards;

fn record(name: &str, fields: Value) -> SourceRecord {
    let Value::Object(fields) = fields else { return SourceRecord::default() };
    SourceRecord { name: name.to_owned(), fields, modified_ms: 5_000, ..SourceRecord::default() }
}

fn file(name: &str, text: &str) -> SourceRecord {
    SourceRecord {
        name: name.to_owned(),
        text: text.to_owned(),
        modified_ms: 5_000,
        ..SourceRecord::default()
    }
}

/// Shows what each record becomes in a line.
fn shown(mapped: Vec<Mapped>) -> Vec<String> {
    let line = |draft: ImportDraft| {
        let kind = draft.kind.map(|kind| format!(" ({kind})")).unwrap_or_default();
        format!("{} {}{kind} {:?} @{}", draft.session, draft.obs_type.name(), draft.content, draft.at_ms)
    };
    let shown = mapped.into_iter().map(|one| match one {
        Mapped::Draft(draft) => line(draft),
        Mapped::OnlyWithAll(draft, why) => format!("[{why}] {}", line(draft)),
        Mapped::LeftOut(why) => format!("[{why}]"),
    });
    shown.collect()
}

fn memory_of(id: &str, records: &[SourceRecord]) -> Vec<String> {
    match tool(id).map(|tool| tool.store) {
        Some(ToolStore::Tables(_, map) | ToolStore::Lines(map) | ToolStore::Files(map)) => {
            shown(map(records))
        }
        _ => vec!["not a memory".to_owned()],
    }
}

#[test]
fn claude_mem_knows_the_sessions_of_claude_code() {
    let records = [
        record(
            "sdk_sessions",
            json!({ "content_session_id": "s1", "memory_session_id": "m1", "project": "shop" }),
        ),
        record(
            "user_prompts",
            json!({ "id": 1, "content_session_id": "s1", "prompt_text": "add tax", "created_at_epoch": 9_000_000_000_000_i64 }),
        ),
        record(
            "observations",
            json!({ "id": 1, "memory_session_id": "m1", "project": "shop", "type": "bugfix", "title": "Tax", "subtitle": "was wrong", "narrative": "It was.", "facts": "[\"one\",\"two\"]", "created_at_epoch": 9_000_000_000_001_i64 }),
        ),
        record(
            "observations",
            json!({ "id": 2, "memory_session_id": "m2", "project": "observer-sessions", "title": "own", "created_at_epoch": 9_000_000_000_001_i64 }),
        ),
        record("observations", json!({ "id": 3, "facts": 7 })),
        record(
            "session_summaries",
            json!({ "id": 1, "memory_session_id": "m1", "request": "add tax", "completed": "Tax is added.", "created_at_epoch": "2026-11-16T06:33:51Z" }),
        ),
    ];
    assert_eq!(
        memory_of("claude-mem", &records),
        [
            r#"s1 user_prompt "add tax" @9000000000000"#,
            r#"s1 summary (bugfix) "Tax — was wrong\nIt was.\n- one\n- two" @9000000000001"#,
            "[records of claude-mem's own sessions]",
            "[observations without a session, a text or a time]",
            r#"s1 outcome "Tax is added.\nasked: add tax" @1794810831000"#,
        ]
    );
}

#[test]
fn engram_keeps_what_is_personal_apart() {
    let records = [
        record(
            "sessions",
            json!({ "id": "e1", "directory": "/p", "summary": "done", "ended_at": "2026-11-16 06:33:51" }),
        ),
        record(
            "observations",
            json!({ "id": 1, "session_id": "e1", "type": "decision", "title": "Tabs", "content": "We use tabs.", "scope": "project", "topic_key": "style", "created_at": "2026-11-16 06:33:51" }),
        ),
        record(
            "observations",
            json!({ "id": 2, "session_id": "e1", "content": "I am tired", "scope": "personal", "created_at": "2026-11-16 06:33:51" }),
        ),
        record(
            "observations",
            json!({ "id": 3, "session_id": "e1", "content": "gone", "deleted_at": "x", "created_at": "2026-11-16 06:33:51" }),
        ),
    ];
    assert_eq!(
        memory_of("engram", &records),
        [
            r#"e1 outcome "done" @1794810831000"#,
            r#"e1 summary (decision) "Tabs\nWe use tabs." @1794810831000"#,
            r#"[personal observations] e1 summary "I am tired" @1794810831000"#,
            "[observations that were deleted in engram]",
        ]
    );
}

#[test]
fn nmem_keeps_nearly_the_same() {
    let observed = |id: i64, kind: &str, metadata: Value| {
        record(
            "observations",
            json!({ "id": id, "session_id": "n1", "timestamp": 1_794_810_831, "obs_type": kind, "content": "x", "metadata": metadata.to_string() }),
        )
    };
    let records = [
        record(
            "sessions",
            json!({ "id": "n1", "project": "shop", "summary": "{\"done\":\"tax\",\"next\":[\"ship\",\"rest\"]}", "ended_at": 1_794_810_831 }),
        ),
        record(
            "prompts",
            json!({ "id": 1, "session_id": "n1", "timestamp": 1_794_810_831, "source": "agent", "content": "hm" }),
        ),
        observed(1, "command", json!({ "exit_code": 4 })),
        observed(2, "command", json!({ "exit_code": 0 })),
        observed(3, "web_fetch", json!(null)),
        observed(4, "file_edit", json!(null)),
        observed(5, "dream", json!(null)),
    ];
    assert_eq!(
        memory_of("nmem", &records),
        [
            r#"n1 outcome "done: tax\nnext: ship; rest" @1794810831000"#,
            "[what the agent thought]",
            r#"n1 command_error "x" @1794810831000"#,
            r#"n1 command "x" @1794810831000"#,
            r#"n1 search (web) "x" @1794810831000"#,
            r#"n1 file_edit "x" @1794810831000"#,
            "[observations without a session, a text, a time or a known type]",
        ]
    );
}

#[test]
fn an_entity_has_its_relations() {
    let records = [
        record(
            "",
            json!({ "type": "entity", "name": "cart", "entityType": "module", "observations": ["adds tax", 5] }),
        ),
        record("", json!({ "type": "relation", "from": "cart", "to": "shop", "relationType": "part of" })),
        record("", json!({ "type": "entity" })),
    ];
    assert_eq!(
        memory_of("mcp-memory", &records),
        [
            r#"import:mcp-memory summary (module) "cart (module)\n- adds tax\n- part of → shop" @5000"#,
            "[lines without a name]",
        ]
    );
}

#[test]
fn issues_of_beads_come_with_their_status() {
    let records = [
        record(
            "",
            json!({ "id": "b-1", "title": "Tax", "description": "Add it.", "status": "open", "updated_at": "2026-11-16T06:33:51Z", "dependencies": [{ "depends_on_id": "b-0" }] }),
        ),
        record("", json!({ "id": "b-2", "title": "Old", "status": "closed" })),
        record("", json!({ "_type": "memory", "key": "style", "value": "tabs" })),
        record("", json!({ "_type": "event" })),
        record("", json!({ "id": "b-3", "title": "T", "is_template": true })),
    ];
    assert_eq!(
        memory_of("beads", &records),
        [
            r#"import:beads summary (issue) "b-1 Tax (open)\nAdd it.\nwaits for: b-0" @1794810831000"#,
            r#"[closed issues] import:beads summary (issue) "b-2 Old (closed)" @5000"#,
            r#"import:beads summary "style: tabs" @5000"#,
            "[records that are neither issues nor memories]",
            "[templates and ephemeral issues]",
        ]
    );
}

#[test]
fn markdown_files_keep_their_title_and_lose_their_first_lines() {
    let personal = "---\nname: me\ndescription: x\nmetadata:\n  type: user\n---\nI like tabs.";
    let plain = "---\r\ntitle: \"Cart\"\r\n---\r\nIt adds tax.";
    assert_eq!(
        memory_of(
            "claude-memory",
            &[file("MEMORY.md", "index"), file("me.md", personal), file("a/b_c.md", plain)]
        ),
        [
            "[the index of the memory]",
            r#"[what is about you, not about the project] import:claude-memory summary (user) "me\nI like tabs." @5000"#,
            r#"import:claude-memory summary "Cart\nIt adds tax." @5000"#,
        ]
    );
    assert_eq!(
        memory_of("serena", &[file("core/code_style.md", "tabs"), file("empty.md", " \n")]),
        [r#"import:serena summary "core code style\ntabs" @5000"#, "[empty files]"]
    );
    assert_eq!(
        memory_of("codex-memory", &[file("rollout_summaries/a.md", "done"), file("raw_memories.md", "x")]),
        [
            r#"import:codex-memory outcome "rollout summaries a\ndone" @5000"#,
            "[raw material of Codex's memory]"
        ]
    );
}

fn rules_of(id: &str, files: &[SourceRecord]) -> RuleImport {
    match tool(id).map(|tool| tool.store) {
        Some(ToolStore::Rules(rules)) => rules(files),
        _ => RuleImport::default(),
    }
}

#[test]
fn a_rule_of_hookify_becomes_one_of_ours() {
    let files = [
        file(
            "hookify.rm.local.md",
            "---\nname: no-rm\nenabled: true\nevent: bash\npattern: rm\\s+-rf\naction: block\n---\n\nUse {{trash}}: \"really\".\n",
        ),
        file(
            "hookify.log.local.md",
            "---\nname: log\nevent: file\nconditions:\n  - field: file_path\n    operator: regex_match\n    pattern: \\.ts$\n  - field: new_text\n    operator: contains\n    pattern: console.log(\n  - field: new_text\n    operator: not_contains\n    pattern: eslint\n---\nNo logs.",
        ),
        file(
            "hookify.t.local.md",
            "---\nname: t\nevent: stop\nconditions:\n  - field: transcript\n    operator: contains\n    pattern: x\n---\nTest.",
        ),
        file("notes.md", "not a rule"),
    ];
    let import = rules_of("hookify", &files);
    expect_test::expect![[r##"
        # Imported from hookify. Read it, move it to `.nudge.yaml`, and remove `shadow` to switch a rule on.
        version: 1
        rules:
          - name: "no-rm"
            on:
              hook: PreToolUse
              tool: "Bash"
            match:
              content: "rm\\s+-rf"
              case_sensitive: false
            action: interrupt
            shadow: true
            message: "Use { {trash}}: \"really\"."
          - name: "log"
            on:
              hook: PreToolUse
              tool: "Edit|Write|MultiEdit"
              file: "**/*.ts"
            match:
              content: "console\\.log\\("
              case_sensitive: false
            unless:
              content: "eslint"
              case_sensitive: false
            action: continue
            shadow: true
            message: "No logs."
    "##]]
    .assert_eq(&import.text);
    assert_eq!(import.rules, 2);
    assert_eq!(import.left_out.len(), 1);
}

#[test]
fn a_rule_of_the_safety_net_finds_its_words_in_a_command() {
    let text = json!({ "version": 1, "rules": [
        { "name": "no-force", "command": "git", "subcommand": "push", "block_args": ["--force", "-f"], "reason": "ask first" },
        { "name": "NO-FORCE", "command": "git", "block_args": [], "reason": "again" },
        { "name": "broken" },
    ] });
    let import =
        rules_of("cc-safety-net", &[file(".safety-net.json", &text.to_string()), file("x.json", "[]")]);
    assert_eq!((import.rules, import.left_out.len()), (1, 3));
    assert!(import.text.contains(r#"command: ["git push --force", "git push -f"]"#), "{}", import.text);
}
