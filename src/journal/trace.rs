//! The trace: one line for each hook call. `nudge why` explains it, `nudge doctor` counts it.
//!
//! A line costs one open and one write, and the file is limited: above a size a new one is started, and one old file is
//! kept. Since no line is longer than `MAX_LINE_BYTES`, the last thousand hook calls are always there.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::config::paths;
use crate::files;
use crate::model::Trace;
use crate::system::rule_files::Stamp;

/// Maximum length of a line.
const MAX_LINE_BYTES: usize = 2 << 10;

/// Above this size a new file is started: a thousand of the longest lines.
const MAX_BYTES: u64 = 1_000 * MAX_LINE_BYTES as u64;

/// A longer file was not written by nudge: concurrent hooks may add a few lines above the limit.
const MAX_READ_BYTES: u64 = 4 * MAX_BYTES;

/// Adds a line. A hook must not fail because of it, so a failure is ignored.
pub(crate) fn append(trace: Trace) {
    if let Some(path) = paths::trace() {
        drop(append_to(&path, trace));
    }
}

/// The stored traces.
#[derive(Debug, Default)]
pub(crate) struct StoredTraces {
    /// Oldest first.
    pub(crate) traces: Vec<Trace>,
    /// Number of lines that could not be parsed.
    pub(crate) torn: usize,
    /// Files that could not be read.
    pub(crate) unread: Vec<(PathBuf, io::Error)>,
}

/// Reads the stored traces.
pub(crate) fn read() -> StoredTraces {
    let mut kept = StoredTraces::default();
    for path in paths::trace().iter().flat_map(|path| [old(path), path.clone()]) {
        match files::read_regular(&path, MAX_READ_BYTES) {
            Ok(bytes) => {
                for trace in lines(&bytes).map(parse_line) {
                    match trace {
                        Some(trace) => kept.traces.push(trace),
                        None => kept.torn += 1,
                    }
                }
            }
            // A data folder that is not a folder is reported elsewhere.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(error) => kept.unread.push((path, error)),
        }
    }
    kept
}

/// Changes or deletes every line, and drops lines that cannot be parsed; returns how many lines changed.
///
/// A hook that adds its line at the same time may lose it.
pub(crate) fn revise(change: impl Fn(Trace) -> Option<Trace>) -> io::Result<usize> {
    let Some(path) = paths::trace() else { return Ok(0) };
    Ok(revise_file(&old(&path), &change)? + revise_file(&path, &change)?)
}

fn revise_file(path: &Path, change: &impl Fn(Trace) -> Option<Trace>) -> io::Result<usize> {
    let bytes = match files::read_regular(path, MAX_READ_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        read => read?,
    };
    let (mut next, mut changed_lines) = (Vec::new(), 0);
    for line in lines(&bytes) {
        let trace = parse_line(line);
        let changed = trace.clone().and_then(change);
        // An unchanged line keeps fields that only a newer version knows.
        if changed.is_some() && changed == trace {
            next.extend_from_slice(line);
        } else {
            changed_lines += 1;
            let Some(changed) = changed else { continue };
            next.extend_from_slice(&serde_json::to_vec(&changed)?);
        }
        next.push(b'\n');
    }
    if changed_lines > 0 {
        files::replace(path, &[&next])?;
    }
    Ok(changed_lines)
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

/// Any JSON object would parse; one without a time was not written by nudge.
fn parse_line(line: &[u8]) -> Option<Trace> {
    serde_json::from_slice::<Trace>(line).ok().filter(|trace| trace.at > 0)
}

/// Returns stamps that change when a file changes.
pub(crate) fn stamps() -> Vec<Option<Stamp>> {
    paths::trace().iter().flat_map(|path| [old(path), path.clone()]).map(|path| Stamp::at(&path)).collect()
}

fn append_to(path: &Path, trace: Trace) -> io::Result<()> {
    let line = to_short_line(trace)?;
    let open = || files::open_regular(path, files::private_file().append(true).create(true));
    let mut file = match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            files::make_private_dir(path.parent().unwrap_or(path))?;
            open()?
        }
        opened => opened?,
    };
    // One write at the end of the file: lines of concurrent hooks do not mix.
    file.write_all(line.as_bytes())?;
    if file.metadata()?.len() > MAX_BYTES { rotate(path, &file) } else { Ok(()) }
}

/// Moves the file away once: a process that waited for the lock finds another file with that name.
fn rotate(path: &Path, file: &File) -> io::Result<()> {
    if file.try_lock().is_err() || fs::metadata(path)?.len() <= MAX_BYTES {
        return Ok(());
    }
    fs::rename(path, old(path))
}

/// Returns a line that is short enough; the least important parts are dropped first.
fn to_short_line(mut trace: Trace) -> io::Result<String> {
    let reductions: [fn(&mut Trace); 5] = [
        |_| {},
        |trace| trace.problems.clear(),
        |trace| trace.rules.truncate(3),
        |trace| trace.target = None,
        |trace| *trace = Trace { rules: Vec::new(), project: String::new(), ..std::mem::take(trace) },
    ];
    let mut line = String::new();
    for step in reductions {
        step(&mut trace);
        line = serde_json::to_string(&trace)?;
        if line.len() < MAX_LINE_BYTES {
            line.push('\n');
            return Ok(line);
        }
    }
    Err(io::Error::other(format!("the line has {} bytes, which is too long", line.len())))
}

fn old(path: &Path) -> PathBuf {
    path.with_extension("old.jsonl")
}

/// A place in the trace, for a reader that follows it.
#[derive(Debug, Clone, Default)]
pub(crate) struct TracePosition {
    identity: Option<files::Identity>,
    offset: u64,
}

impl TracePosition {
    /// Returns the end of the trace.
    pub(crate) fn end() -> TracePosition {
        let Some(path) = paths::trace() else { return TracePosition::default() };
        let length = fs::metadata(&path).map_or(0, |meta| meta.len());
        TracePosition { identity: files::identity(&path), offset: length }
    }

    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Goes back to an earlier place; returns whether the trace has it.
    pub(crate) fn go_back(&mut self, offset: u64) -> bool {
        let is_there = offset <= self.offset;
        self.offset = self.offset.min(offset);
        is_there
    }

    /// Returns what was added since; `None` if the file became shorter, so that nobody knows. A line that is not
    /// complete yet is left for the next time, and a torn one is skipped.
    pub(crate) fn follow(&mut self) -> Option<Vec<Trace>> {
        let Some(path) = paths::trace() else { return Some(Vec::new()) };
        self.follow_file(&path)
    }

    fn follow_file(&mut self, path: &Path) -> Option<Vec<Trace>> {
        let identity = files::identity(path);
        let mut traces = Vec::new();
        if identity != self.identity {
            // A new file was started: what was added to the last one before that has its other name now.
            let old = old(path);
            if self.identity.is_some() && files::identity(&old) == self.identity {
                traces = self.read_on(&old)?;
            }
            *self = TracePosition { identity, offset: 0 };
        }
        traces.extend(self.read_on(path)?);
        Some(traces)
    }

    /// Reads the complete lines behind the offset, and nothing before it.
    fn read_on(&mut self, path: &Path) -> Option<Vec<Trace>> {
        let mut file = match files::open_regular(path, File::options().read(true)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(Vec::new()),
            opened => opened.ok()?,
        };
        let length = file.metadata().ok()?.len();
        if length < self.offset || length - self.offset > MAX_READ_BYTES {
            self.offset = length;
            return None;
        }
        file.seek(SeekFrom::Start(self.offset)).ok()?;
        let mut added = Vec::new();
        file.take(MAX_READ_BYTES).read_to_end(&mut added).ok()?;
        let complete = added.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        self.offset += complete as u64;
        Some(lines(&added[..complete]).filter_map(parse_line).collect())
    }
}

#[cfg(test)]
mod tests;
