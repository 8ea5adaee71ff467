//! Regression tests.

use expect_test::{Expect, expect};
use serde_json::json;

use super::{server, wanted};
use crate::model::{ConfigEntry, Content};
use crate::wiring::{
    Presence, WiringError, back_to, command, connects, connects_beside, has_plugin, is_plain_json,
    other_servers, presence, with, without,
};

#[test]
fn an_indent_is_never_taken_from_a_comment() {
    for odd in ["\u{3000}", "\u{a0}", "\u{b}"] {
        let text = format!("{{\n/*\n{odd}note\n*/\n\"a\": 1\n}}");
        let merged = with(&text, &wanted()).expect("a text that can be added to");
        assert!(is_plain_json(&merged.replace(&format!("/*\n{odd}note\n*/"), "")), "{merged}");
    }
}

#[test]
fn text_that_only_mentions_nudge_stays() {
    for theirs in [
        "echo nudge hook",
        "notify-send \"nudge hook done\"",
        "tee -a ~/log | nudge hook --harness x",
        "true; nudge hook",
        "sh -c 'nudge hook'",
    ] {
        assert!(!command::is_hook(theirs), "{theirs}");
        let text = json!({"hooks": {"Stop": [{"hooks": [{"command": theirs}]}]}}).to_string();
        assert_eq!(presence(&text, &wanted()), Ok(Presence::Absent), "{theirs}");
        let merged = with(&text, &wanted()).expect("a text that can be added to");
        assert_eq!(without(&merged, &wanted()), Ok(text), "{theirs}");
    }
    for ours in ["A=b nudge hook", "'/it'\\''s/nudge' hook", "nudge hook 2>&1 | tee log"] {
        assert!(command::is_hook(ours), "{ours}");
    }
    for calling in ["tee -a ~/log | nudge hook", "exec /opt/nudge hook", "true && nudge hook"] {
        assert!(command::calls_hook(calling), "{calling}");
    }
    for speaking in ["echo nudge hook", "notify-send \"; nudge hook\""] {
        assert!(!command::calls_hook(speaking), "{speaking}");
    }
}

#[test]
fn what_was_empty_before_stays() {
    let check = |origin: &str, edit: [&str; 2], expected: Expect| {
        let merged = with(origin, &wanted()).expect("a text that can be added to");
        let edited = merged.replace(edit[0], edit[1]);
        assert_eq!(back_to(origin, &edited, &wanted()), Ok(origin.replace(edit[0], edit[1])));
        expected.assert_eq(&without(&edited, &wanted()).expect("what was put in can be taken out"));
    };
    check(
        "{\"hooks\": {\n // my hooks go here\n }, \"mcpServers\": {}, \"theme\":\"dark\"}",
        ["dark", "light"],
        expect![[r#"
            {"hooks": {
             // my hooks go here
             }, "theme":"light"}"#]],
    );
    check(
        "{\"hooks\": {\n \"Other\": [1], // note\n \"Stop\": []},\n \"theme\": \"dark\"}",
        ["dark", "light"],
        expect![[r#"
            {"hooks": {
             "Other": [1] // note
             },
             "theme": "light"}"#]],
    );
}

#[test]
fn a_line_comment_before_several_of_our_entries_keeps_its_line_break() {
    let two = Content::Json(
        ["A", "B"]
            .map(|event| ConfigEntry::Item {
                path: vec!["hooks", event],
                value: json!({"command": "nudge hook"}),
            })
            .to_vec(),
    );
    let text = "{\"hooks\": {\"Other\": [1], // note\n \"A\": [{\"command\": \"nudge hook\"}],\n \"B\": [{\"command\": \"nudge hook\"}]}}";
    expect![[r#"
        {"hooks": {"Other": [1] // note
         }}"#]]
    .assert_eq(&without(text, &two).expect("what is ours can be taken out"));
}

#[test]
fn duplicate_connections_are_found() {
    assert!(connects_beside("[[hooks.PreToolUse]]\ncommand = \"nudge hook\"\n", &server()));
    assert!(connects_beside("{\"hooks\": {\"Stop\": [{\"command\": \"tee x | nudge hook\"}]}}", &wanted()));
    assert!(!connects_beside("{\"hooks\": {\"Stop\": [{\"command\": \"nudge hook\"}]}}", &wanted()));
    assert!(connects("notify = 1\n[[hooks.Stop]]\ncommand = \"nudge hook\"\n"));
    let text = r#"{"mcpServers": {"nudge": {"command": "nudge", "args": ["serve"]}, "memory": {"command": "/opt/nudge", "args": ["serve"]}},
        "projects": {"/p": {"mcpServers": {"nudge": {"command": "nudge", "args": ["serve"]}}}}}"#;
    assert_eq!(other_servers(text, &wanted()), ["mcpServers.memory", "projects./p.mcpServers.nudge"]);
}

#[test]
fn a_plugin_counts_if_it_is_enabled() {
    assert!(has_plugin("{\"enabledPlugins\": {\"nudge@nudge\": true}}"));
    assert!(!has_plugin("{\"enabledPlugins\": {\"nudge@nudge\": false}}"));
    assert!(!has_plugin("{\"note\": \"nudge@nudge\"}"));
}

#[test]
fn a_lone_surrogate_is_accepted() {
    for half in ["\\ud83d", "\\udc00", "\\ud83d\\ud83d\\ude00", "\\\\ud83d\\ud83dx"] {
        let text = format!("{{\"a\": \"abc{half}\", \"b\": \"\\ud83d\\ude00\"}}");
        let merged = with(&text, &wanted()).expect("a text that can be added to");
        assert_eq!(presence(&merged, &wanted()), Ok(Presence::Complete));
        assert_eq!(without(&merged, &wanted()), Ok(text));
    }
}

#[test]
fn a_list_of_servers_is_not_a_table() {
    let unfit = WiringError::Shape { key: "mcp_servers".to_owned(), wanted: "a table of its own" };
    assert_eq!(with("[[mcp_servers]]\nname = \"x\"\n", &server()), Err(unfit));
}

#[test]
fn a_file_that_only_begins_like_ours_is_not_ours() {
    let own = Content::Own("// Nudge for OpenCode: asks `nudge hook`\n".to_owned());
    assert_eq!(with("// Nudge me about reviews\n", &own), Err(WiringError::Foreign));
    assert_eq!(presence("// Nudge me about reviews\n", &own), Ok(Presence::Absent));
    assert_eq!(presence("// Nudge for OpenCode: calls `nudge hook`\n", &own), Ok(Presence::Partial));
}

#[test]
fn the_timeout_of_a_hook_is_up_to_the_user() {
    let value = json!({"hooks": [{"command": "nudge hook", "timeout": 10}]});
    let content = Content::Json(vec![ConfigEntry::Item { path: vec!["hooks", "Stop"], value }]);
    let text = |handler: &str| format!("{{\"hooks\": {{\"Stop\": [{{\"hooks\": [{handler}]}}]}}}}");
    let check = |handler: &str, expected: Presence| {
        assert_eq!(presence(&text(handler), &content), Ok(expected), "{handler}");
    };
    check("{\"command\": \"nudge hook\", \"timeout\": 30}", Presence::Complete);
    check("{\"command\": \"/old/nudge hook\", \"timeout\": 10}", Presence::Partial);
    check("{\"command\": \"nudge hook\", \"timeout\": 10, \"async\": true}", Presence::Partial);
}
