//! The log of problems that nobody could be told about immediately. `nudge doctor` shows it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::config::paths;
use crate::files;
use crate::model::Problem;
use crate::system::clock;

/// A problem with the time when it was seen.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Logged {
    pub(crate) at: u64,
    #[serde(flatten)]
    pub(crate) problem: Problem,
}

/// Above this size a new log is started, and one old log is kept beside it.
const MAX_BYTES: u64 = 256 << 10;

/// Adds problems to the log. This is the last resort, so a failure here is ignored.
///
/// `ops::problems` has removed secrets from them.
pub(crate) fn record_clean(problems: &[Problem]) {
    if !problems.is_empty() {
        drop(append(problems));
    }
}

/// Returns the latest logged problems, newest last; a line that cannot be parsed is skipped.
pub(crate) fn recent(max: usize) -> Vec<Logged> {
    let Some(path) = path() else { return Vec::new() };
    let text = [path.with_extension("old.jsonl"), path]
        .map(|path| files::read_regular(&path, 2 * MAX_BYTES).unwrap_or_default())
        .concat();
    let text = String::from_utf8_lossy(&text);
    let all: Vec<Logged> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let skipped = all.len().saturating_sub(max);
    all.into_iter().skip(skipped).collect()
}

/// Changes every logged problem; a line that cannot be parsed is dropped.
pub(crate) fn revise(change: impl Fn(Problem) -> Problem) -> std::io::Result<()> {
    let Some(path) = path() else { return Ok(()) };
    for path in [path.with_extension("old.jsonl"), path] {
        let Ok(bytes) = fs::read(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let mut next = String::new();
        for logged in text.lines().filter_map(|line| serde_json::from_str::<Logged>(line).ok()) {
            let logged = Logged { problem: change(logged.problem), ..logged };
            next.push_str(&serde_json::to_string(&logged)?);
            next.push('\n');
        }
        if next.as_bytes() != bytes {
            files::replace(&path, &[next.as_bytes()])?;
        }
    }
    Ok(())
}

fn append(problems: &[Problem]) -> std::io::Result<()> {
    let path = path().ok_or_else(|| std::io::Error::other("no home folder"))?;
    files::make_private_dir(path.parent().unwrap_or(&path))?;
    if fs::metadata(&path).is_ok_and(|meta| meta.len() > MAX_BYTES) {
        fs::rename(&path, path.with_extension("old.jsonl"))?;
    }
    let at = clock::unix_seconds();
    let mut lines = String::new();
    for problem in problems {
        lines.push_str(&serde_json::to_string(&Logged { at, problem: problem.clone() })?);
        lines.push('\n');
    }
    let mut file = files::open_regular(&path, files::private_file().append(true).create(true))?;
    file.write_all(lines.as_bytes())
}

fn path() -> Option<PathBuf> {
    Some(paths::data_dir()?.join("problems.jsonl"))
}
