//! What a page that was opened with `nudge ui --edit` may change: pins, rules, and what is forgotten.
//!
//! Forgetting takes two steps: the first says what would be gone and gives a proof, which the second must bring. The
//! proof is for exactly these observations, and for a minute.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::view::ForgetProposalView;
use crate::model::{ObservationId, Selection};
use crate::ops::observations::{forget, remember};
use crate::ops::rules::change::{self, RuleEdit, RulesOf};
use crate::ops::view::{ViewError, shown_text};
use crate::peers;
use crate::system::clock::now_ms;

const MAX_IDS: usize = 200;
/// Answers that are kept for a request that is sent again.
const MAX_KEPT: usize = 100;
const MAX_PROOFS: usize = 16;
const PROOF_LIFETIME_MS: i64 = 60_000;
/// Rows that a proposal shows.
const MAX_SAMPLE: usize = 5;

/// What pages did lately.
#[derive(Default)]
pub(crate) struct PageActs {
    state: Mutex<ActState>,
}

#[derive(Default)]
struct ActState {
    /// Answers by the id of the request.
    done: VecDeque<(String, Value)>,
    proofs: VecDeque<ForgetProof>,
}

struct ForgetProof {
    proof: String,
    ids: Vec<i64>,
    made_ms: i64,
}

/// The body of `act`.
#[derive(Deserialize)]
struct ActWire {
    action: String,
    request_id: String,
    #[serde(default)]
    ids: Vec<i64>,
    name: Option<String>,
    /// The root of the rule's project; a rule of the user has none.
    project: Option<String>,
    #[serde(default)]
    dry: bool,
    proof: Option<String>,
}

impl PageActs {
    /// Does what a page asks for, once for each request.
    pub(crate) fn act(&self, body: &[u8]) -> Result<Value, ViewError> {
        let wire: ActWire = serde_json::from_slice(body)
            .map_err(|error| ViewError::wrong(format!("the body cannot be read: {error}")))?;
        if wire.request_id.is_empty() || wire.request_id.len() > 64 {
            return Err(ViewError::wrong("`request_id` must have 1 to 64 characters".to_owned()));
        }
        if let Some(answer) = self.known(&wire.request_id) {
            return Ok(answer);
        }
        let answer = self.do_once(&wire)?;
        let mut state = self.lock();
        state.done.push_back((wire.request_id, answer.clone()));
        while state.done.len() > MAX_KEPT {
            state.done.pop_front();
        }
        Ok(answer)
    }

    fn known(&self, request: &str) -> Option<Value> {
        self.lock().done.iter().find(|(known, _)| known == request).map(|(_, answer)| answer.clone())
    }

    fn do_once(&self, wire: &ActWire) -> Result<Value, ViewError> {
        match wire.action.as_str() {
            "pin" | "unpin" => pin(&ids(wire)?, wire.action == "pin"),
            "rule_enable" => switch(wire, RuleEdit::Enable),
            "rule_disable" => switch(wire, RuleEdit::Disable),
            "forget" if wire.dry => self.propose(wire),
            "forget" => self.forget(wire),
            _ => Err(ViewError::wrong("there is no such action".to_owned())),
        }
    }

    /// Says what forgetting would remove.
    fn propose(&self, wire: &ActWire) -> Result<Value, ViewError> {
        let ids = ids(wire)?;
        let selection = Selection::Ids(ids.clone());
        let Some(reader) = remember::reader()? else {
            return Err(ViewError::unknown("nothing is remembered".to_owned()));
        };
        let would = reader.would_forget(&selection)?;
        let pinned = reader.get(&ids)?.iter().filter(|row| row.pinned).count();
        let proof = peers::id();
        let mut state = self.lock();
        state.proofs.push_back(ForgetProof {
            proof: proof.clone(),
            ids: ids.iter().map(|id| id.0).collect(),
            made_ms: now_ms(),
        });
        while state.proofs.len() > MAX_PROOFS {
            state.proofs.pop_front();
        }
        let sample =
            would.sample.iter().take(MAX_SAMPLE).map(|hit| shown_text(&hit.content_preview)).collect();
        Ok(json!(ForgetProposalView { count: would.count, pinned, sample, proof }))
    }

    fn forget(&self, wire: &ActWire) -> Result<Value, ViewError> {
        let ids = ids(wire)?;
        let shown = wire.proof.as_deref().unwrap_or_default();
        let numbers: Vec<i64> = ids.iter().map(|id| id.0).collect();
        let found = {
            let mut state = self.lock();
            let at = state.proofs.iter().position(|one| peers::is_same_secret(&one.proof, shown));
            at.and_then(|at| state.proofs.remove(at))
        };
        let is_proved = found.is_some_and(|one| {
            one.ids == numbers && (0..=PROOF_LIFETIME_MS).contains(&(now_ms() - one.made_ms))
        });
        if !is_proved {
            let error = ViewError::conflict("look at what would be forgotten first".to_owned());
            return Err(error.hint("a proposal is good for a minute, and for exactly these observations"));
        }
        let forgotten = forget::forget(&Selection::Ids(ids))?;
        Ok(json!({ "forgotten": forgotten.count }))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ActState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ids(wire: &ActWire) -> Result<Vec<ObservationId>, ViewError> {
    if wire.ids.is_empty() || wire.ids.len() > MAX_IDS {
        return Err(ViewError::wrong(format!("`ids` must have 1 to {MAX_IDS} numbers")));
    }
    Ok(wire.ids.iter().copied().map(ObservationId).collect())
}

fn pin(ids: &[ObservationId], is_pinned: bool) -> Result<Value, ViewError> {
    let missing = forget::set_pinned(ids, is_pinned)?.unwrap_or_else(|| ids.to_vec());
    let missing: Vec<i64> = missing.iter().map(|id| id.0).collect();
    Ok(json!({ "pinned": is_pinned, "missing": missing }))
}

/// Enables or disables a rule of the user's own file, or of a project in which the user had a session.
fn switch(wire: &ActWire, edit: RuleEdit) -> Result<Value, ViewError> {
    let name = wire.name.as_deref().filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| ViewError::wrong("`name` is missing".to_owned()))?;
    let (root, of) = match wire.project.as_deref() {
        None => (Path::new("/"), RulesOf::User),
        Some(root) => {
            let is_known = match remember::reader()? {
                Some(reader) => !reader.folder_ids(root)?.is_empty(),
                None => false,
            };
            if !is_known || !Path::new(root).is_absolute() {
                return Err(ViewError::forbidden("no session of yours was in that project".to_owned()));
            }
            (Path::new(root), RulesOf::Project)
        }
    };
    let changed = change::change(root, edit, name, of).map_err(|error| {
        let failed = ViewError::conflict(error.message);
        match error.hint {
            Some(hint) => failed.hint(hint),
            None => failed,
        }
    })?;
    Ok(json!({ "rule": name, "enabled": edit == RuleEdit::Enable, "written": changed.written }))
}
