//! Observations by id, timelines and recent context.

use crate::model::{NewObservation, Observation, ObservationId, Project};
use crate::store::StoreError;
use crate::store::fixture::{DataFolder, command, edit, project, prompt, read};

fn ids_of(observations: &[Observation]) -> Vec<i64> {
    observations.iter().map(|observation| observation.id.0).collect()
}

#[test]
fn observations_come_in_the_order_asked_for_and_missing_ones_are_left_out() {
    let folder = DataFolder::new();
    let store = folder.with(&[command("one"), command("two"), command("three")]);
    let get = |ids: &[i64]| {
        let ids: Vec<_> = ids.iter().copied().map(ObservationId).collect();
        ids_of(&store.get(&ids).unwrap())
    };
    assert_eq!(get(&[3, 9, 1]), [3, 1]);
    assert_eq!(get(&[9]), [0; 0]);
    assert_eq!(get(&[]), [0; 0]);
}

#[test]
fn a_timeline_stays_in_the_session_and_in_the_order_of_time() {
    let folder = DataFolder::new();
    let rows: Vec<_> =
        (0..6).map(|n| command("make").session(["s1", "s2"][n % 2]).ago(10 - n as i64)).collect();
    let store = folder.with(&rows);
    let timeline = |anchor, before, after| {
        let timeline = store.timeline(ObservationId(anchor), before, after).unwrap();
        (ids_of(&timeline.before), timeline.anchor.id.0, ids_of(&timeline.after))
    };
    assert_eq!(timeline(3, 5, 5), (vec![1], 3, vec![5]));
    assert_eq!(timeline(6, 1, 5), (vec![4], 6, vec![]));
    assert_eq!(timeline(3, 0, 0), (vec![], 3, vec![]));
}

#[test]
fn rows_of_one_second_are_ordered_by_id() {
    let folder = DataFolder::new();
    let store = folder.with(&[command("a"), command("b"), command("c")]);
    let timeline = store.timeline(ObservationId(2), 5, 5).unwrap();
    assert_eq!((ids_of(&timeline.before), ids_of(&timeline.after)), (vec![1], vec![3]));
}

#[test]
fn an_anchor_that_is_not_there_is_an_error() {
    let folder = DataFolder::new();
    let error = folder.store().timeline(ObservationId(1), 5, 5).unwrap_err();
    assert_eq!(
        (error.to_string().as_str(), error),
        ("anchor observation not found", StoreError::AnchorNotFound)
    );
}

#[test]
fn recent_context_is_the_project_first_then_others_each_file_once() {
    let folder = DataFolder::new();
    let store = folder.with(&[
        edit("a.rs").ago(50),
        command("make").ago(40),
        command("make").ago(30),
        edit("a.rs").ago(20),
        edit("a.rs").of("other").ago(5),
        prompt("hello").of("third").ago(1),
        NewObservation { project: None, project_root: None, ..command("date") }.ago(60),
    ]);
    let recent =
        |name: Option<&str>, limit| ids_of(&store.recent_context(name.map(project).as_ref(), limit).unwrap());
    assert_eq!(recent(Some("nudge"), 30), [4, 3, 2, 6, 5, 7]);
    assert_eq!(recent(Some("nudge"), 4), [4, 3, 2, 6]);
    assert_eq!(recent(Some("nudge"), 2), [4, 3]);
    assert_eq!(recent(Some("nudge"), 0), [0; 0]);
    assert_eq!(recent(Some("unknown"), 3), [6, 5, 4]);
    assert_eq!(recent(None, 30), [6, 5, 4, 3, 2, 7]);
    assert_eq!(ids_of(&store.recent_elsewhere(Some(&project("nudge")), 9).unwrap()), [6, 5, 7]);
}

#[test]
fn two_projects_with_the_same_name_are_distinguished_by_their_root() {
    let folder = DataFolder::new();
    let old = NewObservation { project_root: Some("/old/nudge".to_owned()), ..read("a.rs") }.ago(10);
    let store = folder.with(&[read("a.rs"), old]);
    let of = |root: Option<&str>| {
        let project = Project { root: root.map(str::to_owned), ..project("nudge") };
        (
            ids_of(&store.trail(&project, 9).unwrap()),
            ids_of(&store.recent_elsewhere(Some(&project), 9).unwrap()),
        )
    };
    assert_eq!(of(Some("/old/nudge")), (vec![2], vec![1]));
    assert_eq!(of(None), (vec![1, 2], vec![]));
    assert_eq!(store.known_projects().unwrap().len(), 2);
}
