//! Tables: notes and their records in, advice with reasons out.

use expect_test::{Expect, expect};

use super::{Policy, Signals, Usage, plan};
use crate::model::{Note, Reads, Timestamp};

const DAY: i64 = 86_400;
const NOW: Timestamp = Timestamp(1_000 * DAY);

fn note(name: &str, text: &str) -> Note {
    Note { name: name.into(), text: text.into(), bytes: text.len() as u64 }
}

fn read(name: &str, days_ago: i64, count: u64) -> (String, Reads) {
    (name.into(), Reads { count, last_at: Some(Timestamp(NOW.0 - days_ago * DAY)) })
}

fn shown(notes: &[Note], usage: &Usage, signals: Signals) -> String {
    let policy = Policy { stale_days: 180, signals };
    let lines = plan(notes, usage, NOW, &policy).entries.into_iter().map(|entry| {
        let reasons: Vec<String> = entry.reasons.iter().map(ToString::to_string).collect();
        let automatic = if entry.automatic { " (automatic)" } else { "" };
        format!("{} {}{automatic}: {}\n", entry.advice.name(), entry.name, reasons.join("; "))
    });
    lines.collect()
}

#[test]
fn every_note_has_a_reason() {
    let check = |notes: &[Note], usage: &Usage, expected: Expect| {
        expected.assert_eq(&shown(notes, usage, Signals::default()));
    };
    let long = "A line of its own kind.\n".repeat(201);
    let notes = [
        note("a-fresh-one.md", "Fresh fish is best on Tuesdays.\n"),
        note("b-stale-one.md", "Old bread makes good crumbs.\n"),
        note("c-unknown-one.md", "Nobody came here.\n"),
        note("d-empty-one.md", "\n\n"),
        note("e-long-one.md", &long),
        note("f-part-one.md", "Old bread  makes\ngood crumbs."),
    ];
    let usage = Usage {
        reads: [read("a-fresh-one.md", 1, 7), read("b-stale-one.md", 180, 1), read("e-long-one.md", 179, 3)]
            .into(),
        closed_at: vec![Timestamp(NOW.0 - 100 * DAY), Timestamp(NOW.0 - 10 * DAY)],
        changed_at: [("c-unknown-one.md".to_owned(), Timestamp(NOW.0 - 179 * DAY))].into(),
    };
    check(
        &notes,
        &usage,
        expect![[r#"
            keep a-fresh-one.md: last read 1 day ago, 0 cycles since; 7 reads in all
            remove b-stale-one.md: last read 180 days ago, 2 cycles since; 1 read in all
            keep c-unknown-one.md: never read
            remove d-empty-one.md: it is empty; never read
            shorten e-long-one.md: long: 201 lines in 5 KB; last read 179 days ago, 2 cycles since; 3 reads in all
            remove f-part-one.md: all of it is in `b-stale-one.md`; never read
        "#]],
    );
    check(
        &[
            note("pattern-upload-retries.md", "# Retry uploads\n\nThree times with a pause of a second.\n"),
            note("pattern-retry-large-uploads.md", "# Retry large uploads\n\nIn chunks, three times each.\n"),
            note("external-upload-retries.md", "# Retry uploads\n\nThe vendor says so.\n"),
        ],
        &Usage::default(),
        expect![[r#"
            merge pattern-upload-retries.md: resembles `pattern-retry-large-uploads.md`: upload, retry, three, time; never read
            merge pattern-retry-large-uploads.md: resembles `pattern-upload-retries.md`: retry, upload, three, time; never read
            keep external-upload-retries.md: never read
        "#]],
    );
    check(&[], &usage, expect![""]);
}

#[test]
fn automatic_deletion_needs_every_one_of_three_signals() {
    let notes = [note("a-b.md", "Text.")];
    let closed_at = vec![Timestamp(NOW.0 - 5 * DAY), Timestamp(NOW.0 - 4 * DAY)];
    let check = |signals: Signals, reads: Option<(i64, u64)>, goes: bool| {
        let reads = reads.map(|(days, count)| read("a-b.md", days, count));
        let usage =
            Usage { reads: reads.into_iter().collect(), closed_at: closed_at.clone(), ..Usage::default() };
        let policy = Policy { stale_days: 180, signals };
        assert_eq!(plan(&notes, &usage, NOW, &policy).entries[0].automatic, goes, "{signals:?} {usage:?}");
    };
    let all = Signals { days: Some(90), cycles: Some(2), reads: Some(3) };
    check(all, Some((90, 3)), true);
    check(all, Some((400, 1)), true);
    // A single signal that disagrees keeps the note.
    check(all, Some((89, 3)), false);
    check(all, Some((90, 4)), false);
    check(Signals { cycles: Some(3), ..all }, Some((90, 3)), false);
    // Without a record, nothing is known.
    check(all, None, false);
    // Two signals are not enough, however strong.
    check(Signals { days: None, ..all }, Some((400, 0)), false);
    check(Signals { cycles: None, ..all }, Some((400, 0)), false);
    check(Signals { reads: None, ..all }, Some((400, 0)), false);
    check(Signals::default(), Some((400, 0)), false);
}

#[test]
fn a_time_that_cannot_be_parsed_is_unknown() {
    let reads = [("a-b.md".to_owned(), Reads { count: 2, last_at: None })].into();
    let usage = Usage { reads, ..Usage::default() };
    let all = Signals { days: Some(1), cycles: Some(0), reads: Some(9) };
    expect!["keep a-b.md: never read\n"].assert_eq(&shown(&[note("a-b.md", "Text.")], &usage, all));
}

#[test]
fn a_note_that_was_never_read_is_proposed_by_its_age() {
    let notes = [note("a-old-one.md", "Old fish.\n"), note("b-read-one.md", "Old bread.\n")];
    let at = |days: i64| Timestamp(NOW.0 - days * DAY);
    let usage = Usage {
        reads: [read("b-read-one.md", 1, 1)].into(),
        changed_at: [("a-old-one.md".to_owned(), at(180)), ("b-read-one.md".to_owned(), at(900))].into(),
        ..Usage::default()
    };
    let signals = Signals { days: Some(1), cycles: Some(1), reads: Some(10) };
    expect![[r#"
        remove a-old-one.md: never read here, and unchanged for 180 days
        keep b-read-one.md: last read 1 day ago, 0 cycles since; 1 read in all
    "#]]
    .assert_eq(&shown(&notes, &usage, signals));
}
