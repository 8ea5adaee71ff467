//! The answers about hints, in the seed's shapes; what is ours is added, and nothing of the seed's is left out.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::model::{Hint, HintScope, MatchExplain};

/// Answers a set.
#[derive(Debug, Serialize)]
pub(crate) struct SetHintWire<'a> {
    pub(crate) component: &'a str,
    pub(crate) key: &'a str,
    pub(crate) hint: &'a Hint,
    /// How many variants the key has now.
    pub(crate) variants: usize,
    /// The scopes of those that win where they hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) outranked_by: Vec<&'a HintScope>,
}

/// Answers a get.
#[derive(Debug, Serialize)]
pub(crate) struct GetHintWire<'a> {
    pub(crate) component: &'a str,
    pub(crate) key: &'a str,
    pub(crate) hint: &'a Hint,
    pub(crate) match_explain: MatchExplain,
    pub(crate) variants: usize,
}

/// Answers a query.
#[derive(Debug, Serialize)]
pub(crate) struct QueryWire<'a> {
    pub(crate) hints: Vec<FoundHintWire<'a>>,
    /// How many were found, listed or not.
    pub(crate) total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) elsewhere: Option<ElsewhereWire>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FoundHintWire<'a> {
    pub(crate) component: &'a str,
    pub(crate) key: &'a str,
    pub(crate) hint: &'a Hint,
    pub(crate) score: f64,
    pub(crate) match_explain: MatchExplain,
}

/// Where nothing was found, what holds elsewhere: an empty list would look as if nothing was known.
#[derive(Debug, Serialize)]
pub(crate) struct ElsewhereWire {
    pub(crate) hints: usize,
    /// The facts that were asked for and not given.
    pub(crate) missing: Vec<String>,
}

/// Answers a deletion.
#[derive(Debug, Serialize)]
pub(crate) struct DeleteHintWire<'a> {
    pub(crate) deleted: bool,
    pub(crate) component: &'a str,
    pub(crate) key: &'a str,
    pub(crate) previous: &'a Hint,
    /// Only where there were several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deleted_count: Option<usize>,
}

/// Answers what components there are.
#[derive(Debug, Serialize)]
pub(crate) struct ComponentsWire<'a> {
    pub(crate) components: Vec<ComponentWire<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ComponentWire<'a> {
    pub(crate) name: &'a str,
    pub(crate) hint_count: usize,
    /// Only of a component that was asked for by name.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) keys: BTreeSet<&'a str>,
}

/// Answers a bump.
#[derive(Debug, Serialize)]
pub(crate) struct BumpWire<'a> {
    pub(crate) component: &'a str,
    pub(crate) key: &'a str,
    pub(crate) hint: &'a Hint,
}

/// Answers an export.
#[derive(Debug, Serialize)]
pub(crate) struct ExportWire<P> {
    pub(crate) payload: P,
    pub(crate) skipped_secrets: usize,
}
