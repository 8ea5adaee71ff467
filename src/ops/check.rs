//! Checks files against the rules, as if each were being written now: for CI and for people.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::load_rules;
use super::try_rules::try_rules;
use crate::model::{Event, Hook, Problem, ToolAction, ToolCall};
use crate::rules::{Action, Book, Field, MissingVersion, Outcome, Rule};

/// A rule that fired on a file.
pub(crate) struct Finding {
    pub(crate) file: String,
    pub(crate) lines: Vec<usize>,
    pub(crate) rule: String,
    pub(crate) action: Action,
    pub(crate) message: String,
}

/// What became of one file.
pub(crate) struct Checked {
    pub(crate) findings: Vec<Finding>,
    /// Rules that could not be evaluated on it.
    pub(crate) problems: Vec<Problem>,
    /// Not text, or too large to look at.
    pub(crate) skipped: bool,
}

/// The rules that can be asked of a file, with the project that they belong to.
pub(crate) struct Checker {
    root: PathBuf,
    bytes: Vec<u8>,
    pub(crate) rules: usize,
    pub(crate) problems: Vec<Problem>,
}

const MAX_FILE: u64 = 16 << 20;
/// The tool by which a file gets its content.
const TOOL: &str = "Write";
/// A file may take as long as it needs, within reason: nobody waits for a hook here.
const DEADLINE: Duration = Duration::from_secs(10);

impl Checker {
    pub(crate) fn new(root: &Path) -> Checker {
        let (files, mut problems) = load_rules::files(root, MissingVersion::Warn);
        let mut rules = Vec::new();
        for file in files {
            problems.extend(file.loaded.problems);
            rules.extend(file.loaded.rules.into_iter().filter(is_about_files));
        }
        // Before or after makes no difference to a file that is there.
        rules.iter_mut().for_each(|rule| rule.hook = Hook::PreToolUse);
        let count = rules.iter().filter(|rule| rule.enabled).count();
        Checker { root: root.to_owned(), bytes: Book::pack(&rules, Vec::new()), rules: count, problems }
    }

    /// Returns the files below the paths that git would not ignore, in order and each once.
    pub(crate) fn files(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let Some((first, more)) = paths.split_first() else { return Vec::new() };
        let mut walk = ignore::WalkBuilder::new(first);
        for path in more {
            walk.add(path);
        }
        walk.hidden(false).filter_entry(|entry| entry.file_name() != ".git").sort_by_file_path(Path::cmp);
        let entries = walk.build().filter_map(Result::ok);
        let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
        let mut seen = HashSet::new();
        // Rule files quote what they forbid.
        let files = files.map(ignore::DirEntry::into_path).filter(|path| !is_rule_file(path, &self.root));
        files.filter(|path| seen.insert(path.clone())).collect()
    }

    pub(crate) fn check(&self, path: &Path) -> Checked {
        let mut checked = Checked { findings: Vec::new(), problems: Vec::new(), skipped: false };
        let content =
            fs::metadata(path).ok().filter(|meta| meta.len() <= MAX_FILE).and_then(|_| fs::read(path).ok());
        let Some(content) = content.and_then(|bytes| String::from_utf8(bytes).ok()) else {
            checked.skipped = true;
            return checked;
        };
        let Some(book) = Book::open(&self.bytes) else { return checked };
        let shown = path.strip_prefix(&self.root).unwrap_or(path).display().to_string();
        let event = Arc::new(self.write(shown.clone(), content));
        let tried = try_rules(&book, &event, &self.root, DEADLINE);
        for tried in tried {
            match tried.outcome {
                Outcome::Fired(fired) => checked.findings.push(Finding {
                    file: shown.clone(),
                    lines: fired.lines,
                    rule: tried.rule.name,
                    action: fired.action,
                    message: fired.message,
                }),
                Outcome::Unevaluated(why) => {
                    checked.problems.push(Problem::error(why).at(&shown, 0, 0).of_rule(&tried.rule.name));
                }
                Outcome::Unmatched(_) | Outcome::Excepted => {}
            }
        }
        checked
    }

    fn write(&self, path: String, content: String) -> Event {
        Event {
            hook: Hook::PreToolUse,
            cwd: self.root.clone(),
            project: Some(self.root.clone()),
            tool: Some(ToolCall { name: TOOL.into(), action: ToolAction::Write { path, content } }),
            ..Event::default()
        }
    }
}

fn is_rule_file(path: &Path, root: &Path) -> bool {
    let first = path.strip_prefix(root).ok().and_then(|path| path.iter().next());
    first.is_some_and(|name| name == ".nudge" || name == ".nudge.yaml" || name == ".nudge.yml")
}

/// Only a rule about contents says something of a file that merely exists, as if it were being written.
fn is_about_files(rule: &Rule) -> bool {
    rule.hook.is_tool_use()
        && rule.tool.as_ref().is_none_or(|tool| tool.accepts(TOOL))
        && !rule.matchers.is_empty()
        && rule.matchers.iter().all(|one| one.field == Field::Content)
}
