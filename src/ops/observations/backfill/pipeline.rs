//! Reads transcripts on all cores, and stores their rows in the order of the transcripts.

use std::collections::HashMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::find::ToRead;
use super::read::Limits;
use super::rows::RowMaker;
use super::{BackfillError, Progress, read};
use crate::model::{
    Backfilled, EventKey, PastRow, Retention, SourcePart, SourceState, Timestamp, UnknownRecords,
};
use crate::store::{Pairs, Reader, Store, StoreError};

/// The weight of a transaction. Keys are hashes, so each one writes pages all over the indexes: a few large ones write
/// less than many small ones. A hook that wants to store something waits for a fraction of a second at most.
const MAX_BATCH: usize = 10 << 20;
/// The same for a run in the background of a session, whose hooks must not wait.
const MAX_BACKGROUND_BATCH: usize = 2 << 20;
/// What a row weighs besides its texts, and a part besides its rows.
const ROW_WEIGHT: usize = 1 << 10;
const PART_WEIGHT: usize = 2 << 10;
/// Readers go on while what waits for the writer has less than this weight, which bounds the memory. It is as much as
/// a transaction, so that they have something to do while one is written.
const MAX_AHEAD: usize = MAX_BATCH;
const MAX_THREADS: usize = 8;
/// How long the writer waits for the next part before it looks again. If readers had to wake it for every part, they would
/// do little else where sessions are short.
const PART_INTERVAL: Duration = Duration::from_millis(1);

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
    /// Counts what was left out because retention would delete it.
    pub(super) expired: AtomicUsize,
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
    /// A part, the bytes it was read from, and its weight.
    Part(Box<SourcePart>, u64, usize),
    Failed(String),
}

/// Reads all sources; returns what became of their rows, by agent.
pub(super) fn run(
    run: &Run<'_>,
    writer: &mut Writer,
    progress: &mut dyn FnMut(Progress),
) -> Result<RunCounts, BackfillError> {
    let (senders, receivers): (Vec<_>, Vec<_>) =
        run.sources.iter().map(|_| mpsc::channel::<Message>()).unzip();
    let state = QueueState {
        senders: senders.into_iter().map(Some).collect(),
        next: 0,
        writer: 0,
        is_writer_idle: false,
        sleeping: 0,
    };
    let queue = TranscriptQueue {
        state: Mutex::new(state),
        moved: Condvar::new(),
        waiting: AtomicUsize::new(0),
        stored: Mutex::new(Vec::new()),
    };
    let threads = if run.is_in_background { 1 } else { threads() };
    thread::scope(|scope| {
        for _ in 0..threads.min(run.sources.len()) {
            scope.spawn(|| work(run, &queue));
        }
        let written = write(run, receivers, &queue, writer, progress);
        queue.close();
        written
    })
}

/// Returns how many threads read.
pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from).clamp(1, MAX_THREADS)
}

/// The transcripts that are still to be read.
struct TranscriptQueue {
    state: Mutex<QueueState>,
    moved: Condvar,
    /// The weight of what was read and waits for the writer.
    waiting: AtomicUsize,
    /// What was stored and takes up memory: the readers free it, because all of them wait for the one writer.
    stored: Mutex<Vec<SourcePart>>,
}

struct QueueState {
    /// The channel of each transcript, until somebody reads it.
    senders: Vec<Option<Sender<Message>>>,
    next: usize,
    /// The transcript that the writer is at.
    writer: usize,
    /// Whether the writer waits for the next part of its transcript.
    is_writer_idle: bool,
    /// The readers that wait for the writer.
    sleeping: usize,
}

impl QueueState {
    fn is_closed(&self) -> bool {
        self.writer == usize::MAX
    }
}

impl TranscriptQueue {
    /// Returns the next transcript to read, when not too much waits for the writer; the one that the writer needs next
    /// is always read.
    fn take(&self) -> Option<(usize, Sender<Message>)> {
        let mut state = self.lock();
        loop {
            let index = state.next;
            if index >= state.senders.len() {
                return None;
            }
            if index <= state.writer || self.has_room() {
                state.next += 1;
                return state.senders[index].take().map(|sender| (index, sender));
            }
            state = self.sleep(state);
        }
    }

    /// Waits until a part of a transcript may be passed on: there is room, or the writer needs it now.
    fn wait_for_room(&self, index: usize) {
        if self.has_room() {
            return;
        }
        let mut state = self.lock();
        while !(self.has_room() || index <= state.writer && state.is_writer_idle || state.is_closed()) {
            state = self.sleep(state);
        }
    }

    /// Returns the next part of the writer's transcript; `None` at its end.
    fn receive(&self, parts: &Receiver<Message>) -> Option<Message> {
        let message = match parts.try_recv() {
            Ok(message) => message,
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {
                self.change(|state| state.is_writer_idle = true);
                let message = loop {
                    match parts.try_recv() {
                        Err(TryRecvError::Empty) => thread::sleep(PART_INTERVAL),
                        message => break message,
                    }
                };
                self.change(|state| state.is_writer_idle = false);
                message.ok()?
            }
        };
        if let Message::Part(_, _, weight) = &message {
            self.waiting.fetch_sub(*weight, Ordering::Relaxed);
        }
        Some(message)
    }

    fn writer_is_at(&self, index: usize) {
        self.change(|state| state.writer = index);
    }

    /// Notes what the writer does, and wakes the readers that can go on.
    fn change(&self, change: impl FnOnce(&mut QueueState)) {
        let mut state = self.lock();
        change(&mut state);
        // A reader that wakes up for a single part falls asleep again at once.
        let is_worth = state.next <= state.writer
            || state.is_writer_idle
            || self.waiting.load(Ordering::Relaxed) < MAX_AHEAD / 2;
        if state.sleeping > 0 && is_worth {
            self.moved.notify_all();
        }
    }

    /// Leaves what was stored to a reader; if none has freed the last batch, this one is freed here.
    fn leave(&self, batch: Vec<SourcePart>) {
        let mut stored = self.stored.lock().unwrap_or_else(PoisonError::into_inner);
        if stored.is_empty() {
            *stored = batch;
        }
    }

    /// Frees what was stored.
    fn free_stored(&self) {
        let stored = std::mem::take(&mut *self.stored.lock().unwrap_or_else(PoisonError::into_inner));
        drop(stored);
    }

    fn has_room(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) < MAX_AHEAD
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sleep<'q>(&self, mut state: MutexGuard<'q, QueueState>) -> MutexGuard<'q, QueueState> {
        state.sleeping += 1;
        state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.sleeping -= 1;
        state
    }

    /// Lets all readers end, also if the writer has failed.
    fn close(&self) {
        let mut state = self.lock();
        state.next = state.senders.len();
        state.writer = usize::MAX;
        state.senders.iter_mut().for_each(|sender| drop(sender.take()));
        self.moved.notify_all();
    }
}

fn work(run: &Run<'_>, queue: &TranscriptQueue) {
    let mut maker: Option<RowMaker> = None;
    while let Some((index, sender)) = queue.take() {
        queue.free_stored();
        let source = &run.sources[index];
        let agent = source.found.agent;
        let maker = maker.get_or_insert_with(|| RowMaker::new(agent, run.retention, run.since, run.now));
        let mut sink = |part: SourcePart, bytes| {
            let weight = PART_WEIGHT + part.rows.iter().map(weight).sum::<usize>();
            queue.wait_for_room(index);
            queue.waiting.fetch_add(weight, Ordering::Relaxed);
            sender.send(Message::Part(Box::new(part), bytes, weight)).is_ok()
        };
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
    run.expired.fetch_add(maker.map_or(0, |maker| maker.expired), Ordering::Relaxed);
}

fn weight(row: &PastRow) -> usize {
    let texts = [&row.texts.metadata, &row.texts.parts].into_iter().flatten();
    ROW_WEIGHT + row.observation.content.len() + texts.map(String::len).sum::<usize>()
}

fn write(
    run: &Run<'_>,
    receivers: Vec<Receiver<Message>>,
    queue: &TranscriptQueue,
    writer: &mut Writer,
    progress: &mut dyn FnMut(Progress),
) -> Result<RunCounts, BackfillError> {
    let (mut counts, mut batch, mut batch_weight, mut bytes) = (RunCounts::default(), Vec::new(), 0, 0);
    let max_batch = if run.is_in_background { MAX_BACKGROUND_BATCH } else { MAX_BATCH };
    let (mut harness, mut is_answered) = ("", false);
    for (index, parts) in receivers.into_iter().enumerate() {
        queue.writer_is_at(index);
        let source = &run.sources[index].found;
        while let Some(message) = queue.receive(&parts) {
            match message {
                Message::Failed(why) => counts.failed.push((read::shown(&source.path), why)),
                Message::Part(part, length, weight) => {
                    let is_first_answer = index == run.urgent && !is_answered;
                    is_answered |= is_first_answer;
                    // Counts are kept by agent, so a batch is of one agent.
                    if batch_weight >= max_batch || part.harness != harness || is_first_answer {
                        *counts.rows.entry(harness).or_default() += writer.store(&batch)?;
                        progress(Progress::Read(bytes));
                        queue.writer_is_at(index);
                        (batch_weight, bytes) = (0, 0);
                        queue.leave(std::mem::take(&mut batch));
                        harness = part.harness;
                    }
                    batch_weight += weight;
                    bytes += length;
                    batch.push(*part);
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
