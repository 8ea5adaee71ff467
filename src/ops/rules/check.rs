//! Checks files against the rules, as if each were being written now: for CI and for people.

mod baseline;
mod choose;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub(crate) use baseline::Baseline;
use choose::ChosenFile;
pub(crate) use choose::FileChoice;

use super::load;
use super::try_out::try_rules;
use crate::files;
use crate::model::{Event, Hook, Problem, ToolAction, ToolCall};
use crate::rules::{Action, Book, Field, MissingVersion, Rule, RuleOutcome, keep_compiled};

/// A rule that fired on a file.
pub(crate) struct Finding {
    pub(crate) file: String,
    pub(crate) lines: Vec<usize>,
    /// The texts of these lines, by which a baseline recognises them.
    pub(crate) texts: Vec<String>,
    pub(crate) rule: String,
    pub(crate) action: Action,
    pub(crate) message: String,
}

/// The result for one file.
pub(crate) struct Checked {
    pub(crate) findings: Vec<Finding>,
    /// Rules that could not be evaluated on it.
    pub(crate) problems: Vec<Problem>,
    /// Why the file was not checked, if it was not.
    pub(crate) skipped: Option<Skip>,
}

/// Why a file was not checked.
#[derive(Debug, PartialEq)]
pub(crate) enum Skip {
    Binary,
    TooLarge,
    Unreadable(String),
}

/// A file or folder that was not checked.
pub(crate) struct SkippedFile {
    pub(crate) file: String,
    pub(crate) why: Skip,
}

/// The rules that can be evaluated on a file, with the project that they belong to.
pub(crate) struct Checker {
    root: PathBuf,
    /// The same without links.
    real_root: PathBuf,
    /// The rules, packed, with the folder that their files are relative to: the user's own, and those of the project.
    books: Vec<(PathBuf, Vec<u8>)>,
    pub(crate) rules: usize,
    /// How many rules are left out because they ask what happened in a session.
    pub(crate) about_sessions: usize,
    pub(crate) problems: Vec<Problem>,
}

const MAX_FILE: u64 = 16 << 20;
/// A file with a zero byte in its first bytes is not a text.
const HEAD: usize = 8 << 10;
/// The tools that write a file's content; the simulated event uses the first.
const TOOLS: [&str; 2] = ["Write", "Edit"];
/// A file may take long, within reason: no agent waits for this.
const DEADLINE: Duration = Duration::from_secs(10);

impl Checker {
    pub(crate) fn new(root: &Path) -> Checker {
        let (files, mut problems) = load::tree(root, MissingVersion::Warn);
        let mut rules = Vec::new();
        for file in files {
            problems.extend(file.loaded.problems);
            rules.extend(file.loaded.rules.into_iter().filter(is_about_files));
        }
        let about_sessions = rules.extract_if(.., |rule| rule.session.is_some());
        let about_sessions = about_sessions.filter(|rule| rule.enabled).count();
        for rule in &mut rules {
            // Before or after, written or edited: for an existing file it makes no difference.
            rule.hook = Hook::PreToolUse;
            rule.tool = None;
        }
        let count = rules.iter().filter(|rule| rule.enabled).count();
        let books = rules.chunk_by(|a, b| load::root_of(a, root) == load::root_of(b, root));
        let books = books.map(|rules| (load::root_of(&rules[0], root), Book::pack(rules, Vec::new())));
        let real_root = files::canonical(root).unwrap_or_else(|_| root.to_owned());
        Checker {
            root: root.to_owned(),
            real_root,
            books: books.collect(),
            rules: count,
            about_sessions,
            problems,
        }
    }

    /// Returns the path as it is shown: relative to the project if possible.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).or_else(|_| path.strip_prefix(&self.real_root));
        below.unwrap_or(path).display().to_string()
    }

    /// Checks all files on all processors; the results are in the order of the files. `done` is called after each.
    pub(crate) fn check_all(&self, files: &[ChosenFile], done: &(dyn Fn() + Sync)) -> Vec<Checked> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(files.len()).max(1);
        let next = AtomicUsize::new(0);
        let results = Mutex::new(Vec::with_capacity(files.len()));
        let work = || {
            keep_compiled();
            while let Some((number, file)) = take_next(files, &next) {
                let checked = self.check(file);
                results.lock().unwrap_or_else(PoisonError::into_inner).push((number, checked));
                done();
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(number, _)| *number);
        results.into_iter().map(|(_, checked)| checked).collect()
    }

    fn check(&self, file: &ChosenFile) -> Checked {
        let mut checked = Checked { findings: Vec::new(), problems: Vec::new(), skipped: None };
        let content = match &file.staged {
            Some(bytes) => as_text(bytes.clone()),
            None => read(&file.path),
        };
        let content = match content {
            Ok(content) => content,
            Err(why) => return Checked { skipped: Some(why), ..checked },
        };
        let shown = self.shown(&file.path);
        let texts = |lines: &[usize]| {
            let text =
                |line: &usize| content.lines().nth(line.saturating_sub(1)).unwrap_or_default().to_owned();
            lines.iter().map(text).collect::<Vec<_>>()
        };
        let content_of_event = content.clone();
        let event = Arc::new(self.write(shown.clone(), content_of_event));
        let books = self.books.iter().filter_map(|(root, bytes)| Some((root, Book::open(bytes)?)));
        for tried in books.flat_map(|(root, book)| try_rules(&book, &event, root, DEADLINE)) {
            match tried.outcome {
                RuleOutcome::Fired(fired) => checked.findings.push(Finding {
                    file: shown.clone(),
                    texts: texts(&fired.lines),
                    lines: fired.lines,
                    rule: tried.rule.name.clone(),
                    action: fired.action,
                    message: fired.message,
                }),
                RuleOutcome::Unevaluated(why) => {
                    checked.problems.push(Problem::error(why).at(&shown, 0, 0).of_rule(&tried.rule.name));
                }
                RuleOutcome::Unmatched(_)
                | RuleOutcome::Unmet(_)
                | RuleOutcome::Excepted
                | RuleOutcome::Waits(_) => {}
            }
        }
        checked
    }

    fn write(&self, path: String, content: String) -> Event {
        Event {
            hook: Hook::PreToolUse,
            cwd: self.root.clone(),
            project: Some(self.root.clone()),
            tool: Some(ToolCall { name: TOOLS[0].into(), action: ToolAction::Write { path, content } }),
            ..Event::default()
        }
    }
}

fn take_next<'f>(files: &'f [ChosenFile], next: &AtomicUsize) -> Option<(usize, &'f ChosenFile)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    files.get(number).map(|file| (number, file))
}

/// Reads a text. The size of a file cannot be trusted: some kernel files report none and never end.
fn read(path: &Path) -> Result<String, Skip> {
    let unreadable = |error: std::io::Error| Skip::Unreadable(error.to_string());
    let meta = fs::metadata(path).map_err(unreadable)?;
    if !meta.is_file() {
        return Err(Skip::Unreadable("not a regular file".to_owned()));
    }
    let mut bytes = Vec::new();
    let mut file = fs::File::open(path).map_err(unreadable)?.take(MAX_FILE + 1);
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    as_text(bytes)
}

fn as_text(bytes: Vec<u8>) -> Result<String, Skip> {
    if bytes.iter().take(HEAD).any(|byte| *byte == 0) {
        return Err(Skip::Binary);
    }
    if bytes.len() as u64 > MAX_FILE {
        return Err(Skip::TooLarge);
    }
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

impl std::fmt::Display for Skip {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Skip::Binary => write!(out, "not text"),
            Skip::TooLarge => write!(out, "larger than {} MB", MAX_FILE >> 20),
            Skip::Unreadable(why) => write!(out, "cannot be read: {why}"),
        }
    }
}

/// Returns whether a rule can be checked on an existing file: only rules about content can.
fn is_about_files(rule: &Rule) -> bool {
    rule.hook.is_tool_use()
        // A file that is checked exists, and no agent writes it.
        && rule.when.new_file != Some(true)
        && !rule.when.are_about_agents()
        && rule.tool.as_ref().is_none_or(|tool| TOOLS.iter().any(|name| tool.accepts(name)))
        && rule.does.is_none()
        && rule.commands.is_none()
        && rule.excepted_commands.is_none()
        && !(rule.matchers.is_empty() && rule.exceptions.is_empty())
        && rule.matchers.iter().chain(&rule.exceptions).all(|one| one.field == Field::Content)
}
