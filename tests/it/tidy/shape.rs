//! The shape of files: each opens with what it is for, is part of the program, and shows nothing to strangers.

use super::source::Source;
use super::{assert_complains, assert_content, assert_tidy};

#[test]
fn every_file_says_what_it_is_for() {
    assert_tidy(openings);
    assert_complains(openings, "src/a.rs", "use b;\n", "src/a.rs: does not open with `//!`");
    assert_complains(openings, "tests/it/a.rs", "", "tests/it/a.rs: does not open with `//!`");
    assert_complains(openings, "src/a.rs", "//!\n", "src/a.rs: does not open with `//!`");
    assert_content(openings, "src/a.rs", "//! This.\n");
}

#[test]
fn every_file_is_part_of_the_program() {
    assert_tidy(orphans);
    assert_complains(orphans, "src/rules/a.rs", "", "src/rules/a.rs: no `mod a;` in its parent");
    let with_parent = |parent: &str, text: &str, child: &str| {
        orphans(&[Source::new(parent, text), Source::new(child, "")])
            .into_iter()
            .filter(|complaint| complaint.starts_with(&format!("{child}:")))
            .count()
    };
    assert_eq!(with_parent("src/rules/mod.rs", "mod ab;\n// mod a;", "src/rules/a.rs"), 1);
    assert_eq!(with_parent("src/rules/mod.rs", "mod a;", "src/rules/a.rs"), 0);
    assert_eq!(with_parent("src/rules/mod.rs", "pub(crate) mod a;", "src/rules/a.rs"), 0);
    assert_eq!(with_parent("src/lib.rs", "mod rules;", "src/rules/mod.rs"), 0);
    assert_eq!(with_parent("src/rules/glob.rs", "#[cfg(test)]\nmod tests;", "src/rules/glob/tests.rs"), 0);
    assert_eq!(with_parent("tests/it/main.rs", "mod a;", "tests/it/a.rs"), 0);
    assert_eq!(with_parent("benches/b.rs", "mod a;", "benches/a/mod.rs"), 0);
    assert_eq!(with_parent("benches/b.rs", "", "benches/a/mod.rs"), 1);
}

#[test]
fn modules_are_named_after_what_they_hold() {
    assert_tidy(names);
    assert_complains(names, "src/rules/util.rs", "", "src/rules/util.rs: `util` says nothing");
    assert_complains(names, "src/core/a.rs", "", "src/core/a.rs: `core` says nothing");
    assert_complains(names, "src/a.rs", "mod helpers {", "src/a.rs: `helpers` says nothing");
    assert_content(names, "src/rules/score.rs", "");
}

#[test]
fn only_run_is_public() {
    assert_tidy(public_items);
    let check =
        |path: &str, text: &str, complaint: &str| assert_complains(public_items, path, text, complaint);
    check("src/lib.rs", "pub fn walk() {}", "src/lib.rs:1: `pub fn walk() {}` should be `pub(crate)`");
    check(
        "src/rules/a.rs",
        "    pub name: String,",
        "src/rules/a.rs:1: `pub name: String,` should be `pub(crate)`",
    );
    check(
        "src/lib.rs",
        "pub use rules::Rule;",
        "src/lib.rs:1: `pub use rules::Rule;` should be `pub(crate)`",
    );
    assert_content(public_items, "src/lib.rs", "pub fn run() -> ExitCode {\npub mod inside;\n");
    assert_content(public_items, "src/inside.rs", "pub fn event(bytes: &[u8]) {}");
    assert_content(public_items, "src/a.rs", "pub(crate) fn f() {}\npub(super) fn g() {}\n/// pub fn h() {}");
}

fn openings(files: &[Source]) -> Vec<String> {
    let opens = |file: &&Source| {
        file.text.lines().next().is_some_and(|line| line.len() > 4 && line.starts_with("//! "))
    };
    files
        .iter()
        .filter(|file| !opens(file))
        .map(|file| format!("{}: does not open with `//!`", file.path))
        .collect()
}

fn orphans(files: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| !is_root(&file.path)) {
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let (folder, name) = match name.trim_end_matches(".rs") {
            "mod" => folder.rsplit_once('/').unwrap_or(("", folder)),
            name => (folder, name),
        };
        let parents = ["mod.rs", "lib.rs", "main.rs"].map(|parent| format!("{folder}/{parent}"));
        let parents: Vec<String> = parents.into_iter().chain([format!("{folder}.rs")]).collect();
        // Every benchmark is a separate program, and any of them may include what is beside it.
        let beside = |path: &str| folder == "benches" && is_root(path) && path.starts_with("benches/");
        let is_parent = |path: &String| parents.contains(path) || beside(path);
        let declared = files.iter().filter(|file| is_parent(&file.path)).any(|parent| declares(parent, name));
        // Some files belong to more than one program, and are named by their path there.
        let named = format!("/{}\"]", file.path.rsplit_once("tests/").map_or("", |(_, path)| path));
        let is_named = |other: &Source| other.text.contains("#[path = ") && other.text.contains(&named);
        if !declared && !files.iter().any(is_named) {
            complaints.push(format!("{}: no `mod {name};` in its parent", file.path));
        }
    }
    complaints
}

/// The files that cargo starts from.
fn is_root(path: &str) -> bool {
    let in_folder = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| !rest.contains('/'));
    matches!(path, "src/lib.rs" | "src/main.rs" | "tests/browser/main.rs" | "tests/it/main.rs")
        || in_folder("benches/")
}

fn declares(parent: &Source, name: &str) -> bool {
    let declaration = format!("mod {name};");
    parent.code().any(|(_, line)| {
        let line = line.trim();
        line == declaration || (line.starts_with("pub") && line.ends_with(&format!(" {declaration}")))
    })
}

fn names(files: &[Source]) -> Vec<String> {
    const EMPTY_WORDS: [&str; 9] =
        ["util", "utils", "common", "helper", "helpers", "manager", "core", "misc", "shared"];
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.path.starts_with("src/") || file.path.starts_with("tests/")) {
        let parts = file.path.split('/').map(|part| part.trim_end_matches(".rs"));
        let inline = file.code().filter_map(|(_, line)| {
            line.trim().trim_start_matches("pub(crate) ").strip_prefix("mod ")?.split([' ', ';']).next()
        });
        for name in parts.chain(inline).filter(|name| EMPTY_WORDS.contains(name)) {
            complaints.push(format!("{}: `{name}` says nothing", file.path));
        }
    }
    complaints
}

fn public_items(files: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    let inside = |path: &str| path == "src/inside.rs" || path.starts_with("src/inside/");
    for file in files.iter().filter(|file| file.path.starts_with("src/") && !inside(&file.path)) {
        for (line, text) in file.code() {
            let text = text.trim();
            let door =
                file.path == "src/lib.rs" && (text.starts_with("pub fn run()") || text == "pub mod inside;");
            if text.starts_with("pub ") && !door {
                complaints.push(format!("{}:{line}: `{text}` should be `pub(crate)`", file.path));
            }
        }
    }
    complaints
}
