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

/// A longer file was not written by us: hooks that run at once may add a few lines past the limit.
const MAX_READ: u64 = 4 * MOST_BYTES;

/// Adds a line; a hook must not fail for it, so a failure is nobody's business.
pub(crate) fn append(trace: Trace) {
    if let Some(path) = paths::trace() {
        drop(append_to(&path, trace));
    }
}

/// What is kept.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// The oldest first.
    pub(crate) traces: Vec<Trace>,
    /// So many lines could not be read, and were passed over.
    pub(crate) torn: usize,
    /// These files could not be read at all.
    pub(crate) unread: Vec<(PathBuf, io::Error)>,
}

/// Returns what is kept.
pub(crate) fn read() -> Kept {
    let mut kept = Kept::default();
    for path in paths::trace().iter().flat_map(|path| [old(path), path.clone()]) {
        match files::read_regular(&path, MAX_READ) {
            Ok(bytes) => {
                for trace in lines(&bytes).map(parse) {
                    match trace {
                        Some(trace) => kept.traces.push(trace),
                        None => kept.torn += 1,
                    }
                }
            }
            // Where not even the folder is one, there is another complaint.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(error) => kept.unread.push((path, error)),
        }
    }
    kept
}

/// Lets every line be changed or go, and drops what cannot be read; returns how many lines that concerned.
///
/// A hook that adds its line in this very moment may lose it.
pub(crate) fn revise(change: impl Fn(Trace) -> Option<Trace>) -> io::Result<usize> {
    let Some(path) = paths::trace() else { return Ok(0) };
    Ok(revise_file(&old(&path), &change)? + revise_file(&path, &change)?)
}

fn revise_file(path: &Path, change: &impl Fn(Trace) -> Option<Trace>) -> io::Result<usize> {
    let bytes = match files::read_regular(path, MAX_READ) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        read => read?,
    };
    let (mut next, mut concerned) = (Vec::new(), 0);
    for line in lines(&bytes) {
        let trace = parse(line);
        let changed = trace.clone().and_then(change);
        // A line that stays as it is keeps what only a newer version knows.
        if changed.is_some() && changed == trace {
            next.extend_from_slice(line);
        } else {
            concerned += 1;
            let Some(changed) = changed else { continue };
            next.extend_from_slice(&serde_json::to_vec(&changed)?);
        }
        next.push(b'\n');
    }
    if concerned > 0 {
        let folder = path.parent().unwrap_or(path);
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&next)?;
        file.persist(path)?;
    }
    Ok(concerned)
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

/// Whatever is JSON could be read; what has no time was not written by us.
fn parse(line: &[u8]) -> Option<Trace> {
    serde_json::from_slice::<Trace>(line).ok().filter(|trace| trace.at > 0)
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
    let open = || files::open_regular(path, files::private_file().append(true).create(true));
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
