//! A question of the page: its name and parameters; and why it has no answer.

use std::path::Path;

use crate::model::{PageScope, Project};
use crate::ops::observations::careful_reader::MayBeStoreError;
use crate::store::{Reader, StoreError};

/// A question with its parameters.
pub(crate) struct ViewRequest {
    /// The path behind `/ui/api/`.
    pub(crate) question: String,
    pub(crate) parameters: Vec<(String, String)>,
    pub(crate) body: Option<Vec<u8>>,
}

/// What the server knows about the page that asks.
pub(crate) struct PageFacts {
    pub(crate) instance: String,
    pub(crate) scope: PageScope,
    pub(crate) until_ms: i64,
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ViewError {
    pub(crate) kind: ViewErrorKind,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ViewErrorKind {
    Wrong,
    Closed,
    Forbidden,
    Unknown,
    Conflict,
    Busy,
    Unavailable,
    Late,
}

impl ViewErrorKind {
    pub(crate) fn code(self) -> &'static str {
        match self {
            ViewErrorKind::Wrong => "wrong",
            ViewErrorKind::Closed => "closed",
            ViewErrorKind::Forbidden => "forbidden",
            ViewErrorKind::Unknown => "unknown",
            ViewErrorKind::Conflict => "conflict",
            ViewErrorKind::Busy => "busy",
            ViewErrorKind::Unavailable => "unavailable",
            ViewErrorKind::Late => "late",
        }
    }
}

impl ViewError {
    fn new(kind: ViewErrorKind, message: String) -> ViewError {
        ViewError { kind, message, hint: None }
    }

    pub(crate) fn wrong(message: String) -> ViewError {
        ViewError::new(ViewErrorKind::Wrong, message)
    }

    pub(crate) fn unknown(message: String) -> ViewError {
        ViewError::new(ViewErrorKind::Unknown, message)
    }

    pub(crate) fn busy(message: String) -> ViewError {
        let error = ViewError::new(ViewErrorKind::Busy, message);
        ViewError { hint: Some("try again in a moment".to_owned()), ..error }
    }

    pub(crate) fn late() -> ViewError {
        let error = ViewError::new(ViewErrorKind::Late, "this took longer than five seconds".to_owned());
        ViewError { hint: Some("choose a shorter range".to_owned()), ..error }
    }

    pub(crate) fn internal() -> ViewError {
        let message = "nudge hit an internal error on this question; other questions still work".to_owned();
        ViewError::new(ViewErrorKind::Unavailable, message)
    }

    pub(crate) fn forbidden(message: String) -> ViewError {
        ViewError::new(ViewErrorKind::Forbidden, message)
    }

    pub(crate) fn conflict(message: String) -> ViewError {
        ViewError::new(ViewErrorKind::Conflict, message)
    }

    /// Adds what the user can do.
    #[must_use]
    pub(crate) fn hint(self, hint: impl Into<String>) -> ViewError {
        ViewError { hint: Some(hint.into()), ..self }
    }
}

impl From<StoreError> for ViewError {
    fn from(error: StoreError) -> ViewError {
        if error == StoreError::Interrupted {
            return ViewError::late();
        }
        let hint = error.hint().map(str::to_owned);
        ViewError { hint, ..ViewError::new(ViewErrorKind::Unavailable, error.to_string()) }
    }
}

/// An error of a query, before it is told to the page: the store's own errors may mean damage.
#[derive(Debug)]
pub(super) enum QuestionError {
    Store(StoreError),
    View(ViewError),
}

impl From<StoreError> for QuestionError {
    fn from(error: StoreError) -> QuestionError {
        QuestionError::Store(error)
    }
}

impl From<ViewError> for QuestionError {
    fn from(error: ViewError) -> QuestionError {
        QuestionError::View(error)
    }
}

impl From<QuestionError> for ViewError {
    fn from(error: QuestionError) -> ViewError {
        match error {
            QuestionError::Store(error) => error.into(),
            QuestionError::View(error) => error,
        }
    }
}

impl MayBeStoreError for QuestionError {
    fn store_error(&self) -> Option<&StoreError> {
        if let QuestionError::Store(error) = self { Some(error) } else { None }
    }
}

impl ViewRequest {
    /// Returns a parameter; an empty one counts as missing.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(known, value)| known == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

    /// Returns all values of a parameter that may be repeated, or have several values with commas.
    pub(super) fn texts(&self, name: &str) -> Vec<&str> {
        let values = self.parameters.iter().filter(|(known, _)| known == name);
        values.flat_map(|(_, value)| value.split(',')).filter(|value| !value.is_empty()).collect()
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<i64>, ViewError> {
        let Some(text) = self.text(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| ViewError::wrong(format!("`{name}` must be a whole number")))
    }

    /// Returns how many rows are wanted.
    pub(super) fn limit(&self, usual: usize) -> Result<usize, ViewError> {
        let limit = self.number("limit")?.and_then(|limit| usize::try_from(limit).ok());
        Ok(limit.unwrap_or(usual).clamp(1, MAX_LIMIT))
    }

    /// Returns what stands behind the name of a question: `session/ID`.
    pub(super) fn rest(&self) -> &str {
        self.question.split_once('/').map_or("", |(_, rest)| rest)
    }

    /// Returns the range that is asked for.
    pub(super) fn range(&self) -> Result<ViewRange, ViewError> {
        let from_ms = self.number("from_ms")?.unwrap_or(0).max(0);
        let to_ms = self.number("to_ms")?.unwrap_or(i64::MAX / 4);
        if from_ms > to_ms {
            return Err(ViewError::wrong("`from_ms` must not be after `to_ms`".to_owned()));
        }
        Ok(ViewRange { from_ms, to_ms })
    }

    /// Returns the ids of the folders of the project that is asked for, by its root or its name; `None` for all.
    /// A folder of which nothing is remembered yet has none: `nudge ui` opens the page with it before the first session.
    pub(super) fn project(&self, reader: &Reader) -> Result<Option<Vec<i64>>, QuestionError> {
        let Some(wanted) = self.text("project") else { return Ok(None) };
        let ids = reader.folder_ids(wanted)?;
        if ids.is_empty() && !Path::new(wanted).is_dir() {
            return Err(ViewError::unknown("the memory has no such project".to_owned()).into());
        }
        Ok(Some(ids))
    }

    /// Returns the project that is asked for, as failures and searches are narrowed to it; `None` for all.
    pub(super) fn wanted_project(&self, reader: &Reader) -> Result<Option<Project>, QuestionError> {
        let Some(wanted) = self.text("project") else { return Ok(None) };
        if let Some(known) = reader.project_at(wanted)? {
            return Ok(Some(known));
        }
        self.project(reader)?;
        Ok(Some(Project { name: wanted.to_owned(), root: Some(wanted.to_owned()), repository: None }))
    }
}

/// No list is longer.
const MAX_LIMIT: usize = 200;

/// A range of time, in milliseconds; both ends are part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ViewRange {
    pub(super) from_ms: i64,
    pub(super) to_ms: i64,
}

impl ViewRange {
    /// Returns whether a second is in it.
    pub(super) fn has(self, at: i64) -> bool {
        (self.from_ms..=self.to_ms).contains(&at.saturating_mul(1_000))
    }
}
