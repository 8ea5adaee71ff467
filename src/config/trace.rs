//! The trace: one line for each hook, with what it did. `nudge why` explains it, `nudge doctor` counts it.
//!
//! A line costs one open and one write, and its file is bounded: past a size it makes room for a new one, and is kept
//! beside it once. Since no line is longer than `MOST_LINE`, the last thousand hooks are always there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::paths;
use super::rule_files::Stamp;
use crate::files;
use crate::model::Trace;

/// No line is longer.
const MOST_LINE: usize = 2 << 10;

/// Past this size a new file is begun: a thousand of the longest lines.
const MOST_BYTES: u64 = 1_000 * MOST_LINE as u64;

/// Adds a line; a hook must not fail for it, so a failure is nobody's business.
pub(crate) fn append(trace: Trace) {
    if let Some(path) = paths::trace() {
        drop(append_to(&path, trace));
    }
}

/// Returns what is kept, the oldest first; a line that cannot be read is passed over, and counted.
pub(crate) fn read() -> (Vec<Trace>, usize) {
    let Some(path) = paths::trace() else { return (Vec::new(), 0) };
    let (mut all, mut torn) = (Vec::new(), 0);
    for bytes in [old(&path), path].map(|path| fs::read(path).unwrap_or_default()) {
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            // Whatever is JSON could be read; what has no time was not written by us.
            match serde_json::from_slice::<Trace>(line).ok().filter(|trace| trace.at > 0) {
                Some(trace) => all.push(trace),
                None => torn += 1,
            }
        }
    }
    (all, torn)
}

/// Returns what changes when anything of it does.
pub(crate) fn stamps() -> Vec<Option<Stamp>> {
    paths::trace().iter().flat_map(|path| [old(path), path.clone()]).map(|path| Stamp::at(&path)).collect()
}

/// Removes all of it.
pub(crate) fn clear() -> io::Result<()> {
    let Some(path) = paths::trace() else { return Ok(()) };
    for path in [old(&path), path] {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn append_to(path: &Path, trace: Trace) -> io::Result<()> {
    let line = fitting(trace)?;
    let open = || files::private_file().append(true).create(true).open(path);
    let mut file = match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            files::make_private_dir(path.parent().unwrap_or(path))?;
            open()?
        }
        opened => opened?,
    };
    // One write at the end of the file: lines of hooks that run at once do not mix.
    file.write_all(line.as_bytes())?;
    if file.metadata()?.len() > MOST_BYTES { begin_anew(path, &file) } else { Ok(()) }
}

/// Moves the file away, once: who waited for the lock finds another file of that name.
fn begin_anew(path: &Path, file: &File) -> io::Result<()> {
    if file.try_lock().is_err() || fs::metadata(path)?.len() <= MOST_BYTES {
        return Ok(());
    }
    fs::rename(path, old(path))
}

/// Writes a line that is short enough: what is least needed goes first.
fn fitting(mut trace: Trace) -> io::Result<String> {
    let lighten: [fn(&mut Trace); 5] = [
        |_| {},
        |trace| trace.problems.clear(),
        |trace| trace.rules.truncate(3),
        |trace| trace.target = None,
        |trace| *trace = Trace { rules: Vec::new(), project: String::new(), ..std::mem::take(trace) },
    ];
    let mut line = String::new();
    for step in lighten {
        step(&mut trace);
        line = serde_json::to_string(&trace)?;
        if line.len() < MOST_LINE {
            line.push('\n');
            return Ok(line);
        }
    }
    Err(io::Error::other(format!("a line of {} bytes", line.len())))
}

fn old(path: &Path) -> PathBuf {
    path.with_extension("old.jsonl")
}

#[cfg(test)]
mod tests;
