//! The highest id that was ever assigned to an observation, in a small file beside the database.
//!
//! A damaged database no longer knows which ids it has used, and silently loses its newest rows if its log is damaged.
//! With this file no id is used twice, and a loss is noticed.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::beside;
use crate::files::{self, private_file};

/// The lock is held for microseconds. A process that cannot get it leaves the mark to the next one.
const LOCK_TIMEOUT: Duration = Duration::from_millis(20);

/// Returns the mark, or 0 if it is missing or damaged.
pub(super) fn read(database: &Path) -> i64 {
    let opened = files::open_regular(&beside(database, ".mark"), private_file().read(true));
    opened.ok().and_then(|mut file| parse(&mut file)).unwrap_or(0)
}

/// Returns when the mark was last raised.
pub(super) fn raised_at(database: &Path) -> Option<SystemTime> {
    std::fs::metadata(beside(database, ".mark")).and_then(|meta| meta.modified()).ok()
}

/// Raises the mark; it is never lowered.
pub(super) fn raise(database: &Path, id: i64) {
    // If this fails, the next observation raises the mark.
    drop(try_raise(database, id));
}

fn try_raise(database: &Path, id: i64) -> std::io::Result<()> {
    let mut options = private_file();
    options.read(true).write(true).create(true);
    let mut file = files::lock(&beside(database, ".mark"), &options, LOCK_TIMEOUT)?;
    if parse(&mut file).is_some_and(|mark| mark >= id) {
        return Ok(());
    }
    file.seek(SeekFrom::Start(0))?;
    file.write_all(line(id).as_bytes())
}

fn parse(file: &mut File) -> Option<i64> {
    let mut text = String::new();
    file.take(line(0).len() as u64).read_to_string(&mut text).ok()?;
    let id = text.split(' ').next()?.parse().ok()?;
    (line(id) == text).then_some(id)
}

/// Every line has the same length, so that a new one replaces the old one in one write.
fn line(id: i64) -> String {
    let digits = format!("{id:020}");
    let sum =
        digits.bytes().fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{digits} {sum:08x}\n")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{raise, read};

    #[test]
    fn the_mark_only_rises_and_a_damaged_one_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("nudge.db");
        assert_eq!(read(&database), 0);
        for (raised, expected) in [(5, 5), (3, 5), (12_345, 12_345), (7, 12_345)] {
            raise(&database, raised);
            assert_eq!(read(&database), expected);
        }
        let file = folder.path().join("nudge.db.mark");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replacen('0', "9", 1)).unwrap();
        assert_eq!(read(&database), 0);
        raise(&database, 20_000);
        assert_eq!(read(&database), 20_000);
    }
}
