//! Failures, and what came after them.

use crate::store::fixture::{DataFolder, command, edit, failure, project, read};

#[test]
fn failures_are_listed_with_their_signatures_newest_first() {
    let folder = DataFolder::new();
    let store = folder.with(&[
        failure("make", "no rule").ago(90),
        command("make").ago(80),
        failure("cargo build", "E0432").of("other").ago(70),
        failure("cargo test", "assertion").session("s2").ago(60),
    ]);
    let ids = |project: Option<&crate::model::Project>| -> Vec<(i64, String)> {
        let found = store.failures(project, 9).unwrap();
        found.into_iter().map(|failure| (failure.id.0, failure.signature)).collect()
    };
    let expected =
        |pairs: &[(i64, &str)]| pairs.iter().map(|(id, text)| (*id, (*text).to_owned())).collect::<Vec<_>>();
    assert_eq!(ids(None), expected(&[(4, "assertion"), (3, "E0432"), (1, "no rule")]));
    assert_eq!(ids(Some(&project("nudge"))), expected(&[(4, "assertion"), (1, "no rule")]));
    assert_eq!(ids(Some(&project("unknown"))), []);
    assert_eq!(store.failures(None, 1).unwrap().len(), 1);
}

#[test]
fn what_came_after_a_failure_is_of_its_session() {
    let folder = DataFolder::new();
    let store = folder.with(&[
        command("ls").session("old").ago(910),
        failure("cargo test", "linker not found").session("old").ago(900),
        read("docs/linker.md").session("old").ago(890),
        edit(".cargo/config.toml").session("old").ago(870),
        command("cargo test").session("new").ago(860),
        command("cargo test --all").session("old").ago(840),
    ]);
    let id = store.failures(None, 1).unwrap()[0].id;
    let (found, after) = store.failure_and_after(id).unwrap().unwrap();
    assert_eq!(found.id.0, 2);
    assert_eq!(after.iter().map(|row| row.id.0).collect::<Vec<_>>(), [4, 6]);
    assert_eq!(store.failure_and_after(crate::model::ObservationId(99)).unwrap(), None);
}
