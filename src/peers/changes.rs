//! The log of changes since the snapshot: each is written before it is acknowledged, so that it survives the process.
//! It need not survive a power cut, which ends the session anyway.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};

use super::folder::{CHANGES, Folder, OLD_CHANGES};
use crate::files::{open_regular, private_file};

/// The open log of the PRIMARY.
pub(crate) struct ChangeLog {
    folder: Folder,
    file: File,
    /// The last line may be incomplete.
    is_torn: bool,
}

impl Folder {
    /// Opens the log to add lines to it.
    pub(crate) fn open_changes(&self) -> io::Result<ChangeLog> {
        let file = open_regular(&self.file(CHANGES), private_file().append(true).create(true))?;
        let is_torn = file.metadata()?.len() > 0;
        Ok(ChangeLog { folder: self.clone(), file, is_torn })
    }

    /// Returns the lines of the log, oldest first.
    pub(crate) fn changes(&self) -> impl Iterator<Item = Vec<u8>> {
        let files = [OLD_CHANGES, CHANGES].into_iter().filter_map(|name| File::open(self.file(name)).ok());
        let lines = files.flat_map(|file| BufReader::new(file).split(b'\n').map_while(Result::ok));
        lines.filter(|line| !line.is_empty())
    }

    /// Deletes the lines from before the last `begin_again`, once a snapshot covers them.
    pub(crate) fn remove_old_changes(&self) {
        self.remove(OLD_CHANGES);
    }

    /// Deletes the whole log.
    pub(crate) fn remove_changes(&self) {
        self.remove(OLD_CHANGES);
        self.remove(CHANGES);
    }
}

impl ChangeLog {
    /// Adds a line, with one write.
    pub(crate) fn append(&mut self, line: &str) -> io::Result<()> {
        let text = if self.is_torn { format!("\n{line}\n") } else { format!("{line}\n") };
        let written = self.file.write_all(text.as_bytes());
        self.is_torn = written.is_err();
        written
    }

    /// Moves the lines so far aside, because a snapshot is about to cover them. If the last snapshot could not be
    /// written, its lines are still there, and new ones are added to the present file.
    pub(crate) fn begin_again(&mut self) -> io::Result<()> {
        let (old, current) = (self.folder.file(OLD_CHANGES), self.folder.file(CHANGES));
        if old.exists() {
            return Ok(());
        }
        fs::rename(&current, &old)?;
        *self = self.folder.open_changes()?;
        Ok(())
    }
}
