//! How often each note was read, and by which agent: `.nexus/state/{harness}/memory-access.jsonl`, one line for each
//! note.
//!
//! Only the hook that sees a read writes here, never a tool or a command, and only into its own harness's folder. The
//! file outlives sessions. A line that cannot be parsed is kept as it is: a newer version may have written it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::notes::MEMORY;
use super::state_file::{Flush, Locked};
use super::{Nexus, Result};
use crate::files::{canonical, slashes};
use crate::model::{Reads, Timestamp};

/// One line, in the contract's shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct AccessWire {
    path: String,
    last_accessed_ts: String,
    access_count: u64,
    last_agent: String,
    /// Fields that this version does not know.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl AccessWire {
    /// A note that nobody has read yet.
    fn of(path: &str) -> AccessWire {
        let (last_accessed_ts, last_agent) = (String::new(), String::new());
        AccessWire { path: path.to_owned(), last_accessed_ts, access_count: 0, last_agent, rest: Map::new() }
    }
}

/// A completed read of a note; `note` is its real path, as `Nexus::note_at` returns it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoteRead<'a> {
    pub(crate) note: &'a Path,
    pub(crate) agent: &'a str,
    pub(crate) at: Timestamp,
}

/// A line of the new file: unchanged, or the updated record of the note at this path.
enum AccessLine<'a> {
    Unchanged(&'a str),
    Counted(&'a str),
}

const FILE_NAME: &str = "memory-access.jsonl";

/// Returns the reads of each note, by its name, summed over all harnesses.
pub(crate) fn reads(nexus: &Nexus) -> BTreeMap<String, Reads> {
    let mut reads: BTreeMap<String, Reads> = BTreeMap::new();
    let Ok(memory) = canonical(&nexus.path(MEMORY)) else { return reads };
    for harness in harnesses(nexus) {
        for access in text(nexus, &file(&harness)).unwrap_or_default().lines().filter_map(parse_access) {
            let Ok(path) = canonical(&nexus.project().join(&access.path)) else { continue };
            let Some(name) = path.strip_prefix(&memory).ok().and_then(Path::to_str) else { continue };
            let read = reads.entry(name.to_owned()).or_default();
            read.count = read.count.saturating_add(access.access_count);
            let at = access.last_accessed_ts.parse::<jiff::Timestamp>().ok();
            read.last_at = read.last_at.max(at.map(|at| Timestamp(at.as_second())));
        }
    }
    reads
}

/// Returns the harnesses that have a folder in this project.
pub(crate) fn harnesses(nexus: &Nexus) -> Vec<String> {
    let entries = fs::read_dir(nexus.path(".nexus/state")).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| name != "artifacts");
    names.sort();
    names
}

impl Locked<'_> {
    /// Counts completed reads, all in one write.
    pub(crate) fn count_reads(&self, harness: &str, reads: &[NoteRead<'_>]) -> Result<()> {
        if reads.is_empty() {
            return Ok(());
        }
        let file = file(harness);
        let text = text(self.nexus(), &file)?;
        let paths: Vec<String> = reads.iter().map(|read| slashes(read.note)).collect();
        let mut counted: BTreeMap<&str, AccessWire> = BTreeMap::new();
        for (path, read) in paths.iter().zip(reads) {
            let access = counted.entry(path).or_insert_with(|| AccessWire::of(path));
            access.access_count = access.access_count.saturating_add(1);
            access.last_accessed_ts = iso(read.at);
            access.last_agent = if read.agent.is_empty() { "unknown" } else { read.agent }.to_owned();
        }
        let (mut lines, mut placed) = (Vec::new(), BTreeSet::new());
        for line in text.lines() {
            let found = parse_access(line);
            let known = found.as_ref().and_then(|found| counted.get_key_value(found.path.as_str()));
            let (Some(path), Some(found)) = (known.map(|(path, _)| *path), found) else {
                lines.push(AccessLine::Unchanged(line));
                continue;
            };
            if let Some(access) = counted.get_mut(path) {
                access.access_count = access.access_count.saturating_add(found.access_count);
                access.rest.extend(found.rest);
            }
            // A harness that appends may leave several lines for one note; one remains.
            if placed.insert(path) {
                lines.push(AccessLine::Counted(path));
            }
        }
        lines.extend(paths.iter().filter(|path| placed.insert(path)).map(|path| AccessLine::Counted(path)));
        let written = lines.into_iter().map(|line| match line {
            AccessLine::Unchanged(line) => line.to_owned(),
            AccessLine::Counted(path) => serde_json::to_string(&counted[path]).unwrap_or_default(),
        });
        self.replace(&file, joined(&written.collect::<Vec<_>>()).as_bytes(), Flush::Later)
    }

    /// Removes the lines of deleted notes from these harnesses' files; returns how many there were.
    pub(crate) fn prune_accesses(&self, harnesses: &[String]) -> Result<usize> {
        let mut pruned = 0;
        for harness in harnesses {
            let file = file(harness);
            let text = text(self.nexus(), &file)?;
            let is_gone = |line: &str| {
                parse_access(line).is_some_and(|access| !self.nexus().project().join(access.path).exists())
            };
            let (gone, kept): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| is_gone(line));
            if !gone.is_empty() {
                self.replace(&file, joined(&kept).as_bytes(), Flush::Later)?;
                pruned += gone.len();
            }
        }
        Ok(pruned)
    }
}

fn file(harness: &str) -> String {
    format!(".nexus/state/{harness}/{FILE_NAME}")
}

fn text(nexus: &Nexus, file: &str) -> Result<String> {
    Ok(nexus.bytes(file)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default())
}

fn parse_access(line: &str) -> Option<AccessWire> {
    serde_json::from_str(line).ok()
}

fn joined<L: AsRef<str>>(lines: &[L]) -> String {
    lines.iter().map(|line| format!("{}\n", line.as_ref())).collect()
}

fn iso(at: Timestamp) -> String {
    jiff::Timestamp::from_second(at.0).unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests;
