//! The tests that `docs/security.md` names exist: a promise without its test is only a hope.

use std::fs;
use std::path::Path;

use super::source::tree;

/// Returns the names in brackets that no test and no module of tests has.
fn unproved(page: &str, tests: &str) -> Vec<String> {
    let names = page.split("[`").skip(1).filter_map(|rest| rest.split_once("`]")).flat_map(|(names, _)| {
        names.split("`, `").map(|name| name.rsplit("::").next().unwrap_or(name).to_owned())
    });
    let exists =
        |name: &String| tests.contains(&format!("fn {name}(")) || tests.contains(&format!("mod {name};"));
    names.filter(|name| !exists(name)).collect()
}

#[test]
fn every_test_that_the_security_page_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/security.md")).expect("the page");
    let tests: String = tree().into_iter().map(|file| file.text).collect();
    assert!(page.matches("[`").count() > 20, "the page names its tests");
    assert_eq!(unproved(&page, &tests), Vec::<String>::new());
}

#[test]
fn a_test_that_does_not_exist_is_reported() {
    let page = "Nothing is lost [`nothing_is_lost`, `faults::kill`]. Gone [`was_deleted`].";
    let tests = "fn nothing_is_lost() {}\nmod kill;\n";
    assert_eq!(unproved(page, tests), ["was_deleted"]);
}
