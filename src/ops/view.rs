//! Reads what the viewer shows: one file for each of its pages. Nothing here changes anything but that the spool is
//! drained, as by every reader.

mod feed;
mod files;
mod health;
pub(crate) mod hints;
mod kept;
mod lanes;
pub(crate) mod live;
mod meta;
mod notes;
mod observation;
mod overview;
mod plan;
pub(crate) mod replay;
mod request;
mod rules;
mod search;
mod session;
mod shown;
mod stop;
mod sums;
mod told;
mod walls;

use serde::Serialize;

pub(crate) use self::request::{PageFacts, ViewError, ViewErrorKind, ViewRequest};
pub(crate) use self::rules::{RuleStatistics, statistics as rule_statistics};
pub(crate) use self::stop::QueryStop;
use crate::system::clock;

/// An answer, ready to be sent.
#[derive(Debug)]
pub(crate) struct ViewAnswer {
    /// Where the next page of a list continues.
    cursor: Option<String>,
    /// JSON.
    pub(crate) data: String,
}

impl ViewAnswer {
    /// Returns the answer in its frame.
    pub(crate) fn to_json(&self) -> String {
        let cursor = self.cursor.as_ref().map(|cursor| format!("\"cursor\":{},", serde_json::json!(cursor)));
        let cursor = cursor.unwrap_or_default();
        format!("{{\"v\":1,\"now_ms\":{},{cursor}\"data\":{}}}", clock::now_ms(), self.data)
    }
}

/// The questions that are asked with GET; a `/` at the end stands for a name or a number.
const ASKED: &[&str] = &[
    "meta",
    "overview",
    "density",
    "lanes",
    "feed",
    "why/",
    "sessions",
    "session/",
    "search",
    "observation/",
    "walls",
    "wall/",
    "files",
    "file",
    "rules",
    "rule/",
    "told",
    "hints",
    "notes",
    "note/",
    "plan",
    "health",
    "stream",
    "sample",
];
/// The questions that have a body.
const POSTED: &[&str] = &["enter", "leave", "try", "replay", "act"];

/// Returns whether there is such a question.
pub(crate) fn is_known(question: &str) -> bool {
    is_in(ASKED, question) || is_in(POSTED, question)
}

/// Returns whether a question is asked with POST.
pub(crate) fn is_posted(question: &str) -> bool {
    is_in(POSTED, question)
}

fn is_in(questions: &[&str], question: &str) -> bool {
    questions.iter().any(|known| match known.strip_suffix('/') {
        Some(start) => {
            question.strip_prefix(start).is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'))
        }
        None => *known == question,
    })
}

/// Returns a text as a page may show it: redacted, cut and in one line.
pub(crate) fn shown_text(text: &str) -> String {
    shown::Shown::new().row(text)
}

/// Answers a question.
pub(crate) fn answer(
    request: &ViewRequest,
    page: &PageFacts,
    stop: &QueryStop,
) -> Result<ViewAnswer, ViewError> {
    let (name, rest) = request.question.split_once('/').unwrap_or((&request.question, ""));
    match (name, rest.is_empty()) {
        ("meta", true) => whole(&meta::answer(request, page, stop)?),
        ("overview", true) => overview::overview(request, stop),
        ("density", true) => overview::density(request, stop),
        ("lanes", true) => lanes::lanes(request, stop),
        ("feed", true) => feed::rows(request),
        ("why", false) => feed::why(request, stop),
        ("sessions", true) => lanes::sessions(request, stop),
        ("session", false) => session::answer(request, stop),
        ("search", true) => search::answer(request, stop),
        ("observation", false) => observation::answer(request, stop),
        ("walls", true) => walls::list(request, stop),
        ("wall", false) => walls::one(request, stop),
        ("files", true) => files::list(request, stop),
        ("file", true) => files::one(request, stop),
        ("rules", true) => rules::list(request, stop),
        ("rule", false) => rules::one(request, stop),
        ("try", true) => rules::try_text(request),
        ("replay", true) => replay::begin(request),
        ("told", true) => told::answer(request, stop),
        ("notes", true) => notes::list(request),
        ("note", false) => notes::one(request),
        ("plan", true) => plan::answer(request, stop),
        ("health", true) => health::answer(request),
        _ => Err(ViewError::unknown("there is no such question".to_owned())),
    }
}

fn whole(data: &impl Serialize) -> Result<ViewAnswer, ViewError> {
    part(data, None)
}

/// An answer that is a page of a list.
fn part(data: &impl Serialize, cursor: Option<String>) -> Result<ViewAnswer, ViewError> {
    let data = serde_json::to_string(data).map_err(|_| ViewError::internal())?;
    Ok(ViewAnswer { cursor, data })
}
