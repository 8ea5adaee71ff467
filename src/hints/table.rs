//! Stores hints by component, key and scope. Expired hints are never returned, whether swept or not.

mod kept;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

pub(crate) use self::kept::HintFile;
use super::gate::{ConditionOutcome, RequiredFact, ScopeMatcher};
use super::guard::reject_secrets;
use super::meta::parse_meta;
use super::ttl::Ttl;
use super::value::parse_value;
use crate::model::{Hint, HintCode, HintContext, HintFlaw, HintMeta, HintScope, HintValue};

/// All hints of a session. A clone is cheap, because it shares them.
#[derive(Debug, Clone, Default)]
pub(crate) struct HintTable {
    components: BTreeMap<String, BTreeMap<String, KeyEntry>>,
    total: usize,
}

/// The limits for all hints; each has a variable and a flag of `nudge serve`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HintLimits {
    pub(crate) max_hints: usize,
    pub(crate) secret_guard: bool,
    /// `session`, or an ISO-8601 duration.
    pub(crate) default_ttl: String,
    /// How many hints are pushed to one agent session within ten minutes.
    pub(crate) suggestions: usize,
}

/// The name of a hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct HintName<'a> {
    pub(crate) component: &'a str,
    pub(crate) key: &'a str,
}

/// A stored hint, ready to be matched.
#[derive(Debug, Clone)]
pub(crate) struct StoredHint {
    pub(crate) hint: Hint,
    pub(super) gate: ScopeMatcher,
    ends_at: Option<Timestamp>,
    /// The file that it comes from, if it outlives the session.
    pub(super) kept_in: Option<HintFile>,
}

/// The parsed and validated content of a hint to be stored.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(super) value: HintValue,
    pub(super) meta: HintMeta,
    pub(super) ttl: Ttl,
}

/// Options for storing a hint.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PutOptions {
    pub(crate) if_match_version: Option<u64>,
    /// Deletes the other variants of the key.
    pub(crate) replace: bool,
}

#[derive(Debug, Clone, Default)]
struct KeyEntry {
    /// Shared with a snapshot that is being written to disk.
    variants: Vec<Arc<StoredHint>>,
    /// The scope of the variant that was returned last; a bump without context applies to it.
    returned: Option<HintScope>,
}

const MAX_COMPONENTS: usize = 500;
const MAX_IN_COMPONENT: usize = 200;

impl Draft {
    pub(crate) fn read(
        place: HintName<'_>,
        value: &Value,
        meta: &Value,
        limits: &HintLimits,
    ) -> Result<Draft, HintFlaw> {
        let mut draft = Draft { value: parse_value(value)?, meta: parse_meta(meta)?, ttl: Ttl::Session };
        if limits.secret_guard {
            reject_secrets([place.component, place.key], &draft.value, &draft.meta)?;
        }
        let ttl = draft.meta.ttl.get_or_insert_with(|| limits.default_ttl.clone());
        draft.ttl = Ttl::read(ttl)?;
        Ok(draft)
    }
}

impl StoredHint {
    pub(super) fn new(hint: Hint, ttl: Ttl) -> StoredHint {
        let (gate, ends_at) = (ScopeMatcher::of(&hint.meta.scope), ttl.end(hint.updated_at));
        StoredHint { gate, ends_at, hint, kept_in: None }
    }

    pub(crate) fn is_eligible(&self, context: &HintContext) -> bool {
        self.gate.is_open(&self.hint.meta.scope, context)
    }

    /// Returns whether the hint would be eligible if the right environment variables were known.
    pub(crate) fn needs_only_env(&self, context: &HintContext) -> bool {
        let mut needs = false;
        self.gate.outcomes(&self.hint.meta.scope, context).all(|outcome| match outcome {
            ConditionOutcome::Met { .. } => true,
            ConditionOutcome::Missing(RequiredFact::Env(_)) => {
                needs = true;
                true
            }
            _ => false,
        }) && needs
    }

    pub(super) fn is_live(&self, now: Timestamp) -> bool {
        self.ends_at.is_none_or(|end| now < end)
    }
}

impl HintTable {
    /// Returns how many hints there are, including expired ones that are not swept yet.
    pub(crate) fn len(&self) -> usize {
        self.total
    }

    /// Replaces all variants of a key by these, which were accepted before.
    pub(crate) fn set_key(&mut self, place: HintName<'_>, hints: Vec<Hint>) {
        self.retain(place, |_| false);
        for hint in hints {
            let ttl = hint.meta.ttl.as_deref().and_then(|ttl| Ttl::read(ttl).ok());
            self.insert(place, StoredHint::new(hint, ttl.unwrap_or(Ttl::Session)));
        }
    }

    /// Returns all hints, by component, key and scope.
    pub(crate) fn all(&self, now: Timestamp) -> impl Iterator<Item = (HintName<'_>, &StoredHint)> {
        self.components.iter().flat_map(move |(component, keys)| live_hints(component, keys, now))
    }

    /// Returns the hints of a component.
    pub(crate) fn component(
        &self,
        component: &str,
        now: Timestamp,
    ) -> impl Iterator<Item = (HintName<'_>, &StoredHint)> {
        self.components
            .get_key_value(component)
            .into_iter()
            .flat_map(move |(component, keys)| live_hints(component, keys, now))
    }

    /// Returns the variants of a key.
    pub(crate) fn variants(
        &self,
        place: HintName<'_>,
        now: Timestamp,
    ) -> impl Iterator<Item = (HintName<'_>, &StoredHint)> {
        let keys = self.components.get_key_value(place.component);
        let entry = keys.and_then(|(component, keys)| Some((component, keys.get_key_value(place.key)?)));
        entry.into_iter().flat_map(move |(component, (key, entry))| {
            let place = HintName { component, key };
            entry.variants.iter().filter(move |kept| kept.is_live(now)).map(move |kept| (place, &**kept))
        })
    }

    /// Stores a hint: updates the variant with this scope, or adds one. Returns the scope it is stored under.
    pub(crate) fn put(
        &mut self,
        place: HintName<'_>,
        mut draft: Draft,
        how: PutOptions,
        limits: &HintLimits,
        now: Timestamp,
    ) -> Result<HintScope, HintFlaw> {
        let target = self.target(place, &draft.meta.scope, how, now)?;
        let before = target.and_then(|scope| {
            let found = self.variants(place, now).find(|(_, kept)| kept.hint.meta.scope == scope);
            found.map(|(_, kept)| kept.hint.clone())
        });
        let others = self.variants(place, now).count() - usize::from(before.is_some());
        if before.is_none() && !(how.replace && others > 0) {
            self.make_room(place, limits, now)?;
        }
        if let Some(before) = &before {
            draft.meta.scope = before.meta.scope.clone();
        }
        let scope = draft.meta.scope.clone();
        let hint = Hint {
            value: draft.value,
            meta: draft.meta,
            version: before.as_ref().map_or(1, |hint| (hint.version + 1).min(Hint::MAX_COUNT)),
            created_at: before.as_ref().map_or(now, |hint| hint.created_at),
            updated_at: now,
            last_used_at: before.as_ref().and_then(|hint| hint.last_used_at),
            use_count: before.as_ref().map_or(0, |hint| hint.use_count),
        };
        if how.replace {
            self.retain(place, |kept| kept.hint.meta.scope == scope);
        }
        self.insert(place, StoredHint::new(hint, draft.ttl));
        Ok(scope)
    }

    /// Removes all live variants of a key, or only the one with this scope; returns them.
    pub(crate) fn remove(
        &mut self,
        place: HintName<'_>,
        scope: Option<&HintScope>,
        now: Timestamp,
    ) -> Vec<Hint> {
        let is_target = |kept: &StoredHint| scope.is_none_or(|scope| kept.hint.meta.scope == *scope);
        let removed: Vec<Hint> = self
            .variants(place, now)
            .filter(|(_, kept)| is_target(kept))
            .map(|(_, kept)| kept.hint.clone())
            .collect();
        self.retain(place, |kept| kept.is_live(now) && !is_target(kept));
        removed
    }

    /// Counts a use of the variant with this scope.
    pub(crate) fn bump(
        &mut self,
        place: HintName<'_>,
        scope: &HintScope,
        delta: u64,
        now: Timestamp,
    ) -> Option<&Hint> {
        let entry = self.components.get_mut(place.component)?.get_mut(place.key)?;
        let kept = entry.variants.iter_mut().find(|kept| kept.hint.meta.scope == *scope)?;
        let kept = Arc::make_mut(kept);
        kept.hint.use_count = kept.hint.use_count.saturating_add(delta).min(Hint::MAX_COUNT);
        kept.hint.last_used_at = Some(now);
        Some(&kept.hint)
    }

    /// Records which variant was returned.
    pub(crate) fn returned(&mut self, place: HintName<'_>, scope: HintScope) {
        let keys = self.components.get_mut(place.component);
        if let Some(entry) = keys.and_then(|keys| keys.get_mut(place.key)) {
            entry.returned = Some(scope);
        }
    }

    /// Returns whether this variant was the last one returned.
    pub(crate) fn is_returned(&self, place: HintName<'_>, scope: &HintScope) -> bool {
        let entry = self.components.get(place.component).and_then(|keys| keys.get(place.key));
        entry.is_some_and(|entry| entry.returned.as_ref() == Some(scope))
    }

    /// Returns the scope of the variant that was returned last, if it still exists.
    pub(crate) fn last_returned(&self, place: HintName<'_>, now: Timestamp) -> Option<HintScope> {
        let scope = self.components.get(place.component)?.get(place.key)?.returned.as_ref()?;
        self.variants(place, now).any(|(_, kept)| kept.hint.meta.scope == *scope).then(|| scope.clone())
    }

    /// Deletes expired hints.
    pub(crate) fn sweep(&mut self, now: Timestamp) {
        let mut total = 0;
        self.components.retain(|_, keys| {
            keys.retain(|_, entry| {
                entry.variants.retain(|kept| kept.is_live(now));
                total += entry.variants.len();
                !entry.variants.is_empty()
            });
            !keys.is_empty()
        });
        self.total = total;
    }

    /// Refuses one more hint if a limit is reached; expired hints are deleted first.
    pub(super) fn make_room(
        &mut self,
        place: HintName<'_>,
        limits: &HintLimits,
        now: Timestamp,
    ) -> Result<(), HintFlaw> {
        if self.exceeded_limit(place, limits).is_some() {
            self.sweep(now);
        }
        match self.exceeded_limit(place, limits) {
            None => Ok(()),
            Some(what) => {
                let detail =
                    format!("the limit for {what} is reached: delete hints that are no longer needed");
                Err(HintFlaw::new(HintCode::Quota, detail))
            }
        }
    }

    fn exceeded_limit(
        &self,
        HintName { component, .. }: HintName<'_>,
        limits: &HintLimits,
    ) -> Option<String> {
        if self.total >= limits.max_hints {
            return Some(format!("hints ({})", limits.max_hints));
        }
        match self.components.get(component) {
            None if self.components.len() >= MAX_COMPONENTS => Some(format!("components ({MAX_COMPONENTS})")),
            Some(keys)
                if keys.values().map(|entry| entry.variants.len()).sum::<usize>() >= MAX_IN_COMPONENT =>
            {
                Some(format!("hints of `{component}` ({MAX_IN_COMPONENT})"))
            }
            _ => None,
        }
    }

    /// Inserts a hint; replaces one with the same scope.
    pub(super) fn insert(&mut self, place: HintName<'_>, kept: StoredHint) {
        let keys = self.components.entry(place.component.to_owned()).or_default();
        let entry = keys.entry(place.key.to_owned()).or_default();
        let scope = &kept.hint.meta.scope;
        match entry.variants.binary_search_by(|other| other.hint.meta.scope.cmp(scope)) {
            Ok(index) => entry.variants[index] = Arc::new(kept),
            Err(index) => {
                entry.variants.insert(index, Arc::new(kept));
                self.total += 1;
            }
        }
    }

    /// Finds the variant that a set applies to, and compares its version with the expected one.
    fn target(
        &self,
        place: HintName<'_>,
        scope: &HintScope,
        how: PutOptions,
        now: Timestamp,
    ) -> Result<Option<HintScope>, HintFlaw> {
        let variants: Vec<&Hint> = self.variants(place, now).map(|(_, kept)| &kept.hint).collect();
        let same = variants.iter().find(|hint| hint.meta.scope == *scope);
        let Some(expected) = how.if_match_version else {
            return Ok(same.map(|hint| hint.meta.scope.clone()));
        };
        // A client that read the only variant and writes it back means that variant, even if it omits the scope.
        let only = variants.first().filter(|_| expected > 0 && scope.is_empty() && variants.len() == 1);
        let target = same.or(only);
        let current = target.map_or(0, |hint| hint.version);
        match current == expected {
            true => Ok(target.map(|hint| hint.meta.scope.clone())),
            false => Err(HintFlaw::new(
                HintCode::Conflict,
                match current {
                    0 => format!("expected version {expected}, but there is no such hint"),
                    _ => format!("expected version {expected}, but it is {current}: read it again"),
                },
            )
            .with("expected_version", expected)
            .with("current_version", current)),
        }
    }

    fn retain(&mut self, place: HintName<'_>, should_stay: impl Fn(&StoredHint) -> bool) {
        let Some(keys) = self.components.get_mut(place.component) else { return };
        let Some(entry) = keys.get_mut(place.key) else { return };
        let before = entry.variants.len();
        entry.variants.retain(|kept| should_stay(kept));
        self.total -= before - entry.variants.len();
        if entry.variants.is_empty() {
            keys.remove(place.key);
        }
        if keys.is_empty() {
            self.components.remove(place.component);
        }
    }
}

fn live_hints<'a>(
    component: &'a str,
    keys: &'a BTreeMap<String, KeyEntry>,
    now: Timestamp,
) -> impl Iterator<Item = (HintName<'a>, &'a StoredHint)> {
    keys.iter().flat_map(move |(key, entry)| {
        let live = entry.variants.iter().filter(move |kept| kept.is_live(now));
        live.map(move |kept| (HintName { component, key }, &**kept))
    })
}
