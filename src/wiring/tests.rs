//! Inserted entries look like the rest, and removing them leaves no trace.

mod faults;
mod properties;

use std::borrow::Borrow;

use expect_test::{Expect, expect};
use serde_json::json;

use super::*;
use crate::model::ConfigEntry;

/// A minimal hook and server.
fn wanted() -> Content {
    let group = json!({"hooks": [{"type": "command", "command": "nudge hook --harness x"}]});
    Content::Json(vec![
        ConfigEntry::Item { path: vec!["hooks", "Stop"], value: group },
        ConfigEntry::Key {
            path: vec!["mcpServers", "nudge"],
            value: json!({"command": "nudge", "args": ["serve"]}),
        },
    ])
}

fn server() -> Content {
    Content::Toml { table: ["mcp_servers", "nudge"], values: json!({"command": "nudge", "args": ["serve"]}) }
}

/// Inserts the content, compares the result, and removes the content again.
#[track_caller]
fn check(text: &str, content: &Content, expected: impl Borrow<Expect>) {
    let merged = with(text, content).expect("a text that can be added to");
    assert_eq!(presence(&merged, content), Ok(Presence::Complete), "{merged}");
    assert_eq!(with(&merged, content).as_ref(), Ok(&merged), "a second time changes nothing");
    let rest = without(&merged, content).expect("what was put in can be taken out");
    let shown = |text: &str| text.replace('\u{feff}', "<BOM>").replace('\r', "<CR>").replace('\t', "<TAB>");
    let back = if rest == text { "as before".to_owned() } else { format!("now {:?}", shown(&rest)) };
    expected.borrow().assert_eq(&format!("{}\n=> {back}\n", shown(&merged).trim_end()));
}

#[test]
fn inserted_entries_look_like_the_rest() {
    let wanted = wanted();
    check(
        "{\n    \"model\": \"x\", // mine\n    \"hooks\": {\n        \"Stop\": [\n            { \"hooks\": [] } // theirs\n        ]\n    }\n}\n",
        &wanted,
        expect![[r#"
            {
                "model": "x", // mine
                "hooks": {
                    "Stop": [
                        { "hooks": [] }, // theirs
                        {
                            "hooks": [
                                {
                                    "type": "command",
                                    "command": "nudge hook --harness x"
                                }
                            ]
                        }
                    ]
                },
                "mcpServers": {
                    "nudge": {
                        "command": "nudge",
                        "args": [
                            "serve"
                        ]
                    }
                }
            }
            => as before
        "#]],
    );
    check(
        "{\r\n\t\"a\": [1, 2],\r\n\t/* why */ \"b\": {},\r\n}\r\n",
        &wanted,
        expect![[r#"
        {<CR>
        <TAB>"a": [1, 2],<CR>
        <TAB>/* why */ "b": {},<CR>
        <TAB>"hooks": {<CR>
        <TAB><TAB>"Stop": [<CR>
        <TAB><TAB><TAB>{<CR>
        <TAB><TAB><TAB><TAB>"hooks": [<CR>
        <TAB><TAB><TAB><TAB><TAB>{<CR>
        <TAB><TAB><TAB><TAB><TAB><TAB>"type": "command",<CR>
        <TAB><TAB><TAB><TAB><TAB><TAB>"command": "nudge hook --harness x"<CR>
        <TAB><TAB><TAB><TAB><TAB>}<CR>
        <TAB><TAB><TAB><TAB>]<CR>
        <TAB><TAB><TAB>}<CR>
        <TAB><TAB>]<CR>
        <TAB>},<CR>
        <TAB>"mcpServers": {<CR>
        <TAB><TAB>"nudge": {<CR>
        <TAB><TAB><TAB>"command": "nudge",<CR>
        <TAB><TAB><TAB>"args": [<CR>
        <TAB><TAB><TAB><TAB>"serve"<CR>
        <TAB><TAB><TAB>]<CR>
        <TAB><TAB>}<CR>
        <TAB>},<CR>
        }<CR>
        => as before
    "#]],
    );
    check(
        "\u{feff}{\"a\":1}",
        &wanted,
        expect![[r#"
        <BOM>{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"nudge hook --harness x"}]}]},"mcpServers":{"nudge":{"command":"nudge","args":["serve"]}}}
        => as before
    "#]],
    );
    check(
        "{ \"a\": 1, \"hooks\": {\"Stop\": [ {\"command\": \"x\"} ]} }\n",
        &wanted,
        expect![[r#"
        { "a": 1, "hooks": {"Stop": [ {"command": "x"}, {"hooks":[{"type":"command","command":"nudge hook --harness x"}]} ]}, "mcpServers": {"nudge":{"command":"nudge","args":["serve"]}} }
        => as before
    "#]],
    );
    check(
        "",
        &wanted,
        expect![[r#"
        {
          "hooks": {
            "Stop": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "nudge hook --harness x"
                  }
                ]
              }
            ]
          },
          "mcpServers": {
            "nudge": {
              "command": "nudge",
              "args": [
                "serve"
              ]
            }
          }
        }
        => now "{}\n"
    "#]],
    );
    check(
        "{}",
        &wanted,
        expect![[r#"
        {
          "hooks": {
            "Stop": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "nudge hook --harness x"
                  }
                ]
              }
            ]
          },
          "mcpServers": {
            "nudge": {
              "command": "nudge",
              "args": [
                "serve"
              ]
            }
          }
        }
        => as before
    "#]],
    );
    check(
        "{\n  // nothing yet\n}",
        &wanted,
        expect![[r#"
            {
              // nothing yet
              "hooks": {
                "Stop": [
                  {
                    "hooks": [
                      {
                        "type": "command",
                        "command": "nudge hook --harness x"
                      }
                    ]
                  }
                ]
              },
              "mcpServers": {
                "nudge": {
                  "command": "nudge",
                  "args": [
                    "serve"
                  ]
                }
              }
            }
            => as before
        "#]],
    );
    check(
        "{\n  \"a\": 1 /* one */ // two\n  // three\n}\n",
        &wanted,
        expect![[r#"
        {
          "a": 1, /* one */ // two
          "hooks": {
            "Stop": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "nudge hook --harness x"
                  }
                ]
              }
            ]
          },
          "mcpServers": {
            "nudge": {
              "command": "nudge",
              "args": [
                "serve"
              ]
            }
          }
          // three
        }
        => as before
    "#]],
    );
}

#[test]
fn a_table_is_appended() {
    check(
        "",
        &server(),
        expect![[r#"
        [mcp_servers.nudge]
        command = "nudge"
        args = ["serve"]
        => as before
    "#]],
    );
    check(
        "model = \"x\"\r\n\r\n[mcp_servers.other] # theirs\r\ncommand = \"y\"\r\n",
        &server(),
        expect![[r#"
        model = "x"<CR>
        <CR>
        [mcp_servers.other] # theirs<CR>
        command = "y"<CR>
        <CR>
        [mcp_servers.nudge]<CR>
        command = "nudge"<CR>
        args = ["serve"]<CR>
        => as before
    "#]],
    );
    check(
        "\u{feff}model = \"x\"",
        &server(),
        expect![[r#"
        <BOM>model = "x"

        [mcp_servers.nudge]
        command = "nudge"
        args = ["serve"]
        => now "<BOM>model = \"x\"\n"
    "#]],
    );
}

#[test]
fn later_changes_by_others_stay() {
    let json = |text: &str, expected: Expect| expected.assert_eq(&without(text, &wanted()).expect("JSON"));
    json(
        r#"{"hooks": {"Stop": [{"hooks": [{"command": "theirs"}, {"command": "'/opt/a b/nudge' hook --harness x"}]}], "Start": [{"command": "nudge hook"}]}}"#,
        expect![[
            r#"{"hooks": {"Stop": [{"hooks": [{"command": "theirs"}]}], "Start": [{"command": "nudge hook"}]}}"#
        ]],
    );
    json(
        "{\n  \"mcpServers\": {\n    \"nudge\": {\"command\": \"/old/nudge\", \"args\": [\"serve\", \"--port\", \"1\"]},\n    \"b\": {} // b\n  }\n}",
        expect![[r#"
            {
              "mcpServers": {
                "b": {} // b
              }
            }"#]],
    );
    json(
        "{\"hooks\": {\"Stop\": [1, // one\n {\"command\": \"nudge hook\"}]}}",
        expect![[r#"
        {"hooks": {"Stop": [1 // one
         ]}}"#]],
    );
    json(
        "{\"hooks\": {\"Stop\": [ // first\n {\"command\": \"nudge hook\"}, \"//\"]}}",
        expect![[r#"
        {"hooks": {"Stop": [ // first
          "//"]}}"#]],
    );
    let toml = "[a]\nx = 1\n\n[mcp_servers.nudge]\ncommand = \"nudge\"\nargs = [\"serve\"]\n\n[mcp_servers.nudge.env]\nA = \"b\"\n\n# about c\n[c]\ny = 2\n";
    expect![[r#"
        [a]
        x = 1

        # about c
        [c]
        y = 2
    "#]]
    .assert_eq(&without(toml, &server()).expect("TOML"));
}

#[test]
fn a_text_that_does_not_fit_is_refused() {
    let check = |text: &str, content: &Content, expected: Expect| {
        expected.assert_eq(&with(text, content).expect_err("this cannot be added to").to_string());
    };
    check(
        "{\"a\": 1,, }",
        &wanted(),
        expect!["this is not valid JSON: Unexpected token in object on line 1 column 9"],
    );
    check("[]", &wanted(), expect!["this is not valid JSON: it is not an object"]);
    check("{\"hooks\": []}", &wanted(), expect!["`hooks` is not an object here"]);
    check("{\"hooks\": {\"Stop\": null}}", &wanted(), expect!["`hooks.Stop` is not a list here"]);
    check(
        "{\"mcpServers\": {\"nudge\": {\"command\": \"another\"}}}",
        &wanted(),
        expect!["`mcpServers.nudge` is taken by something else"],
    );
    check(
        "mcp_servers = { a = { command = \"x\" } }",
        &server(),
        expect!["`mcp_servers` is not a table of its own here"],
    );
    check(
        "a = ",
        &server(),
        expect!["this is not valid TOML: string values must be quoted, expected literal string"],
    );
    check(
        "[mcp_servers.nudge]\nurl = \"http://127.0.0.1\"\n",
        &server(),
        expect!["`mcp_servers.nudge` is taken by something else"],
    );
    check(
        "export const Theirs = 1;",
        &Content::Own("// Nudge for all\n".to_owned()),
        expect!["this file was not written by nudge"],
    );
}

#[test]
fn our_command_is_recognised_in_every_form() {
    for ours in [
        "nudge hook --harness codex",
        "/usr/local/bin/nudge hook",
        "'/home/me and you/nudge' hook --harness x",
        "\"C:\\Program Files\\nudge.exe\" hook --harness x",
        "command -v nudge >/dev/null 2>&1 || exit 0; nudge hook --harness gemini-cli",
    ] {
        assert!(command::is_hook(ours), "{ours}");
    }
    for theirs in ["nudge serve", "other-nudge hook", "nudge-hook", "echo hook nudge", "git hook nudge"] {
        assert!(!command::is_hook(theirs), "{theirs}");
    }
}

#[test]
fn an_outdated_form_is_recognised() {
    let check =
        |text: &str, expected: Presence| assert_eq!(presence(text, &wanted()), Ok(expected), "{text}");
    check("", Presence::Absent);
    check("{\"hooks\": {\"Stop\": [{\"command\": \"theirs\"}]}}", Presence::Absent);
    check("{\"hooks\": {\"Stop\": [{\"command\": \"/old/nudge hook\"}]}}", Presence::Partial);
    check(
        "{\"mcpServers\": {\"nudge\": {\"command\": \"nudge\", \"args\": [\"serve\"]}}}",
        Presence::Partial,
    );
}
