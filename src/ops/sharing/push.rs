//! Sends what the server does not have yet, stream by stream.

use super::agree;
use super::ground::{Exchange, ExchangeError, new_id};
use super::plan::{SharePatterns, SharedFolder};
use crate::model::{
    KnownStream, LeavingRecord, Observation, ObservationId, PendingPush, RecordKind, ShareLevel,
    StreamRecord, Timestamp,
};
use crate::observations::{Border, Withheld};
use crate::store::{Reader, Store, StoreError, row_texts};
use crate::team::{PushOutcome, PushRequest, TeamError, TeamRemedy};

/// Maximum size of one push, in records and in bytes.
const MAX_LOT: i64 = 100;
const MAX_LOT_BYTES: usize = 1 << 20;

/// What was sent.
#[derive(Debug, Default)]
pub(super) struct Pushed {
    pub(super) sent: usize,
    pub(super) taken_back: usize,
    pub(super) notes: Vec<String>,
    /// Their places have moved since the server said where they are.
    pub(super) projects: Vec<String>,
}

/// Sends all streams, until everything is sent or the time is up.
pub(super) fn push_all(
    store: &mut Store,
    exchange: &mut Exchange<'_>,
    patterns: &SharePatterns,
) -> Result<Pushed, ExchangeError> {
    let mut done = Pushed::default();
    let projects: Vec<String> = store.streams()?.into_iter().map(|stream| stream.project).collect();
    for project in projects {
        if !exchange.hello.projects.contains_key(&project) {
            continue;
        }
        let mut has_disagreed = false;
        while exchange.deadline.allows(exchange.session) {
            let Some(stream) = store.stream(&project)? else { break };
            let Some((push, batch)) = next_lot(store, &stream, exchange, patterns)? else { break };
            match send(exchange, &stream, push, &batch) {
                Ok(PushOutcome::Stored { .. } | PushOutcome::Already { .. }) => {
                    store.acknowledge(stream.id, push)?;
                    if done.projects.last() != Some(&project) {
                        done.projects.push(project.clone());
                    }
                    let count = |kind| batch.iter().filter(|record| record.kind == kind).count();
                    done.sent += count(RecordKind::Observation);
                    done.taken_back += count(RecordKind::Drop);
                }
                Ok(PushOutcome::Elsewhere { .. }) if !has_disagreed => {
                    has_disagreed = true;
                    let (hello, machine) =
                        agree::greet(store, exchange.session, exchange.plan, exchange.machine)?;
                    (exchange.hello, exchange.machine) = (hello, machine);
                }
                Ok(PushOutcome::Elsewhere { .. }) => {
                    done.notes
                        .push(format!("another process sends rows of `{project}` under this machine's name"));
                    break;
                }
                Err(error) if matches!(error.remedy, TeamRemedy::Halve | TeamRemedy::NotOurs) => {
                    halve(store, &stream, push, &error)?;
                }
                // The project was closed meanwhile; the rest still moves.
                Err(error) if error.remedy == TeamRemedy::NoProject => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(done)
}

/// Returns the push that was begun, or writes down the next one; `None` if everything is sent.
fn next_lot(
    store: &mut Store,
    stream: &KnownStream,
    exchange: &Exchange<'_>,
    patterns: &SharePatterns,
) -> Result<Option<(PendingPush, Vec<LeavingRecord>)>, StoreError> {
    let state = &stream.state;
    let (first, last) = match state.pending {
        Some(pending) => (pending.first, pending.last),
        None if state.last > state.acked => (state.acked + 1, state.last.min(state.acked + MAX_LOT)),
        None => return Ok(None),
    };
    let mut batch = Vec::new();
    let mut bytes = 0;
    for record in store.stream_records(stream.id, first, last)? {
        let leaves = leaving(store, &record, exchange.folders, patterns, exchange.now)?;
        let leaves = match leaves {
            Ok(leaves) => leaves,
            Err(why) => {
                store.hold(stream.id, record.number, why.reason())?;
                LeavingRecord::gone(exchange.now.0)
            }
        };
        bytes += leaves.to_json().to_string().len();
        // A push that was begun is sent as it is: the server may have it.
        if bytes > MAX_LOT_BYTES && !batch.is_empty() && state.pending.is_none() {
            break;
        }
        batch.push(leaves);
    }
    let push = match state.pending {
        Some(pending) => pending,
        None => {
            let last = first + i64::try_from(batch.len()).unwrap_or(1) - 1;
            let push = PendingPush { first, last, id: new_id() };
            store.begin_push(stream.id, push)?;
            push
        }
    };
    Ok(Some((push, batch)))
}

fn send(
    exchange: &Exchange<'_>,
    stream: &KnownStream,
    push: PendingPush,
    batch: &[LeavingRecord],
) -> Result<PushOutcome, TeamError> {
    let batch = serde_json::Value::Array(batch.iter().map(LeavingRecord::to_json).collect());
    exchange.session.push(&PushRequest {
        machine: exchange.machine.0,
        project: &stream.project,
        previous: stream.state.acked_push.map(|push| push.0),
        this: push.id.0,
        first: push.first,
        now: exchange.now.0,
        batch: &batch,
    })
}

/// Sends half of what was refused next, until the record is found that is to blame; then sends its number without it.
fn halve(
    store: &mut Store,
    stream: &KnownStream,
    push: PendingPush,
    error: &TeamError,
) -> Result<(), StoreError> {
    if push.first == push.last {
        store.hold(stream.id, push.first, &format!("the server refused it: {}", error.message))?;
    }
    let last = push.first + (push.last - push.first) / 2;
    store.begin_push(stream.id, PendingPush { last, id: new_id(), ..push })
}

/// Returns what leaves for a record, or why its row stays here.
pub(super) fn leaving(
    reader: &Reader,
    record: &StreamRecord,
    folders: &[SharedFolder],
    patterns: &SharePatterns,
    now: Timestamp,
) -> Result<Result<LeavingRecord, Withheld>, StoreError> {
    let gone = Ok(LeavingRecord::gone(now.0));
    if record.is_held {
        return Ok(gone);
    }
    match (record.kind, record.event_key, record.observation) {
        (RecordKind::Drop, Some(key), _) => Ok(Ok(LeavingRecord::drop(key, now.0))),
        (RecordKind::Observation, Some(key), Some(id)) => {
            let row = reader.get(&[ObservationId(id)])?.into_iter().next();
            // It was forgotten or has expired before it left.
            let Some(row) = row.filter(|row| row.event_key == Some(key)) else { return Ok(gone) };
            Ok(leaving_row(&row, folders, patterns))
        }
        _ => Ok(gone),
    }
}

/// Returns what leaves of a row; nothing, if its folder is not shared any more.
pub(super) fn leaving_row(
    row: &Observation,
    folders: &[SharedFolder],
    patterns: &SharePatterns,
) -> Result<LeavingRecord, Withheld> {
    let root = row.project_root.as_deref().ok_or(Withheld::NoProject)?;
    let is_shared = folders.iter().any(|folder| folder.root == root && folder.level > ShareLevel::Off);
    let Some(own) = patterns.of(root).filter(|_| is_shared) else {
        return Ok(LeavingRecord::gone(row.timestamp.0));
    };
    let border = Border { patterns: own, home: patterns.home.as_deref() };
    border.cross(row, |content, file_path| {
        let mut texts = row.seen.clone();
        (texts.content, texts.file_path) = (content.to_owned(), file_path.map(str::to_owned));
        row_texts(&texts).parts
    })
}
