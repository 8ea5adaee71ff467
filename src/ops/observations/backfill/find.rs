//! Finds the transcripts of an agent, and decides which of them have to be read, and from where.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::lines::{decompress, hash_before, hash_of};
use crate::files;
use crate::harness::{Agent, InstallPlace, TranscriptForm, Transcripts};
use crate::model::{EventKey, SourceRank, SourceState, Timestamp};

/// The first time and the first folder are within this many bytes, in most files within the first few.
const PEEK: u64 = 128 << 10;
const SHORT_PEEK: u64 = 8 << 10;
/// The length of the two pieces of a file that are compared.
const HEAD: u64 = 4 << 10;
const TAIL: u64 = 256;
/// The longest path that a file may name.
const MAX_PATH: u64 = 8 << 10;

/// The time of a file that has to be looked at again, whatever its time is then.
pub(super) const UNFINISHED: i64 = 0;

/// A transcript on the disk.
#[derive(Debug, Clone)]
pub(crate) struct FoundTranscript {
    pub(super) agent: &'static Agent,
    pub(super) transcripts: &'static Transcripts,
    pub(super) path: PathBuf,
    pub(super) key: EventKey,
    pub(super) state: SourceState,
    /// A file that says in which folder the session was.
    description: Option<PathBuf>,
}

/// A transcript that has something new.
#[derive(Debug, Clone)]
pub(crate) struct ToRead {
    pub(super) found: FoundTranscript,
    /// Where reading starts; 0 for all of it.
    pub(super) from: u64,
    /// When its first record was written.
    pub(super) first_ms: i64,
    /// The folder that the session began in, if a record names it.
    pub(super) folder: Option<PathBuf>,
}

/// Returns all transcripts of an agent.
pub(super) fn find(agent: &'static Agent, place: &InstallPlace<'_>) -> Vec<FoundTranscript> {
    let Some(transcripts) = agent.transcripts else { return Vec::new() };
    let mut found: Vec<FoundTranscript> = Vec::new();
    let mut places: HashMap<EventKey, usize> = HashMap::new();
    let mut described: HashMap<String, PathBuf> = HashMap::new();
    for folder in (transcripts.folders)(place) {
        let mut look = |path: &Path, relative: &Path, meta: &Metadata| {
            let session = transcripts.folder_hint.and_then(|hint| (hint.described_session)(relative));
            if let Some(session) = session {
                described.insert(session, path.to_owned());
            } else if (transcripts.is_transcript)(relative) {
                // A session may move to another folder of the agent, or its folder to another place.
                let key = EventKey::of(["source", agent.id, &(transcripts.identity)(relative)]);
                let mut state = state_of(meta, transcripts.version);
                let form = (transcripts.form)(path);
                if form.is_database() {
                    add_log(&mut state, path);
                }
                let one = FoundTranscript {
                    agent,
                    transcripts,
                    path: path.to_owned(),
                    key,
                    state,
                    description: None,
                };
                match places.get(&key) {
                    // The same session twice: the agent writes to the one that is neither compressed nor a document.
                    Some(index) if form == TranscriptForm::Lines => found[*index] = one,
                    Some(_) => {}
                    None => {
                        places.insert(key, found.len());
                        found.push(one);
                    }
                }
            }
        };
        walk(&folder.path, Path::new(""), folder.depth, &mut look);
    }
    if let Some(hint) = transcripts.folder_hint {
        for one in &mut found {
            one.description = (hint.session)(&one.path).and_then(|session| described.get(&session).cloned());
        }
    }
    found
}

/// Visits all regular files below a folder; links are not followed.
fn walk(folder: &Path, relative: &Path, depth_left: usize, look: &mut dyn FnMut(&Path, &Path, &Metadata)) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, relative) = (entry.path(), relative.join(entry.file_name()));
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth_left > 0 {
            walk(&path, &relative, depth_left - 1, look);
        } else if kind.is_file()
            && let Ok(meta) = entry.metadata()
        {
            look(&path, &relative, &meta);
        }
    }
}

fn state_of(meta: &Metadata, version: u32) -> SourceState {
    let modified = meta.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let modified = modified.and_then(|at| i64::try_from(at.as_nanos()).ok()).unwrap_or_default();
    #[cfg(unix)]
    let (device, inode) = {
        use std::os::unix::fs::MetadataExt;
        (meta.dev().cast_signed(), meta.ino().cast_signed())
    };
    #[cfg(not(unix))]
    let (device, inode) = (0, 0);
    SourceState {
        device,
        inode,
        size: i64::try_from(meta.len()).unwrap_or(i64::MAX),
        modified,
        reader: i64::from(version),
        ..SourceState::default()
    }
}

/// Counts the log of a database too: most of what is new is there.
fn add_log(state: &mut SourceState, path: &Path) {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if let Ok(meta) = fs::metadata(log) {
        let log = state_of(&meta, 0);
        state.size += log.size;
        state.modified = state.modified.max(log.modified);
    }
}

impl FoundTranscript {
    /// Returns the time of the last change.
    pub(crate) fn modified_at(&self) -> Timestamp {
        Timestamp(self.state.modified / 1_000_000_000)
    }

    pub(super) fn form(&self) -> TranscriptForm {
        (self.transcripts.form)(&self.path)
    }

    pub(super) fn rank(&self) -> SourceRank {
        (self.transcripts.rank)(&self.path)
    }

    pub(crate) fn bytes(&self) -> u64 {
        u64::try_from(self.state.size).unwrap_or_default()
    }

    /// Compares it with what was read before; `None` if there is nothing new.
    pub(super) fn compare(
        self,
        known: &HashMap<EventKey, SourceState>,
        since: Timestamp,
        roots: &[PathBuf],
    ) -> Option<ToRead> {
        let from = match known.get(&self.key) {
            Some(old) => self.new_from(old, since)?,
            None => 0,
        };
        if self.state.size == 0 {
            return None;
        }
        // Its first bytes say nothing, and its sessions are in many folders.
        if self.form().is_database() {
            return Some(ToRead { found: self, from, first_ms: 0, folder: None });
        }
        // What cannot be read is reported when it is read.
        let look = |bytes| {
            let head = self.peek(bytes).unwrap_or_default();
            (first_time(&head), first_folder(&head))
        };
        let (first_ms, folder) = match look(SHORT_PEEK) {
            (Some(first_ms), Some(folder)) => (Some(first_ms), Some(folder)),
            _ => look(PEEK),
        };
        let first_ms = first_ms.unwrap_or(self.state.modified / 1_000_000);
        let folder = folder.or_else(|| self.hinted_folder(roots));
        Some(ToRead { found: self, from, first_ms, folder })
    }

    /// Finds the folder of the session outside its transcript.
    fn hinted_folder(&self, roots: &[PathBuf]) -> Option<PathBuf> {
        let hint = self.transcripts.folder_hint?;
        let named = || {
            let text = files::read_regular(&(hint.root_file)(&self.path)?, MAX_PATH).ok()?;
            Some(PathBuf::from(String::from_utf8(text).ok()?.trim()))
        };
        let described = || first_folder(&files::read_regular(self.description.as_ref()?, PEEK).ok()?);
        let like = || roots.iter().find(|root| (hint.is_named_after)(&self.path, root)).cloned();
        named().or_else(described).or_else(like)
    }

    /// Returns the beginning of the file.
    fn peek(&self, bytes: u64) -> Option<Vec<u8>> {
        let file = files::open_if_regular(&self.path, File::options().read(true)).ok()?;
        // With room for all of it, it is read at once.
        let mut head = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default() + 32);
        if self.form() == TranscriptForm::CompressedLines {
            decompress(file).ok()?.take(bytes).read_to_end(&mut head).ok()?;
        } else {
            file.take(bytes).read_to_end(&mut head).ok()?;
        }
        Some(head)
    }

    /// Returns where the new part begins; `None` if there is none.
    fn new_from(&self, old: &SourceState, since: Timestamp) -> Option<u64> {
        let new = &self.state;
        if old.reader != new.reader || since < old.since {
            return Some(0);
        }
        let is_unchanged = (old.size, old.modified) == (new.size, new.modified);
        if self.form() == TranscriptForm::CompressedLines {
            // The agent keeps the time of a file that it compresses.
            return (old.modified != new.modified).then_some(0);
        }
        if self.form().is_database() {
            // It knows itself what has changed.
            let is_unfinished = old.modified == UNFINISHED;
            return (!is_unchanged || is_unfinished)
                .then(|| u64::try_from(old.resume_at).unwrap_or_default());
        }
        let is_same_file = (old.device, old.inode) == (new.device, new.inode);
        if is_same_file && is_unchanged {
            return None;
        }
        let is_grown = is_same_file && new.size >= old.size && self.has_same_bytes(old);
        // Only the time of the file has changed, or the agent is still writing a record.
        if is_grown && new.size == old.size && old.modified != UNFINISHED {
            return None;
        }
        Some(if is_grown { u64::try_from(old.resume_at).unwrap_or_default() } else { 0 })
    }

    fn has_same_bytes(&self, old: &SourceState) -> bool {
        let Ok(mut file) = files::open_regular(&self.path, File::options().read(true)) else { return false };
        hashes(&mut file, u64::try_from(old.read_to).unwrap_or_default()) == Some((old.head, old.tail))
    }
}

/// The two pieces of a file that are compared, kept while it is read, so that it is not opened again for them.
#[derive(Debug, Default)]
pub(super) struct FileEnds {
    head: Vec<u8>,
    tail: Vec<u8>,
    read_to: u64,
}

impl FileEnds {
    /// Adds a line. What came before the first one, or between two of them, is not known.
    pub(super) fn add(&mut self, line: &[u8], start: u64, end: u64) {
        if start != self.read_to || line.len() as u64 != end - start {
            return;
        }
        self.read_to = end;
        let room = (HEAD as usize).saturating_sub(self.head.len()).min(line.len());
        self.head.extend_from_slice(&line[..room]);
        let last = &line[line.len().saturating_sub(TAIL as usize)..];
        let surplus = (self.tail.len() + last.len()).saturating_sub(TAIL as usize);
        self.tail.drain(..surplus);
        self.tail.extend_from_slice(last);
    }

    /// Returns the same as `hashes` does, if all lines up to there were added.
    pub(super) fn hashes(&self, read_to: u64) -> Option<(i64, i64)> {
        (read_to == self.read_to && read_to > 0).then(|| (hash_of(&self.head), hash_of(&self.tail)))
    }
}

/// Returns hashes of the first bytes and of the last bytes before an offset.
pub(super) fn hashes(file: &mut File, read_to: u64) -> Option<(i64, i64)> {
    let head = hash_before(file, read_to.min(HEAD), HEAD).ok()?;
    Some((head, hash_before(file, read_to, TAIL).ok()?))
}

/// Returns the time of the first record that has one.
fn first_time(head: &[u8]) -> Option<i64> {
    texts(head, b"\"timestamp\":\"").find_map(|text| crate::harness::parse_time_text(&text))
}

/// Returns the first folder that a record names.
fn first_folder(head: &[u8]) -> Option<PathBuf> {
    let named = |marker| texts(head, marker).find(|text| !text.is_empty()).map(PathBuf::from);
    named(b"\"cwd\":\"").or_else(|| named(b"\"directory\":\"")).or_else(|| named(b"\"directory\": \""))
}

/// Returns the JSON texts that follow a marker.
fn texts<'h>(head: &'h [u8], marker: &'static [u8]) -> impl Iterator<Item = String> + 'h {
    memchr::memmem::find_iter(head, marker).filter_map(move |at| {
        let rest = &head[at + marker.len() - 1..];
        serde_json::Deserializer::from_slice(rest).into_iter::<String>().next()?.ok()
    })
}

#[cfg(test)]
mod tests;
