//! The folder `.nexus/` of one project: made when it is first written to, and read without any lock.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::state_file::{self, Locked};
use super::{NexusError, Result, contained};

/// `.nexus/` of a project, whether it is there or not.
#[derive(Debug, Clone)]
pub(crate) struct Nexus {
    project: PathBuf,
    folder: PathBuf,
}

/// The files of ours, from the project's root.
pub(crate) const PLAN: &str = ".nexus/state/plan.json";
pub(crate) const TASKS: &str = ".nexus/state/tasks.json";
pub(crate) const HISTORY: &str = ".nexus/history.json";
pub(crate) const ARTIFACTS: &str = ".nexus/state/artifacts";

const STATE: &str = ".nexus/state";
const LOCK: &str = ".nexus/state/.lock";
const IGNORE: &str = ".nexus/.gitignore";
/// What people and agents write by hand, and git keeps.
const KEPT: [&str; 3] = [".nexus/memory", ".nexus/context", ".nexus/rules"];
/// State is of this machine and this moment; everything else in the folder is for everybody.
const IGNORED: &str = "state/\n";

impl Nexus {
    pub(crate) fn of(project: &Path) -> Nexus {
        Nexus { project: project.to_owned(), folder: project.join(".nexus") }
    }

    /// Says whether the project has a `.nexus/`.
    pub(crate) fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    /// Returns a path in the project by its name from the root.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.project.join(name)
    }

    /// Makes the folder with its `state/` and `.gitignore`; returns the names of what was not there.
    pub(crate) fn make(&self) -> Result<Vec<&'static str>> {
        let mut made = self.make_folders(&[".nexus", STATE])?;
        match File::create_new(self.path(IGNORE)).and_then(|mut file| file.write_all(IGNORED.as_bytes())) {
            Ok(()) => made.push(IGNORE),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(NexusError::Io { deed: "write", file: IGNORE.to_owned(), source }),
        }
        Ok(made)
    }

    /// Makes all that belongs to it; returns the names of what was not there, and of what was.
    pub(crate) fn make_whole(&self) -> Result<(Vec<&'static str>, Vec<&'static str>)> {
        let mut made = self.make()?;
        made.extend(self.make_folders(&KEPT)?);
        let all = [".nexus", STATE, IGNORE].into_iter().chain(KEPT);
        let found = all.filter(|name| !made.contains(name)).collect();
        Ok((made, found))
    }

    fn make_folders(&self, names: &[&'static str]) -> Result<Vec<&'static str>> {
        let mut made = Vec::new();
        for name in names {
            let path = self.path(name);
            let mut builder = fs::DirBuilder::new();
            #[cfg(unix)]
            if *name == STATE {
                std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            }
            match builder.create(&path) {
                Ok(()) => made.push(*name),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(NexusError::Io { deed: "make", file: (*name).to_owned(), source }),
            }
            contained::hold(&path, &self.project, name)?;
        }
        Ok(made)
    }

    /// Makes the folder if need be, and locks it against every other process that would write.
    pub(crate) fn lock(&self, patience: Duration) -> Result<Locked<'_>> {
        self.make()?;
        let path = self.path(LOCK);
        contained::refuse_link(&path, LOCK)?;
        // The file stays for ever: who deleted it could leave two processes with a lock each.
        let failed = |source| NexusError::Io { deed: "lock", file: LOCK.to_owned(), source };
        let file = File::options().append(true).create(true).open(&path).map_err(failed)?;
        state_file::take(file, patience).map(|lock| Locked::new(self, lock))
    }

    /// Reads a file as it is at this moment; `None` if it is not there.
    pub(crate) fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let Some(bytes) = self.bytes(name)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| NexusError::Malformed {
            file: name.to_owned(),
            reason: error.to_string(),
            aside: None,
        })
    }

    /// Reads the bytes of a file; `None` if it is not there.
    pub(crate) fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let path = self.path(name);
        let failed = |source| NexusError::Io { deed: "read", file: name.to_owned(), source };
        let Some(parent) = path.parent().filter(|parent| parent.is_dir()) else { return Ok(None) };
        contained::hold(parent, &self.project, name)?;
        contained::refuse_link(&path, name)?;
        match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read.map(Some).map_err(failed),
        }
    }
}
