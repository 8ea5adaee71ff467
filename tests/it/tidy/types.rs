//! One name for each type: a name in a diff says which type is meant.

use std::collections::BTreeMap;

use super::source::Source;
use super::{assert_content, assert_tidy};

#[test]
fn every_type_has_a_name_of_its_own() {
    assert_tidy(doubles);
}

#[test]
fn a_name_that_two_types_share_is_reported() {
    let two = [
        Source::new("src/rules/a.rs", "/// A rule.\npub(crate) struct Entry {\n    name: String,\n}\n"),
        Source::new(
            "src/store/b.rs",
            "//! Entry.\nfn f() {\n    enum Entry<'a> {\n        One(&'a str),\n    }\n}\n",
        ),
        Source::new("tests/it/c.rs", "struct Entry;\n"),
    ];
    let complaint = "`Entry` is the name of 2 types: src/rules/a.rs:2, src/store/b.rs:3";
    assert_eq!(doubles(&two), [complaint]);
    assert_eq!(doubles(&two[..1]), Vec::<String>::new());
}

#[test]
fn the_types_of_a_trait_are_named_by_the_trait() {
    let text =
        "impl Iterator for A {\n    type Item = u8;\n}\nimpl Iterator for B {\n    type Item = u8;\n}\n";
    assert_content(doubles, "src/a.rs", text);
    assert_content(
        doubles,
        "src/a.rs",
        "trait A {\n    type Answer: Copy;\n}\ntrait B {\n    type Answer: Copy;\n}\n",
    );
    let systems = "#[cfg(unix)]\ntype Handle = i32;\n#[cfg(windows)]\ntype Handle = isize;\n";
    assert_content(doubles, "src/a.rs", systems);
    let result = "type Result<T> = std::result::Result<T, StoreError>;\n";
    assert_eq!(
        doubles(&["src/a.rs", "src/b.rs"].map(|path| Source::new(path, result))),
        Vec::<String>::new()
    );
}

/// An alias by which a module writes its own error once; every Rust reader knows the name.
const MAY_REPEAT: [&str; 1] = ["Result"];

fn doubles(files: &[Source]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.path.starts_with("src/")) {
        let mut before = "";
        for (number, line) in file.code() {
            let is_for_one_system =
                before.trim_start().starts_with("#[cfg(") && before.trim() != "#[cfg(test)]";
            if let Some(name) = defined(line).filter(|name| !MAY_REPEAT.contains(name) && !is_for_one_system)
            {
                places.entry(name).or_default().push(format!("{}:{number}", file.path));
            }
            before = line;
        }
    }
    let doubles = places.into_iter().filter(|(_, places)| places.len() > 1);
    doubles
        .map(|(name, places)| {
            format!("`{name}` is the name of {} types: {}", places.len(), places.join(", "))
        })
        .collect()
}

/// Returns the name of the type that a line defines. A `type` inside a trait or its implementation does not count.
fn defined(line: &str) -> Option<&str> {
    let item = line.trim_start();
    let is_indented = item.len() < line.len();
    let item = match item.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.strip_prefix(' ')?,
        None => item,
    };
    let (keyword, rest) = item.split_once(' ')?;
    let is_type =
        matches!(keyword, "struct" | "enum" | "union" | "trait") || keyword == "type" && !is_indented;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| is_type && name.starts_with(|c: char| c.is_ascii_uppercase()))
}
