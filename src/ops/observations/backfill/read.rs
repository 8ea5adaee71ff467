//! Reads one transcript and passes on its rows, part by part.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

use super::find::{FileEnds, ToRead, UNFINISHED, hashes};
use super::records::read_records;
use super::rows::{RowMaker, parse_version};
use crate::files;
use crate::harness::{PastEvent, RecordOutcome, TranscriptForm, TranscriptReader};
use crate::model::{PastRow, SourcePart, SourceState, Timestamp};
use crate::redact::{OwnPatterns, redact};

/// A part has this many rows.
const MAX_ROWS: usize = 250;
/// After this many bytes it is noted how far the file was read, so that a killed run continues there.
const NOTE_BYTES: u64 = 16 << 20;
/// Nobody will add to a file that was not changed for this many seconds.
pub(super) const SETTLED_SECONDS: i64 = 600;
/// Names of unknown records: at most this many, and this long.
const MAX_UNKNOWN: usize = 50;
const MAX_UNKNOWN_NAME: usize = 60;

/// Receives the parts of a transcript; returns `false` if no more are wanted.
pub(super) type PartSink<'s> = dyn FnMut(SourcePart, u64) -> bool + 's;

/// What is wanted of a transcript.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits<'l> {
    pub(super) since: Timestamp,
    pub(super) now: Timestamp,
    /// The root of the only project that is wanted.
    pub(super) only_in: Option<&'l str>,
}

/// Reads a transcript from where it was left.
pub(super) fn read(
    source: &ToRead,
    maker: &mut RowMaker,
    limits: Limits<'_>,
    sink: &mut PartSink<'_>,
) -> io::Result<()> {
    let found = &source.found;
    let reader = reader_of(source);
    let form = found.form();
    let only_in = form.is_database().then_some(limits.only_in).flatten();
    maker.begin(found, source.folder.as_deref(), only_in);
    let reading = Reading {
        source,
        reader,
        maker,
        since: limits.since,
        is_whole: only_in.is_none(),
        rows: Vec::new(),
        unknown: BTreeMap::new(),
        events: Vec::new(),
        records: 0,
        read_to: source.from,
        passed: source.from,
        noted: source.from,
        is_start: source.from == 0,
        database_mark: None,
        ends: FileEnds::default(),
    };
    reading.run(limits.now.since(found.modified_at()), sink)
}

/// Returns a reader that knows what is known about the transcript.
pub(super) fn reader_of(source: &ToRead) -> Box<dyn TranscriptReader> {
    let found = &source.found;
    let mut reader = (found.transcripts.reader)(&found.path);
    if let Some(folder) = &source.folder {
        reader.set_folder(folder);
    }
    if source.from > 0 {
        reader.resume();
    }
    reader.set_file_time(found.state.modified / 1_000_000);
    reader
}

struct Reading<'r> {
    source: &'r ToRead,
    reader: Box<dyn TranscriptReader>,
    maker: &'r mut RowMaker,
    since: Timestamp,
    /// Whether all rows are wanted; if not, they are read again next time.
    is_whole: bool,
    rows: Vec<PastRow>,
    unknown: BTreeMap<String, usize>,
    events: Vec<PastEvent>,
    records: i64,
    /// The end of the last complete record.
    read_to: u64,
    /// How far progress was reported, and how far the state was noted.
    passed: u64,
    noted: u64,
    is_start: bool,
    /// The last change in a database.
    database_mark: Option<i64>,
    ends: FileEnds,
}

impl Reading<'_> {
    fn run(mut self, age: i64, sink: &mut PartSink<'_>) -> io::Result<()> {
        let source = self.source;
        let is_lines = matches!(source.found.form(), TranscriptForm::Lines | TranscriptForm::CompressedLines);
        let end = read_records(&source.found, source.from, age, &mut |record| {
            if !record.bytes.is_empty() {
                self.record(record.bytes, record.start);
            }
            self.read_to = record.end;
            self.ends.add(record.line, record.start, record.end);
            self.make_rows();
            let is_noted = is_lines && record.end - self.noted >= NOTE_BYTES;
            (self.rows.len() < MAX_ROWS && !is_noted) || self.pass(is_noted, sink)
        })?;
        self.database_mark = end.database_mark;
        if end.is_stopped {
            return Ok(());
        }
        if end.too_long > 0 {
            self.count("too long".to_owned(), end.too_long);
        }
        self.reader.finish(age >= SETTLED_SECONDS, &mut self.events);
        self.make_rows();
        self.pass(true, sink);
        let why = self.maker.unreadable().map(|why| format!("the settings of its project: {why}"));
        why.map_or(Ok(()), |why| Err(io::Error::other(why)))
    }

    fn record(&mut self, bytes: &[u8], offset: u64) {
        self.records += 1;
        match self.reader.read(bytes, offset, &mut self.events) {
            RecordOutcome::Known => {}
            RecordOutcome::Unknown(kind) => self.count(kind, 1),
            RecordOutcome::Unreadable => self.count("not JSON".to_owned(), 1),
        }
    }

    fn count(&mut self, kind: String, count: usize) {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ' | '/');
        let is_short = kind.len() <= MAX_UNKNOWN_NAME && kind.chars().all(is_name);
        let is_plain = is_short && redact(&kind, &OwnPatterns::default()).kinds.is_empty();
        // Anything but a plain name may be a secret, or longer than anybody wants to read.
        let kind = if is_plain { kind } else { "a strange name".to_owned() };
        if self.unknown.len() < MAX_UNKNOWN || self.unknown.contains_key(&kind) {
            *self.unknown.entry(kind).or_default() += count;
        }
    }

    fn make_rows(&mut self) {
        for event in self.events.drain(..) {
            self.rows.extend(self.maker.rows(event, self.reader.agent_version()));
        }
    }

    /// Passes the rows on; with the state, if they are the last ones for now.
    fn pass(&mut self, is_noted: bool, sink: &mut PartSink<'_>) -> bool {
        // What was left out has to be read again.
        let is_whole = self.is_whole && self.maker.unreadable().is_none();
        let state = (is_noted && is_whole).then(|| self.state()).flatten();
        if state.is_some() {
            self.noted = self.read_to;
        }
        let part = SourcePart {
            key: self.source.found.key,
            harness: self.source.found.agent.id,
            rows: std::mem::take(&mut self.rows),
            unknown: std::mem::take(&mut self.unknown).into_iter().collect(),
            state,
            is_start: std::mem::take(&mut self.is_start),
        };
        let bytes = self.read_to - self.passed;
        self.passed = self.read_to;
        sink(part, bytes)
    }

    fn state(&self) -> Option<SourceState> {
        let found = &self.source.found.state;
        if let Some(mark) = self.database_mark {
            let agent_version = self.reader.agent_version().and_then(parse_version);
            let is_waiting = self.reader.is_waiting();
            return Some(SourceState {
                // The session that waits is read again.
                resume_at: if is_waiting { self.source.from.cast_signed() } else { mark },
                modified: if is_waiting { UNFINISHED } else { found.modified },
                records: self.records,
                since: self.since,
                agent_version: agent_version.map(str::to_owned),
                ..found.clone()
            });
        }
        if self.source.found.form() == TranscriptForm::CompressedLines {
            let is_waiting = self.reader.is_waiting();
            return Some(SourceState {
                modified: if is_waiting { UNFINISHED } else { found.modified },
                records: self.records,
                since: self.since,
                agent_version: self.reader.agent_version().and_then(parse_version).map(str::to_owned),
                ..found.clone()
            });
        }
        let (head, tail) = self.ends.hashes(self.read_to).or_else(|| self.hashes_of_file())?;
        let offset = |offset: u64| i64::try_from(offset).unwrap_or(i64::MAX);
        // A run that is killed here continues from here, as if the file had ended here.
        let is_end = self.read_to >= self.source.found.bytes();
        Some(SourceState {
            size: if is_end { found.size } else { offset(self.read_to) },
            modified: if is_end && !self.reader.is_waiting() { found.modified } else { UNFINISHED },
            read_to: offset(self.read_to),
            resume_at: offset(self.reader.resume_at().min(self.read_to)),
            head,
            tail,
            records: self.records,
            since: self.since,
            agent_version: self.reader.agent_version().and_then(parse_version).map(str::to_owned),
            ..found.clone()
        })
    }

    /// Reads the hashes from the file, where not all of it was read.
    fn hashes_of_file(&self) -> Option<(i64, i64)> {
        // A second handle: the position of the first one is where the lines are read.
        let file = files::open_regular(&self.source.found.path, File::options().read(true));
        hashes(&mut file.ok()?, self.read_to)
    }
}

/// Returns the name that a transcript is shown with.
pub(super) fn shown(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
