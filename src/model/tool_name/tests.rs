//! Tests of this module.

use std::collections::BTreeMap;

use super::*;

#[test]
fn every_name_belongs_to_one_family_and_no_usual_name_is_another_agents_name() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    other_tool_names().for_each(|name| *seen.entry(name).or_default() += 1);
    let twice: Vec<_> = seen.iter().filter(|(_, count)| **count > 1).collect();
    assert_eq!(twice, []);
    for (usual, _) in FAMILIES {
        usual.iter().for_each(|name| assert_eq!(usual_tool_names(name), [] as [&str; 0], "{name}"));
    }
    assert_eq!(usual_tool_names("write_file"), ["Write"]);
    assert_eq!(usual_tool_names(APPLY_PATCH), ["Write", "Edit"]);
    assert_eq!(usual_tool_names("Write"), [] as [&str; 0]);
}

#[test]
fn the_page_of_agents_lists_every_name() {
    let page = include_str!("../../../docs/harnesses/README.md");
    for (usual, others) in FAMILIES {
        for usual in usual {
            let row =
                page.lines().find(|line| line.starts_with(&format!("| `{usual}` |"))).unwrap_or_default();
            for other in others {
                assert!(row.contains(&format!("`{other}`")), "`{other}` is missing for `{usual}`");
            }
        }
    }
}
