//! Tests of this module.

use super::*;
use crate::rules::{Loaded, MissingVersion, read};

/// Returns each rule of the files, as `name action state`, and the problems.
fn settled(files: &[&str]) -> (Vec<String>, Vec<String>) {
    let loaded: Vec<Loaded> = files
        .iter()
        .map(|text| read("f.yaml", &format!("version: 1\n{text}"), MissingVersion::Refuse))
        .collect();
    let mut problems: Vec<Problem> = loaded.iter().flat_map(|one| one.problems.clone()).collect();
    let mut rules: Vec<Rule> = loaded.iter().flat_map(|one| one.rules.clone()).collect();
    let switches: Vec<Switches> = loaded.into_iter().map(|one| one.switches).collect();
    problems.extend(settle(&mut rules, &switches, SwitchOwner::Project));
    let shown = |rule: &Rule| {
        let state = if !rule.enabled {
            "off"
        } else if rule.shadow {
            "shadow"
        } else {
            "on"
        };
        format!("{} {} {state}", rule.name, rule.action.name())
    };
    let named = |rule: &Rule| rule.pack.is_none() || rule.name == "keep-rules";
    let problem = |one: &Problem| format!("{one} ({})", one.hint.as_deref().unwrap_or_default());
    (rules.iter().filter(|rule| named(rule)).map(shown).collect(), problems.iter().map(problem).collect())
}

#[track_caller]
fn check(files: &[&str], rules: &[&str], problems: &[&str]) {
    let (found, complaints) = settled(files);
    assert_eq!((found, complaints), (owned(rules), owned(problems)));
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

const OWN: &str = "rules: [{ name: own, on: { hook: Stop }, action: continue, message: m }]";
const WHOLE: &str = "rules: [{ name: keep-rules, on: { hook: Stop }, action: continue, message: m }]";

#[test]
fn a_pack_is_used_by_its_name_once_for_all_files() {
    check(&["packs: [self]"], &["keep-rules interrupt on"], &[]);
    check(&["packs: self"], &["keep-rules interrupt on"], &[]);
    check(&["packs: [self]", "packs: [self]"], &["keep-rules interrupt on"], &[]);
    check(&["packs: []"], &[], &[]);
    check(&["packs:"], &[], &[]);
    check(&["packs: [slef]"], &[], &["f.yaml:2:9: no pack is named `slef` (did you mean `self`?)"]);
    check(
        &["packs: [{ name: self }]"],
        &[],
        &["f.yaml:2:9: `packs` must be a text, but is a map (quote this if it is meant as one text)"],
    );
}

#[test]
fn a_rule_is_disabled_or_shadowed_by_its_name_in_any_file() {
    check(&["packs: [self]\ndisable: [keep-rules]"], &["keep-rules interrupt off"], &[]);
    check(&["packs: [self]", "disable: [keep-rules]"], &["keep-rules interrupt off"], &[]);
    check(&["shadow: [keep-rules]", "packs: [self]"], &["keep-rules interrupt shadow"], &[]);
    check(&[OWN, "disable: [own]"], &["own continue off"], &[]);
    check(&[OWN, "shadow: [own]"], &["own continue shadow"], &[]);
    check(
        &[OWN, "disable: [onw]"],
        &["own continue on"],
        &["f.yaml:2:11: no rule here is named `onw` (did you mean `own`?)"],
    );
    check(
        &["disable: [keep-rules]"],
        &[],
        &[
            "f.yaml:2:11: `keep-rules` is a rule of the pack `self`, which is not used here (add `self` to `packs`, or remove this)",
        ],
    );
}

#[test]
fn an_entry_without_on_changes_a_rule_of_a_pack() {
    let with = |entry: &str| format!("packs: [self]\nrules: [{{ name: keep-rules, {entry} }}]");
    check(&[&with("action: continue")], &["keep-rules continue on"], &[]);
    check(&[&with("shadow: true")], &["keep-rules interrupt shadow"], &[]);
    check(&[&with("enabled: false, once: session, on_failure: closed")], &["keep-rules interrupt off"], &[]);
    check(
        &[&with("match: { content: x }")],
        &["keep-rules interrupt on"],
        &[
            "f.yaml:3:36: rule `keep-rules`: `match` of a pack's rule cannot be changed alone (to replace the whole rule, write it with `on`)",
        ],
    );
    check(
        &["rules: [{ name: keep-rules, action: continue }]"],
        &[],
        &[
            "f.yaml:2:9: `keep-rules` is a rule of the pack `self`, which is not used here (add `self` to `packs`, or remove this)",
        ],
    );
}

#[test]
fn a_whole_rule_replaces_the_rule_of_a_pack() {
    check(&["packs: [self]", WHOLE], &["keep-rules continue on"], &[]);
    check(&[WHOLE, "packs: [self]"], &["keep-rules continue on"], &[]);
}

#[test]
fn the_user_disables_rules_of_a_projects_packs_but_not_its_own_rules() {
    let read = |text: &str| read("f.yaml", &format!("version: 1\n{text}"), MissingVersion::Refuse);
    let users = [read("disable: [keep-rules, own]").switches];
    let mut rules: Vec<Rule> = read(&format!("packs: [self]\n{OWN}")).rules;
    disable_in_packs(&mut rules, &users);
    let off: Vec<&str> = rules.iter().filter(|rule| !rule.enabled).map(|rule| rule.name.as_str()).collect();
    assert_eq!(off, ["keep-rules"]);
}

#[test]
fn the_user_may_disable_a_rule_of_any_pack() {
    let loaded = read("f.yaml", "version: 1\ndisable: [keep-rules, keep-ruels]", MissingVersion::Refuse);
    let problems = settle(&mut Vec::new(), &[loaded.switches], SwitchOwner::User);
    let said: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(said, ["no rule here is named `keep-ruels`"]);
}
