//! Reads what the viewer shows: one file for each of its pages. Nothing here changes anything but that the spool is
//! drained, as by every reader.

mod feed;
mod meta;
mod observation;
mod request;
mod shown;
mod stop;

use serde::Serialize;

pub(crate) use self::request::{PageFacts, ViewError, ViewErrorKind, ViewRequest};
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
const ASKED: &[&str] = &["meta", "feed", "why/", "observation/", "sample"];
/// The questions that have a body.
const POSTED: &[&str] = &["enter", "leave"];

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

/// Answers a question.
pub(crate) fn answer(
    request: &ViewRequest,
    page: &PageFacts,
    stop: &QueryStop,
) -> Result<ViewAnswer, ViewError> {
    match request.question.as_str() {
        "meta" => whole(&meta::answer(request, page, stop)?),
        "feed" => feed::rows(request),
        question if question.starts_with("why/") => feed::why(request, stop),
        question if question.starts_with("observation/") => observation::answer(request, stop),
        other => Err(ViewError::unknown(format!("there is no question `{other}`"))),
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
