//! What waits for the lock: `.nexus/state/{harness}/waiting.jsonl`, one line for each change that a hook could not make.
//!
//! An agent waits for its hooks, so a hook that meets a lock for longer than a moment leaves its change here and goes
//! on. Who has the lock next makes it, before changes of its own.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::state_file::Locked;
use super::{Nexus, NexusError, Result, contained};
use crate::files::is_still;

/// More than this does not wait: whoever holds the lock for so long does not come back.
const MOST_BYTES: u64 = 1 << 20;
/// So often a file is opened anew that somebody has just taken away.
const TRIES: usize = 5;

impl Nexus {
    /// Leaves a change for who has the lock next.
    pub(crate) fn defer(&self, harness: &str, change: &impl Serialize) -> Result<()> {
        let name = file(harness);
        let failed = |source| NexusError::Io { deed: "write", file: name.clone(), source };
        let mut line = serde_json::to_vec(change).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let path = self.path(&name);
        contained::make_folders(self.project(), Path::new(&name).parent().unwrap_or(Path::new("")), &name)?;
        contained::refuse_link(&path, &name)?;
        for _ in 0..TRIES {
            let mut file = File::options().append(true).create(true).open(&path).map_err(failed)?;
            // Who takes the file away waits for this lock, so no line comes too late.
            if file.try_lock_shared().is_ok() && is_still(&file, &path) {
                if file.metadata().map_err(failed)?.len() > MOST_BYTES {
                    return Err(failed(io::ErrorKind::FileTooLarge.into()));
                }
                return file.write_all(&line).map_err(failed);
            }
        }
        Err(failed(io::ErrorKind::WouldBlock.into()))
    }

    /// Says whether changes wait.
    pub(crate) fn has_waiting(&self, harness: &str) -> bool {
        self.path(&file(harness)).exists() || self.path(&taken(harness)).exists()
    }

    /// Returns the changes that wait, and leaves them; a line that cannot be read is passed over.
    pub(crate) fn waiting<T: DeserializeOwned>(&self, harness: &str) -> Vec<T> {
        let files = [taken(harness), file(harness)];
        files.iter().flat_map(|name| parse(&self.bytes(name).ok().flatten().unwrap_or_default())).collect()
    }
}

impl Locked<'_> {
    /// Makes the changes that wait, in their order; who still writes one is not waited for.
    pub(crate) fn make_waiting<T: DeserializeOwned>(
        &self,
        harness: &str,
        mut make: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let names = [taken(harness), file(harness)];
        let [away, path] = names.clone().map(|name| self.nexus().path(&name));
        let failed = |source| NexusError::Io { deed: "take", file: names[1].clone(), source };
        // The first is what somebody took who was ended before it was done.
        for is_first in [true, false] {
            if !is_first && path.exists() {
                fs::rename(&path, &away).map_err(failed)?;
            }
            let Some(bytes) = self.nexus().bytes(&names[0])? else { continue };
            let file = File::options().write(true).open(&away).map_err(failed)?;
            if file.try_lock().is_err() {
                return Ok(());
            }
            // Read after the lock: now nobody writes there any more.
            let bytes = self.nexus().bytes(&names[0])?.unwrap_or(bytes);
            let mut made = Ok(());
            for change in parse(&bytes) {
                made = made.and(make(change));
            }
            fs::remove_file(&away).map_err(failed)?;
            made?;
        }
        Ok(())
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Vec<T> {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

fn file(harness: &str) -> String {
    format!(".nexus/state/{harness}/waiting.jsonl")
}

/// The name of what somebody with the lock is about to make.
fn taken(harness: &str) -> String {
    format!(".nexus/state/{harness}/waiting.taken.jsonl")
}
