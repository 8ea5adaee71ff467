//! Answers questions about kept hints where no server runs, from the files alone.

use std::path::Path;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::{KeepError, KeepPlace, KeptFile};
use crate::api::Refusal;
use crate::api::hints::{HintMethod, HintRequest, SetHintRequest};
use crate::config::env;
use crate::hints::{HintLimits, HintTable};
use crate::model::{Hint, HintCode, HintFlaw};
use crate::ops::hints::{HintAnswer, HintService};

/// The files of kept hints for a command in a folder.
pub(crate) struct LocalHints {
    /// The project's first: its hints come before the user's.
    files: Vec<KeptFile>,
    limits: HintLimits,
}

/// The limit for a session, which holds for the user's file too.
const MAX_USER_HINTS: usize = 5_000;

impl LocalHints {
    /// Returns the files for a command in the current folder.
    pub(crate) fn here() -> LocalHints {
        let limits = HintLimits {
            max_hints: MAX_USER_HINTS,
            secret_guard: env::of_serve(env::SECRET_GUARD).as_deref() != Some("0"),
            default_ttl: "session".to_owned(),
            suggestions: 0,
        };
        LocalHints::of(&env::current_dir(), limits)
    }

    fn of(folder: &Path, limits: HintLimits) -> LocalHints {
        let files = KeptFile::of_project(folder).into_iter().chain(KeptFile::of_user());
        LocalHints { files: files.collect(), limits }
    }

    /// Returns whether anything is kept.
    pub(crate) fn exist(&self) -> bool {
        self.files.iter().any(KeptFile::exists)
    }

    /// Returns each file that has hints, with their number.
    pub(crate) fn counts(&self, now: Timestamp) -> Vec<(&Path, usize)> {
        let count = |file: &KeptFile| file.read(&self.limits, now).map_or(0, |(table, _)| table.len());
        let counts = self.files.iter().map(|file| (file.path(), count(file)));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// Returns the hints that are kept in the project, with component and key: they apply there only.
    pub(crate) fn of_project(&self, now: Timestamp) -> Vec<(String, String, Hint)> {
        let files = self.files.iter().filter(|file| file.root.is_some());
        let tables = files.filter_map(|file| Some(file.read(&self.limits, now).ok()?.0));
        let hints = |table: HintTable| {
            let all = table.all(now);
            all.map(|(name, kept)| (name.component.to_owned(), name.key.to_owned(), kept.hint.clone()))
                .collect()
        };
        tables.flat_map(|table| -> Vec<_> { hints(table) }).collect()
    }

    /// Returns what is wrong with the files.
    pub(crate) fn problems(&self, now: Timestamp) -> Vec<String> {
        let problem = |file: &KeptFile| {
            let path = file.path().display();
            match file.read(&self.limits, now) {
                Err(error) => Some(format!("{path} cannot be used: {error}")),
                Ok((_, report)) => {
                    let first = report.errors.iter().find(|error| error.detail != "it has expired")?;
                    let key = first.key.as_deref().unwrap_or_default();
                    Some(format!("{path}: `{}/{key}` is not used: {}", first.component, first.detail))
                }
            }
        };
        self.files.iter().filter_map(problem).collect()
    }

    /// Keeps a hint; returns the answer of a set, and the file.
    pub(crate) fn set(
        &self,
        request: &SetHintRequest,
        place: Option<KeepPlace>,
        now: Timestamp,
    ) -> Result<(HintAnswer, &Path), KeepError> {
        if request.meta["ttl"] == "session" {
            let detail = "`ttl` session ends with the session, so the hint cannot be kept: leave it out, or give a duration";
            return Err(KeepError::Refused(HintFlaw::invalid(detail)));
        }
        let is_of_project = |file: &&KeptFile| file.root.is_some() == (place == Some(KeepPlace::Project));
        let file = self.files.iter().find(is_of_project);
        let no_place = match place {
            Some(KeepPlace::Project) => {
                "this folder is not in a project: `--keep=user` keeps the hint for you"
            }
            _ => "there is no folder for the user's data",
        };
        let file = file.ok_or_else(|| KeepError::Refused(HintFlaw::invalid(no_place)))?;
        let limits = file.limits(&self.limits);
        let answer = file.change(&self.limits, now, |table| {
            let mut service = HintService::over(std::mem::take(table), limits, now);
            let answer = service.set(request, now)?;
            *table = service.table;
            Ok(answer)
        })?;
        let mut answer = answer.to_value();
        if let Some(meta) = answer["hint"]["meta"].as_object_mut()
            && meta.get("ttl").is_some_and(|ttl| ttl == "session")
        {
            // The default for a session, which a kept hint does not have.
            meta.remove("ttl");
        }
        Ok((HintAnswer::Text(answer.to_string()), file.path()))
    }

    /// Answers a question, or makes a change in the files that have the hint.
    pub(crate) fn answer(
        &self,
        method: HintMethod,
        params: &Map<String, Value>,
        now: Timestamp,
    ) -> Result<HintAnswer, Refusal> {
        match method.parse(params)? {
            HintRequest::Set(request) => {
                let done = self.set(&request, Some(KeepPlace::User), now);
                done.map(|(answer, _)| answer).map_err(to_refusal)
            }
            HintRequest::Delete(request) => {
                self.change_files(now, true, |service| service.delete(&request, now))
            }
            HintRequest::Bump(request) => {
                self.change_files(now, false, |service| service.bump(request.clone(), now))
            }
            HintRequest::Import(_) => {
                let detail = "an import needs a server: start one with `nudge serve`";
                Err(Refusal::of_hint(HintFlaw::invalid(detail)))
            }
            _ => {
                let tables: Vec<HintTable> =
                    self.files.iter().filter_map(|file| Some(file.read(&self.limits, now).ok()?.0)).collect();
                let table =
                    HintTable::default().with_kept(&tables.iter().collect::<Vec<_>>(), now).into_owned();
                HintService::over(table, self.limits.clone(), now).answer(method, params, now)
            }
        }
    }

    /// Makes a change in the first file that has the hint, or in each; the answer is that of the first.
    fn change_files(
        &self,
        now: Timestamp,
        in_each: bool,
        change: impl Fn(&mut HintService) -> Result<HintAnswer, HintFlaw>,
    ) -> Result<HintAnswer, Refusal> {
        let mut done: Option<HintAnswer> = None;
        let mut none: Option<KeepError> = None;
        for file in self.files.iter().filter(|file| file.exists()) {
            if done.is_some() && !in_each {
                break;
            }
            let changed = file.change(&self.limits, now, |table| {
                let mut service = HintService::over(std::mem::take(table), file.limits(&self.limits), now);
                let answer = change(&mut service)?;
                *table = service.table;
                Ok(answer)
            });
            match changed {
                Ok(answer) => done = done.or(Some(answer)),
                Err(KeepError::Refused(flaw)) if flaw.code == HintCode::NotFound => {
                    none = none.or(Some(KeepError::Refused(flaw)));
                }
                Err(error) => return Err(to_refusal(error)),
            }
        }
        let unknown = || KeepError::Refused(HintFlaw::new(HintCode::NotFound, "no hint is kept"));
        done.ok_or_else(|| to_refusal(none.unwrap_or_else(unknown)))
    }
}

fn to_refusal(error: KeepError) -> Refusal {
    Refusal::of_hint(match error {
        KeepError::Refused(flaw) => flaw,
        error @ KeepError::File { .. } => HintFlaw::invalid(error.to_string()),
    })
}
