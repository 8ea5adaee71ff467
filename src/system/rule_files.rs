//! Finds and reads rule files: the user's, `.nudge.yaml`, and everything in `.nudge/`, always in the same order.
//!
//! A repository may contain anything, so only regular files inside the project are read, limited in number and size,
//! and the number of visited folder entries is limited.

use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::rule_levels::RuleLevel;
use crate::files;
use crate::model::Problem;

/// The rule files of a project, and problems with skipped ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct RuleFiles {
    pub(crate) files: Vec<RuleFile>,
    pub(crate) problems: Vec<Problem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleFile {
    pub(crate) path: PathBuf,
    /// The path for people: relative to the top of its checkout, if it is inside.
    pub(crate) shown: String,
    /// Changes when the file changes.
    pub(crate) stamp: Stamp,
}

/// A file's identity and age, to recognize whether it is unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    pub(crate) modified_ns: u128,
    pub(crate) changed_ns: i128,
    pub(crate) inode: u64,
}

/// The first rule file of a project.
pub(crate) const FIRST: &str = ".nudge.yaml";

const MAX_DEPTH: usize = 16;
const MAX_FILES: usize = 1_000;
/// Maximum number of files and folders in `.nudge/` that are visited.
const MAX_ENTRIES: usize = 5_000;
const MAX_BYTES: u64 = 1 << 20;
/// Maximum size of all rule files of a project together.
const MAX_TOTAL_BYTES: u64 = 4 << 20;

/// Writes a project's first rule file; never overwrites one.
pub(crate) fn write_first(root: &Path, text: &str) -> std::io::Result<()> {
    create(&root.join(FIRST), text)
}

/// The user's own rule file, in the user's config folder.
pub(crate) const USERS: &str = "rules.yaml";

/// Creates a rule file and its folder; never overwrites one.
pub(crate) fn create(path: &Path, text: &str) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::File::create_new(path)?.write_all(text.as_bytes())
}

/// Replaces the text of a rule file at once, so that a hook never reads half of it. A link stays a link.
pub(crate) fn rewrite(file: &RuleFile, text: &str) -> std::io::Result<()> {
    files::rewrite(&file.path, text)
}

/// Finds the files of all sources: the user's, then for each level `.nudge.yaml` and `.nudge/`, sorted by name.
pub(crate) fn discover(levels: &[RuleLevel], user: Option<&Path>) -> RuleFiles {
    let mut found = user.map(discover_user).unwrap_or_default();
    for level in levels {
        let of_level = discover_level(level);
        found.files.extend(of_level.files);
        found.problems.extend(of_level.problems);
    }
    found
}

/// Finds the user's own files, in the user's config folder.
pub(crate) fn discover_user(folder: &Path) -> RuleFiles {
    let mut found = RuleFiles::default();
    for name in [USERS, "rules.yml"] {
        found.add_if_exists(&folder.join(name), None);
    }
    found
}

/// Finds the files of one folder: `.nudge.yaml`, then `.nudge/` sorted by name.
pub(crate) fn discover_level(level: &RuleLevel) -> RuleFiles {
    let mut found = RuleFiles::default();
    for name in [FIRST, ".nudge.yml"] {
        found.add_if_exists(&level.folder.join(name), Some(level));
    }
    let folder = level.folder.join(".nudge");
    if found.is_inside(&folder, level) {
        let mut walk = Walk { level, visited: HashSet::new(), entries: 0 };
        walk.enter(&folder, 0, &mut found);
    }
    found.limit_number();
    found.limit_total();
    found
}

/// Reads one file as text, or returns why it is skipped.
pub(crate) fn read(file: &RuleFile) -> Result<String, Problem> {
    let problem = |message: String| Problem::error(message).at(&file.shown, 0, 0);
    if file.stamp.size > MAX_BYTES {
        let size = file.stamp.size >> 10;
        return Err(problem(format!("{size} KB is too much for a rule file")).hint("keep it under 1 MB"));
    }
    let bytes = files::read_regular(&file.path, MAX_BYTES);
    let bytes = bytes.map_err(|error| problem(format!("cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|byte| **byte == b'\n');
        let line = line.count() + 1;
        Problem::error("the file is not UTF-8").at(&file.shown, line, 0).hint("save the file as UTF-8")
    })
}

/// Describes a file that a person names.
pub(crate) fn describe(path: &Path, shown: String) -> std::io::Result<RuleFile> {
    let meta = fs::metadata(path)?;
    if !meta.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    Ok(RuleFile { path: path.to_owned(), shown, stamp: Stamp::of(&meta) })
}

impl RuleFiles {
    fn add_if_exists(&mut self, path: &Path, level: Option<&RuleLevel>) {
        // A broken link is reported too: its author thinks that it works.
        if path.symlink_metadata().is_ok() && level.is_none_or(|level| self.is_inside(path, level)) {
            self.add(path, level);
        }
    }

    fn add(&mut self, path: &Path, level: Option<&RuleLevel>) {
        let shown = level.map_or_else(|| path.display().to_string(), |level| shown(path, level));
        match describe(path, shown.clone()) {
            Ok(file) => self.files.push(file),
            Err(error) => {
                self.problems.push(Problem::error(format!("cannot be read: {error}")).at(&shown, 0, 0));
            }
        }
    }

    /// Returns whether a path is inside the project, and reports one that is not. A missing file counts as inside.
    fn is_inside(&mut self, path: &Path, level: &RuleLevel) -> bool {
        let is_inside = files::leads_inside(path, &level.top).unwrap_or(true);
        if !is_inside {
            let problem =
                Problem::error("points outside the project, so it is not read").at(&shown(path, level), 0, 0);
            self.problems
                .push(problem.hint("copy the rules into the project, or put them into your own rules"));
        }
        is_inside
    }

    fn limit_number(&mut self) {
        if let Some(rest) = self.files.len().checked_sub(MAX_FILES).filter(|rest| *rest > 0) {
            self.files.truncate(MAX_FILES);
            self.problems.push(
                Problem::error(format!("{rest} rule files beyond the first {MAX_FILES} are not read"))
                    .at(".nudge", 0, 0)
                    .hint("put several rules into one file"),
            );
        }
    }

    fn limit_total(&mut self) {
        let mut total = 0;
        // A file that is too large on its own is not read at all.
        let sizes =
            self.files.iter().map(|file| if file.stamp.size > MAX_BYTES { 0 } else { file.stamp.size });
        let fitting = sizes.take_while(|size| {
            total += size;
            total <= MAX_TOTAL_BYTES
        });
        let fitting = fitting.count();
        if fitting < self.files.len() {
            let rest = self.files.len() - fitting;
            self.files.truncate(fitting);
            let message = format!(
                "{rest} rule files are not read: together they have more than {} MB",
                MAX_TOTAL_BYTES >> 20
            );
            self.problems
                .push(Problem::error(message).at(".nudge", 0, 0).hint("keep fewer or shorter rules"));
        }
    }
}

/// A walk through `.nudge/`. Links inside the project are followed; no folder is visited twice.
struct Walk<'l> {
    level: &'l RuleLevel,
    visited: HashSet<PathBuf>,
    /// How many files and folders were visited.
    entries: usize,
}

impl Walk<'_> {
    fn enter(&mut self, folder: &Path, depth: usize, found: &mut RuleFiles) {
        let Ok(entries) = fs::read_dir(folder) else {
            if folder.is_dir() {
                let problem = Problem::error("this folder cannot be read");
                found.problems.push(problem.at(&shown(folder, self.level), 0, 0));
            }
            return;
        };
        if depth > MAX_DEPTH {
            let problem =
                Problem::error(format!("rule files more than {MAX_DEPTH} folders deep are not read"));
            found.problems.push(problem.at(&shown(folder, self.level), 0, 0));
            return;
        }
        if !files::canonical(folder).is_ok_and(|canonical| self.visited.insert(canonical)) {
            return;
        }
        let room = MAX_ENTRIES.saturating_sub(self.entries);
        let mut entries: Vec<fs::DirEntry> = entries.take(room + 1).filter_map(Result::ok).collect();
        self.entries += entries.len();
        if entries.len() > room {
            entries.truncate(room);
            self.report_limit(found);
        }
        entries.sort_unstable_by_key(fs::DirEntry::path);
        for entry in entries {
            self.visit(&entry, depth, found);
        }
    }

    fn visit(&mut self, entry: &fs::DirEntry, depth: usize, found: &mut RuleFiles) {
        let path = entry.path();
        let Ok(mut kind) = entry.file_type() else { return };
        if kind.is_symlink() {
            let target = fs::metadata(&path).map(|meta| meta.file_type());
            let matters = is_yaml(&path) || target.as_ref().is_ok_and(fs::FileType::is_dir);
            if !matters || !found.is_inside(&path, self.level) {
                return;
            }
            kind = target.unwrap_or(kind);
        }
        if kind.is_dir() {
            self.enter(&path, depth + 1, found);
        } else if is_yaml(&path) {
            found.add(&path, Some(self.level));
        }
    }

    fn report_limit(&self, found: &mut RuleFiles) {
        let problem =
            Problem::error(format!("has more than {MAX_ENTRIES} files and folders; the others are not read"));
        let problem = problem.at(".nudge", 0, 0).hint("keep only rules there");
        if !found.problems.contains(&problem) {
            found.problems.push(problem);
        }
    }
}

/// Returns the path for people.
fn shown(path: &Path, level: &RuleLevel) -> String {
    path.strip_prefix(&level.top).unwrap_or(path).display().to_string()
}

fn is_yaml(path: &Path) -> bool {
    let is =
        |ending: &std::ffi::OsStr| ending.eq_ignore_ascii_case("yaml") || ending.eq_ignore_ascii_case("yml");
    path.extension().is_some_and(is)
}

impl RuleFile {
    /// Returns the time since the file was written, according to the file's clock.
    pub(crate) fn age(&self) -> Duration {
        let now = super::clock::since_epoch(super::clock::now()).as_nanos();
        // A file from the near future counts as new, one from the far future does not.
        Duration::from_nanos(u64::try_from(now.abs_diff(self.stamp.modified_ns)).unwrap_or(u64::MAX))
    }
}

impl Stamp {
    /// Returns the stamp of the file at a path; `None` if there is none.
    pub(crate) fn at(path: &Path) -> Option<Stamp> {
        fs::metadata(path).ok().map(|meta| Stamp::of(&meta))
    }

    pub(crate) fn of(meta: &Metadata) -> Stamp {
        let modified_ns = meta.modified().map_or(0, |time| super::clock::since_epoch(time).as_nanos());
        #[cfg(unix)]
        let (changed_ns, inode) = {
            use std::os::unix::fs::MetadataExt;
            (i128::from(meta.ctime()) * 1_000_000_000 + i128::from(meta.ctime_nsec()), meta.ino())
        };
        #[cfg(not(unix))]
        let (changed_ns, inode) = (0, 0);
        Stamp { size: meta.len(), modified_ns, changed_ns, inode }
    }
}
