//! The answers about hints, in the seed's format. Fields are added, and none of the seed's is left out.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::model::{Hint, HintScope, HintSuggestion, MatchExplain};

/// The answer to a set.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SetHintWire<'a> {
    pub(crate) component: Cow<'a, str>,
    pub(crate) key: Cow<'a, str>,
    pub(crate) hint: Cow<'a, Hint>,
    /// How many variants the key has now.
    pub(crate) variants: usize,
    /// The scopes of the variants that rank higher where they apply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) outranked_by: Vec<Cow<'a, HintScope>>,
}

/// The answer to a get.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct GetHintWire<'a> {
    pub(crate) component: Cow<'a, str>,
    pub(crate) key: Cow<'a, str>,
    pub(crate) hint: Cow<'a, Hint>,
    pub(crate) match_explain: MatchExplain,
    pub(crate) variants: usize,
}

/// The answer to a query.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct QueryWire<'a> {
    pub(crate) hints: Vec<FoundHintWire<'a>>,
    /// How many were found, listed or not.
    pub(crate) total: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) elsewhere: Option<ElsewhereWire>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FoundHintWire<'a> {
    pub(crate) component: Cow<'a, str>,
    pub(crate) key: Cow<'a, str>,
    pub(crate) hint: Cow<'a, Hint>,
    pub(crate) score: f64,
    pub(crate) match_explain: MatchExplain,
}

/// If nothing was found, what applies elsewhere: an empty list would look as if nothing was known.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ElsewhereWire {
    pub(crate) hints: usize,
    /// The facts that scopes need and the caller did not send.
    pub(crate) missing: Vec<String>,
}

/// The answer to a deletion.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DeleteHintWire<'a> {
    pub(crate) deleted: bool,
    pub(crate) component: Cow<'a, str>,
    pub(crate) key: Cow<'a, str>,
    pub(crate) previous: Cow<'a, Hint>,
    /// Only if there were several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deleted_count: Option<usize>,
}

/// The list of components.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ComponentsWire<'a> {
    pub(crate) components: Vec<ListedComponentWire<'a>>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListedComponentWire<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) hint_count: usize,
    /// Only if the component was requested by name.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) keys: BTreeSet<Cow<'a, str>>,
}

/// The answer to a bump.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct BumpWire<'a> {
    pub(crate) component: Cow<'a, str>,
    pub(crate) key: Cow<'a, str>,
    pub(crate) hint: Cow<'a, Hint>,
}

/// The answer to an export.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ExportWire<P> {
    pub(crate) payload: P,
    pub(crate) skipped_secrets: usize,
}

/// The hints in an export.
#[derive(Debug, Deserialize)]
pub(crate) struct StoreWire {
    pub(crate) components: BTreeMap<String, StoreComponentWire>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct StoreComponentWire {
    /// The least specific variant of each key.
    pub(crate) hints: BTreeMap<String, Hint>,
    #[serde(default)]
    pub(crate) variants: BTreeMap<String, Vec<Hint>>,
}

/// The environment variables that stored scopes need.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EnvNamesWire {
    pub(crate) names: BTreeSet<String>,
}

/// The hints to push to an agent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SuggestWire {
    pub(crate) suggestions: Vec<HintSuggestion>,
    /// If not empty, nothing was chosen yet: these environment variables decide, and the caller asks again with them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) wanted_env: BTreeSet<String>,
}
