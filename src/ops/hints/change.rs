//! The methods that change something: set, delete, bump, import.

use std::borrow::Cow;
use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use super::changes::HintChangeWire;
use super::look::not_found;
use super::{HintAnswer, HintService, normalized, to_answer};
use crate::api::hints::{
    BumpRequest, BumpWire, DeleteHintRequest, DeleteHintWire, ImportRequest, SetHintRequest, SetHintWire,
};
use crate::hints::{Draft, HintName, HintTable, PutOptions, best, identities, import, name, scope, weighed};
use crate::model::{HintCode, HintContext, HintFlaw, HintOrigin, HintScope, ImportMode, ImportReport};

impl HintService {
    pub(super) fn set(&mut self, request: &SetHintRequest, now: Timestamp) -> Result<HintAnswer, HintFlaw> {
        let (component, key) = (name("component", &request.component)?, name("key", &request.key)?);
        let place = HintName { component, key };
        let draft = Draft::read(place, &request.value, &request.meta, &self.limits)?;
        let how = PutOptions { if_match_version: request.if_match_version, replace: request.replace };
        let scope = self.table.put(place, draft, how, &self.limits, now)?;
        self.origins.set(place, &scope, request.origin.clone());
        self.generation += 1;
        self.changed = Some(HintChangeWire::of_key(place, &self.table, &self.origins, now));
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
            return Err(self.kept_or_unknown(place, &request.context, now));
        }
        let removed = self.table.remove(place, wanted.as_ref(), now);
        let Some(previous) = removed.iter().max_by_key(|hint| hint.updated_at) else {
            let detail = format!("`{component}/{key}` has no variant with this scope");
            return Err(HintFlaw::new(HintCode::NotFound, detail));
        };
        self.generation += 1;
        self.changed = Some(HintChangeWire::of_key(place, &self.table, &self.origins, now));
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
        self.kept.refresh(&context, &self.limits, now);
        let view = self.kept.view(&self.table, &context, now);
        let best =
            best(view.variants(place, now), &context, now).map(|best| best.kept.hint.meta.scope.clone());
        let scope = match is_picked {
            true => best.ok_or_else(|| not_found(&view, place, &context, now)),
            false => self
                .table
                .last_returned(place, now)
                // A caller that sends no context cannot mean a hint that applies to one.
                .or(best.filter(|_| has_context))
                .or_else(|| newest(&view, place, now))
                .ok_or_else(|| not_found(&view, place, &context, now)),
        }?;
        drop(view);
        let is_of_session = self.table.variants(place, now).any(|(_, kept)| kept.hint.meta.scope == scope);
        let bumped = match is_of_session {
            true => self.table.bump(place, &scope, delta, now),
            false => self.kept.bump(&context, place, &scope, delta, now),
        };
        let Some(hint) = bumped else {
            return Err(self.unknown(place, now));
        };
        let answer = to_answer(&BumpWire {
            component: place.component.into(),
            key: place.key.into(),
            hint: Cow::Borrowed(hint),
        });
        self.generation += 1;
        self.changed = Some(HintChangeWire::of_key(place, &self.table, &self.origins, now));
        Ok(answer)
    }

    pub(super) fn import(&mut self, request: &ImportRequest, now: Timestamp) -> Result<HintAnswer, HintFlaw> {
        let (mode, origin) = (request.mode, request.origin.as_ref());
        let payloads = match &request.stage {
            None => vec![request.payload.clone()],
            Some(stage) => match self.stages.add(stage, &request.payload, now)? {
                Some(parts) => parts,
                None => return Ok(to_answer(&ImportReport { staged: true, ..ImportReport::default() })),
            },
        };
        let done = self.import_payloads(&payloads.iter().collect::<Vec<_>>(), mode, origin, now)?;
        self.generation += 1;
        self.changed = Some(HintChangeWire::Import { payloads, mode, origin: origin.cloned() });
        Ok(to_answer(&done))
    }

    /// Imports these payloads, and records where their hints come from.
    pub(super) fn import_payloads(
        &mut self,
        payloads: &[&Value],
        mode: ImportMode,
        origin: Option<&HintOrigin>,
        now: Timestamp,
    ) -> Result<ImportReport, HintFlaw> {
        // A replacement keeps no hint.
        let before = match mode {
            ImportMode::Merge => identities(&self.table, now),
            ImportMode::Replace => BTreeSet::new(),
        };
        let done = import(&mut self.table, payloads, mode, &self.limits, now)?;
        self.origins.set_new(&self.table, &before, origin, now);
        Ok(done)
    }

    /// Returns why a hint is not deleted: it is kept in a file, or there is none.
    fn kept_or_unknown(&mut self, place: HintName<'_>, context: &HintContext, now: Timestamp) -> HintFlaw {
        let context = normalized(context.clone());
        self.kept.refresh(&context, &self.limits, now);
        let view = self.kept.view(&self.table, &context, now);
        let HintName { component, key } = place;
        match view.variants(place, now).next() {
            Some(_) => {
                let detail =
                    format!("`{component}/{key}` is kept in a file: `nudge delete` removes it there");
                HintFlaw::new(HintCode::NotFound, detail).with("kept", true)
            }
            None => not_found(&view, place, &context, now),
        }
    }
}

fn newest(table: &HintTable, place: HintName<'_>, now: Timestamp) -> Option<HintScope> {
    let newest = table.variants(place, now).max_by_key(|(_, kept)| kept.hint.updated_at);
    newest.map(|(_, kept)| kept.hint.meta.scope.clone())
}
