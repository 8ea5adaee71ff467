//! Reads transcripts on all cores, and stores their rows in the order of the transcripts.

use std::collections::HashMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use super::find::ToRead;
use super::read::Limits;
use super::rows::RowMaker;
use super::{BackfillError, Progress, read};
use crate::model::{Backfilled, EventKey, Retention, SourcePart, SourceState, Timestamp, UnknownRecords};
use crate::store::{Pairs, Reader, Store, StoreError};

/// Rows per transaction: enough to be fast, few enough that a hook does not wait long.
const MAX_BATCH: usize = 2_000;
/// Parts of one transcript that wait for the writer.
const MAX_WAITING: usize = 2;
/// A transcript is opened at most this many places before the writer needs it, which bounds the memory.
const MAX_AHEAD: usize = 16;
const MAX_THREADS: usize = 8;

/// What a run reads.
pub(super) struct Run<'r> {
    pub(super) sources: &'r [ToRead],
    /// How many of the first sources are stored as soon as they were read, however few rows they have.
    pub(super) urgent: usize,
    /// Read with one thread.
    pub(super) is_in_background: bool,
    pub(super) retention: &'r Retention,
    pub(super) since: Timestamp,
    pub(super) now: Timestamp,
    /// The root of the only project that is wanted.
    pub(super) only_in: Option<&'r str>,
}

/// What became of the transcripts.
#[derive(Debug, Default)]
pub(super) struct RunCounts {
    /// By agent.
    pub(super) rows: HashMap<&'static str, Backfilled>,
    /// Transcripts that could not be read, and why.
    pub(super) failed: Vec<(String, String)>,
}

enum Message {
    Part(SourcePart, u64),
    Failed(String),
}

/// Reads all sources; returns what became of their rows, by agent.
pub(super) fn run(
    run: &Run<'_>,
    writer: &mut Writer,
    progress: &mut dyn FnMut(Progress),
) -> Result<RunCounts, BackfillError> {
    let (senders, receivers): (Vec<_>, Vec<_>) =
        run.sources.iter().map(|_| mpsc::sync_channel::<Message>(MAX_WAITING)).unzip();
    let state = QueueState { senders: senders.into_iter().map(Some).collect(), next: 0, writer: 0 };
    let queue = TranscriptQueue { state: Mutex::new(state), moved: Condvar::new() };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = if run.is_in_background { 1 } else { cores.clamp(1, MAX_THREADS) };
    thread::scope(|scope| {
        for _ in 0..threads.min(run.sources.len()) {
            scope.spawn(|| work(run, &queue));
        }
        let written = write(run, receivers, &queue, writer, progress);
        queue.close();
        written
    })
}

/// The transcripts that are still to be read.
struct TranscriptQueue {
    state: Mutex<QueueState>,
    moved: Condvar,
}

struct QueueState {
    /// The channel of each transcript, until somebody reads it.
    senders: Vec<Option<SyncSender<Message>>>,
    next: usize,
    /// The transcript that the writer is at.
    writer: usize,
}

impl TranscriptQueue {
    /// Returns the next transcript to read, when the writer is near enough.
    fn take(&self) -> Option<(usize, SyncSender<Message>)> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let index = state.next;
            if index >= state.senders.len() {
                return None;
            }
            if index < state.writer.saturating_add(MAX_AHEAD) {
                state.next += 1;
                return state.senders[index].take().map(|sender| (index, sender));
            }
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn writer_is_at(&self, index: usize) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).writer = index;
        self.moved.notify_all();
    }

    /// Lets all readers end, also if the writer has failed.
    fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.next = state.senders.len();
        state.senders.iter_mut().for_each(|sender| drop(sender.take()));
        self.moved.notify_all();
    }
}

fn work(run: &Run<'_>, queue: &TranscriptQueue) {
    let mut maker: Option<RowMaker> = None;
    while let Some((index, sender)) = queue.take() {
        let source = &run.sources[index];
        let agent = source.found.agent;
        let maker = maker.get_or_insert_with(|| RowMaker::new(agent, run.retention, run.since, run.now));
        let mut sink = |part, bytes| sender.send(Message::Part(part, bytes)).is_ok();
        let limits = Limits { since: run.since, now: run.now, only_in: run.only_in };
        let read = || read::read(source, maker, limits, &mut sink);
        // A transcript that breaks a reader must not cost the others.
        let failed = match panic::catch_unwind(AssertUnwindSafe(read)) {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("its content is not what the reader expects".to_owned()),
        };
        // The writer may have ended.
        failed.into_iter().for_each(|why| drop(sender.send(Message::Failed(why))));
    }
}

fn write(
    run: &Run<'_>,
    receivers: Vec<Receiver<Message>>,
    queue: &TranscriptQueue,
    writer: &mut Writer,
    progress: &mut dyn FnMut(Progress),
) -> Result<RunCounts, BackfillError> {
    let (mut counts, mut batch, mut rows, mut bytes) = (RunCounts::default(), Vec::new(), 0, 0);
    let (mut harness, mut is_answered) = ("", false);
    for (index, parts) in receivers.into_iter().enumerate() {
        queue.writer_is_at(index);
        let source = &run.sources[index].found;
        for message in parts {
            match message {
                Message::Failed(why) => counts.failed.push((read::shown(&source.path), why)),
                Message::Part(part, length) => {
                    let is_first_answer = index == run.urgent && !is_answered;
                    is_answered |= is_first_answer;
                    // Counts are kept by agent, so a batch is of one agent.
                    if rows >= MAX_BATCH || part.harness != harness || is_first_answer {
                        *counts.rows.entry(harness).or_default() += writer.store(&batch)?;
                        progress(Progress::Read(bytes));
                        (rows, bytes) = (0, 0);
                        batch.clear();
                        harness = part.harness;
                    }
                    rows += part.rows.len();
                    bytes += length;
                    batch.push(part);
                }
            }
        }
    }
    *counts.rows.entry(harness).or_default() += writer.store(&batch)?;
    progress(Progress::Read(bytes));
    Ok(counts)
}

/// Stores rows, or only counts them.
pub(super) struct Writer {
    target: WriteTarget,
    pairs: Pairs,
}

enum WriteTarget {
    Store(Store),
    /// The memory, if there is one, and which transcript each record of this run was first seen in.
    Count(Option<Reader>, HashMap<i64, EventKey>),
}

impl Writer {
    pub(super) fn new(store: Store) -> Result<Writer, StoreError> {
        store.begin_bulk()?;
        Ok(Writer { target: WriteTarget::Store(store), pairs: Pairs::default() })
    }

    pub(super) fn dry(reader: Option<Reader>) -> Writer {
        Writer { target: WriteTarget::Count(reader, HashMap::new()), pairs: Pairs::default() }
    }

    pub(super) fn sources(&self) -> Result<HashMap<EventKey, SourceState>, StoreError> {
        match &self.target {
            WriteTarget::Store(store) => store.sources(),
            WriteTarget::Count(Some(reader), _) => reader.sources(),
            WriteTarget::Count(None, _) => Ok(HashMap::new()),
        }
    }

    /// Returns the folders of all projects in the memory.
    pub(super) fn project_roots(&self) -> Result<Vec<String>, StoreError> {
        match &self.target {
            WriteTarget::Store(store) => store.project_roots(),
            WriteTarget::Count(Some(reader), _) => reader.project_roots(),
            WriteTarget::Count(None, _) => Ok(Vec::new()),
        }
    }

    fn store(&mut self, parts: &[SourcePart]) -> Result<Backfilled, StoreError> {
        if parts.is_empty() {
            return Ok(Backfilled::default());
        }
        match &mut self.target {
            WriteTarget::Store(store) => store.backfill(parts, &mut self.pairs),
            WriteTarget::Count(reader, first_seen) => {
                let mut count = Backfilled::default();
                for part in parts {
                    let mut own = Vec::new();
                    for row in &part.rows {
                        let firsts =
                            row.record_ids.iter().map(|id| *first_seen.entry(*id).or_insert(part.key));
                        if firsts.filter(|first| *first != part.key).count() > 0 {
                            count.copies += 1;
                        } else {
                            own.push(row.clone());
                        }
                    }
                    match reader {
                        Some(reader) => count += reader.would_backfill(&own, &mut self.pairs)?,
                        None => own.iter().for_each(|row| count.count_stored(row.observation.obs_type)),
                    }
                }
                Ok(count)
            }
        }
    }

    /// Notes what no longer exists; returns the types of records that are not known.
    pub(super) fn finish(
        &mut self,
        gone: &[EventKey],
        now: Timestamp,
    ) -> Result<Vec<UnknownRecords>, StoreError> {
        match &mut self.target {
            WriteTarget::Store(store) => {
                store.note_gone(gone, now)?;
                store.empty_log();
                store.unknown_records()
            }
            WriteTarget::Count(..) => Ok(Vec::new()),
        }
    }
}
