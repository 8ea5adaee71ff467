//! The methods that change something: set, delete, bump, import.

use std::borrow::Cow;
use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use super::{HintAnswer, HintService, normalized, to_answer};
use crate::api::hints::{
    BumpRequest, BumpWire, DeleteHintRequest, DeleteHintWire, ImportRequest, SetHintRequest, SetHintWire,
};
use crate::hints::{Draft, HintName, PutOptions, best, identities, import, name, scope, weighed};
use crate::model::{HintCode, HintContext, HintFlaw, HintScope, ImportMode, ImportReport};

impl HintService {
    pub(super) fn set(&mut self, request: &SetHintRequest, now: Timestamp) -> Result<HintAnswer, HintFlaw> {
        let (component, key) = (name("component", &request.component)?, name("key", &request.key)?);
        let place = HintName { component, key };
        let draft = Draft::read(place, &request.value, &request.meta, &self.limits)?;
        let how = PutOptions { if_match_version: request.if_match_version, replace: request.replace };
        let scope = self.table.put(place, draft, how, &self.limits, now)?;
        self.origins.set(place, &scope, request.origin.clone());
        self.generation += 1;
        let all = weighed(self.table.variants(place, now), now);
        let mut hints = all.iter().map(|ranked| &ranked.kept.hint);
        let mut outranked_by = Vec::new();
        let hint = hints.find(|hint| {
            let is_found = hint.meta.scope == scope;
            if !is_found {
                outranked_by.push(Cow::Borrowed(&hint.meta.scope));
            }
            is_found
        });
        // The hint that was just set exists.
        let hint = hint.ok_or_else(|| self.unknown(place, now))?;
        Ok(to_answer(&SetHintWire {
            component: component.into(),
            key: key.into(),
            hint: Cow::Borrowed(hint),
            variants: all.len(),
            outranked_by,
        }))
    }

    pub(super) fn delete(
        &mut self,
        request: &DeleteHintRequest,
        now: Timestamp,
    ) -> Result<HintAnswer, HintFlaw> {
        let DeleteHintRequest { component, key, .. } = request;
        let place = HintName { component, key };
        let wanted = request.scope.as_ref().map(scope).transpose()?;
        if self.table.variants(place, now).next().is_none() {
            return Err(self.unknown(place, now));
        }
        let removed = self.table.remove(place, wanted.as_ref(), now);
        let Some(previous) = removed.iter().max_by_key(|hint| hint.updated_at) else {
            let detail = format!("`{component}/{key}` has no variant with this scope");
            return Err(HintFlaw::new(HintCode::NotFound, detail));
        };
        self.generation += 1;
        let deleted_count = Some(removed.len()).filter(|count| *count > 1);
        Ok(to_answer(&DeleteHintWire {
            deleted: true,
            component: component.into(),
            key: key.into(),
            previous: Cow::Borrowed(previous),
            deleted_count,
        }))
    }

    pub(super) fn bump(&mut self, request: BumpRequest, now: Timestamp) -> Result<HintAnswer, HintFlaw> {
        let BumpRequest { component, key, delta, context, is_picked } = request;
        let place = HintName { component: &component, key: &key };
        let has_context = context != HintContext::default();
        let context = normalized(context);
        let scope = match is_picked {
            true => self.best(place, &context, now).ok_or_else(|| self.not_found(place, &context, now)),
            false => self
                .table
                .last_returned(place, now)
                // A caller that sends no context cannot mean a hint that applies to one.
                .or_else(|| if has_context { self.best(place, &context, now) } else { None })
                .or_else(|| self.newest(place, now))
                .ok_or_else(|| self.unknown(place, now)),
        }?;
        let Some(hint) = self.table.bump(place, &scope, delta, now) else {
            return Err(self.unknown(place, now));
        };
        self.generation += 1;
        Ok(to_answer(&BumpWire { component: component.into(), key: key.into(), hint: Cow::Borrowed(hint) }))
    }

    pub(super) fn import(&mut self, request: &ImportRequest, now: Timestamp) -> Result<HintAnswer, HintFlaw> {
        let mode = request.mode;
        // A replacement keeps no hint.
        let before = match mode {
            ImportMode::Merge => identities(&self.table, now),
            ImportMode::Replace => BTreeSet::new(),
        };
        let done = match &request.stage {
            None => import(&mut self.table, &[&request.payload], mode, &self.limits, now)?,
            Some(stage) => {
                let Some(parts) = self.stages.add(stage, &request.payload, now)? else {
                    return Ok(to_answer(&ImportReport { staged: true, ..ImportReport::default() }));
                };
                let parts: Vec<&Value> = parts.iter().collect();
                import(&mut self.table, &parts, mode, &self.limits, now)?
            }
        };
        self.origins.set_new(&self.table, &before, request.origin.as_ref(), now);
        self.generation += 1;
        Ok(to_answer(&done))
    }

    fn best(&self, place: HintName<'_>, context: &HintContext, now: Timestamp) -> Option<HintScope> {
        best(self.table.variants(place, now), context, now).map(|ranked| ranked.kept.hint.meta.scope.clone())
    }

    fn newest(&self, place: HintName<'_>, now: Timestamp) -> Option<HintScope> {
        let newest = self.table.variants(place, now).max_by_key(|(_, kept)| kept.hint.updated_at);
        newest.map(|(_, kept)| kept.hint.meta.scope.clone())
    }
}
