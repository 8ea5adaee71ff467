//! Writes proposals that somebody chose: to the rules of the project or the user, or to a file for review.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{LearnRequest, Proposal};
use crate::config::paths;
use crate::files;
use crate::learn;
use crate::model::{Problem, Severity};
use crate::ops::{here, trust};
use crate::rules::{self, Loaded, MissingVersion};
use crate::system::programs;

/// The first lines of a new file of accepted proposals.
const HEAD: &str = "# Rules that `nudge learn` proposed and you switched on; each says which failures it comes from.\n\
    # Change or delete them as you like: nothing is written here again unless you choose it.\nversion: 1\nrules:\n";
/// The first lines of a file for review.
const REVIEW_HEAD: &str = "# Rules that `nudge learn` proposes, for review. They do nothing here: move those that you want\n\
    # to `.nudge/learned.yaml`, or run `nudge learn` in a terminal and answer y.\nversion: 1\nrules:\n";
/// The largest rule file that is added to.
const MAX_BYTES: u64 = 1 << 20;

/// The file in the data folder whose lock is taken while a rule is added.
const LOCK: &str = "learned.lock";

/// A rule is added in milliseconds, so whoever waits longer has met something else.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Whether a rule speaks, or is only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleState {
    On,
    Shadow,
}

/// The file that accepted proposals are written to.
#[derive(Debug, Clone)]
pub(crate) struct LearnedFile {
    pub(crate) path: PathBuf,
    /// The folder that the file must be in; `None` for the user's own file.
    root: Option<PathBuf>,
}

/// Why a proposal was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AcceptError {
    #[error("there is no folder for your own rules: set HOME")]
    NoFolder,
    #[error("`{0}` leads out of the project, so it is not written")]
    LeadsOut(String),
    #[error("`{file}` has a mistake, so nothing is added to it: {problem}")]
    BrokenFile { file: String, problem: String },
    #[error("the rule cannot be added to `{0}`: `rules:` is not the last thing in it")]
    OtherForm(String),
    #[error("that is not a valid rule: {0}")]
    InvalidRule(String),
    #[error("a rule named `{0}` is in the file already")]
    SameName(String),
    #[error("`{file}` cannot be written: {error}")]
    Unwritten { file: String, error: io::Error },
}

impl AcceptError {
    /// Returns what the user can do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            AcceptError::NoFolder => "set HOME, or leave --user out",
            AcceptError::LeadsOut(_) => "replace the link by a folder, or use --user",
            AcceptError::BrokenFile { .. } => "`nudge validate` shows the place; fix it and try again",
            AcceptError::OtherForm(_) => {
                "write the proposals to a file with --write FILE, and move them yourself"
            }
            AcceptError::InvalidRule(_) => "edit it again; `nudge learn --json` has it as it was proposed",
            AcceptError::SameName(_) => "delete the old rule, or give the new one another name with `e`",
            AcceptError::Unwritten { .. } => "check that the folder is writable and has room",
        }
    }
}

impl LearnedFile {
    /// Returns where accepted proposals go; `None` if the user has no folder for rules.
    pub(crate) fn of(request: &LearnRequest) -> Option<LearnedFile> {
        if request.for_user {
            return paths::user_config_dir()
                .map(|folder| LearnedFile { path: folder.join("rules.yaml"), root: None });
        }
        let root = here::root(&request.folder);
        Some(LearnedFile { path: root.join(".nudge/learned.yaml"), root: Some(root) })
    }

    /// Returns the file as people write it.
    pub(crate) fn shown(&self) -> String {
        here::short_path(&self.path)
    }
}

/// Returns a proposal as it is written.
pub(crate) fn written_text(proposal: &Proposal, state: RuleState) -> String {
    learn::rule_text(&proposal.draft, Some(&proposal.from), state == RuleState::Shadow)
}

/// Adds a rule, as an item of the list `rules`, to the file; the file stays as it is if that would break anything.
pub(crate) fn accept(target: &LearnedFile, rule: &str) -> Result<Vec<String>, AcceptError> {
    let shown = target.shown();
    let names = names(rule)?;
    if target.root.as_ref().is_some_and(|root| !files::leads_inside(&target.path, root).unwrap_or(true)) {
        return Err(AcceptError::LeadsOut(shown));
    }
    let unwritten = |error: io::Error| AcceptError::Unwritten { file: target.shown(), error };
    // Two answers at the same time would both add to the file as it was, and one rule would be lost.
    let _lock = lock().map_err(unwritten)?;
    let known = match files::read_regular(&target.path, MAX_BYTES) {
        Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| AcceptError::BrokenFile {
            file: shown.clone(),
            problem: "it is not UTF-8".to_owned(),
        })?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(unwritten(error)),
    };
    let text = match &known {
        None => format!("{HEAD}{rule}"),
        Some(known) => extended(known, rule, &shown)?,
    };
    if let Some(folder) = target.path.parent() {
        fs::create_dir_all(folder).map_err(unwritten)?;
    }
    // The person who accepts has seen the rule, but not what somebody else put beside it.
    trust::while_writing(&target.path, || files::replace(&target.path, &[text.as_bytes()]))
        .map_err(unwritten)?;
    Ok(names)
}

/// Waits until no other command adds a rule, and keeps others waiting until the result is dropped; `None` if there is
/// no folder for the lock.
fn lock() -> io::Result<Option<fs::File>> {
    let Some(data) = paths::data_dir() else { return Ok(None) };
    files::make_private_dir(&data)?;
    let options = files::private_file().write(true).create(true).clone();
    files::lock(&data.join(LOCK), &options, LOCK_TIMEOUT).map(Some)
}

/// Says what is wrong with a rule that a person edited.
pub(crate) fn check_rule(rule: &str) -> Result<(), AcceptError> {
    names(rule).map(drop)
}

/// Returns a rule that a person edited in the state that was chosen.
pub(crate) fn in_state(rule: &str, state: RuleState) -> String {
    let end = if rule.ends_with('\n') { "" } else { "\n" };
    match state {
        RuleState::Shadow if !rule.contains("shadow:") => format!("{rule}{end}    shadow: true\n"),
        _ => format!("{rule}{end}"),
    }
}

/// Lets the user edit a rule; the comments above it say what is what.
pub(crate) fn edit_text(rule: &str) -> io::Result<String> {
    let mut file = tempfile::Builder::new().prefix("nudge-rule-").suffix(".yaml").tempfile()?;
    file.write_all(rule.as_bytes())?;
    programs::edit(file.path())?;
    // Many editors write a new file in the place of the old one.
    let bytes = files::read_regular(file.path(), MAX_BYTES)?;
    String::from_utf8(bytes).map_err(|_| io::Error::other("the text is not UTF-8"))
}

/// Returns whether a file is one that rules are loaded from.
pub(crate) fn is_rule_file(file: &Path, request: &LearnRequest) -> bool {
    let path = here::normalised(&request.folder.join(file));
    let is_mark = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(".nudge");
    let is_users = paths::user_config_dir().is_some_and(|folder| path.starts_with(folder));
    is_users || path.iter().any(is_mark)
}

/// Returns the names of the rules in an item.
fn names(rule: &str) -> Result<Vec<String>, AcceptError> {
    let loaded = read(&format!("version: 1\nrules:\n{rule}"));
    match (mistake(&loaded), loaded.rules.is_empty()) {
        (Some(problem), _) => Err(AcceptError::InvalidRule(problem.message.clone())),
        (None, true) => Err(AcceptError::InvalidRule("it is empty".to_owned())),
        (None, false) => Ok(loaded.rules.into_iter().map(|rule| rule.name).collect()),
    }
}

/// Adds an item at the end of a file, if the file has its rules there.
fn extended(known: &str, rule: &str, shown: &str) -> Result<String, AcceptError> {
    let before = read(known);
    if let Some(problem) = mistake(&before) {
        let problem = problem.message.clone();
        return Err(AcceptError::BrokenFile { file: shown.to_owned(), problem });
    }
    let added = read(&format!("version: 1\nrules:\n{rule}")).rules;
    let twice = added.iter().find(|rule| before.rules.iter().any(|known| known.name == rule.name));
    if let Some(rule) = twice {
        return Err(AcceptError::SameName(rule.name.clone()));
    }
    let end = if known.ends_with('\n') || known.is_empty() { "" } else { "\n" };
    // A file that only has a version, or an empty list, has no rules yet.
    let forms = [
        format!("{known}{end}{rule}"),
        format!("{known}{end}rules:\n{rule}"),
        format!("{}{end}{rule}", known.replacen("rules: []", "rules:", 1)),
    ];
    let is_whole = |text: &String| {
        let after = read(text);
        mistake(&after).is_none() && after.rules.len() == before.rules.len() + added.len()
    };
    forms.into_iter().find(is_whole).ok_or_else(|| AcceptError::OtherForm(shown.to_owned()))
}

fn read(text: &str) -> Loaded {
    rules::read("learned.yaml", text, MissingVersion::Warn)
}

fn mistake(loaded: &Loaded) -> Option<&Problem> {
    loaded.problems.iter().find(|problem| problem.severity == Severity::Error)
}

/// Writes proposals to a file for review.
pub(crate) fn write_review(path: &Path, proposals: &[Proposal]) -> Result<(), AcceptError> {
    let rules = proposals.iter().map(|one| written_text(one, RuleState::On));
    let text = format!("{REVIEW_HEAD}{}", rules.collect::<String>());
    let unwritten = |error: io::Error| AcceptError::Unwritten { file: path.display().to_string(), error };
    files::write_whole(path, |out| out.write_all(text.as_bytes())).map_err(unwritten)?.map_err(unwritten)
}

#[cfg(test)]
mod tests;
