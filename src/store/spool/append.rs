//! Appending to the spool: one write, all or nothing.

use std::fs::{File, TryLockError};
use std::io::{self, Seek, Write};

use tempfile::NamedTempFile;

use super::{Spool, ToldLine, WAITING, checksum, unique};
use crate::files::{is_still, make_private_dir, open_regular, private_file};
use crate::model::{NewObservation, Told};

/// A writer that finds the file renamed or locked this often creates a separate one: drains are not that frequent, so
/// another program has locked the file.
const MAX_ATTEMPTS: usize = 100;

impl Spool {
    /// Appends observations in one write; once this returns, a crash of the process does not lose them.
    pub(crate) fn append(&self, observations: &[NewObservation]) -> io::Result<()> {
        if observations.is_empty() {
            return Ok(());
        }
        let mut lines = Vec::new();
        for observation in observations {
            add_line(&mut lines, &serde_json::to_vec(observation)?);
        }
        self.append_bytes(&lines)
    }

    /// Appends what an agent was told.
    pub(crate) fn append_told(&self, told: &Told) -> io::Result<()> {
        let mut lines = Vec::new();
        add_line(&mut lines, &serde_json::to_vec(&ToldLine { told })?);
        self.append_bytes(&lines)
    }

    fn append_bytes(&self, lines: &[u8]) -> io::Result<()> {
        loop {
            match self.append_lines(lines) {
                Err(error)
                    if error.kind() == io::ErrorKind::StorageFull && self.use_reserve(lines.len() as u64) => {
                }
                appended => return appended,
            }
        }
    }

    fn append_lines(&self, lines: &[u8]) -> io::Result<()> {
        for _ in 0..MAX_ATTEMPTS {
            if let Some(mut file) = self.open_waiting()? {
                return append_whole(&mut file, lines);
            }
        }
        self.add_file(lines)
    }

    /// Writes the lines to a separate file, which the next drain takes.
    fn add_file(&self, lines: &[u8]) -> io::Result<()> {
        let mut file = NamedTempFile::new_in(&self.folder)?;
        file.write_all(lines)?;
        file.persist_noclobber(self.new_name()).map_err(|error| error.error)?;
        Ok(())
    }

    /// Opens the waiting file and locks it against being drained; `None` if it was renamed in between.
    fn open_waiting(&self) -> io::Result<Option<File>> {
        let path = self.folder.join(WAITING);
        let open = || open_regular(&path, private_file().append(true).read(true).create(true));
        let file = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_private_dir(&self.folder)?;
                open()?
            }
            // With a pipe or a folder of this name, every event from now on would be lost.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                let name = format!("not-a-file-{}-{}", std::process::id(), unique());
                std::fs::rename(&path, self.folder.join(name))?;
                open()?
            }
            opened => opened?,
        };
        match file.try_lock_shared() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            // If the file system has no locks, the best we can do is continue.
            Err(TryLockError::Error(_)) => return Ok(Some(file)),
        }
        Ok(is_still(&file, &path).then_some(file))
    }
}

fn add_line(lines: &mut Vec<u8>, json: &[u8]) {
    // The leading line break ends what a full disk may have torn, even while other processes append too.
    lines.extend_from_slice(format!("\n{:08x} ", checksum(json)).as_bytes());
    lines.extend_from_slice(json);
    lines.push(b'\n');
}

/// Writes all or nothing: the part that fit on a full disk is cut off again.
fn append_whole(file: &mut File, lines: &[u8]) -> io::Result<()> {
    let written = file.write(lines)?;
    if written == lines.len() {
        return Ok(());
    }
    drop(cut(file, written as u64));
    // The rest cannot be written now: another process may have appended something in between.
    Err(io::ErrorKind::StorageFull.into())
}

/// Undoes the last write, if nobody has appended after it and nobody can.
///
/// Other writers hold a shared lock. So with an exclusive lock, and if the file ends where our write did, only our own
/// bytes are cut. Otherwise the torn piece stays; a drain sets it aside.
fn cut(file: &mut File, written: u64) -> io::Result<()> {
    let end = file.stream_position()?;
    file.unlock()?;
    file.try_lock().map_err(io::Error::from)?;
    if file.metadata()?.len() == end { file.set_len(end.saturating_sub(written)) } else { Ok(()) }
}
