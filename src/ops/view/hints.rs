//! Hints: which facts are around, where they apply, and which of them win.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::request::{ViewError, ViewRequest};
use super::shown::Shown;
use super::{ViewAnswer, whole};
use crate::api::hints::QueryWire;
use crate::api::view::{HintView, HintsView};
use crate::model::{Hint, HintValue};
use crate::system::{clock, moment};

/// Hints that are shown.
const MAX_HINTS: usize = 500;

/// Returns the question to the hints of the PRIMARY, for the place that the page chose.
pub(crate) fn question(request: &ViewRequest) -> Map<String, Value> {
    let mut context = Map::new();
    let place = request.text("cwd").or_else(|| request.text("project"));
    for (name, value) in [("cwd", place), ("branch", request.text("branch")), ("os", request.text("os"))] {
        context.extend(value.map(|value| (name.to_owned(), json!(value))));
    }
    let mut params = Map::new();
    params.insert("context".to_owned(), Value::Object(context));
    params.insert("limit".to_owned(), json!(MAX_HINTS));
    params
}

/// `hints`: what the page shows of the answer.
pub(crate) fn answer(found: &Value) -> Result<ViewAnswer, ViewError> {
    let found = QueryWire::deserialize(found).map_err(|_| ViewError::internal())?;
    let shown = Shown::new();
    let mut hints: Vec<HintView> = Vec::new();
    for one in &found.hints {
        // The first of a key is the one that is used here.
        let loses = hints.iter().any(|other| other.component == one.component && other.key == one.key);
        let hint = &one.hint;
        let age = clock::moment().duration_since(hint.created_at);
        hints.push(HintView {
            component: shown.name(&one.component),
            key: shown.name(&one.key),
            value: (!hint.is_secret()).then(|| shown.text(&value(&hint.value)).0),
            secret: hint.is_secret(),
            scope: shown.row(&hint.meta.scope.to_string()),
            score: one.score,
            reasons: one.match_explain.reasons.iter().map(|reason| shown.row(reason)).collect(),
            loses,
            uses: hint.use_count,
            age_ms: i64::try_from(age.as_millis()).unwrap_or(i64::MAX),
            until_ms: until_ms(hint),
        });
    }
    whole(&HintsView { hints, server: true })
}

fn value(value: &HintValue) -> String {
    match value {
        HintValue::Text(text) => text.clone(),
        HintValue::Typed(typed) => serde_json::to_string(typed).unwrap_or_default(),
    }
}

/// Returns when a hint expires; one of the session does not.
fn until_ms(hint: &Hint) -> Option<i64> {
    let ttl = hint.meta.ttl.as_deref().filter(|ttl| *ttl != "session")?;
    let seconds = moment::parse_seconds(ttl.trim_start_matches('P')).ok()?;
    Some(hint.updated_at.as_millisecond().saturating_add(seconds.saturating_mul(1_000)))
}
