//! Which files are checked: those below the given paths, and of these perhaps only what git says has changed.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{Checker, Skip, SkippedFile};
use crate::config::env;
use crate::files;
use crate::nexus::git::{GitError, Repository};

/// Folders whose files are made by the kernel as they are read: some never end, and none is anybody's text.
const KERNEL_FOLDERS: [&str; 3] = ["/dev", "/proc", "/sys"];

/// Which of the files below the paths are meant.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FileChoice<'c> {
    All,
    /// What differs from the last commit, or from where this branch left another one.
    Changed(Option<&'c str>),
    /// What the next commit has, as it has it.
    Staged,
}

/// A file to check.
#[derive(Debug)]
pub(crate) struct ChosenFile {
    pub(crate) path: PathBuf,
    /// Its content in git's index, if that is what is checked.
    pub(crate) staged: Option<Vec<u8>>,
}

/// Why no file could be chosen.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckError {
    #[error("`{0}` is not in a git repository, which knows what has changed")]
    NoRepository(String),
    #[error(transparent)]
    Git(GitError),
}

impl CheckError {
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            CheckError::NoRepository(_) => Some("check all files with `nudge check`"),
            CheckError::Git(error) => error.hint(),
        }
    }
}

impl Checker {
    /// Returns the files to check, sorted and each once, and what cannot be read.
    pub(crate) fn files(
        &self,
        paths: &[PathBuf],
        choice: FileChoice<'_>,
    ) -> Result<(Vec<ChosenFile>, Vec<SkippedFile>), CheckError> {
        let on_disk = |path: PathBuf| ChosenFile { path, staged: None };
        let paths: Vec<PathBuf> = match choice {
            FileChoice::All => paths.to_vec(),
            // git names files without links in their folders.
            FileChoice::Changed(_) | FileChoice::Staged => {
                paths.iter().map(|path| without_links(path)).collect()
            }
        };
        // What is ignored is decided by one walk in all cases.
        let (walked, skipped) = self.walk(&paths);
        let files = match choice {
            FileChoice::All => walked.into_iter().map(on_disk).collect(),
            FileChoice::Changed(base) => {
                let changed: HashSet<PathBuf> = self.repository()?.changed_files(base)?.into_iter().collect();
                walked.into_iter().filter(|path| changed.contains(path)).map(on_disk).collect()
            }
            FileChoice::Staged => {
                let walked: HashSet<PathBuf> = walked.into_iter().collect();
                let staged = self.repository()?.staged_files(env::folder("GIT_INDEX_FILE").as_deref())?;
                // A staged file may be gone from the disk, where the walk cannot find it.
                let is_meant = |path: &Path| {
                    walked.contains(path)
                        || (!path.exists()
                            && !self.is_rule_file(path)
                            && paths.iter().any(|above| path.starts_with(above)))
                };
                let staged = staged.into_iter().filter(|file| is_meant(&file.path));
                staged.map(|file| ChosenFile { path: file.path, staged: Some(file.content) }).collect()
            }
        };
        Ok((files, skipped))
    }

    fn is_rule_file(&self, path: &Path) -> bool {
        let shown = self.shown(path);
        let first = Path::new(&shown).iter().next();
        first.is_some_and(|name| name == ".nudge" || name == ".nudge.yaml" || name == ".nudge.yml")
    }

    fn repository(&self) -> Result<Repository, CheckError> {
        Repository::of(&self.root).map_err(|error| match error {
            GitError::NoRepository(folder) => CheckError::NoRepository(folder),
            other => CheckError::Git(other),
        })
    }

    /// Returns the files below the paths that git does not ignore, sorted and each once, and what cannot be read.
    fn walk(&self, paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<SkippedFile>) {
        let (mut files, mut skipped) = (Vec::new(), Vec::new());
        let Some((first, more)) = paths.split_first() else { return (files, skipped) };
        let mut walk = ignore::WalkBuilder::new(first);
        for path in more {
            walk.add(path);
        }
        let is_wanted = |entry: &ignore::DirEntry| {
            entry.file_name() != ".git"
                && !KERNEL_FOLDERS.iter().any(|folder| entry.path() == Path::new(folder))
        };
        walk.hidden(false).filter_entry(is_wanted).sort_by_file_path(Path::cmp);
        let mut seen = HashSet::new();
        for entry in walk.build() {
            match entry {
                // A link or pipe that the user names is included: a link is read, a pipe is reported as skipped.
                Ok(entry)
                    if entry.file_type().is_some_and(|kind| kind.is_file())
                        || (entry.depth() == 0 && !entry.path().is_dir()) =>
                {
                    let path = entry.into_path();
                    // Rule files are left out: they quote what they forbid.
                    if !self.is_rule_file(&path) && seen.insert(path.clone()) {
                        files.push(path);
                    }
                }
                Ok(_) => {}
                Err(error) => skipped.push(self.skipped_by_walk(error, first)),
            }
        }
        (files, skipped)
    }

    fn skipped_by_walk(&self, error: ignore::Error, start: &Path) -> SkippedFile {
        let mut path = start.to_owned();
        let mut error = error;
        loop {
            error = match error {
                ignore::Error::WithPath { path: named, err } => {
                    path = named;
                    *err
                }
                ignore::Error::WithDepth { err, .. } => *err,
                other => {
                    break SkippedFile { file: self.shown(&path), why: Skip::Unreadable(other.to_string()) };
                }
            };
        }
    }
}

fn without_links(path: &Path) -> PathBuf {
    if path.is_dir() {
        return files::canonical(path).unwrap_or_else(|_| path.to_owned());
    }
    let folder = path.parent().and_then(|folder| files::canonical(folder).ok());
    folder.zip(path.file_name()).map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name))
}

impl From<GitError> for CheckError {
    fn from(error: GitError) -> CheckError {
        CheckError::Git(error)
    }
}
