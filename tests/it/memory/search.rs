//! `nudge search`.

use expect_test::expect;
use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::memory::scene::{import, line, play, remembered, story, timeless};
use crate::payload::{bash, prompt};
use crate::sandbox::Sandbox;

/// Returns the numbers that a search finds.
fn ids<const N: usize>(sandbox: &Sandbox, args: [&str; N]) -> Vec<u64> {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    let output = command.args(["search", "--ids"]).args(args).output().expect("the program ends");
    let ran = sandbox.ran(&output);
    ran.code(i32::from(ran.stdout.is_empty()));
    ran.stdout.lines().map(|id| id.parse().expect("a number")).collect()
}

#[test]
fn hits_are_rows_with_number_age_and_type() {
    let ran = remembered().run(["search", "linking", "failed"]);
    ran.code(0).stderr(expect![[""]]).stdout(expect![[r#"
        4  just now  command_error  cargo build ⏎ error: linking with `cc` failed: cannot find -lssl
        5  just now  file_edit      build.rs: fn main() {} → fn main() { link("ssl") }
    "#]]);
}

#[test]
fn the_hit_is_marked_in_colour() {
    let ran = remembered().run(["search", "--color", "always", "linker"]);
    assert!(ran.stdout.contains("make the \u{1b}[1m\u{1b}[33mlinker\u{1b}[0m error"), "{}", ran.stdout);
}

#[test]
fn json_has_the_fields_of_the_tool_and_readable_times() {
    timeless(remembered().run(["search", "--json", "linker"])).code(0).stderr(expect![[""]]).stdout(expect![
        [r#"
        {
          "items": [
            {
              "id": 2,
              "timestamp": NOW,
              "obs_type": "user_prompt",
              "content_preview": "make the linker error go away",
              "file_path": null,
              "session_id": "session-1",
              "harness": "claude-code"
            }
          ],
          "total": 1
        }
    "#]
    ]);
}

#[test]
fn json_says_how_many_equal_observations_a_hit_stands_for() {
    let sandbox = Sandbox::new();
    play(
        &sandbox,
        vec![bash("make zeppelin").after(), bash("make zeppelin").after(), bash("make balloon").after()],
    );
    let times = |word| sandbox.run(["search", "--json", word]).json()["items"][0]["times"].clone();
    assert_eq!((times("zeppelin"), times("balloon")), (json!(2), json!(null)));
}

#[test]
fn failures_outcomes_and_edits_come_before_looks_and_bare_successes() {
    let sandbox = Sandbox::new();
    let types = ["file_read", "search", "command", "file_edit", "command_error", "outcome", "session_start"];
    let same = |obs_type: &&str| line("harbor pilot", json!({ "obs_type": obs_type, "file_path": "a.rs" }));
    import(&sandbox, &types.iter().map(same).collect::<Vec<_>>());
    let found = sandbox.run(["search", "--json", "harbor"]).json();
    let order: Vec<&str> = found["items"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|hit| hit["obs_type"].as_str())
        .collect();
    assert_eq!(
        order,
        ["outcome", "command_error", "file_edit", "command", "search", "file_read", "session_start"]
    );
}

#[test]
fn equal_rows_are_one_with_their_number_and_the_last_time() {
    let sandbox = Sandbox::new();
    let at = |day: i64| line("make zeppelin", json!({ "timestamp": 1_000_000_000 + day * 86_400 }));
    import(&sandbox, &[at(0), at(2), at(5)]);
    let found = sandbox.run(["search", "--json", "zeppelin"]).json();
    let hits = found["items"].as_array().expect("a list");
    let shown = [&hits[0]["times"], &hits[0]["id"]].map(Value::as_i64);
    assert_eq!((hits.len(), shown), (1, [Some(3), Some(3)]));
    let stdout = sandbox.run(["search", "zeppelin"]).stdout;
    assert!(stdout.contains("y ago  command  ×3 make zeppelin"), "{stdout}");
}

#[test]
fn full_shows_whole_observations() {
    let sandbox = remembered();
    timeless(sandbox.run(["search", "--full", "linking"])).code(0).stdout(expect![[r#"
        4  command_error  14:30 (just now)
        project  project
        session  session-1
        event    PostToolUseFailure of Bash
        agent    claude-code
        exit     101
        facts    tool_use_id session-1-3
          cargo build
          error: linking with `cc` failed: cannot find -lssl

        5  file_edit  14:30 (just now)
        project  project
        session  session-1
        event    PostToolUse of Edit
        file     build.rs
        agent    claude-code
        facts    tool_use_id session-1-4
          build.rs: fn main() {} → fn main() { link("ssl") }
    "#]]);
    let full = sandbox.run(["search", "--full", "--json", "linker"]).json();
    assert_eq!(full, sandbox.run(["show", "2", "--json"]).json());
}

#[test]
fn words_may_be_given_one_by_one_or_as_one() {
    let sandbox = remembered();
    assert_eq!(ids(&sandbox, ["cargo", "build", "--type", "command"]), [6]);
    assert_eq!(ids(&sandbox, ["cargo build", "--type", "command"]), [6]);
    assert_eq!(ids(&sandbox, ["cargo AND linking"]), [4]);
    assert_eq!(ids(&sandbox, ["link*", "--type", "command,command_error"]), [4]);
}

#[test]
fn a_search_can_be_narrowed() {
    let sandbox = remembered();
    import(&sandbox, &[line("cargo build --old", json!({}))]);
    assert_eq!(ids(&sandbox, ["cargo", "--type", "command"]).len(), 2);
    assert_eq!(ids(&sandbox, ["cargo", "--type", "command", "--since", "1h"]), [6]);
    assert_eq!(ids(&sandbox, ["cargo", "--type", "command", "--since", "yesterday"]), [6]);
    assert_eq!(ids(&sandbox, ["cargo", "--type", "command", "--until", "2020-01-01"]), [7]);
    assert_eq!(ids(&sandbox, ["cargo", "--until", "2001-09-09T01:46:39Z"]), Vec::<u64>::new());
    assert_eq!(ids(&sandbox, ["cargo", "--session", "old"]), [7]);
    assert_eq!(ids(&sandbox, ["cargo", "--session", "sess", "--type", "command"]), [6]);
    assert_eq!(ids(&sandbox, ["cargo", "--type", "command", "--limit", "1"]).len(), 1);
    let all = ids(&sandbox, ["cargo", "--type", "command"]);
    assert_eq!(ids(&sandbox, ["cargo", "--type", "command", "--offset", "1"]), all[1..]);
    // Of two that say the same, the recent one comes first.
    assert_eq!(ids(&sandbox, ["cargo", "--type", "command", "--order", "blended"]), [6, 7]);
}

#[test]
fn the_project_is_that_of_the_folder_unless_another_is_named() {
    let sandbox = remembered();
    import(&sandbox, &[line("linker of another", json!({ "project": "other" }))]);
    assert_eq!(ids(&sandbox, ["linker"]), [2]);
    assert_eq!(ids(&sandbox, ["linker", "--project", "other"]), [7]);
    assert_eq!(ids(&sandbox, ["linker", "--all"]).len(), 2);
    timeless(sandbox.run(["search", "linker", "--all"])).code(0).stdout(expect![[r#"
        7   25y ago  command      other    linker of another
        2  just now  user_prompt  project  make the linker error go away
    "#]]);
    sandbox.run(["search", "linker", "--project", "othr"]).code(1).stderr(expect![[r#"
        error: no project in the memory is named `othr`
        hint: did you mean `other`?
    "#]]);
    sandbox.run(["search", "linker", "--project", "a", "--all"]).code(2);
}

#[test]
fn a_name_in_the_settings_is_the_projects() {
    let sandbox = Sandbox::new().file(".nudge/config.toml", "[project]\nname = 'shop'");
    play(&sandbox, story());
    assert_eq!(ids(&sandbox, ["linker", "--project", "shop"]), [2]);
    assert_eq!(ids(&sandbox.from("src/deep"), ["linker"]), [2]);
}

#[test]
fn nothing_found_says_what_to_try() {
    let sandbox = remembered();
    sandbox.run(["search", "zeppelin"]).code(1).stdout(expect![[""]]).stderr(expect![[r#"
        nothing found for `zeppelin` in project `project`
        `--all` looks at all projects; or try other words, fewer of them, or a part with `*` as in `conf*`
    "#]]);
    sandbox.run(["search", "zeppelin", "--all"]).code(1).stderr(expect![[r#"
        nothing found for `zeppelin`
        try other words, fewer of them, or a part with `*` as in `conf*`
    "#]]);
    sandbox.run(["search", "linker", "--offset", "9"]).code(1).stderr(expect![[r#"
        no more hits after the first 9
    "#]]);
    assert_eq!(
        sandbox.run(["search", "zeppelin", "--json"]).code(1).json(),
        json!({ "items": [], "total": 0 })
    );
    sandbox.run(["search", "cargo", "--limit", "1"]).code(0).stderr(expect![[r#"
        there may be more: `--offset 1` shows the next
    "#]]);
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let sandbox = remembered();
    sandbox.run(["search", "a", "--type", "comand"]).code(2).stderr(expect![[r#"
        error: invalid value 'comand' for '--type <TYPE>': did you mean `command`?

        For more information, try '--help'.
    "#]]);
    sandbox.run(["search", "a", "--type", "banana"]).code(2).stderr(expect![[r#"
        error: invalid value 'banana' for '--type <TYPE>': known are `file_read`, `file_write`, `file_edit`, `command`, `command_error`, `search`, `user_prompt`, `session_start`, `session_end`, `mcp_call`, `outcome`, `summary`

        For more information, try '--help'.
    "#]]);
    sandbox.run(["search", "a", "--since", "soon"]).code(2).stderr(expect![[r#"
        error: invalid value 'soon' for '--since <WHEN>': write a date or time (`2026-01-31`, `2026-01-31T14:30`), how long ago (`3d`, `2h`, `1w`), `today` or `yesterday`

        For more information, try '--help'.
    "#]]);
    sandbox.run(["search", "a", "--limit", "0"]).code(2);
    sandbox.run(["search", "a", "--order", "age"]).code(2);
    sandbox.run(["search", "a", "--ids", "--json"]).code(2);
    sandbox.run(["search"]).code(2);
    sandbox.run(["search", "\"unbalanced"]).code(1).stdout(expect![[""]]).stderr(expect![[r#"
        error: malformed query: the quote at character 1 is never closed; add a `"` after the phrase, or leave it out
    "#]]);
    sandbox.run(["search", "a", "--session", "none"]).code(1).stderr(expect![[r#"
        error: no session in the memory matches `none`
        hint: `nudge sessions --all` lists them
    "#]]);
}

#[test]
fn what_an_agent_printed_cannot_move_the_cursor() {
    let sandbox = Sandbox::new();
    play(&sandbox, vec![prompt("evil \u{1b}[2J\u{7} text"), bash("printf evil\u{1b}[31m").after()]);
    for args in [["search", "evil"], ["show", "1"], ["timeline", "1"], ["sessions", "session-1"]] {
        let ran = sandbox.run(args);
        ran.code(0);
        assert!(ran.stdout.contains("evil"), "{args:?}");
        assert!(!ran.stdout.contains(['\u{1b}', '\u{7}']), "{args:?}: {:?}", ran.stdout);
    }
}

#[test]
fn until_a_day_means_with_all_its_hours() {
    let sandbox = Sandbox::new();
    sandbox.hook("claude-code", prompt("needle here"));
    assert!(
        sandbox.run(["search", "needle", "--since", "today", "--until", "today"]).stdout.contains("needle")
    );
    assert!(!sandbox.run(["search", "needle", "--until", "yesterday"]).stdout.contains("needle"));
}

/// Models guess names of arguments; what has no effect is said, after the answer.
#[test]
fn over_mcp_unknown_arguments_and_reduced_counts_are_mentioned() {
    let sandbox = remembered();
    let mut client = Client::new(&sandbox);
    let arguments = json!({ "query": "cargo", "tag": "x", "limit": "20" });
    let answer = client.ask("tools/call", json!({ "name": "search", "arguments": arguments }));
    let content = answer["result"]["content"].as_array().expect("content").clone();
    let texts: Vec<&str> = content.iter().filter_map(|block| block["text"].as_str()).collect();
    assert!(texts[0].starts_with('['), "{texts:?}");
    let notes = texts[1..].join("\n");
    assert!(notes.contains("`tag` is not an argument"), "{notes}");
    let anchor = json!({ "anchor": "#4", "before": 1000 });
    let answer = client.ask("tools/call", json!({ "name": "timeline", "arguments": anchor }));
    assert_eq!(answer["result"]["structuredContent"]["anchor"]["id"], 4, "{answer}");
    assert!(answer.to_string().contains("`before` was reduced from 1000 to 100"), "{answer}");
}

#[test]
fn what_begins_with_a_word_is_found_where_nothing_has_it() {
    let sandbox = remembered();
    play(&sandbox, vec![bash("make OAuth2Client").after().session("other"), bash("pip install").after()]);
    for (words, found) in
        [("oauth", true), ("OAuth9", true), ("pip3", true), ("author", false), ("oa", false)]
    {
        let ran = sandbox.run(["search", words]);
        assert_eq!(ran.code, Some(if found { 0 } else { 1 }), "{words}: {}{}", ran.stdout, ran.stderr);
        let says = format!("nothing has `{words}` as whole words: this begins with them\n");
        assert_eq!(ran.stderr == says, found, "{words}: {}", ran.stderr);
    }
    sandbox.run(["search", "pip"]).code(0).stderr(expect![[""]]);
    let mut agent = Client::new(&sandbox);
    let hits = agent.call_json("search", json!({ "query": "oauth" }));
    assert!(hits[0]["content_preview"].as_str().is_some_and(|text| text.contains("OAuth2")), "{hits}");
}

#[test]
fn a_database_that_is_not_used_is_said() {
    let sandbox = remembered().env("NUDGE_DB", "here.db");
    let ran = sandbox.run(["search", "cargo"]);
    assert!(
        ran.code == Some(0) && ran.stderr.contains("NUDGE_DB is `here.db`, which is not an absolute path"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_latest_of_a_type_are_listed() {
    let sandbox = remembered();
    let found = sandbox.run(["recent", "--type", "file_edit,command_error", "--json"]).json();
    let types: Vec<_> = found["items"].as_array().unwrap().iter().map(|item| &item["obs_type"]).collect();
    assert_eq!(json!(types), json!(["file_edit", "command_error"]));
}
