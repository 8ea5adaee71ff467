//! Reads the source tree as text, and enforces what `ARCHITECTURE.md` and `CONVENTIONS.md` promise.
//!
//! Each check is a function from files to complaints, and is shown to complain about a small made-up file.

mod agents;
mod cycles;
mod documents;
mod doors;
mod imports;
mod language;
mod parameters;
mod security_page;
mod shape;
mod source;
mod types;
mod ui;

use source::{Source, tree};

#[track_caller]
fn assert_tidy(check: fn(&[Source]) -> Vec<String>) {
    assert_eq!(check(&tree()), Vec::<String>::new());
}

/// Shows that a check can fail: returns its complaints about one made-up file.
#[track_caller]
fn assert_complains(check: fn(&[Source]) -> Vec<String>, path: &str, text: &str, complaint: &str) {
    assert_eq!(check(&[Source::new(path, text)]), [complaint]);
}

#[track_caller]
fn assert_content(check: fn(&[Source]) -> Vec<String>, path: &str, text: &str) {
    assert_eq!(check(&[Source::new(path, text)]), Vec::<String>::new());
}
