//! Loads the rules of a project: from the cache if nothing has changed, else from the files.

use std::path::Path;

use crate::config::{paths, rule_cache, rule_files};
use crate::model::Problem;
use crate::rules::{self, Book, Loaded, MissingVersion, Rule};

/// The packed book of a project's rules, with what was wrong in finding them.
pub(crate) struct Library {
    pub(crate) bytes: Vec<u8>,
    pub(crate) problems: Vec<Problem>,
}

/// One rule file with what it gave.
pub(crate) struct LoadedFile {
    pub(crate) shown: String,
    pub(crate) loaded: Loaded,
}

/// Where a book may come from.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum From {
    Cache,
    Files,
}

/// Loads the book for a hook, as quickly as can be; if cached bytes turn out not to be a book, ask again for files.
pub(crate) fn book(root: &Path, from: From) -> Library {
    let found = rule_files::discover(root, paths::user_config_dir().as_deref());
    if found.files.is_empty() {
        return Library { bytes: Book::pack(&[], Vec::new()), problems: found.problems };
    }
    let key = rule_cache::key(root, &found.files);
    let cached = (from == From::Cache).then(|| rule_cache::load(&key)).flatten();
    let bytes = cached.unwrap_or_else(|| {
        let (mut rules, mut problems): (Vec<Rule>, Vec<Problem>) = (Vec::new(), Vec::new());
        for file in read_all(&found.files, MissingVersion::Warn) {
            rules.extend(file.loaded.rules);
            problems.extend(file.loaded.problems);
        }
        problems.extend(across(&rules, root));
        let bytes = Book::pack(&rules, problems);
        rule_cache::store(&key, &bytes);
        bytes
    });
    Library { bytes, problems: found.problems }
}

/// Returns what is off about the rules of a project taken together, or seen from its root.
pub(crate) fn across(rules: &[Rule], root: &Path) -> Vec<Problem> {
    let mut problems = rules::duplicates(rules);
    problems.extend(rules::strays(rules, root));
    problems
}

/// Loads every file of a project for people to look at.
pub(crate) fn files(root: &Path, missing_version: MissingVersion) -> (Vec<LoadedFile>, Vec<Problem>) {
    let found = rule_files::discover(root, paths::user_config_dir().as_deref());
    (read_all(&found.files, missing_version), found.problems)
}

/// Loads one file that a person named.
pub(crate) fn file(path: &Path, missing_version: MissingVersion) -> std::io::Result<LoadedFile> {
    let file = rule_files::describe(path, path.display().to_string())?;
    Ok(read_one(&file, missing_version))
}

fn read_all(files: &[rule_files::RuleFile], missing_version: MissingVersion) -> Vec<LoadedFile> {
    files.iter().map(|file| read_one(file, missing_version)).collect()
}

fn read_one(file: &rule_files::RuleFile, missing_version: MissingVersion) -> LoadedFile {
    let loaded = match rule_files::read(file) {
        Ok(text) => rules::read(&file.shown, &text, missing_version),
        Err(problem) => Loaded { rules: Vec::new(), problems: vec![problem] },
    };
    LoadedFile { shown: file.shown.clone(), loaded }
}
