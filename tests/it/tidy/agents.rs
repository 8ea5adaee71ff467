//! The agents: one folder and one row each, with payloads and a page, and no list of them anywhere else.

use std::fs;
use std::path::Path;

use super::source::{Source, tree};

const TABLE: &str = "src/harness/mod.rs";
const PAGE: &str = "docs/harnesses/README.md";

#[test]
fn every_agent_is_complete() {
    assert_eq!(agents(&with_documents()), Vec::<String>::new());
}

#[test]
fn a_forgotten_part_of_an_agent_is_reported() {
    // The made-up agent is complete, and each of these forgets one part of it.
    assert_eq!(agents(&made_up(&[])), Vec::<String>::new());
    let check = |forgotten: &[(&str, &str)], complaint: &str| {
        assert_eq!(agents(&made_up(forgotten)), [complaint]);
    };
    check(
        &[(TABLE, "static AGENTS: &[&Agent] = &[&robot::AGENT];")],
        "src/harness/gizmo/: `&gizmo::AGENT` is missing in `AGENTS` of src/harness/mod.rs",
    );
    check(&[("src/harness/gizmo/wire.rs", "")], "src/harness/gizmo/: `wire.rs` is missing");
    check(
        &[("src/harness/gizmo/mod.rs", "static AGENT: Agent = Agent { name: \"gizmo\" };")],
        "src/harness/gizmo/mod.rs: the row has no `id`",
    );
    check(
        &[("tests/fixtures/gizmo/Stop.json", "")],
        "src/harness/gizmo/: no payload of it is in tests/fixtures/gizmo/",
    );
    check(
        &[("docs/harnesses/gizmo-cli.md", "")],
        "src/harness/gizmo/: its page docs/harnesses/gizmo-cli.md is missing",
    );
    check(
        &[(PAGE, "| [Robot](robot.md) | block |")],
        "src/harness/gizmo/: docs/harnesses/README.md has no line with `(gizmo-cli.md)`",
    );
    check(
        &[("src/ops/notes.rs", "const BLIND: [&str; 1] = [\"gizmo-cli\"];")],
        "src/ops/notes.rs:1: names the agent `gizmo-cli`; what differs between agents belongs in its row",
    );
    check(
        &[("src/cli/setup.rs", "value_parser = [\"gizmo\", \"all\"]")],
        "src/cli/setup.rs:1: names the agent `gizmo`; what differs between agents belongs in its row",
    );
    check(
        &[("src/wiring/a.rs", "format!(\"{program} hook --harness gizmo-cli\")")],
        "src/wiring/a.rs:1: names the agent `gizmo-cli`; what differs between agents belongs in its row",
    );
    // Tests may name the agents that they are about.
    assert_eq!(agents(&made_up(&[("src/ops/notes/tests.rs", "\"gizmo\"")])), Vec::<String>::new());
    assert_eq!(agents(&made_up(&[("src/ops/notes.rs", "#[cfg(test)]\n\"gizmo\"")])), Vec::<String>::new());
}

/// Returns a tree with two agents, in which these files are replaced; an empty text removes the file.
fn made_up(changes: &[(&str, &str)]) -> Vec<Source> {
    let whole = [
        (TABLE, "static AGENTS: &[&Agent] = &[&robot::AGENT, &gizmo::AGENT];"),
        ("src/harness/robot/mod.rs", "static AGENT: Agent = Agent { id: \"robot\", name: \"robot\" };"),
        ("src/harness/robot/wire.rs", "struct EventWire;"),
        ("tests/fixtures/robot/Stop.json", "{}"),
        ("docs/harnesses/robot.md", "# Robot"),
        ("src/harness/gizmo/mod.rs", "static AGENT: Agent = Agent { id: \"gizmo-cli\", name: \"gizmo\" };"),
        ("src/harness/gizmo/wire.rs", "struct EventWire;"),
        ("tests/fixtures/gizmo/Stop.json", "{}"),
        ("docs/harnesses/gizmo-cli.md", "# Gizmo"),
        (PAGE, "| [Robot](robot.md) | block |\n| [Gizmo](gizmo-cli.md) | guide |"),
    ];
    let is_kept = |path: &str| changes.iter().all(|(changed, _)| *changed != path);
    let kept = whole.iter().filter(|(path, _)| is_kept(path));
    let files = kept.chain(changes.iter().filter(|(_, text)| !text.is_empty()));
    files.map(|(path, text)| Source::new(path, text)).collect()
}

/// Returns the source tree, with the pages about agents and the payloads.
fn with_documents() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = tree();
    let mut folders = vec!["docs/harnesses".to_owned(), "tests/fixtures".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).expect("a folder of the package") {
            let path = entry.expect("an entry").path();
            let shown = format!("{folder}/{}", path.file_name().unwrap_or_default().to_string_lossy());
            match path.is_dir() {
                true => folders.push(shown),
                false => files.push(Source::new(&shown, &fs::read_to_string(&path).expect("UTF-8"))),
            }
        }
    }
    files
}

fn agents(files: &[Source]) -> Vec<String> {
    let has = |path: &str| files.iter().any(|file| file.path == path);
    let text = |path: &str| files.iter().find(|file| file.path == path).map_or("", |file| &file.text);
    let (folders, rows) = (folders(files), rows(text(TABLE)));
    let mut complaints = Vec::new();
    let mut words = Vec::new();
    for folder in folders.iter().filter(|folder| !rows.contains(folder)) {
        let missing = format!("`&{folder}::AGENT` is missing in `AGENTS` of {TABLE}");
        complaints.push(format!("src/harness/{folder}/: {missing}"));
    }
    for folder in &rows {
        let at = format!("src/harness/{folder}/");
        let row = format!("{at}mod.rs");
        let [Some(id), Some(name)] = ["id", "name"].map(|key| quoted(text(&row), key)) else {
            let missing = if quoted(text(&row), "id").is_none() { "id" } else { "name" };
            complaints.push(format!("{row}: the row has no `{missing}`"));
            continue;
        };
        let is_payload =
            |path: &str| path.starts_with(&format!("tests/fixtures/{name}/")) && path.ends_with(".json");
        if !folders.contains(folder) {
            complaints.push(format!("{at}: `wire.rs` is missing"));
        }
        if !files.iter().any(|file| is_payload(&file.path)) {
            complaints.push(format!("{at}: no payload of it is in tests/fixtures/{name}/"));
        }
        if !has(&format!("docs/harnesses/{id}.md")) {
            complaints.push(format!("{at}: its page docs/harnesses/{id}.md is missing"));
        }
        if !text(PAGE).contains(&format!("({id}.md)")) {
            complaints.push(format!("{at}: {PAGE} has no line with `({id}.md)`"));
        }
        words.extend([id, name]);
    }
    words.dedup();
    complaints.extend(files.iter().flat_map(|file| named_in(file, &words)));
    complaints
}

/// Returns the folders that read payloads.
fn folders(files: &[Source]) -> Vec<String> {
    let folder =
        |file: &Source| file.path.strip_prefix("src/harness/")?.strip_suffix("/wire.rs").map(str::to_owned);
    files.iter().filter_map(folder).collect()
}

/// Returns the folders that have a row in the table.
fn rows(table: &str) -> Vec<String> {
    let rows = table.split_once("static AGENTS").map_or("", |(_, rest)| rest);
    let rows = rows.split_once(';').map_or(rows, |(rows, _)| rows);
    let before = rows.split("::AGENT").filter(|text| text.contains('&'));
    let name = |text: &str| text.rsplit('&').next().map(|name| name.trim().to_owned());
    before.filter_map(name).filter(|name| !name.is_empty() && !name.contains(['[', ']', ','])).collect()
}

/// Returns the text of a key in the row.
fn quoted<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!(" {key}: \""))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// Reports every agent that is named in code outside of its folder; the default has its name in the table's file.
fn named_in(file: &Source, words: &[&str]) -> Vec<String> {
    let is_test = file.path.ends_with("/tests.rs") || file.path.contains("/tests/");
    if !file.path.starts_with("src/") || file.path.starts_with("src/harness/") || is_test {
        return Vec::new();
    }
    let code = file.code().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    let mut complaints = Vec::new();
    for (number, line) in code {
        for word in words {
            let is_called = |after: &str| {
                after
                    .strip_prefix(word)
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
            };
            if line.contains(&format!("\"{word}\"")) || line.split("--harness ").skip(1).any(is_called) {
                let why = "what differs between agents belongs in its row";
                complaints.push(format!("{}:{number}: names the agent `{word}`; {why}", file.path));
            }
        }
    }
    complaints
}
