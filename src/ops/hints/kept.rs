//! Hints that stay: in `.nudge/hints.json` of a project, or in a file of the user.
//!
//! Every PRIMARY reads them for a caller that works there, and commands read and change them without a server. A file of
//! a repository is a stranger's: it is a regular file inside the project, bounded, checked like any import, and applies
//! to callers in that project only.

mod cache;
mod local;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

pub(super) use self::cache::KeptCache;
pub(crate) use self::local::LocalHints;
use crate::config::paths;
use crate::files;
use crate::hints::{HintFile, HintLimits, HintTable, import, payload};
use crate::model::{HintFlaw, ImportMode, ImportReport};
use crate::system::project::ProjectPlace;

/// A file of kept hints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeptFile {
    path: PathBuf,
    /// The project that it belongs to; `None` for the user's own.
    root: Option<PathBuf>,
}

/// Where to keep a hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeepPlace {
    /// In the project of the current folder.
    Project,
    /// For all projects of the user.
    User,
}

const PROJECT_FOLDER: &str = ".nudge";
const FILE: &str = "hints.json";
const LOCK: &str = "hints.lock";
const MAX_BYTES: u64 = 1 << 20;
/// Maximum number of hints in the file of a project; a session has room for 5,000.
const MAX_PROJECT_HINTS: usize = 200;
/// How long a command waits for another one that changes the file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

impl KeptFile {
    pub(crate) fn of_user() -> Option<KeptFile> {
        Some(KeptFile { path: paths::data_dir()?.join(FILE), root: None })
    }

    /// Returns the file of the project that a folder is in; the home folder is not a project.
    pub(crate) fn of_project(folder: &Path) -> Option<KeptFile> {
        let root = ProjectPlace::find(None, folder).root().to_owned();
        let is_project =
            root.is_absolute() && paths::home_dir().as_deref() != Some(&root) && root.parent().is_some();
        is_project.then(|| KeptFile { path: root.join(PROJECT_FOLDER).join(FILE), root: Some(root) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn kind(&self) -> HintFile {
        if self.root.is_some() { HintFile::Project } else { HintFile::User }
    }

    pub(crate) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Reads the file; a missing one has no hints. Entries that cannot be used are in the report.
    fn read(&self, limits: &HintLimits, now: Timestamp) -> io::Result<(HintTable, ImportReport)> {
        if let Some(root) = &self.root
            && self.exists()
            && !files::leads_inside(&self.path, root)?
        {
            return Err(io::Error::other("it is a link that leads out of the project"));
        }
        let bytes = match files::read_regular(&self.path, MAX_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Default::default()),
            read => read?,
        };
        let store: Value = serde_json::from_slice(&bytes)?;
        let mut table = HintTable::default();
        let report = import(&mut table, &[&store], ImportMode::Merge, &self.limits(limits), now)
            .map_err(|flaw| io::Error::other(flaw.detail))?;
        Ok((table.kept_in(self.kind(), now), report))
    }

    fn limits(&self, limits: &HintLimits) -> HintLimits {
        let max_hints = if self.root.is_some() { MAX_PROJECT_HINTS } else { limits.max_hints };
        HintLimits { max_hints, default_ttl: "session".to_owned(), ..limits.clone() }
    }

    fn write(&self, table: &HintTable, now: Timestamp) -> io::Result<()> {
        let table = table.for_file(now);
        let mut text = serde_json::to_vec_pretty(&payload("kept", now, table.all(now)))?;
        text.push(b'\n');
        if text.len() as u64 > MAX_BYTES {
            return Err(io::Error::other(format!("the file would be larger than {} KiB", MAX_BYTES >> 10)));
        }
        let folder = self.path.parent().unwrap_or(&self.path);
        match &self.root {
            Some(root) => {
                std::fs::create_dir_all(folder)?;
                if !files::leads_inside(folder, root)? {
                    return Err(io::Error::other("`.nudge` is a link that leads out of the project"));
                }
            }
            None => files::make_private_dir(folder)?,
        }
        files::replace(&self.path, &[&text])
    }

    /// Changes the hints of the file, while no other command does.
    fn change<T>(
        &self,
        limits: &HintLimits,
        now: Timestamp,
        change: impl FnOnce(&mut HintTable) -> Result<T, HintFlaw>,
    ) -> Result<T, KeepError> {
        let io = |error: io::Error| KeepError::File { path: self.path.clone(), error: error.to_string() };
        let data = paths::data_dir().ok_or_else(|| io(io::ErrorKind::NotFound.into()))?;
        files::make_private_dir(&data).map_err(io)?;
        let options = files::private_file().write(true).create(true).clone();
        let _lock = files::lock(&data.join(LOCK), &options, LOCK_TIMEOUT).map_err(io)?;
        let (mut table, report) = self.read(limits, now).map_err(io)?;
        // An entry that was not understood would be lost by writing the file again.
        if let Some(unread) = report.errors.iter().find(|unread| unread.detail != "it has expired") {
            let key = unread.key.as_deref().unwrap_or_default();
            let error = format!("`{}/{key}` cannot be read: {}", unread.component, unread.detail);
            return Err(io(io::Error::other(error)));
        }
        let done = change(&mut table).map_err(KeepError::Refused)?;
        self.write(&table, now).map_err(io)?;
        Ok(done)
    }
}

/// Why a hint was not kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeepError {
    #[error("{}", .0.detail)]
    Refused(HintFlaw),
    #[error("{} cannot be used: {error}", path.display())]
    File { path: PathBuf, error: String },
}
