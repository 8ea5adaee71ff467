//! Turns past events into observations, on the same way as live ones.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::find::FoundTranscript;
use super::past_place::PastPlaces;
use crate::harness::{Agent, PastEvent};
use crate::model::{
    Event, FAILED_TOOL, Hook, Metadata, NewObservation, ObservationType, Pairing, PastRow, Retention,
    SourceRank, Timestamp,
};
use crate::observations::{self, Circumstances};
use crate::redact::{OwnPatterns, redact};
use crate::store;

/// The longest text that is taken for a version.
const MAX_VERSION: usize = 40;

/// Makes rows of past events; it looks up each folder once.
pub(super) struct RowMaker {
    agent: &'static Agent,
    /// Nothing before these times is kept.
    oldest: HashMap<ObservationType, Timestamp>,
    since: Timestamp,
    /// How many events were left out because retention would delete them, of those that were asked for.
    pub(super) expired: usize,
    places: PastPlaces,
    /// The folder that the session began in.
    folder: Option<PathBuf>,
    rank: SourceRank,
    /// The root of the only project that is wanted.
    only_in: Option<String>,
    /// Why some of the transcript may not be stored until the settings of its project are fixed.
    unreadable: Option<String>,
}

impl RowMaker {
    pub(super) fn new(
        agent: &'static Agent,
        retention: &Retention,
        since: Timestamp,
        now: Timestamp,
    ) -> RowMaker {
        let oldest = retention.days.iter().map(|(kind, days)| {
            let expired = days.map_or(Timestamp(0), |days| now.minus_days(days));
            (*kind, expired.max(since))
        });
        RowMaker {
            agent,
            oldest: oldest.collect(),
            since,
            expired: 0,
            places: PastPlaces::default(),
            folder: None,
            rank: SourceRank::Whole,
            only_in: None,
            unreadable: None,
        }
    }

    /// Begins another transcript, of a session in this folder.
    pub(super) fn begin(&mut self, found: &FoundTranscript, folder: Option<&Path>, only_in: Option<&str>) {
        self.agent = found.agent;
        self.folder = folder.map(Path::to_owned);
        self.rank = (found.transcripts.rank)(&found.path);
        self.only_in = only_in.map(str::to_owned);
        self.unreadable = None;
    }

    /// Returns why some of the transcript was left out, to be read when the settings of its project are fixed.
    pub(super) fn unreadable(&self) -> Option<&str> {
        self.unreadable.as_deref()
    }

    /// Returns what is worth remembering of an event.
    pub(super) fn rows(&mut self, past: PastEvent, version: Option<&str>) -> Vec<PastRow> {
        let PastEvent {
            payload,
            event_name,
            at_ms,
            branch,
            record_ids,
            facts,
            exit_code,
            fingerprint,
            unrun,
        } = past;
        if unrun.is_some() {
            return Vec::new();
        }
        let at = Timestamp(at_ms.div_euclid(1_000));
        if at_ms <= 0 || self.oldest.values().all(|oldest| at < *oldest) {
            self.expired += usize::from(at_ms > 0 && at >= self.since);
            return Vec::new();
        }
        let Some(mut event) = (self.agent.parse_value)(payload, event_name) else { return Vec::new() };
        event.harness = self.agent.id;
        event.fingerprint = fingerprint;
        if let (Some(code), Some(id)) = (exit_code, &event.tool_use_id) {
            let end = json!({ "payload": { "call_id": id, "exit_code": code } }).to_string();
            (self.agent.complete)(&mut event, &end);
        }
        let (rank, only_in) = (self.rank, self.only_in.clone());
        let place = self.places.of(&event.cwd, self.folder.as_deref());
        let Some(own) = &place.own else {
            self.unreadable = self.unreadable.take().or_else(|| place.unreadable.clone());
            return Vec::new();
        };
        let root = place.project.as_ref().and_then(|project| project.root.as_deref());
        if only_in.is_some() && only_in.as_deref() != root {
            return Vec::new();
        }
        let circumstances = Circumstances {
            now: at,
            project: place.project.clone(),
            root: place.root.as_deref(),
            branch,
            worktree: place.worktree.clone(),
            ..Circumstances::default()
        };
        let observed = observations::observe(&event, &circumstances, own);
        let mut origin: Vec<(&str, Value)> = vec![("origin", json!("transcript"))];
        origin.extend(version.and_then(parse_version).map(|version| ("version", json!(version))));
        origin.extend(place.is_gone.then(|| ("root_gone", json!(true))));
        let clean = |value: Value| match value {
            Value::String(text) => Value::String(redact(&text, own).text.into_owned()),
            other => other,
        };
        origin.extend(facts.into_iter().map(|(name, value)| (name, clean(value))));
        if rank != SourceRank::Whole {
            origin.push(("source_rank", json!("partial")));
        } else if event.tool_use_id.is_none() && event.prompt_id.is_none() {
            origin.push(("at_ms", json!(at_ms)));
        }
        let record_ids: Vec<i64> = record_ids.iter().map(|id| id.0).collect();
        let (oldest, since, mut expired) = (&self.oldest, self.since, 0);
        let rows = observed
            .into_iter()
            .enumerate()
            // A look that failed is worth keeping only where a hook reports it: a transcript says nothing of what came of it.
            .filter(|(_, row)| row.metadata.as_ref().and_then(Metadata::kind) != Some(FAILED_TOOL))
            .filter(|(_, row)| {
                let is_kept = oldest.get(&row.obs_type).is_none_or(|oldest| row.timestamp >= *oldest);
                expired += usize::from(!is_kept && row.timestamp >= since);
                is_kept
            });
        let rows = rows.map(|(index, row)| {
            let pairing = if rank == SourceRank::Whole { pairing(&event, &row) } else { Pairing::Rank(rank) };
            let observation = with_origin(row, &origin);
            PastRow {
                pairing,
                other_keys: observations::other_key(&event, index).into_iter().collect(),
                texts: store::row_texts(&observation),
                observation,
                record_ids: record_ids.clone(),
            }
        });
        let rows = rows.collect();
        self.expired += expired;
        rows
    }
}

/// Says in the metadata where a row comes from.
fn with_origin(mut row: NewObservation, origin: &[(&str, Value)]) -> NewObservation {
    let facts = &mut row.metadata.get_or_insert_with(Metadata::default).0;
    for (name, value) in origin {
        // Nothing is known about it, and a guess would be wrong half of the time.
        if value.is_null() {
            facts.shift_remove(*name);
        } else {
            facts.insert((*name).to_owned(), value.clone());
        }
    }
    row
}

/// Returns how an event is recognised in what hooks have stored.
fn pairing(event: &Event, row: &NewObservation) -> Pairing {
    match row.obs_type {
        _ if row.is_list() => Pairing::Key,
        ObservationType::SessionStart | ObservationType::SessionEnd | ObservationType::Summary => {
            Pairing::Time
        }
        _ if event.tool_use_id.is_some() && event.hook != Hook::UserPromptSubmit => Pairing::Key,
        _ => Pairing::Content,
    }
}

/// Returns a version if it looks like one: anything else may be a secret.
pub(super) fn parse_version(text: &str) -> Option<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    let is_version = text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_plain);
    let is_version = is_version && text.len() <= MAX_VERSION;
    (is_version && redact(text, &OwnPatterns::default()).kinds.is_empty()).then_some(text)
}
