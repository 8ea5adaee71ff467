//! Copies of expired rows, kept for a week in a private folder beside the database, as lines of an export.
//!
//! A file is named after the id of the last row that was stored when the copy was made. As for rows, that id determines
//! how old the copy is.

use std::fs;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{Result, Store, row};
use crate::files::{make_private_dir, open_regular, private_file, replace};
use crate::model::{Inserted, NewObservation, Observation};

/// Rows are copied in batches, so that a large clean-up needs little RAM.
const MAX_BATCH: usize = 1_000;

/// Removes secrets from what older versions derived from raw text.
type Clean<'c> = dyn Fn(NewObservation) -> NewObservation + 'c;

/// Writes rows durably to a new file before they are deleted; those of older versions are cleaned.
pub(super) fn keep(store: &Store, ids: &[i64], last: i64, clean: &Clean<'_>) -> Result<()> {
    let folder = folder(&store.path);
    make_private_dir(&folder)?;
    // Two runs may have the same last row.
    let free = (0_u32..).map(|n| folder.join(format!("{last}-{n}.jsonl"))).find(|path| !path.exists());
    let path = free.unwrap_or_else(|| folder.join(format!("{last}.jsonl")));
    let written = write(store, ids, &path, clean);
    if written.is_err() {
        drop(fs::remove_file(&path));
    }
    written
}

fn write(store: &Store, ids: &[i64], path: &Path, clean: &Clean<'_>) -> Result<()> {
    // Old rows are cleaned little by little, so these may expire before they are cleaned.
    let has_old_rows = store.has_old_rows()?;
    let mut out = BufWriter::new(private_file().write(true).create_new(true).open(path)?);
    for some in ids.chunks(MAX_BATCH) {
        let list = format!("[{}]", some.iter().map(i64::to_string).collect::<Vec<_>>().join(","));
        let rest = "WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id";
        for mut observation in row::all(&store.connection, rest, [list])? {
            if has_old_rows {
                observation.seen = clean(observation.seen);
            }
            serde_json::to_writer(&mut out, &observation).map_err(io::Error::from)?;
            out.write_all(b"\n")?;
        }
    }
    out.flush()?;
    Ok(out.get_ref().sync_data()?)
}

/// Deletes the copies that were made before this row was stored.
pub(super) fn expire(database: &Path, older_than: Option<i64>) -> Result<()> {
    let Some(oldest) = older_than else { return Ok(()) };
    for path in files(database).into_iter().filter(|path| last_row(path).is_some_and(|last| last <= oldest)) {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Counts the copied rows.
pub(crate) fn count(database: &Path) -> usize {
    let lines =
        |path: PathBuf| Some(BufReader::new(open(&path).ok()?).lines().map_while(io::Result::ok).count());
    files(database).into_iter().filter_map(lines).sum()
}

/// Deletes all copies.
pub(crate) fn clear(database: &Path) -> io::Result<()> {
    files(database).into_iter().try_for_each(fs::remove_file)
}

impl Store {
    /// Removes secrets from the copies that an older version made.
    pub(crate) fn clean_copies(&self, clean: impl Fn(NewObservation) -> NewObservation) -> Result<()> {
        for path in files(&self.path) {
            let mut cleaned = Vec::new();
            for line in BufReader::new(open(&path)?).lines() {
                // A line that cannot be read could not be restored either.
                let Ok(mut observation) = serde_json::from_str::<Observation>(&line?) else { continue };
                observation.seen = clean(observation.seen);
                serde_json::to_writer(&mut cleaned, &observation).map_err(io::Error::from)?;
                cleaned.push(b'\n');
            }
            replace(&path, &[&cleaned])?;
        }
        Ok(())
    }

    /// Stores all copied rows again, with new ids, and deletes the copies.
    pub(crate) fn restore(&mut self) -> Result<Inserted> {
        let mut all = Inserted::default();
        for path in files(&self.path) {
            let rows: Vec<NewObservation> = BufReader::new(open(&path)?)
                .lines()
                .map_while(io::Result::ok)
                .filter_map(|line| serde_json::from_str::<Observation>(&line).ok())
                .map(|observation| observation.seen)
                .collect();
            for some in rows.chunks(MAX_BATCH) {
                let inserted = self.import(some)?;
                all.stored += inserted.stored;
                all.duplicates += inserted.duplicates;
            }
            fs::remove_file(path)?;
        }
        Ok(all)
    }
}

fn open(path: &Path) -> io::Result<fs::File> {
    open_regular(path, fs::OpenOptions::new().read(true))
}

fn last_row(path: &Path) -> Option<i64> {
    path.file_stem()?.to_str()?.split('-').next()?.parse().ok()
}

/// Returns the files with copies, oldest first.
fn files(database: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(database)).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| last_row(path).is_some()).collect();
    files.sort_unstable_by_key(|path| last_row(path));
    files
}

fn folder(database: &Path) -> PathBuf {
    database.with_extension("removed")
}
