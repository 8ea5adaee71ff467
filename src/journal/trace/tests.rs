//! The trace file is limited, and its lines are complete.

use std::fs;

use super::{MAX_BYTES, MAX_LINE_BYTES, TracePosition, append_to, old, to_short_line};
use crate::model::{Fate, Trace, TracedTarget, TriedRule};

fn long(name: &str) -> Trace {
    let rule = TriedRule { rule: "r".repeat(60), fate: Fate::Unevaluated("\u{1}".repeat(80)), after: None };
    Trace {
        id: name.to_owned(),
        project: format!("/{}", "\u{1}".repeat(1_000)),
        target: Some(TracedTarget::Command("c".repeat(120))),
        rules: vec![rule; 16],
        problems: vec!["p".repeat(160); 3],
        ..Trace::default()
    }
}

#[test]
fn a_line_keeps_what_is_needed_most() {
    let line = to_short_line(long("a")).expect("it fits at last");
    assert!(line.len() <= MAX_LINE_BYTES && line.ends_with('\n'));
    let kept: Trace = serde_json::from_str(&line).expect("a whole line");
    assert_eq!(kept, Trace { id: "a".to_owned(), ..Trace::default() });
    let short =
        Trace { id: "b".to_owned(), target: Some(TracedTarget::File("f".into())), ..Trace::default() };
    assert_eq!(
        serde_json::from_str::<Trace>(&to_short_line(short.clone()).expect("it fits")).expect("a line"),
        short
    );
}

#[test]
fn the_file_is_limited_and_keeps_the_last_thousand() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("made/nudge.trace.jsonl");
    let count = 30_000;
    for number in 0..count {
        append_to(&path, Trace { id: number.to_string(), ..Trace::default() }).expect("it is written");
    }
    let (last, before) =
        (fs::read_to_string(&path).expect("a file"), fs::read_to_string(old(&path)).expect("a file"));
    assert!(u64::try_from(last.len().max(before.len())).expect("small") <= MAX_BYTES + 2_048);
    let ids: Vec<usize> = (before.lines().chain(last.lines()))
        .map(|line| serde_json::from_str::<Trace>(line).expect("a whole line").id.parse().expect("a number"))
        .collect();
    assert!(ids.len() >= 1_000 && ids.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{}", ids.len());
    assert_eq!(ids.last(), Some(&(count - 1)));
}

fn traced(id: &str) -> String {
    let trace = Trace { id: id.to_owned(), at: 1, ..Trace::default() };
    format!("{}\n", serde_json::to_string(&trace).unwrap())
}

fn ids(traces: Option<Vec<Trace>>) -> Option<Vec<String>> {
    traces.map(|traces| traces.into_iter().map(|trace| trace.id).collect())
}

#[test]
fn a_follower_reads_what_was_added() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.jsonl");
    let mut position = TracePosition::default();
    assert_eq!(ids(position.follow_file(&path)), Some(vec![]));
    fs::write(&path, traced("a")).unwrap();
    assert_eq!(ids(position.follow_file(&path)), Some(vec!["a".to_owned()]));
    assert_eq!(ids(position.follow_file(&path)), Some(vec![]));
    // Half a line is left, and a torn one is skipped.
    let whole = traced("b");
    let (start, end) = whole.split_at(10);
    fs::write(&path, format!("{}not json\n{start}", traced("a"))).unwrap();
    assert_eq!(ids(position.follow_file(&path)), Some(vec![]));
    fs::write(&path, format!("{}not json\n{start}{end}", traced("a"))).unwrap();
    assert_eq!(ids(position.follow_file(&path)), Some(vec!["b".to_owned()]));
    // A shorter file is another history.
    fs::write(&path, traced("c")).unwrap();
    assert_eq!(ids(position.follow_file(&path)), None);
    assert_eq!(ids(position.follow_file(&path)), Some(vec![]));
}

#[test]
#[cfg(unix)]
fn a_follower_begins_with_a_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.jsonl");
    fs::write(&path, [traced("a"), traced("b")].concat()).unwrap();
    let mut position = TracePosition::default();
    assert_eq!(ids(position.follow_file(&path)).map(|ids| ids.len()), Some(2));
    fs::rename(&path, folder.path().join("trace.old.jsonl")).unwrap();
    fs::write(&path, traced("c")).unwrap();
    assert_eq!(ids(position.follow_file(&path)), Some(vec!["c".to_owned()]));
}
