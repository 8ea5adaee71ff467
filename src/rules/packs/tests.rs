//! Tests of this module, and of every pack.

use std::collections::HashSet;

use super::*;
use crate::rules::{MissingVersion, pack_rules, read};

/// Examples that every rule of a pack has at least, of each kind.
const MIN_EXAMPLES: usize = 5;

#[test]
fn every_pack_loads_without_a_problem_and_has_enough_examples() {
    let mut names = HashSet::new();
    for pack in PACKS {
        let loaded = read(pack.name, pack.text, MissingVersion::Refuse);
        let problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems, Vec::<String>::new(), "pack {}", pack.name);
        assert!(!loaded.rules.is_empty(), "pack {}", pack.name);
        for rule in &loaded.rules {
            let (pack, name) = (pack.name, &rule.name);
            assert!(names.insert(name.clone()), "pack {pack}: another pack has a rule `{name}` too");
            let count = |fires: bool| rule.examples.iter().filter(|one| one.fires == fires).count();
            assert!(count(true) >= MIN_EXAMPLES, "pack {pack}, rule {name}: too few `fires`");
            assert!(count(false) >= MIN_EXAMPLES, "pack {pack}, rule {name}: too few `quiet`");
            assert!(rule.description.is_some(), "pack {pack}, rule {name}: no description");
            assert!(rule.enabled, "pack {pack}, rule {name}: a disabled rule has no place in a pack");
        }
    }
}

#[test]
fn every_file_of_packs_is_in_the_table() {
    let files = std::fs::read_dir("assets/packs").expect("the folder of packs");
    let mut names: Vec<String> =
        files.map(|file| file.expect("a file").file_name().to_string_lossy().replace(".yaml", "")).collect();
    let mut packs: Vec<&str> = PACKS.iter().map(|pack| pack.name).collect();
    names.sort_unstable();
    packs.sort_unstable();
    assert_eq!(names, packs);
}

#[test]
fn a_pack_knows_the_names_of_its_rules_without_parsing() {
    for pack in PACKS {
        for rule in pack_rules(pack) {
            assert!(pack.names(&rule.name), "pack {}: write `  - name: {}`", pack.name, rule.name);
        }
        assert!(!pack.names("no-such-rule"));
    }
}
