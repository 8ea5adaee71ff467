//! What a session does about what it was told.

use super::{is_tired, told_outcome};
use crate::model::ToldOutcome::{Avoided, Met, Unknown, Unused, Used};
use crate::model::{Observation, ObservationType, TellRecord, ToldOutcome};
use crate::recall::fixture::{edited, failed, ran, row};

fn check(told: &Observation, later: &[Observation], expected: ToldOutcome) {
    assert_eq!(told_outcome(told, later), expected, "{told:?} {later:?}");
}

#[test]
fn what_the_session_then_does_shows_whether_it_helped() {
    let other = || edited(9, "b.rs");
    check(&edited(1, "a.rs"), &[other(), edited(3, "a.rs")], Used);
    check(&edited(1, "a.rs"), &[other()], Unused);
    check(&ran(1, "cargo test", "cargo test"), &[ran(2, "cargo test", "cargo test -q")], Used);
    check(&ran(1, "cargo test", "cargo test"), &[other()], Unused);
    check(&failed(1, "make", "make"), &[failed(2, "make", "make all")], Met);
    check(&failed(1, "make", "make"), &[ran(2, "make", "make all")], Avoided);
    check(&failed(1, "make", "make"), &[other()], Unused);
    check(&row(1, ObservationType::Outcome, "done"), &[other()], Unknown);
    let said = row(2, ObservationType::UserPrompt, "thanks");
    check(&edited(1, "a.rs"), &[said], Unknown);
    check(&edited(1, "a.rs"), &[], Unknown);
}

#[test]
fn what_never_concerned_anybody_is_told_no_more() {
    for (told, concerned, expected) in
        [(0, 0, false), (5, 0, false), (6, 0, true), (60, 0, true), (60, 1, false)]
    {
        assert_eq!(is_tired(TellRecord { told, concerned }), expected, "{told} {concerned}");
    }
}
