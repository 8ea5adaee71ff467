//! Answers the questions about hints, where they are kept: in the PRIMARY.

mod answered;
mod snapshot;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use serde_json::{Map, Value, json};

use self::answered::Answered;
use crate::api::{
    BumpRequest, DeleteHintRequest, ExportRequest, GetHintRequest, HintMethod, HintRequest, ImportMode,
    ImportRequest, QueryRequest, Refusal, SetHintRequest, SuggestRequest, SuggestTrigger,
};
use crate::hints::{
    Draft, Limits, MatchExplain, Mode, Occasion, Place, Put, Question, Shelf, Stage, Stages, Text, Told,
    Trigger, Ttl, best, candidates, import, missing, name, normal_cwd, payload, scope, search, suggest,
    weighed,
};
use crate::model::{Hint, HintCode, HintContext, HintFlaw, HintScope};

/// The hints of this session of servers, with the limits that hold for them.
pub(crate) struct Desk {
    generation: u64,
    limits: Limits,
    suggestions: usize,
    session_id: String,
    created_at: Timestamp,
    shelf: Shelf,
    answered: Answered,
    told: Told,
    stages: Stages,
}

/// What holds for all hints; each has a variable and a flag of `nudge serve`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HintLimits {
    pub(crate) max_hints: usize,
    pub(crate) secret_guard: bool,
    /// `session`, or an ISO-8601 duration.
    pub(crate) default_ttl: String,
    /// How many hints are pushed to one agent session within ten minutes.
    pub(crate) suggestions: usize,
}

impl Desk {
    /// Opens an empty desk; a default TTL that is none is refused in a sentence.
    pub(crate) fn open(limits: HintLimits, now: Timestamp) -> Result<Desk, String> {
        let HintLimits { max_hints, secret_guard, default_ttl, suggestions } = limits;
        Ttl::read(&default_ttl).map_err(|flaw| format!("the default TTL is none: {}", flaw.detail))?;
        Ok(Desk {
            generation: 0,
            limits: Limits { max_hints, secret_guard, default_ttl },
            suggestions,
            session_id: format!("nudge-{}", now.as_millisecond()),
            created_at: whole(now),
            shelf: Shelf::default(),
            answered: Answered::default(),
            told: Told::default(),
            stages: Stages::default(),
        })
    }

    /// Answers one question. A question that changes something and carries a `request_id` that was answered before gets
    /// the same answer again, and changes nothing.
    pub(crate) fn answer(
        &mut self,
        method: HintMethod,
        params: &Map<String, Value>,
        now: Timestamp,
    ) -> Result<Value, Refusal> {
        let id = HintRequest::id(params)?.filter(|_| changes(method));
        if let Some(answer) = id.and_then(|id| self.answered.find(method, id)) {
            return answer;
        }
        let answer = HintRequest::read(method, params)
            .and_then(|request| self.respond(request, whole(now)).map_err(Refusal::of_hint));
        if let Some(id) = id {
            self.answered.keep(method, id, &answer);
            self.generation += 1;
        }
        answer
    }

    /// Counts the changes; a snapshot covers those up to its generation.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Frees what has expired.
    pub(crate) fn sweep(&mut self, now: Timestamp) {
        self.shelf.sweep(whole(now));
    }

    /// Returns the counts that `nudge status` shows: components, hints, secrets, uses, most used tags.
    pub(crate) fn counts(&self, now: Timestamp) -> Value {
        let mut components = BTreeSet::new();
        let mut tags: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        let (mut hints, mut secrets, mut uses) = (0_u64, 0_u64, 0_u64);
        for (place, kept) in self.shelf.all(now) {
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
        tags.sort_by_key(|(tag, (count, used))| (std::cmp::Reverse((*used, *count)), *tag));
        let told =
            |(tag, (count, used)): &(&str, (u64, u64))| json!({ "tag": tag, "hints": count, "uses": used });
        let top_tags: Vec<Value> = tags.iter().take(MOST_TAGS).map(told).collect();
        json!({
            "components": components.len(), "hints": hints, "secrets": secrets, "uses": uses, "top_tags": top_tags,
        })
    }

    fn respond(&mut self, request: HintRequest, now: Timestamp) -> Result<Value, HintFlaw> {
        match request {
            HintRequest::Set(request) => self.set(&request, now),
            HintRequest::Get(request) => self.get(&request, now),
            HintRequest::Query(request) => self.query(request, now),
            HintRequest::Delete(request) => self.delete(&request, now),
            HintRequest::ListComponents(component) => self.list_components(component.as_deref(), now),
            HintRequest::Bump(request) => self.bump(request, now),
            HintRequest::Export(request) => self.export(&request, now),
            HintRequest::Import(request) => self.import(&request, now),
            HintRequest::EnvNames(component, key) => {
                Ok(self.env_names(component.as_deref(), key.as_deref(), now))
            }
            HintRequest::Suggest(request) => Ok(self.suggest(request, now)),
        }
    }

    fn set(&mut self, request: &SetHintRequest, now: Timestamp) -> Result<Value, HintFlaw> {
        let place =
            Place { component: name("component", &request.component)?, key: name("key", &request.key)? };
        let draft = Draft::read(place, &request.value, &request.meta, &self.limits)?;
        let how = Put { if_match_version: request.if_match_version, replace: request.replace };
        let scope = self.shelf.put(place, draft, how, &self.limits, now)?;
        self.generation += 1;
        let all = weighed(self.shelf.variants(place, now), now);
        let scopes = all.iter().map(|ranked| &ranked.kept.hint.meta.scope);
        let above: Vec<&HintScope> = scopes.take_while(|other| **other != scope).collect();
        let mut answer = json!({
            "component": place.component,
            "key": place.key,
            "hint": all.get(above.len()).map(|ranked| &ranked.kept.hint),
            "variants": all.len(),
        });
        if !above.is_empty() {
            answer["outranked_by"] = json!(above);
        }
        Ok(answer)
    }

    fn get(&mut self, request: &GetHintRequest, now: Timestamp) -> Result<Value, HintFlaw> {
        let place = Place { component: &request.component, key: &request.key };
        let context = normal(request.context.clone());
        let variants: Vec<_> = self.shelf.variants(place, now).collect();
        let Some(best) = best(variants.iter().copied(), &context, now) else {
            return Err(self.not_found(place, &context, now));
        };
        let scope = best.kept.hint.meta.scope.clone();
        let others = variants.iter().map(|(_, kept)| *kept).filter(|kept| kept.hint.meta.scope != scope);
        let mut explain = MatchExplain::of(&best, &context, now);
        explain.against(others, &context, now);
        let mut answer = json!({
            "component": place.component,
            "key": place.key,
            "hint": best.kept.hint,
            "match_explain": explain,
            "variants": variants.len(),
        });
        if let Some(given) = &request.render {
            answer["rendered"] = rendered(&best.kept.hint, given)?.into();
        }
        self.shelf.returned(place, &scope);
        Ok(answer)
    }

    fn query(&self, request: QueryRequest, now: Timestamp) -> Result<Value, HintFlaw> {
        let QueryRequest { component, keys, tags, regex, context, limit } = request;
        let context = normal(context);
        let regex = regex.map(|regex| Question::pattern(&regex)).transpose()?;
        let found = search(&self.shelf, &Question { component, keys, tags, regex }, &context, now);
        let told = found.here.iter().take(limit).map(|ranked| {
            json!({
                "component": ranked.place.component,
                "key": ranked.place.key,
                "hint": ranked.kept.hint,
                "score": ranked.score,
                "match_explain": MatchExplain::of(ranked, &context, now),
            })
        });
        let mut answer = json!({ "hints": told.collect::<Vec<_>>(), "total": found.here.len() });
        // An empty list would look as if nothing was known.
        if !found.elsewhere.is_empty() {
            let missing = missing(found.elsewhere.iter().copied(), &context);
            answer["elsewhere"] = json!({ "hints": found.elsewhere.len(), "missing": missing });
        }
        Ok(answer)
    }

    fn delete(&mut self, request: &DeleteHintRequest, now: Timestamp) -> Result<Value, HintFlaw> {
        let place = Place { component: &request.component, key: &request.key };
        let meant = request.scope.as_ref().map(scope).transpose()?;
        if self.shelf.variants(place, now).next().is_none() {
            return Err(self.unknown(place, now));
        }
        let removed = self.shelf.remove(place, meant.as_ref(), now);
        let Some(previous) = removed.iter().max_by_key(|hint| hint.updated_at) else {
            let detail = format!("`{}/{}` has no variant with this scope", place.component, place.key);
            return Err(HintFlaw::new(HintCode::NotFound, detail));
        };
        self.generation += 1;
        let mut answer = json!({
            "deleted": true, "component": place.component, "key": place.key, "previous": previous,
        });
        if removed.len() > 1 {
            answer["deleted_count"] = removed.len().into();
        }
        Ok(answer)
    }

    fn list_components(&self, component: Option<&str>, now: Timestamp) -> Result<Value, HintFlaw> {
        if let Some(component) = component {
            let keys: Vec<&str> = self.shelf.component(component, now).map(|(place, _)| place.key).collect();
            if keys.is_empty() {
                return Err(self.unknown(Place { component, key: "" }, now));
            }
            let distinct: BTreeSet<&str> = keys.iter().copied().collect();
            return Ok(json!({
                "components": [{ "name": component, "hint_count": keys.len(), "keys": distinct }],
            }));
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (place, _) in self.shelf.all(now) {
            *counts.entry(place.component).or_default() += 1;
        }
        let told = counts.iter().map(|(name, count)| json!({ "name": name, "hint_count": count }));
        Ok(json!({ "components": told.collect::<Vec<_>>() }))
    }

    fn bump(&mut self, request: BumpRequest, now: Timestamp) -> Result<Value, HintFlaw> {
        let place = Place { component: &request.component, key: &request.key };
        let context = normal(request.context);
        let scope = match request.is_picked {
            true => self.best(place, &context, now)?,
            false => {
                let guessed = || best(self.shelf.variants(place, now), &context, now);
                let newest = || self.shelf.variants(place, now).max_by_key(|(_, kept)| kept.hint.updated_at);
                let found = self.shelf.last_returned(place, now);
                found
                    .or_else(|| guessed().map(|ranked| ranked.kept.hint.meta.scope.clone()))
                    .or_else(|| newest().map(|(_, kept)| kept.hint.meta.scope.clone()))
                    .ok_or_else(|| self.unknown(place, now))?
            }
        };
        let Some(hint) = self.shelf.bump(place, &scope, request.delta, now) else {
            return Err(self.unknown(place, now));
        };
        let answer = json!({ "component": place.component, "key": place.key, "hint": hint });
        self.generation += 1;
        Ok(answer)
    }

    fn export(&self, request: &ExportRequest, now: Timestamp) -> Result<Value, HintFlaw> {
        let meant = |component: &str| request.component.as_deref().is_none_or(|wanted| wanted == component);
        let hints = self.shelf.all(now).filter(|(place, _)| meant(place.component));
        let (told, secret): (Vec<_>, Vec<_>) =
            hints.partition(|(_, kept)| request.include_secrets || !kept.hint.is_secret());
        Ok(json!({
            "payload": payload(&self.session_id, self.created_at, told.into_iter()),
            "skipped_secrets": secret.len(),
        }))
    }

    fn import(&mut self, request: &ImportRequest, now: Timestamp) -> Result<Value, HintFlaw> {
        let mode = match request.mode {
            ImportMode::Merge => Mode::Merge,
            ImportMode::Replace => Mode::Replace,
        };
        let done = match &request.stage {
            None => import(&mut self.shelf, &[&request.payload], mode, &self.limits, now)?,
            Some(stage) => {
                let stage = Stage { id: stage.id.clone(), part: stage.part, last: stage.last };
                let Some(parts) = self.stages.add(&stage, &request.payload, now)? else {
                    return Ok(json!({ "imported": 0, "skipped": 0, "errors": [], "staged": true }));
                };
                let parts: Vec<&Value> = parts.iter().collect();
                import(&mut self.shelf, &parts, mode, &self.limits, now)?
            }
        };
        self.generation += 1;
        Ok(json!(done))
    }

    fn env_names(&self, component: Option<&str>, key: Option<&str>, now: Timestamp) -> Value {
        let mut names = BTreeSet::new();
        let meant = |wanted: Option<&str>, name: &str| wanted.is_none_or(|wanted| wanted == name);
        for (place, kept) in self.shelf.all(now) {
            if meant(component, place.component) && meant(key, place.key) {
                let scope = &kept.hint.meta.scope;
                names.extend(scope.env_required.iter().chain(scope.env_match.keys()));
            }
        }
        json!({ "names": names })
    }

    fn suggest(&mut self, request: SuggestRequest, now: Timestamp) -> Value {
        let occasion = Occasion {
            trigger: match request.trigger {
                SuggestTrigger::SessionStart => Trigger::SessionStart,
                SuggestTrigger::Prompt => Trigger::Prompt,
                SuggestTrigger::Failure => Trigger::Failure,
            },
            text: Text::new(&request.text),
            context: normal(request.context),
        };
        let limits = (request.limit, self.suggestions);
        let chosen = suggest(&self.shelf, &mut self.told, &request.session, &occasion, limits, now);
        if !chosen.is_empty() {
            self.generation += 1;
        }
        json!({ "suggestions": chosen })
    }

    /// Returns the scope of the best variant that is eligible.
    fn best(&self, place: Place<'_>, context: &HintContext, now: Timestamp) -> Result<HintScope, HintFlaw> {
        let found = best(self.shelf.variants(place, now), context, now);
        found
            .map(|ranked| ranked.kept.hint.meta.scope.clone())
            .ok_or_else(|| self.not_found(place, context, now))
    }

    /// Says why nothing is returned: there is no such key, or no variant of it holds here.
    fn not_found(&self, place: Place<'_>, context: &HintContext, now: Timestamp) -> HintFlaw {
        let variants = || self.shelf.variants(place, now).map(|(_, kept)| kept);
        if variants().next().is_none() {
            return self.unknown(place, now);
        }
        let candidates = candidates(variants(), context);
        let missing = missing(variants(), context);
        let Place { component, key } = place;
        let mut detail = format!("`{component}/{key}` is known, but holds elsewhere");
        if let Some(failed) = candidates.first().and_then(|candidate| candidate["failed"][0].as_str()) {
            detail.push_str(&format!(": {failed}"));
        }
        HintFlaw::new(HintCode::NotFound, detail)
            .with("matched", false)
            .with("candidates", candidates)
            .with("missing", missing)
    }

    fn unknown(&self, Place { component, key }: Place<'_>, now: Timestamp) -> HintFlaw {
        let detail = match self.shelf.component(component, now).next() {
            Some(_) => format!("`{component}` has no hint `{key}`"),
            None => format!("there is no component `{component}`"),
        };
        HintFlaw::new(HintCode::NotFound, detail).with("matched", false)
    }
}

const MOST_TAGS: usize = 10;

fn changes(method: HintMethod) -> bool {
    matches!(method, HintMethod::SetHint | HintMethod::DeleteHint | HintMethod::Bump | HintMethod::Import)
}

/// Renders a template.
fn rendered(_hint: &Hint, _given: &BTreeMap<String, String>) -> Result<String, HintFlaw> {
    Err(HintFlaw::invalid("`render` is not answered yet"))
}

fn normal(mut context: HintContext) -> HintContext {
    if let Some(cwd) = &mut context.cwd {
        cwd.value = normal_cwd(&cwd.value);
    }
    context
}

/// Hints know moments by the millisecond.
fn whole(now: Timestamp) -> Timestamp {
    now.round(TimestampRound::new().smallest(Unit::Millisecond).mode(RoundMode::Trunc)).unwrap_or(now)
}

#[cfg(test)]
mod tests;
