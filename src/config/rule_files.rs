//! Finds and reads rule files: the user's, `.nudge.yaml`, and everything in `.nudge/`, always in the same order.

use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::files;
use crate::model::Problem;

/// The rule files of a project, with what was passed over.
#[derive(Debug, Default)]
pub(crate) struct RuleFiles {
    pub(crate) files: Vec<RuleFile>,
    pub(crate) problems: Vec<Problem>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RuleFile {
    pub(crate) path: PathBuf,
    /// The path as people know it: relative to the project's root, if it is inside.
    pub(crate) shown: String,
    /// What changes when the file changes.
    pub(crate) stamp: Stamp,
}

/// A file's identity and age, to tell whether it is still the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    pub(crate) modified_ns: u128,
    pub(crate) changed_ns: i128,
    pub(crate) inode: u64,
}

/// The rule file that a project begins with.
pub(crate) const FIRST: &str = ".nudge.yaml";

const MAX_DEPTH: usize = 16;
const MAX_FILES: usize = 1_000;
const MAX_BYTES: u64 = 1 << 20;

/// Writes a project's first rule file, and none over another.
pub(crate) fn write_first(root: &Path, text: &str) -> std::io::Result<()> {
    fs::File::create_new(root.join(FIRST))?.write_all(text.as_bytes())
}

/// Finds the files of all sources: user, then `.nudge.yaml`, then `.nudge/` in the order of names.
pub(crate) fn discover(root: &Path, user: Option<&Path>) -> RuleFiles {
    let mut found = RuleFiles::default();
    if let Some(user) = user {
        for name in ["rules.yaml", "rules.yml"] {
            found.add_if_there(&user.join(name), None);
        }
    }
    for name in [FIRST, ".nudge.yml"] {
        found.add_if_there(&root.join(name), Some(root));
    }
    let mut visited = HashSet::new();
    found.walk(&root.join(".nudge"), root, 0, &mut visited);
    if found.files.len() > MAX_FILES {
        let rest = found.files.len() - MAX_FILES;
        found.files.truncate(MAX_FILES);
        found.problems.push(
            Problem::error(format!("{rest} rule files beyond the first {MAX_FILES} are off"))
                .at(".nudge", 0, 0)
                .hint("put several rules into one file"),
        );
    }
    found
}

/// Reads one file as text, or says why it is off.
pub(crate) fn read(file: &RuleFile) -> Result<String, Problem> {
    let problem = |message: String| Problem::error(message).at(&file.shown, 0, 0);
    if file.stamp.size > MAX_BYTES {
        let size = file.stamp.size >> 10;
        return Err(problem(format!("{size} KB are too much for a rule file")).hint("keep it under 1 MB"));
    }
    let mut bytes = Vec::new();
    let opened = fs::File::open(&file.path).and_then(|open| open.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    opened.map_err(|error| problem(format!("cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|byte| **byte == b'\n');
        let line = line.count() + 1;
        Problem::error("is not UTF-8").at(&file.shown, line, 0).hint("save the file as UTF-8")
    })
}

/// Describes one file that a person named.
pub(crate) fn describe(path: &Path, shown: String) -> std::io::Result<RuleFile> {
    let meta = fs::metadata(path)?;
    if !meta.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    Ok(RuleFile { path: path.to_owned(), shown, stamp: Stamp::of(&meta) })
}

impl RuleFiles {
    fn add_if_there(&mut self, path: &Path, root: Option<&Path>) {
        // A link that leads nowhere is there, and its author thinks that it works.
        if path.symlink_metadata().is_ok() {
            self.add(path, root);
        }
    }

    fn add(&mut self, path: &Path, root: Option<&Path>) {
        let shown = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path).display().to_string();
        match describe(path, shown.clone()) {
            Ok(file) => self.files.push(file),
            Err(error) => {
                self.problems.push(Problem::error(format!("cannot be read: {error}")).at(&shown, 0, 0));
            }
        }
    }

    /// Links are followed; a folder that was seen before is not entered again.
    fn walk(&mut self, folder: &Path, root: &Path, depth: usize, visited: &mut HashSet<PathBuf>) {
        let Ok(entries) = fs::read_dir(folder) else {
            if folder.is_dir() {
                let shown = folder.strip_prefix(root).unwrap_or(folder).display().to_string();
                self.problems.push(Problem::error("this folder cannot be read").at(&shown, 0, 0));
            }
            return;
        };
        if depth > MAX_DEPTH {
            let shown = folder.strip_prefix(root).unwrap_or(folder).display().to_string();
            let problem = Problem::error(format!("rule files more than {MAX_DEPTH} folders deep are off"));
            self.problems.push(problem.at(&shown, 0, 0));
            return;
        }
        if !files::canonical(folder).is_ok_and(|canonical| visited.insert(canonical)) {
            return;
        }
        let mut paths: Vec<PathBuf> =
            entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        paths.sort_unstable();
        for path in paths {
            if self.files.len() > MAX_FILES * 2 {
                return;
            }
            if path.is_dir() {
                self.walk(&path, root, depth + 1, visited);
            } else if is_yaml(&path) {
                self.add(&path, Some(root));
            }
        }
    }
}

fn is_yaml(path: &Path) -> bool {
    let is =
        |ending: &std::ffi::OsStr| ending.eq_ignore_ascii_case("yaml") || ending.eq_ignore_ascii_case("yml");
    path.extension().is_some_and(is)
}

impl Stamp {
    /// Returns the stamp of what is at a path; nothing if nothing is.
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
