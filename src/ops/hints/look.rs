//! The methods that change nothing: get, query, list.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::json;

use super::bounded::Bounded;
use super::{HintAnswer, HintService, MAX_ANSWER_BYTES, normalized, to_answer, too_large};
use crate::api::hints::{
    ComponentsWire, ElsewhereWire, EnvNamesRequest, EnvNamesWire, FoundHintWire, GetHintRequest, GetHintWire,
    ListComponentsRequest, ListedComponentWire, QueryRequest, QueryWire,
};
use crate::api::status::{HintCountsWire, TagCountWire};
use crate::hints::{
    HintName, HintQuery, HintTable, best, candidates, explain, missing, near_name, outranked, search,
};
use crate::model::{HintCode, HintContext, HintFlaw};

impl HintService {
    /// Returns the counts that `nudge status` shows: components, hints, secrets, uses, most used tags.
    pub(crate) fn counts(&self, now: Timestamp) -> HintCountsWire {
        let mut components = BTreeSet::new();
        let mut tags: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        let (mut hints, mut secrets, mut uses) = (0_u64, 0_u64, 0_u64);
        for (place, kept) in self.table.all(now) {
            components.insert(place.component);
            hints += 1;
            secrets += u64::from(kept.hint.is_secret());
            uses = uses.saturating_add(kept.hint.use_count);
            for tag in &kept.hint.meta.tags {
                let (count, used) = tags.entry(tag).or_default();
                *count += 1;
                *used = used.saturating_add(kept.hint.use_count);
            }
        }
        let mut tags: Vec<_> = tags.into_iter().collect();
        tags.sort_by_key(|(tag, (count, used))| (Reverse((*used, *count)), *tag));
        let to_wire =
            |(tag, (hints, uses)): (&str, (u64, u64))| TagCountWire { tag: tag.to_owned(), hints, uses };
        let top_tags = tags.into_iter().take(MAX_TAGS).map(to_wire).collect();
        HintCountsWire { components: components.len(), hints, secrets, uses, top_tags }
    }

    pub(super) fn get(&mut self, request: GetHintRequest, now: Timestamp) -> Result<HintAnswer, HintFlaw> {
        let GetHintRequest { component, key, context } = request;
        let place = HintName { component: &component, key: &key };
        let context = normalized(context);
        self.kept.refresh(&context, &self.limits, now);
        let view = self.kept.view(&self.table, &context, now);
        let variants: Vec<_> = view.variants(place, now).collect();
        let Some(best) = best(variants.iter().copied(), &context, now) else {
            return Err(not_found(&view, place, &context, now));
        };
        let hint = &best.kept.hint;
        let others = variants.iter().map(|(_, kept)| *kept);
        let others: Vec<_> = others.filter(|kept| kept.hint.meta.scope != hint.meta.scope).collect();
        let mut match_explain = explain(&best, &context, now);
        match_explain.reasons.extend(outranked(best.kept, &others, &context, now));
        let answer = to_answer(&GetHintWire {
            component: place.component.into(),
            key: place.key.into(),
            hint: Cow::Borrowed(hint),
            match_explain,
            variants: variants.len(),
        });
        let scope = hint.meta.scope.clone();
        drop(view);
        if !self.table.is_returned(place, &scope) {
            self.table.returned(place, scope);
        }
        Ok(answer)
    }

    pub(super) fn query(&mut self, request: QueryRequest, now: Timestamp) -> Result<HintAnswer, HintFlaw> {
        let QueryRequest { component, keys, tags, regex, context, limit } = request;
        let context = normalized(context);
        self.kept.refresh(&context, &self.limits, now);
        let view = self.kept.view(&self.table, &context, now);
        let regex = regex.map(|regex| HintQuery::pattern(&regex)).transpose()?;
        let found = search(&view, &HintQuery { component, keys, tags, regex }, &context, limit, now);
        let hints = found.here.iter().map(|ranked| FoundHintWire {
            component: ranked.place.component.into(),
            key: ranked.place.key.into(),
            hint: Cow::Borrowed(&ranked.kept.hint),
            score: ranked.score,
            match_explain: explain(ranked, &context, now),
        });
        let elsewhere = (!found.elsewhere.is_empty()).then(|| ElsewhereWire {
            hints: found.elsewhere.len(),
            missing: missing(found.elsewhere.iter().copied(), &context),
        });
        let answer = QueryWire { hints: hints.collect(), total: found.total, elsewhere };
        let text = Bounded::text(MAX_ANSWER_BYTES, |out| Ok(serde_json::to_writer(out, &answer)?));
        text.map(HintAnswer::Text)
            .ok_or_else(|| too_large("the hints are too long for one answer: lower `limit`"))
    }

    pub(super) fn list_components(
        &mut self,
        request: &ListComponentsRequest,
        now: Timestamp,
    ) -> Result<HintAnswer, HintFlaw> {
        self.kept.refresh(&request.context, &self.limits, now);
        let view = self.kept.view(&self.table, &request.context, now);
        if let Some(name) = request.component.as_deref() {
            let keys: Vec<&str> = view.component(name, now).map(|(place, _)| place.key).collect();
            if keys.is_empty() {
                return Err(unknown(&view, HintName { component: name, key: "" }, now));
            }
            let component = ListedComponentWire {
                name: name.into(),
                hint_count: keys.len(),
                keys: keys.into_iter().map(Cow::Borrowed).collect(),
            };
            return Ok(to_answer(&ComponentsWire { components: vec![component] }));
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (place, _) in view.all(now) {
            *counts.entry(place.component).or_default() += 1;
        }
        let components = counts
            .into_iter()
            .map(|(name, hint_count)| ListedComponentWire {
                name: name.into(),
                hint_count,
                keys: BTreeSet::new(),
            })
            .collect();
        Ok(to_answer(&ComponentsWire { components }))
    }

    pub(super) fn env_names(&mut self, request: EnvNamesRequest, now: Timestamp) -> HintAnswer {
        let context = normalized(request.context);
        self.kept.refresh(&context, &self.limits, now);
        let view = self.kept.view(&self.table, &context, now);
        let mut names = BTreeSet::new();
        let matches =
            |wanted: &Option<String>, name: &str| wanted.as_ref().is_none_or(|wanted| wanted == name);
        for (place, kept) in view.all(now) {
            if matches(&request.component, place.component) && matches(&request.key, place.key) {
                let scope = &kept.hint.meta.scope;
                names.extend(scope.env_required.iter().chain(scope.env_match.keys()).cloned());
            }
        }
        to_answer(&EnvNamesWire { names })
    }

    /// Returns that there is no such hint among those of the session.
    pub(super) fn unknown(&self, place: HintName<'_>, now: Timestamp) -> HintFlaw {
        unknown(&self.table, place, now)
    }
}

/// Returns the environment variables that decide whether hints apply here; all other conditions are met.
pub(super) fn wanted_env(table: &HintTable, context: &HintContext, now: Timestamp) -> BTreeSet<String> {
    let undecided = table.all(now).filter(|(_, kept)| kept.needs_only_env(context));
    let scopes = undecided.map(|(_, kept)| &kept.hint.meta.scope);
    scopes.flat_map(|scope| scope.env_required.iter().chain(scope.env_match.keys())).cloned().collect()
}

/// Returns why nothing is found: there is no such key, or no variant of it applies here.
pub(super) fn not_found(
    table: &HintTable,
    place: HintName<'_>,
    context: &HintContext,
    now: Timestamp,
) -> HintFlaw {
    let variants = || table.variants(place, now).map(|(_, kept)| kept);
    if variants().next().is_none() {
        return unknown(table, place, now);
    }
    let candidates = candidates(variants(), context);
    let missing = missing(variants(), context);
    let HintName { component, key } = place;
    let mut detail = format!("`{component}/{key}` is known, but applies elsewhere");
    if let Some(failed) = candidates.first().and_then(|candidate| candidate.failed.first()) {
        detail.push_str(&format!(": {failed}"));
    }
    HintFlaw::new(HintCode::NotFound, detail)
        .with("matched", false)
        .with("candidates", json!(candidates))
        .with("missing", missing)
}

fn unknown(table: &HintTable, HintName { component, key }: HintName<'_>, now: Timestamp) -> HintFlaw {
    let keys = || table.component(component, now).map(|(place, _)| place.key);
    let (mut detail, near) = match keys().next() {
        Some(_) => (format!("`{component}` has no hint `{key}`"), near_name(key, keys())),
        None => {
            let names = table.all(now).map(|(place, _)| place.component);
            (format!("there is no component `{component}`"), near_name(component, names))
        }
    };
    if let Some(near) = near {
        detail.push_str(&format!(": did you mean `{near}`?"));
    }
    HintFlaw::new(HintCode::NotFound, detail).with("matched", false)
}

const MAX_TAGS: usize = 10;
