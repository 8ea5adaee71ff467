//! What is done once a day: a small file in the data folder says when it was done last.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use super::{clock, paths};
use crate::files;

const SECONDS: u64 = 86_400;

/// Says whether this is the first time today, and takes note; where nothing can be noted, it never is.
pub(crate) fn first(what: &str) -> bool {
    let (Some(folder), Some(path)) = (paths::data_dir(), path(what)) else { return false };
    let today = (clock::unix_seconds() / SECONDS).to_string();
    if fs::read_to_string(&path).is_ok_and(|day| day == today) {
        return false;
    }
    let note = || {
        files::make_private_dir(&folder)?;
        let mut options = files::private_file();
        let file = files::open_regular(&path, options.write(true).create(true).truncate(true));
        file?.write_all(today.as_bytes())
    };
    note().is_ok()
}

/// Takes the note back: there is more to do today.
pub(crate) fn again(what: &str) {
    if let Some(path) = path(what) {
        drop(fs::remove_file(path));
    }
}

/// Says whether this was not said before, and takes note; where nothing can be noted, it is not said.
pub(crate) fn is_news(what: &str, text: &str) -> bool {
    let Some(path) = paths::data_dir().map(|folder| folder.join(format!("{what}.said"))) else {
        return false;
    };
    if fs::read_to_string(&path).is_ok_and(|said| said == text) {
        return false;
    }
    let file = files::open_regular(&path, files::private_file().write(true).create(true).truncate(true));
    file.and_then(|mut file| file.write_all(text.as_bytes())).is_ok()
}

fn path(what: &str) -> Option<PathBuf> {
    Some(paths::data_dir()?.join(format!("{what}.day")))
}
