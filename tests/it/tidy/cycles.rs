//! Modules beside each other import in one direction: of two siblings, only one knows the other.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::paths_behind;
use super::source::Source;

#[test]
fn no_room_imports_in_a_circle() {
    assert_eq!(tied_rooms(&super::tree()), BTreeMap::new());
}

#[test]
fn a_circle_is_reported() {
    let circle = [
        Source::new("src/ops/mod.rs", "mod a;\nmod b;\nmod c;"),
        Source::new("src/ops/a.rs", "use super::b::B;"),
        Source::new("src/ops/b.rs", "use crate::ops::c;"),
        Source::new("src/ops/c/mod.rs", "mod d;"),
        Source::new("src/ops/c/d.rs", "use crate::{model, ops::{a::A}};"),
    ];
    let tied = tied_rooms(&circle);
    assert_eq!(tied.keys().collect::<Vec<_>>(), ["ops"]);
    assert_eq!(tied["ops"], BTreeSet::from(["a".to_owned(), "b".to_owned(), "c".to_owned()]));
    assert!(tied_rooms(&circle[..4]).is_empty());
}

/// Returns the rooms with siblings that import each other in a circle, and these siblings.
fn tied_rooms(files: &[Source]) -> BTreeMap<String, BTreeSet<String>> {
    let is_tests = |path: &str| path.contains("/tests/") || path.ends_with("/tests.rs");
    let files: Vec<(Vec<String>, &Source)> = files
        .iter()
        .filter(|file| file.path.starts_with("src/") && !is_tests(&file.path))
        .map(|file| (module_path(&file.path), file))
        .collect();
    let modules: BTreeSet<&Vec<String>> = files.iter().map(|(module, _)| module).collect();
    let mut edges: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
    for (module, file) in &files {
        for mut target in paths_behind(file, module) {
            while !target.is_empty() && !modules.contains(&target) {
                target.pop();
            }
            let common = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (module.get(common), target.get(common)) {
                let room = edges.entry(module[..common].join("::")).or_default();
                room.insert((from.clone(), to.clone()));
            }
        }
    }
    let tied = edges.into_iter().map(|(room, edges)| (room, in_circles(&edges)));
    tied.filter(|(_, circle)| !circle.is_empty()).collect()
}

/// Returns the modules that reach themselves.
fn in_circles(edges: &BTreeSet<(String, String)>) -> BTreeSet<String> {
    let reachable = |start: &str| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start.to_owned()]);
        while let Some(module) = open.pop() {
            for (_, to) in edges.iter().filter(|(from, _)| *from == module) {
                if seen.insert(to.clone()) {
                    open.push(to.clone());
                }
            }
        }
        seen
    };
    let all: BTreeSet<&String> = edges.iter().map(|(from, _)| from).collect();
    all.into_iter().filter(|module| reachable(module).contains(*module)).cloned().collect()
}

/// Returns `["ops", "hook"]` for `src/ops/hook.rs` and for `src/ops/hook/mod.rs`.
fn module_path(path: &str) -> Vec<String> {
    let path = path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').filter(|part| !matches!(*part, "lib" | "main")).map(str::to_owned).collect()
}
