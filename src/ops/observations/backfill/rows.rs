//! Turns past events into observations, on the same way as live ones.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::find::FoundTranscript;
use crate::config::settings;
use crate::harness::{Agent, PastEvent};
use crate::model::{
    Event, FAILED_TOOL, Hook, Metadata, NewObservation, ObservationType, Pairing, PastRow, Project,
    Retention, SourceRank, Timestamp,
};
use crate::observations::{self, Circumstances};
use crate::ops::{project, secret_patterns};
use crate::redact::{OwnPatterns, redact};
use crate::store;
use crate::system::project::ProjectPlace;

/// The longest text that is taken for a version.
const MAX_VERSION: usize = 40;

/// Makes rows of past events; it looks up each folder once.
pub(super) struct RowMaker {
    agent: &'static Agent,
    /// Nothing before these times is kept.
    oldest: HashMap<ObservationType, Timestamp>,
    places: HashMap<PathBuf, PastPlace>,
    /// The folder that the session began in.
    folder: Option<PathBuf>,
    rank: SourceRank,
    /// The root of the only project that is wanted.
    only_in: Option<String>,
}

/// What is known about a folder of an earlier session.
struct PastPlace {
    project: Option<Project>,
    root: Option<PathBuf>,
    /// The name of a linked git worktree.
    worktree: Option<String>,
    /// The patterns for secrets; `None` if nothing is to be remembered of this place.
    own: Option<OwnPatterns>,
    is_gone: bool,
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
            places: HashMap::new(),
            folder: None,
            rank: SourceRank::Whole,
            only_in: None,
        }
    }

    /// Begins another transcript, of a session in this folder.
    pub(super) fn begin(&mut self, found: &FoundTranscript, folder: Option<&Path>, only_in: Option<&str>) {
        self.agent = found.agent;
        self.folder = folder.map(Path::to_owned);
        self.rank = (found.transcripts.rank)(&found.path);
        self.only_in = only_in.map(str::to_owned);
    }

    /// Returns what is worth remembering of an event.
    pub(super) fn rows(&mut self, past: PastEvent, version: Option<&str>) -> Vec<PastRow> {
        let PastEvent { payload, event_name, at_ms, branch, record_ids, facts, exit_code, fingerprint } =
            past;
        let at = Timestamp(at_ms.div_euclid(1_000));
        if at_ms <= 0 || self.oldest.values().all(|oldest| at < *oldest) {
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
        let place = self.place(&event.cwd);
        let Some(own) = &place.own else { return Vec::new() };
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
        let oldest = &self.oldest;
        let rows = observed
            .into_iter()
            .enumerate()
            // A look that failed is worth keeping only where a hook reports it: a transcript says nothing of what came of it.
            .filter(|(_, row)| row.metadata.as_ref().and_then(Metadata::kind) != Some(FAILED_TOOL))
            .filter(|(_, row)| oldest.get(&row.obs_type).is_none_or(|oldest| row.timestamp >= *oldest));
        rows.map(|(index, row)| {
            let pairing = if rank == SourceRank::Whole { pairing(&event, &row) } else { Pairing::Rank(rank) };
            let observation = with_origin(row, &origin);
            PastRow {
                pairing,
                other_keys: observations::other_key(&event, index).into_iter().collect(),
                texts: store::row_texts(&observation),
                observation,
                record_ids: record_ids.clone(),
            }
        })
        .collect()
    }

    fn place(&mut self, cwd: &Path) -> &PastPlace {
        if !self.places.contains_key(cwd) {
            let place = PastPlace::of(cwd, self.folder.as_deref());
            self.places.insert(cwd.to_owned(), place);
        }
        &self.places[cwd]
    }
}

impl PastPlace {
    fn of(cwd: &Path, folder: Option<&Path>) -> PastPlace {
        // The transcript does not say where.
        if cwd.as_os_str().is_empty() {
            let own = secret_patterns::of(&settings::load(Path::new("")).0).ok();
            return PastPlace { project: None, root: None, worktree: None, own, is_gone: false };
        }
        let is_gone = !cwd.is_dir();
        let place = ProjectPlace::find(None, cwd);
        let (settings, _) = settings::load(place.root());
        let own = if settings.remember { secret_patterns::of(&settings).ok() } else { None };
        if let Some(worktree) = place.worktree() {
            let project = project::of_place(&place, &settings)
                .map(|project| project::identified(project, &place, &settings));
            let (root, name) = (Some(worktree.root.to_owned()), worktree.linked_name());
            return PastPlace { project, root, worktree: name, own, is_gone };
        }
        // The agent may have been in a folder below the one that it began in, and both are gone.
        let base = folder.filter(|folder| is_gone && cwd.starts_with(folder)).unwrap_or(cwd);
        let project = project::of_past_folder(base, &settings);
        let root = is_gone.then(|| base.to_owned());
        PastPlace { project, root, worktree: None, own, is_gone }
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
