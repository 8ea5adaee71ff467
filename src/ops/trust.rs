//! Whose rules speak: the rule files of a project that this user has seen, and those that are new or have changed.
//!
//! The rules of a repository work at once. But the user is told of them once, can read them, and with
//! `rules.trust = "required"` their own texts reach no model before that.

use std::io;
use std::path::{Path, PathBuf};

use crate::config::settings;
use crate::context;
pub(crate) use crate::journal::trusted::SeenFile;
use crate::journal::trusted::{self, Telling};
use crate::model::{Problem, counted, sha256_hex};
use crate::rules::{self, MissingVersion, RuleSource};
use crate::system::rule_files::{self, RuleFiles};
use crate::system::rule_levels;

/// A rule file of a project.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProjectRules {
    pub(crate) path: PathBuf,
    /// The path for people.
    pub(crate) shown: String,
    pub(crate) state: RuleTrust,
    pub(crate) rules: usize,
    pub(crate) text: String,
}

/// Whether the user has seen a rule file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleTrust {
    Seen,
    New,
    /// Another version of it was seen.
    Changed,
}

impl RuleTrust {
    pub(crate) fn name(self) -> &'static str {
        match self {
            RuleTrust::Seen => "trusted",
            RuleTrust::New => "new",
            RuleTrust::Changed => "changed",
        }
    }
}

/// Returns the rule files of the project that a folder is in, and what cannot be read.
pub(crate) fn files(folder: &Path) -> (Vec<ProjectRules>, Vec<Problem>) {
    let mut levels = rule_levels::of_folder(folder);
    levels.extend(rule_levels::below(folder));
    let RuleFiles { files, mut problems } = rule_files::discover(&levels, None);
    let mut found: Vec<ProjectRules> = Vec::new();
    for file in files {
        match rule_files::read(&file) {
            Ok(text) => {
                let loaded = rules::read(&file.shown, &text, MissingVersion::Warn);
                let state = state_of(&file.path, &text);
                let rules = loaded.rules.iter().filter(|rule| rule.enabled).count();
                found.push(ProjectRules { path: file.path, shown: file.shown, state, rules, text });
            }
            Err(problem) => problems.push(problem),
        }
    }
    (found, problems)
}

fn state_of(path: &Path, text: &str) -> RuleTrust {
    match () {
        () if trusted::is_seen(&sha256_hex(text.as_bytes())) => RuleTrust::Seen,
        () if trusted::seen_at(path).is_some() => RuleTrust::Changed,
        () => RuleTrust::New,
    }
}

/// Returns the rule files of a project that the user has not seen as they are.
pub(crate) fn unseen(folder: &Path) -> Vec<ProjectRules> {
    files(folder).0.into_iter().filter(|file| file.state != RuleTrust::Seen).collect()
}

/// Returns the rule files of a project whose rules may not speak, because the user must trust them first.
pub(crate) fn muted(folder: &Path) -> Vec<ProjectRules> {
    if is_required() { unseen(folder) } else { Vec::new() }
}

/// Writes down that the user has seen these files, exactly as they were shown.
pub(crate) fn see(files: &[ProjectRules]) -> io::Result<()> {
    files.iter().try_for_each(|file| trusted::see(&file.path, file.text.as_bytes()))
}

/// Forgets that these files were seen; returns how many were.
pub(crate) fn revoke(files: &[ProjectRules]) -> io::Result<usize> {
    let mut count = 0;
    for file in files {
        count += usize::from(trusted::forget(&file.path, Some(&sha256_hex(file.text.as_bytes())))?);
    }
    Ok(count)
}

/// Returns every rule file that the user has seen, in all projects.
pub(crate) fn all_seen() -> Vec<SeenFile> {
    trusted::all()
}

/// Returns the version of a file that the user has seen last.
pub(crate) fn earlier_text(file: &ProjectRules) -> Option<String> {
    trusted::text(&trusted::seen_at(&file.path)?.digest)
}

/// Changes a rule file with a command of ours. What we write is seen, if all that was there before was.
pub(crate) fn while_writing<T, E>(path: &Path, write: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let is_known = match std::fs::read(path) {
        Ok(text) => trusted::is_seen(&sha256_hex(&text)),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    let written = write()?;
    if is_known {
        mark_seen(path);
    }
    Ok(written)
}

/// Writes down that the user has seen a rule file as it is now; a failure costs only another notice.
pub(crate) fn mark_seen(path: &Path) {
    if let Ok(text) = std::fs::read(path) {
        drop(trusted::see(path, &text));
    }
}

/// Returns whether rules that the user has not seen may not speak. If the user's settings cannot be read, they may not.
pub(crate) fn is_required() -> bool {
    let (settings, _) = settings::load_user();
    settings.trust_required || settings.unknown_because.is_some()
}

/// Returns what to tell the user of rule files that were not seen; `None` if the user was told.
pub(crate) fn notice(unseen: &[(&PathBuf, &RuleSource)]) -> io::Result<Option<String>> {
    let (mut new, mut changed): (Vec<&RuleSource>, Vec<&RuleSource>) = (Vec::new(), Vec::new());
    for (path, source) in unseen {
        match trusted::claim(path, &source.digest)? {
            Telling::New => new.push(source),
            Telling::Changed => changed.push(source),
            Telling::ToldBefore => {}
        }
    }
    let rules: usize = new.iter().map(|source| source.rules).sum();
    let (new, changed) = (names(&new), names(&changed));
    Ok(match (new.as_str(), changed.as_str()) {
        ("", "") => None,
        ("", files) => Some(format!(
            "nudge: the rules of this repository have changed ({files}); `nudge trust --diff` shows how"
        )),
        (files, _) => {
            let rules = counted(rules, "rule");
            Some(format!("nudge: this repository brings {rules} ({files}); `nudge trust` shows them"))
        }
    })
}

/// Maximum number of files that a notice names.
const MAX_NAMED: usize = 3;

fn names(sources: &[&RuleSource]) -> String {
    let mut names: Vec<String> =
        sources.iter().take(MAX_NAMED).map(|source| context::plain_line(&source.file)).collect();
    if let Some(more) = sources.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        names.push(format!("and {more} more"));
    }
    names.join(", ")
}
