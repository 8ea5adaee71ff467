//! The reference is what the program says of itself: `UPDATE_EXPECT=1 cargo test --test it reference` rewrites it.

#![expect(clippy::unwrap_used, reason = "a page that cannot be made is a failed test")]

use std::fmt::Write;
use std::process::Command;

use expect_test::expect_file;
use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::payload::bash;
use crate::sandbox::Sandbox;

#[test]
fn the_commands_are_as_their_help_says() {
    let mut page = String::from(
        "# Commands\n\nMade from the program's own help; `cargo test` compares.\nEvery command takes `--help`.\n",
    );
    let main = nudge(&["--help"]);
    writeln!(page, "\n```text\n{}\n```", main.trim_end()).unwrap();
    for topic in ["environment", "plumbing"] {
        let help = nudge(&["help", topic]);
        writeln!(page, "\n## nudge help {topic}\n\n```text\n{}\n```", help.trim_end()).unwrap();
    }
    for command in commands(&main) {
        let help = nudge(&["help", &command]);
        writeln!(page, "\n## nudge {command}\n\n```text\n{}\n```", help.trim_end()).unwrap();
        for inner in commands(&help) {
            let help = nudge(&["help", &command, &inner]);
            writeln!(page, "\n### nudge {command} {inner}\n\n```text\n{}\n```", help.trim_end()).unwrap();
        }
    }
    expect_file!["../../../docs/reference/cli.md"].assert_eq(&page);
}

#[test]
fn the_schema_is_what_validate_prints() {
    expect_file!["../../../docs/reference/rules.schema.json"].assert_eq(&nudge(&["validate", "--schema"]));
}

#[test]
fn the_keys_of_rule_files_are_those_of_the_schema() {
    let schema: Value = serde_json::from_str(&nudge(&["validate", "--schema"])).unwrap();
    let mut page = String::from(
        "# Rule files\n\nMade from the schema that the program reads with; `cargo test` compares.\n\
         Keys that start with `x-` are yours and are passed over; any other unknown key switches its rule off, and is reported.\n",
    );
    describe("the file", &schema, &mut page);
    expect_file!["../../../docs/reference/rules.md"].assert_eq(&page);
}

#[test]
fn the_findings_of_the_doctor_have_the_keys_that_are_described() {
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_nudge")).parent().unwrap().display();
    let sandbox = Sandbox::new().env("PATH", &format!("{folder}:/usr/bin:/bin"));
    sandbox.run(["setup", "claude", "--user"]).code(0);
    sandbox.hook("claude-code", bash("ls"));
    let mut found = Vec::new();
    keys("", &sandbox.run(["doctor", "--json"]).json(), &mut found);
    let page = std::fs::read_to_string("docs/reference/doctor.md").unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let described: Vec<&str> = rows.map(|(key, _)| key).collect();
    // The type of the items of an empty list is unknown.
    let is_below = |key: &str| found.iter().any(|one| one.ends_with("[]") && key.starts_with(one.as_str()));
    let gone: Vec<&&str> =
        described.iter().filter(|key| !found.iter().any(|one| one == *key) && !is_below(key)).collect();
    let new: Vec<&String> = found
        .iter()
        .filter(|key| !described.iter().any(|one| one == key || one.starts_with(&format!("{key}."))))
        .collect();
    assert!(gone.is_empty() && new.is_empty(), "not there: {gone:?}\nnot described: {new:?}");
}

/// Names every value by its keys; problems and what a server says have shapes of their own.
fn keys(prefix: &str, value: &Value, found: &mut Vec<String>) {
    let is_whole = prefix.ends_with("problems[]") || prefix == "log[]" || prefix == "server.health";
    match value {
        Value::Object(map) if !is_whole => map.iter().for_each(|(key, value)| {
            let dot = if prefix.is_empty() { "" } else { "." };
            keys(&format!("{prefix}{dot}{key}"), value, found);
        }),
        Value::Array(items) if items.is_empty() => found.push(format!("{prefix}[]")),
        Value::Array(items) => items.iter().for_each(|item| keys(&format!("{prefix}[]"), item, found)),
        _ => found.push(prefix.to_owned()),
    }
}

#[test]
fn the_settings_are_those_that_the_program_reads() {
    let shown: Value = serde_json::from_str(&nudge(&["settings", "--json"])).unwrap();
    let mut page = String::from(
        "# Settings\n\nMade from the list that the program reads with; `cargo test` compares.\n\
         They are read from `config.toml` in your own config folder (`nudge settings` names it), and from `.nudge/config.toml` of the project, which can only narrow them.\n\
         A key `a.b` is written as `b` under `[a]`.\n\
         A key that is not known, or has a value of another kind, is reported by `nudge doctor`.\n\
         A file that cannot be read, is larger than 64 KB or is not valid TOML, and anything under `observations` or `redact` that is not understood, mean that nothing is remembered until it is fixed; a limit under `context` or `hints` that is not understood counts as 0.\n\
         Between you and a project the stricter value is used: `observations.enabled` is off if one of the two says so, the smaller limit of `context` and `hints` is used, `nexus.edit_gate` and `nexus.block_stop` are on if one of the two says so, and patterns of `redact` add up (a project has up to 32).\n\
         A project sets `project.name`, `nexus.task_status` and `notes.stale_days` as it likes; it cannot set `retention`, and of `notes.auto_*` it can only make deletion rarer.\n\n\
         | key | |\n|---|---|\n",
    );
    for setting in shown["items"].as_array().unwrap() {
        let (key, about) = (setting["key"].as_str().unwrap(), setting["about"].as_str().unwrap());
        writeln!(page, "| `{key}` | {about} |").unwrap();
    }
    writeln!(page, "\nWithout any file, they are:\n\n```toml").unwrap();
    let values = shown["items"].as_array().unwrap().iter().flat_map(|one| one["values"].as_object().unwrap());
    let mut section = "";
    for (key, value) in values {
        let (table, name) = key.split_once('.').unwrap();
        if table != section {
            let gap = if section.is_empty() { "" } else { "\n" };
            writeln!(page, "{gap}[{table}]").unwrap();
            section = table;
        }
        writeln!(page, "{name} = {}", value.as_str().unwrap()).unwrap();
    }
    page.push_str("```\n");
    expect_file!["../../../docs/reference/settings.md"].assert_eq(&page);
}

#[test]
fn the_tables_of_tools_in_the_guide_are_what_the_server_offers() {
    let sandbox = Sandbox::new();
    let mut client = Client::with_tools(&sandbox, Some("all"));
    let tools = client.ask("tools/list", json!({}))["result"]["tools"].take();
    let tools: Vec<&Value> = tools.as_array().unwrap().iter().collect();
    let guide = std::fs::read_to_string("docs/guide/mcp.md").unwrap();
    let (mut page, mut listed) = (String::new(), Vec::new());
    let mut lines = guide.lines().peekable();
    while let Some(line) = lines.next() {
        writeln!(page, "{line}").unwrap();
        let Some(prefixes) = line.strip_prefix("<!-- tools: ").and_then(|rest| rest.strip_suffix(" -->"))
        else {
            continue;
        };
        writeln!(page, "\n| tool | does | changes |\n|---|---|---|").unwrap();
        let names = |tool: &&&Value| {
            prefixes.split(' ').any(|prefix| tool["name"].as_str().unwrap().starts_with(prefix))
        };
        for tool in tools.iter().filter(names) {
            listed.push(tool["name"].as_str().unwrap());
            writeln!(page, "{}", row(tool)).unwrap();
        }
        while lines.next_if(|line| line.is_empty() || line.starts_with('|')).is_some() {}
        writeln!(page).unwrap();
    }
    let offered: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(listed, offered, "every tool is in one table of the guide");
    expect_file!["../../../docs/guide/mcp.md"].assert_eq(&page);
}

/// Describes a tool by the first sentence that an agent reads.
fn row(tool: &Value) -> String {
    let about = tool["description"].as_str().unwrap();
    let sentence = about.split_once(". ").map_or(about, |(first, _)| first).trim_end_matches('.');
    let changes = match (&tool["annotations"]["readOnlyHint"], &tool["annotations"]["destructiveHint"]) {
        (Value::Bool(true), _) => "nothing",
        (_, Value::Bool(true)) => "may replace or delete",
        _ => "adds or updates",
    };
    format!("| `{}` | {sentence} | {changes} |", tool["name"].as_str().unwrap())
}

/// Writes a table of a map's keys, then one for each map inside it.
fn describe(name: &str, schema: &Value, page: &mut String) {
    writeln!(page, "\n## {name}\n\n| key | value | |\n|---|---|---|").unwrap();
    let required = if schema["then"].is_null() { &schema["required"] } else { &schema["then"]["required"] };
    let required: Vec<&str> = required.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut inner = Vec::new();
    for (key, value) in schema["properties"].as_object().unwrap() {
        let star = if required.contains(&key.as_str()) { " (required)" } else { "" };
        let about = value["description"].as_str().unwrap().replace('|', "\\|");
        writeln!(page, "| `{key}`{star} | {} | {about} |", kind(value)).unwrap();
        let maps = [value, &value["items"], &value["items"]["oneOf"][1]];
        inner.extend(maps.into_iter().find(|map| map["properties"].is_object()).map(|map| (key, map)));
    }
    for (key, map) in inner {
        // `unless` has the keys of `match`, `quiet` those of `fires`.
        if key != "unless" && key != "quiet" {
            describe(&format!("`{key}`"), map, page);
        }
    }
}

fn kind(value: &Value) -> String {
    if let Some(words) = value["enum"].as_array() {
        return words
            .iter()
            .map(|word| format!("`{}`", word.as_str().unwrap()))
            .collect::<Vec<_>>()
            .join(", ");
    }
    match (value["type"].as_str(), value["items"]["type"].as_str()) {
        (Some("array"), Some("object")) => "a list of maps, see below".to_owned(),
        (Some("array"), Some("string")) => "a list of names".to_owned(),
        (Some("array"), _) => "a list of texts or of maps, see below".to_owned(),
        (Some("object"), _) => "a map, see below".to_owned(),
        (Some("boolean"), _) => "`true` or `false`".to_owned(),
        (Some("string"), _) => "a text".to_owned(),
        (Some("integer"), _) => {
            format!("a whole number from {} to {}", value["minimum"], value["maximum"])
        }
        (None, _) if value["const"] == 1 => "the number 1".to_owned(),
        _ => "a text or a list of texts".to_owned(),
    }
}

/// Reads the names of the commands off the main help.
fn commands(help: &str) -> Vec<String> {
    crate::cli::commands::listed(help).into_iter().filter(|name| name != "help").collect()
}

fn nudge(args: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_nudge")).args(args).env_clear().current_dir("/").output().unwrap();
    assert!(output.status.success(), "nudge {args:?} failed");
    String::from_utf8(output.stdout).unwrap()
}
