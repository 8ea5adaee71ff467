//! Tasks that run once a day: a small file in the data folder has the day of the last run.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use crate::config::paths;
use crate::files;
use crate::system::clock;

const SECONDS_PER_DAY: u64 = 86_400;
/// The file contains only a number.
const MAX_BYTES: u64 = 1 << 10;

/// Returns whether this is the first time today, and records it; false if it cannot be recorded.
pub(crate) fn first(what: &str) -> bool {
    let (Some(folder), Some(path)) = (paths::data_dir(), path(what)) else { return false };
    let today = (clock::unix_seconds() / SECONDS_PER_DAY).to_string();
    if files::read_regular(&path, MAX_BYTES).is_ok_and(|day| day == today.as_bytes()) {
        return false;
    }
    let record = || {
        files::make_private_dir(&folder)?;
        let mut options = files::private_file();
        options.write(true).create(true).truncate(true);
        files::open_regular(&path, &options)?.write_all(today.as_bytes())
    };
    record().is_ok()
}

/// Removes the record: there is more to do today.
pub(crate) fn again(what: &str) {
    if let Some(path) = path(what) {
        drop(fs::remove_file(path));
    }
}

/// Returns whether this text is new, and records it; false if it cannot be recorded.
pub(crate) fn is_news(what: &str, text: &str) -> bool {
    let Some(path) = paths::data_dir().map(|folder| folder.join(format!("{what}.said"))) else {
        return false;
    };
    if fs::read_to_string(&path).is_ok_and(|last| last == text) {
        return false;
    }
    let file = files::open_regular(&path, files::private_file().write(true).create(true).truncate(true));
    file.and_then(|mut file| file.write_all(text.as_bytes())).is_ok()
}

fn path(what: &str) -> Option<PathBuf> {
    Some(paths::data_dir()?.join(format!("{what}.day")))
}
