//! Tests of this module: lists in every form that people write, and forms that are left alone.

use super::*;

#[track_caller]
fn add(text: &str, key: &str, name: &str, expected: &str) {
    assert_eq!(edit_list(text, key, name, ListEdit::Add).as_deref(), Ok(expected), "{text}");
}

#[track_caller]
fn remove(text: &str, key: &str, name: &str, expected: &str) {
    assert_eq!(edit_list(text, key, name, ListEdit::Remove).as_deref(), Ok(expected), "{text}");
}

#[test]
fn a_name_is_added_where_the_list_is() {
    add("version: 1\npacks: [git]\n", "packs", "files", "version: 1\npacks: [git, files]\n");
    add("version: 1\npacks: []\n", "packs", "git", "version: 1\npacks: [git]\n");
    add(
        "version: 1\npacks: [ 'git', \"a\" ] # on\n",
        "packs",
        "b",
        "version: 1\npacks: [ 'git', \"a\", b ] # on\n",
    );
    add(
        "version: 1\npacks:\n  - git # why\n  - files\nrules: []\n",
        "packs",
        "b",
        "version: 1\npacks:\n  - git # why\n  - files\n  - b\nrules: []\n",
    );
    add("version: 1\npacks:\n- git", "packs", "b", "version: 1\npacks:\n- git\n- b\n");
    add("version: 1\npacks: git\n", "packs", "b", "version: 1\npacks: [git, b]\n");
    add("version: 1\ndisable:\nrules: []\n", "disable", "b", "version: 1\ndisable: [b]\nrules: []\n");
    add(
        "version: 1\npacks: [\n  git, # history\n  files,\n]\n",
        "packs",
        "b",
        "version: 1\npacks: [\n  git, # history\n  files, b,\n]\n",
    );
}

#[test]
fn a_list_that_is_missing_is_created_after_its_neighbours() {
    add("", "packs", "git", "version: 1\npacks: [git]\n");
    add("# only a comment", "packs", "git", "# only a comment\nversion: 1\npacks: [git]\n");
    add(
        "# c\nversion: 1\n\n# mine\nrules: []\n",
        "packs",
        "git",
        "# c\nversion: 1\npacks: [git]\n\n# mine\nrules: []\n",
    );
    add(
        "version: 1\npacks:\n  - git\n\nrules: []\n",
        "disable",
        "a",
        "version: 1\npacks:\n  - git\ndisable: [a]\n\nrules: []\n",
    );
    add("rules: []\n", "packs", "git", "packs: [git]\nrules: []\n");
    add("version: 1\r\nrules: []\r\n", "packs", "git", "version: 1\r\npacks: [git]\r\nrules: []\r\n");
    add("\u{feff}version: 1\nrules: []\n", "packs", "git", "\u{feff}version: 1\npacks: [git]\nrules: []\n");
}

#[test]
fn a_name_that_yaml_would_change_is_quoted() {
    add("version: 1\n", "disable", "no todo: ever", "version: 1\ndisable: ['no todo: ever']\n");
    add("version: 1\n", "disable", "1", "version: 1\ndisable: ['1']\n");
    add("version: 1\n", "disable", "it's", "version: 1\ndisable: ['it''s']\n");
}

#[test]
fn a_name_is_removed_and_an_empty_list_with_it() {
    remove("version: 1\ndisable: [a, b, c] # x\n", "disable", "b", "version: 1\ndisable: [a, c] # x\n");
    remove("version: 1\ndisable: [a, b]\n", "disable", "a", "version: 1\ndisable: [b]\n");
    remove("version: 1\npacks: [git]\ndisable: [a]\n", "disable", "a", "version: 1\npacks: [git]\n");
    remove("version: 1\ndisable: [a]\n", "disable", "a", "version: 1\ndisable: []\n");
    remove(
        "version: 1\npacks: [git]\ndisable:\n  - a\n  - b\n",
        "disable",
        "a",
        "version: 1\npacks: [git]\ndisable:\n  - b\n",
    );
    remove("version: 1\ndisable:\n  - a\nrules: []\n", "disable", "a", "version: 1\nrules: []\n");
    remove("version: 1\ndisable:\n  - a\n", "disable", "a", "version: 1\ndisable: []\n");
    remove("version: 1\npacks: [git]\ndisable: a\n", "disable", "a", "version: 1\npacks: [git]\n");
}

#[test]
fn a_form_that_is_not_understood_changes_nothing() {
    let form = |text: &str, line| {
        assert_eq!(edit_list(text, "packs", "b", ListEdit::Add), Err(EditError::Form { line }), "{text}");
    };
    form("{ version: 1, packs: [git] }\n", 1);
    form("version: 1\nx-all: &all [git]\npacks: *all\n", 3);
    form("version: 1\npacks: { a: 1 }\n", 2);
    assert!(matches!(edit_list("version: [", "packs", "b", ListEdit::Add), Err(EditError::Yaml(_))));
}

#[test]
fn a_switch_of_a_rule_is_set() {
    let text =
        "version: 1\nrules:\n  - name: a\n    enabled: false # for now\n  - { name: b, enabled: true }\n";
    let first = text.replace("enabled: false", "enabled: true");
    assert_eq!(set_switch(text, (3, 5), "enabled", true), Ok(first));
    let second = text.replace("enabled: true", "enabled: false");
    assert_eq!(set_switch(text, (5, 5), "enabled", false), Ok(second));
    assert_eq!(set_switch(text, (3, 5), "shadow", true), Err(EditError::Form { line: 3 }));
}
