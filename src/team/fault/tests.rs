//! Tests of errors: every code, and what is done about it.

use super::TeamRemedy::{self, *};
use super::{TeamError, remedy_of};

#[test]
fn every_code_says_what_to_do() {
    let table: &[(&str, TeamRemedy)] = &[
        ("NU001", NotMember),
        ("NU002", Removed),
        ("NU003", NotPermitted),
        ("NU004", NewMachineKey),
        ("NU005", NoProject),
        ("NU006", Halve),
        ("NU007", BringAgain),
        ("NU008", NotOurs),
        ("NU009", Tomorrow),
        // Too many connections, out of memory, disk full.
        ("53300", TryLater),
        ("53200", TryLater),
        ("53100", TryLater),
        // Ended by an admin, crashed, starting up, cancelled.
        ("57P01", TryLater),
        ("57P02", TryLater),
        ("57P03", TryLater),
        ("57014", TryLater),
        // Serialisation, deadlock, lock not available.
        ("40001", TryLater),
        ("40P01", TryLater),
        ("55P03", TryLater),
        // Idle in a transaction for too long; a replica.
        ("25P03", TryLater),
        ("25006", TryLater),
        ("08006", TryLater),
        ("08P01", TryLater),
        // Wrong password, wrong login.
        ("28P01", LogIn),
        ("28000", LogIn),
        // A row: NUL, too long, not a key, a lone surrogate.
        ("22P05", Halve),
        ("23514", Halve),
        ("22023", Halve),
        ("22P02", Halve),
        ("23502", Halve),
        ("42501", NotPermitted),
        ("3D000", NoSchema),
        ("3F000", NoSchema),
        ("42883", NoSchema),
        ("42P01", NoSchema),
        ("42601", Report),
        ("XX000", Report),
        ("0A000", Report),
        ("", Report),
        ("é", Report),
    ];
    for (code, expected) in table {
        assert_eq!(remedy_of(code), *expected, "{code}");
    }
}

#[test]
fn every_remedy_has_a_hint_and_only_two_are_temporary() {
    let all = [
        TryLater,
        LogIn,
        Distrust,
        NotMember,
        Removed,
        NotPermitted,
        NewMachineKey,
        NoProject,
        Halve,
        BringAgain,
        NotOurs,
        Tomorrow,
        NoSchema,
        Report,
    ];
    let temporary: Vec<TeamRemedy> =
        all.into_iter().filter(|it| TeamError::new(*it, "").is_temporary()).collect();
    assert_eq!(temporary, [TryLater, Tomorrow]);
    assert!(all.iter().all(|remedy| TeamError::new(*remedy, "").hint().len() > 10));
}
