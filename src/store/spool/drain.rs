//! Storing the waiting lines: all of them are inserted, one sync makes them durable, and only then are files deleted.
//!
//! A hook that needs the newest rows in the middle of a turn does not wait for the disk: it inserts the lines and leaves
//! the files, marked as inserted. The next durable drain inserts them again, which changes nothing unless a power cut has
//! lost the rows, and deletes them after its sync.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use super::taken::{SpoolFile, SpoolLock};
use super::{Drained, Extent, MAX_BATCH, ParsedLines, REJECTED, Spool, WAITING, parse_lines, split_batch};
use crate::files::{open_regular, private_file};
use crate::store::{Result, Store};

/// How long a drain waits for writers. An append takes microseconds, so a writer that is not done by then is stopped.
const WRITER_TIMEOUT: Duration = Duration::from_millis(50);
/// A file that another drain renames meanwhile is looked up again, but not forever.
const MAX_PASSES: usize = 3;
/// Some agents never report the end of a turn: when this much is left in the spool, the next drain is durable.
const MAX_UNSYNCED_FILES: usize = 32;
const MAX_UNSYNCED_BYTES: u64 = 1 << 20;
/// The same for a file that is this much older than the newest one.
const MAX_UNSYNCED_AGE: Duration = Duration::from_secs(600);

impl Spool {
    /// Stores the waiting lines; durably, unless only `Extent::Unsynced` is wanted.
    pub(crate) fn drain_into(&self, store: &mut Store, extent: Extent) -> Result<Drained> {
        let mut drain = Drain {
            spool: self,
            is_durable: extent != Extent::Unsynced || is_sync_due(&self.files()),
            room: if extent == Extent::All { usize::MAX } else { MAX_BATCH },
            inserted: Vec::new(),
            drained: Drained::default(),
        };
        self.take_waiting()?;
        let outcome = drain.insert_files(store);
        // What was inserted before a failure does not have to be inserted again.
        let finished = drain.finish(store);
        outcome.and(finished)?;
        self.keep_reserve();
        Ok(drain.drained)
    }

    /// Renames the waiting file, so that new lines go to another.
    fn take_waiting(&self) -> io::Result<()> {
        match fs::rename(self.folder.join(WAITING), self.new_name()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            renamed => renamed,
        }
    }

    fn set_aside(&self, lines: &[&[u8]]) -> io::Result<()> {
        let path = self.folder.join(REJECTED);
        let mut file = open_regular(&path, private_file().append(true).create(true))?;
        for line in lines {
            file.write_all(line)?;
            file.write_all(b"\n")?;
        }
        // The only other copy of these lines is about to be deleted.
        file.sync_data()
    }
}

/// Returns whether too much is inserted but not synced.
fn is_sync_due(files: &[SpoolFile]) -> bool {
    let newest = files.iter().filter_map(|file| file.modified).max();
    let unsynced: Vec<&SpoolFile> = files.iter().filter(|file| file.inserted_until.is_some()).collect();
    let is_old = |file: &&SpoolFile| {
        let age =
            newest.zip(file.modified).and_then(|(newest, modified)| newest.duration_since(modified).ok());
        age.is_some_and(|age| age > MAX_UNSYNCED_AGE)
    };
    unsynced.len() >= MAX_UNSYNCED_FILES
        || unsynced.iter().map(|file| file.length).sum::<u64>() >= MAX_UNSYNCED_BYTES
        || unsynced.iter().any(is_old)
}

/// One run over the files of a spool.
struct Drain<'s> {
    spool: &'s Spool,
    is_durable: bool,
    /// How many more lines may be stored.
    room: usize,
    /// The files whose lines are in the database, still locked.
    inserted: Vec<InsertedFile>,
    drained: Drained,
}

/// A file with lines that were inserted and are perhaps not on the disk yet.
struct InsertedFile {
    taken: SpoolFile,
    /// Whether every line of the file is inserted and nobody can append more.
    is_complete: bool,
}

impl Drain<'_> {
    /// Inserts the lines of all files that can be locked.
    fn insert_files(&mut self, store: &mut Store) -> Result<()> {
        let last_id = store.last_id()?;
        for _ in 0..MAX_PASSES {
            let mut is_renamed = false;
            self.drained.skipped = 0;
            let ours: Vec<PathBuf> = self.inserted.iter().map(|file| file.taken.path.clone()).collect();
            for mut taken in self.spool.files() {
                if self.room == 0 {
                    return Ok(());
                }
                // A power cut may have lost the rows of a file that is marked as inserted.
                let is_inserted = taken.inserted_until.is_some_and(|id| id <= last_id);
                if taken.is_waiting() || ours.contains(&taken.path) || !self.is_durable && is_inserted {
                    continue;
                }
                // Another process may be draining this file: a reader must see what that process stores.
                match taken.lock(store.lock_timeout, WRITER_TIMEOUT) {
                    lock @ (SpoolLock::Alone | SpoolLock::BesideWriters) => {
                        self.insert_file(taken, &lock, store)?;
                    }
                    SpoolLock::Refused => self.drained.skipped += 1,
                    SpoolLock::NotOurs => is_renamed = true,
                }
            }
            if !is_renamed {
                break;
            }
        }
        Ok(())
    }

    fn insert_file(&mut self, mut taken: SpoolFile, lock: &SpoolLock, store: &mut Store) -> Result<()> {
        let inserted = self.insert_lines(&mut taken, lock, store);
        let is_complete = matches!(inserted, Ok(true)) && *lock == SpoolLock::Alone;
        // Only a whole file can be marked as inserted.
        self.is_durable |= !is_complete;
        self.inserted.push(InsertedFile { taken, is_complete });
        inserted.map(|_| ())
    }

    /// Inserts the lines of a file, batch by batch; returns whether it reached the end.
    fn insert_lines(&mut self, taken: &mut SpoolFile, lock: &SpoolLock, store: &mut Store) -> Result<bool> {
        loop {
            let chunk = taken.read_chunk(lock)?;
            let mut rest = chunk.bytes.as_slice();
            while !rest.is_empty() {
                if self.room == 0 {
                    return Ok(false);
                }
                let (batch, behind) = split_batch(rest, MAX_BATCH.min(self.room));
                let ParsedLines { observations, told, torn } = parse_lines(batch);
                self.room = self.room.saturating_sub(observations.len().max(1));
                self.drained.add(store.insert_unsynced(&observations)?);
                store.insert_told(&told)?;
                // Neither a row without a key nor a torn line may be stored a second time.
                self.is_durable |= !torn.is_empty() || observations.iter().any(|row| row.event_key.is_none());
                if !torn.is_empty() {
                    self.spool.set_aside(&torn)?;
                    self.drained.rejected += torn.len();
                }
                taken.position += batch.len() as u64;
                rest = behind;
            }
            if chunk.is_end || chunk.bytes.is_empty() {
                return Ok(true);
            }
        }
    }

    /// Makes durable what was inserted and deletes it from the spool, or marks the files as inserted.
    fn finish(&mut self, store: &Store) -> Result<()> {
        if self.inserted.is_empty() {
            return Ok(());
        }
        let has_rows = self.inserted.iter().any(|file| file.taken.position > file.taken.stored);
        if has_rows && self.is_durable {
            store.sync()?;
        }
        let last_id = store.last_id()?;
        for InsertedFile { mut taken, is_complete } in self.inserted.drain(..) {
            if !self.is_durable && taken.position > taken.stored {
                taken.note_inserted(last_id)?;
            } else if is_complete {
                taken.remove()?;
            } else if taken.position > taken.stored {
                taken.note_stored()?;
            }
        }
        Ok(())
    }
}
