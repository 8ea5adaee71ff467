//! What is kept of the beginning and the end of a file.

use std::fs;

use super::{FileEnds, HEAD, TAIL, hashes};

/// Reads lines of these lengths, and returns what is remembered of them beside what is in the file.
fn both(lengths: &[usize]) -> [Option<(i64, i64)>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let (mut ends, mut all) = (FileEnds::default(), Vec::new());
    for (number, length) in lengths.iter().enumerate() {
        let start = all.len();
        all.extend((0..*length).map(|at| b'a' + ((at + number) % 23) as u8));
        ends.add(&all[start..], start as u64, all.len() as u64);
    }
    fs::write(&path, &all).unwrap();
    [ends.hashes(all.len() as u64), hashes(&mut fs::File::open(&path).unwrap(), all.len() as u64)]
}

#[test]
fn what_is_remembered_of_a_file_is_what_is_in_it() {
    let (head, tail) = (HEAD as usize, TAIL as usize);
    let cases: [&[usize]; 7] = [
        &[1],
        &[tail - 1, 1, 1],
        &[tail + 1],
        &[100; 30],
        &[head, 3],
        &[head + 5, 1, tail],
        &[head - 1, 2, 10 * head],
    ];
    for lengths in cases {
        let [remembered, in_file] = both(lengths);
        assert!(in_file.is_some());
        assert_eq!(remembered, in_file, "{lengths:?}");
    }
}

#[test]
fn with_a_gap_nothing_is_remembered() {
    let mut ends = FileEnds::default();
    ends.add(b"one\n", 0, 4);
    ends.add(b"three\n", 9, 15);
    assert_eq!(ends.hashes(15), None);
    let mut resumed = FileEnds::default();
    resumed.add(b"two\n", 4, 8);
    assert_eq!(resumed.hashes(8), None);
}
