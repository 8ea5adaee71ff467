//! Which folders are one project, and what stays apart.

use super::*;
use crate::model::{NewObservation, Selection};
use crate::store::fixture::{DataFolder, command};

/// An event that begins a session in a folder, with what its repository shows.
fn begins(root: &str, origin: &str, birth: &str) -> NewObservation {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let name = root.rsplit('/').next().unwrap_or(root);
    NewObservation {
        project: Some(name.to_owned()),
        project_root: Some(root.to_owned()),
        repository: Some(RepositoryId { origin: some(origin), birth: some(birth), is_private: false }),
        ..command(&format!("make {root} {origin} {birth}"))
    }
}

fn folder(root: &str) -> Project {
    Project {
        name: root.rsplit('/').next().unwrap_or(root).to_owned(),
        root: Some(root.to_owned()),
        repository: None,
    }
}

/// Stores the events one by one, and returns the folders of each project.
fn projects(events: &[NewObservation]) -> Vec<Vec<String>> {
    let data = DataFolder::new();
    let mut store = data.with(&[]);
    for event in events {
        store.insert_batch(std::slice::from_ref(event)).unwrap();
    }
    let mut known: Vec<Vec<String>> =
        store.known_projects().unwrap().into_iter().map(|known| sorted(known.roots)).collect();
    known.sort();
    known
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort();
    list
}

#[test]
fn folders_of_one_repository_are_one_project() {
    let check = |what: &str, events: &[NewObservation], expected: &[&[&str]]| {
        assert_eq!(projects(events), expected, "{what}");
    };
    let one = |root| begins(root, "h/o/r", "");
    check("cloned twice", &[one("/a/r"), one("/b/r2")], &[&["/a/r", "/b/r2"]]);
    check("a fork", &[one("/a/r"), begins("/b/r", "h/fork/r", "")], &[&["/a/r"], &["/b/r"]]);
    let local = |root| begins(root, "", "initial 1");
    check("moved without an address", &[local("/a/r"), local("/b/r")], &[&["/a/r", "/b/r"]]);
    check(
        "clones without an address",
        &[begins("/a", "", "clone 1 2"), begins("/b", "", "clone 1 2")],
        &[&["/a"], &["/b"]],
    );
    check(
        "an address is added",
        &[local("/a/r"), begins("/a/r", "h/o/r", "initial 1"), one("/b/r")],
        &[&["/a/r", "/b/r"]],
    );
    check("added after a move", &[local("/a/r"), begins("/b/r", "h/o/r", "initial 1")], &[&["/a/r", "/b/r"]]);
    check(
        "forks of one first commit",
        &[begins("/a", "h/o/r", "initial 1"), begins("/b", "h/p/r", "initial 1")],
        &[&["/a"], &["/b"]],
    );
    check("no git", &[begins("/a/x", "", ""), begins("/b/x", "", "")], &[&["/a/x"], &["/b/x"]]);
}

#[test]
fn a_changed_address_stays_the_project_and_a_reused_folder_does_not() {
    let moved = [begins("/a", "h/o/r", "clone 1 2"), begins("/a", "h/o/new", "clone 1 2")];
    assert_eq!(projects(&moved), [["/a"]]);
    let again = [
        begins("/a", "h/o/r", "clone 1 2"),
        begins("/b", "h/o/new", ""),
        begins("/a", "h/o/new", "clone 1 2"),
    ];
    assert_eq!(projects(&again), [["/a", "/b"]]);
    let reused = [
        begins("/a", "h/o/r", "clone 1 2"),
        begins("/a", "h/x/y", "clone 3 4"),
        begins("/a", "h/o/r", "clone 5 6"),
    ];
    let data = DataFolder::new();
    let mut store = data.with(&[]);
    for (event, expected) in reused.iter().zip([1, 1, 2]) {
        store.insert_batch(std::slice::from_ref(event)).unwrap();
        assert_eq!(store.recent_of(&folder("/a"), 9).unwrap().len(), expected, "{}", event.content);
    }
    assert_eq!(store.known_projects().unwrap().len(), 2);
}

#[test]
fn old_rows_are_found_and_join_when_their_folder_is_seen_again() {
    let old = |root: &str| NewObservation { repository: None, ..begins(root, "", "") };
    let data = DataFolder::new();
    let mut store = data.with(&[old("/a/r"), old("/b/r")]);
    assert_eq!(store.recent_of(&folder("/a/r"), 9).unwrap().len(), 1);
    store.insert_batch(&[begins("/a/r", "h/o/r", "x"), begins("/b/r", "h/o/r", "x")]).unwrap();
    assert_eq!(store.recent_of(&folder("/a/r"), 9).unwrap().len(), 4);
    // A folder that was never seen is known by its address.
    let clone = Project { repository: begins("/c/z", "h/o/r", "").repository, ..folder("/c/z") };
    assert_eq!(store.recent_of(&clone, 9).unwrap().len(), 4);
}

#[test]
fn another_name_of_the_same_folder_is_the_same_project() {
    let named = NewObservation { project: Some("shop".to_owned()), ..begins("/a/r", "", "") };
    let data = DataFolder::new();
    let mut store = data.with(&[begins("/a/r", "", ""), named]);
    let [known] = &store.known_projects().unwrap()[..] else { panic!("one project") };
    assert_eq!(sorted([known.other_names.clone(), vec![known.name.clone()]].concat()), ["r", "shop"]);
    store.rename_project("shop", "the shop").unwrap();
    let known = store.known_projects().unwrap().remove(0);
    assert_eq!((known.name.as_str(), known.observations), ("the shop", 2));
    for name in ["r", "shop", "the shop"] {
        let project = Project { name: name.to_owned(), ..Project::default() };
        let rows = store.recent_of(&project, 9).unwrap();
        assert_eq!(rows.iter().map(|row| row.project.as_deref()).collect::<Vec<_>>(), [Some("the shop"); 2]);
    }
}

#[test]
fn a_private_folder_is_alone() {
    let private = |root: &str| NewObservation {
        repository: Some(RepositoryId { is_private: true, ..RepositoryId::default() }),
        ..begins(root, "", "")
    };
    assert_eq!(projects(&[private("/a/r"), begins("/evil/r", "h/o/r", "")]), [["/a/r"], ["/evil/r"]]);
    // It became private later, and it stood for the others.
    let data = DataFolder::new();
    let mut store = data.with(&[]);
    for event in
        [begins("/a", "h/o/r", ""), begins("/b", "h/o/r", ""), begins("/c", "h/o/r", ""), private("/a")]
    {
        store.insert_batch(&[event]).unwrap();
    }
    let mut known: Vec<_> =
        store.known_projects().unwrap().into_iter().map(|one| sorted(one.roots)).collect();
    known.sort();
    assert_eq!(known, [vec!["/a"], vec!["/b", "/c"]]);
    // The user joined it by hand, so it stays.
    store.merge_projects("/a", "/b").unwrap();
    store.insert_batch(&[private("/a")]).unwrap();
    assert_eq!(store.known_projects().unwrap().len(), 1);
}

#[test]
fn projects_are_merged_and_named_only_if_it_is_clear_which() {
    let data = DataFolder::new();
    let mut store = data.with(&[begins("/a/x", "", ""), begins("/b/x", "", ""), begins("/c/y", "h/o/y", "")]);
    assert_eq!(store.merge_projects("x", "y").unwrap().map(|found| found.len()), [2, 1]);
    assert_eq!(store.known_projects().unwrap().len(), 3);
    assert_eq!(
        store.merge_projects("/a/x", "https://h.example/none").unwrap().map(|found| found.len()),
        [1, 0]
    );
    store.merge_projects("/a/x", "h/o/y").unwrap();
    let known = store.known_projects().unwrap();
    assert_eq!(known.len(), 2);
    assert_eq!(store.recent_of(&folder("/c/y"), 9).unwrap().len(), 2);
    assert_eq!(store.recent_of(&folder("/a/x"), 9).unwrap().len(), 2);
    assert_eq!(store.rename_project("x", "z").unwrap().len(), 1, "the other one is called y now");
}

#[test]
fn a_forgotten_folder_leaves_nothing_behind() {
    let data = DataFolder::new();
    let mut store = data.with(&[begins("/a", "h/o/r", "initial 1"), begins("/b", "h/o/r", "initial 1")]);
    let ids = store.recent_of(&folder("/a"), 9).unwrap();
    let first = ids.iter().find(|row| row.project_root.as_deref() == Some("/a")).unwrap().id;
    store.forget(&Selection::Ids(vec![first])).unwrap();
    assert_eq!(store.recent_of(&folder("/b"), 9).unwrap().len(), 1);
    store.forget(&Selection::Project(folder("/b"))).unwrap();
    let left: i64 =
        store.connection.query_row("SELECT count(*) FROM project_identities", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}
