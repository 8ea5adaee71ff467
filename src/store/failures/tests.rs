//! Open failures, and how one was fixed before.

use crate::model::{Observation, ObservationId, PastFix};
use crate::store::fixture::{DataFolder, command, edit, failure, project, read};

fn ids(observations: &[Observation]) -> Vec<i64> {
    observations.iter().map(|observation| observation.id.0).collect()
}

#[test]
fn a_failure_is_open_until_the_same_command_succeeds() {
    let folder = DataFolder::new();
    let store = folder.with(&[
        failure("cargo test", "assertion").ago(90),
        failure("make", "no rule").ago(80),
        command("cargo test").session("s2").ago(70),
        failure("cargo build", "E0432").ago(60),
        failure("cargo build", "E0433").ago(50),
        command("cargo build").of("other").ago(40),
        failure("rm -rf /", "a rule says no").fact("kind", "rule").ago(30),
    ]);
    assert_eq!(ids(&store.open_failures(&project("nudge"), 10).unwrap()), [5, 2]);
    assert_eq!(ids(&store.open_failures(&project("nudge"), 1).unwrap()), [5]);
    assert_eq!(ids(&store.open_failures(&project("unknown"), 9).unwrap()), [0; 0]);
}

fn ids_of(fix: &PastFix) -> (i64, Vec<i64>, i64) {
    (fix.failure.id.0, ids(&fix.steps), fix.success.id.0)
}

#[test]
fn a_failure_seen_before_shows_what_worked_then() {
    let folder = DataFolder::new();
    let store = folder.with(&[
        failure("cargo test", "linker not found").session("old").ago(900),
        read("docs/linker.md").session("old").ago(890),
        command("apt install lld").session("old").ago(880),
        edit(".cargo/config.toml").session("old").ago(870),
        failure("cargo test", "linker not found").session("old").ago(860),
        command("ls").session("old").ago(850),
        command("cargo test --all").session("old").ago(840),
        failure("cargo test", "linker not found").ago(10),
    ]);
    let fix = |program, signature, before| store.past_fix(program, signature, before).unwrap();
    let this = Some(ObservationId(8));
    assert_eq!(ids_of(&fix("cargo", "linker not found", this).unwrap()), (5, vec![6], 7));
    assert_eq!(
        ids_of(&fix("cargo", "linker not found", Some(ObservationId(5))).unwrap()),
        (1, vec![3, 4, 6], 7)
    );
    assert_eq!(ids_of(&fix("cargo", "linker not found", None).unwrap()), (5, vec![6], 7));
    assert_eq!(fix("make", "linker not found", this), None);
    assert_eq!(fix("cargo", "something else", this), None);
}

#[test]
fn a_success_in_another_session_is_not_what_worked() {
    let folder = DataFolder::new();
    let store = folder.with(&[
        failure("make", "no rule").session("old").ago(90),
        command("make all").session("new").ago(80),
    ]);
    assert_eq!(store.past_fix("make", "no rule", None).unwrap(), None);
}
