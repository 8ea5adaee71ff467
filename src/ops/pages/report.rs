//! A report: the viewer's page in one file, with the answers of a range in it.
//!
//! Every text was redacted on its way into the answers. Here paths below the home folder become `~`, and a plain report
//! loses what people and agents wrote.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::assets;
use crate::config::paths;
use crate::files;
use crate::model::PageScope;
use crate::ops::view::{self, PageFacts, QueryStop, ViewError, ViewRequest};
use crate::peers;
use crate::system::clock;

/// Sessions whose lanes and turns are in a report.
const MAX_SESSIONS: usize = 200;
const MAX_MARKS: usize = 20_000;
const MAX_OBSERVATIONS: usize = 2_000;
const MAX_BYTES: usize = 5 << 20;
/// Failures and rules that are described in detail.
const MAX_DETAILS: usize = 50;

/// What a report is about.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReportRequest {
    pub(crate) from_ms: i64,
    pub(crate) to_ms: i64,
    /// The root of a project; `None` for all.
    pub(crate) project: Option<PathBuf>,
    /// Only this session.
    pub(crate) session: Option<String>,
    /// Without prompts, outputs and messages.
    pub(crate) is_plain: bool,
}

/// A report that is ready to be written.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) html: String,
    pub(crate) sessions: usize,
    /// How many secrets were masked in what is shown.
    pub(crate) masked: usize,
    /// What did not fit, in words.
    pub(crate) left_out: Vec<String>,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
    #[error("{0}")]
    View(String, Option<String>),
    #[error("the page cannot be put together: {0}")]
    Page(String),
    #[error("{} already exists", .0.display())]
    Exists(PathBuf),
    #[error("{} cannot be written: {error}", path.display())]
    Unwritten { path: PathBuf, error: io::Error },
}

impl ReportError {
    /// Returns what the user can do.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            ReportError::View(_, hint) => hint.clone(),
            ReportError::Exists(_) => Some("`--force` replaces it".to_owned()),
            ReportError::Page(_) | ReportError::Unwritten { .. } => None,
        }
    }
}

/// Counts the steps of a session that have their text.
fn steps(session: &Value) -> usize {
    let turns = session["turns"].as_array().into_iter().flatten();
    turns.filter_map(|turn| turn["items"].as_array()).map(Vec::len).sum()
}

impl From<ViewError> for ReportError {
    fn from(error: ViewError) -> ReportError {
        ReportError::View(error.message, error.hint)
    }
}

/// Collects the answers of a range.
struct ReportData<'r> {
    request: &'r ReportRequest,
    answers: Map<String, Value>,
    bytes: usize,
    observations: usize,
    left_out: Vec<String>,
}

/// Makes a report.
pub(crate) fn make(request: &ReportRequest) -> Result<Report, ReportError> {
    let mut data =
        ReportData { request, answers: Map::new(), bytes: 0, observations: 0, left_out: Vec::new() };
    let sessions = data.collect()?;
    let info = json!({
        "range": "all",
        "from_ms": request.from_ms,
        "to_ms": request.to_ms,
        "project": request.project.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy()),
        "made_ms": clock::now_ms(),
        "version": env!("CARGO_PKG_VERSION"),
        "plain": request.is_plain,
        "left_out": data.left_out,
    });
    let left_out = std::mem::take(&mut data.left_out);
    let text = json!({ "info": info, "answers": data.answers }).to_string();
    let text = with_home_hidden(&text);
    let masked = text.matches("[REDACTED").count();
    Ok(Report { html: page(&text)?, sessions, masked, left_out })
}

/// Writes a report to a file that only its owner can read. A link is not followed, and a file is only replaced if that
/// is wanted.
pub(crate) fn write(path: &Path, html: &str, is_forced: bool) -> Result<(), ReportError> {
    let unwritten = |error: io::Error| ReportError::Unwritten { path: path.to_owned(), error };
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(unwritten(error)),
        Ok(meta) if !meta.is_file() => {
            let what = if meta.is_symlink() { "it is a link" } else { "it is not a regular file" };
            return Err(unwritten(io::Error::other(what)));
        }
        Ok(_) if !is_forced => return Err(ReportError::Exists(path.to_owned())),
        Ok(_) => {}
    }
    files::replace(path, &[html.as_bytes()]).map_err(unwritten)
}

impl ReportData<'_> {
    fn collect(&mut self) -> Result<usize, ReportError> {
        for question in [
            "meta", "overview", "density", "feed", "walls", "files", "rules", "told", "notes", "plan",
            "health",
        ] {
            self.ask(question, &[])?;
        }
        let sessions = self.sessions()?;
        let details = |list: &str, rows: &str, name: &str, answers: &Map<String, Value>| -> Vec<String> {
            let rows =
                answers.get(list).and_then(|answer| answer[rows].as_array().cloned()).unwrap_or_default();
            rows.iter().take(MAX_DETAILS).filter_map(|row| Some(row[name].as_str()?.to_owned())).collect()
        };
        for key in details("walls", "rows", "key", &self.answers) {
            self.ask(&format!("wall/{key}"), &[])?;
        }
        for name in details("rules", "rules", "name", &self.answers) {
            // A rule of another place may be gone meanwhile.
            drop(self.ask(&format!("rule/{name}"), &[]));
        }
        for name in details("notes", "rows", "name", &self.answers) {
            drop(self.ask(&format!("note/{name}"), &[]));
        }
        Ok(sessions)
    }

    /// Adds lanes, the list and the turns of sessions; returns how many there are.
    fn sessions(&mut self) -> Result<usize, ReportError> {
        let limit = [("limit", MAX_SESSIONS.to_string())];
        let mut lanes = self.answer("lanes", &limit)?;
        let mut list = self.answer("sessions", &limit)?;
        if let Some(wanted) = &self.request.session {
            let is_it = |lane: &Value| {
                lane["id"].as_str().is_some_and(|id| id.starts_with(wanted.as_str()))
                    || lane["parent"].as_str().is_some_and(|id| id.starts_with(wanted.as_str()))
            };
            for (answer, rows) in [(&mut lanes, "sessions"), (&mut list, "rows")] {
                if let Some(rows) = answer[rows].as_array_mut() {
                    rows.retain(is_it);
                }
            }
        }
        if lanes["more"] == true {
            self.left_out.push(format!("sessions before the latest {MAX_SESSIONS}"));
        }
        lanes["more"] = json!(false);
        self.bound_marks(&mut lanes);
        let ids: Vec<String> = list["rows"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|row| Some(row["id"].as_str()?.to_owned()))
            .collect();
        self.add("lanes", lanes);
        self.add("sessions", list);
        let mut is_full = false;
        for id in &ids {
            if !self.session(id)? {
                is_full = true;
                break;
            }
        }
        if is_full {
            self.left_out.push("the turns of earlier sessions".to_owned());
        }
        Ok(ids.len())
    }

    /// Leaves the marks of earlier lanes out once there are too many.
    fn bound_marks(&mut self, lanes: &mut Value) {
        let mut marks = 0;
        let mut is_cut = false;
        for lane in lanes["sessions"].as_array_mut().into_iter().flatten() {
            marks += lane["marks"].as_array().map_or(0, Vec::len);
            if marks > MAX_MARKS {
                lane["marks"] = json!([]);
                is_cut = true;
            }
        }
        if is_cut {
            self.left_out.push("marks of earlier sessions".to_owned());
        }
    }

    /// Adds a session with all its turns, unless there is no room for it; of the first one the latest turns always fit.
    fn session(&mut self, id: &str) -> Result<bool, ReportError> {
        let question = format!("session/{id}");
        let Ok(mut answer) = self.answer(&question, &[]) else { return Ok(true) };
        let count = answer["turns"].as_array().map_or(0, Vec::len);
        for turn in 1..=count {
            if answer["turns"][turn - 1]["items"].is_array() {
                continue;
            }
            let part = self.answer(&question, &[("turn", turn.to_string())])?;
            answer["turns"][turn - 1] = part["turns"][turn - 1].clone();
        }
        let is_first = self.observations == 0;
        while self.observations + steps(&answer) > MAX_OBSERVATIONS
            || self.bytes + answer.to_string().len() > MAX_BYTES
        {
            let turns = answer["turns"].as_array_mut().filter(|turns| is_first && turns.len() > 1);
            let Some(turns) = turns else { return Ok(false) };
            turns.remove(0);
            self.left_out.push(format!("the first turns of session {id}"));
            self.left_out.dedup();
        }
        self.observations += steps(&answer);
        self.add(&question, answer);
        Ok(true)
    }

    fn ask(&mut self, question: &str, more: &[(&str, String)]) -> Result<(), ReportError> {
        let answer = self.answer(question, more)?;
        self.add(question, answer);
        Ok(())
    }

    fn add(&mut self, question: &str, answer: Value) {
        let answer = if self.request.is_plain { plain(answer) } else { answer };
        self.bytes += answer.to_string().len();
        self.answers.insert(question.to_owned(), answer);
    }

    fn answer(&self, question: &str, more: &[(&str, String)]) -> Result<Value, ReportError> {
        let mut parameters = vec![
            ("from_ms".to_owned(), self.request.from_ms.to_string()),
            ("to_ms".to_owned(), self.request.to_ms.to_string()),
        ];
        let root = self.request.project.as_ref().map(|root| root.to_string_lossy().into_owned());
        parameters.extend(root.map(|root| ("project".to_owned(), root)));
        parameters.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        let page = PageFacts { instance: "report".to_owned(), scope: PageScope::Read, until_ms: 0 };
        let request = ViewRequest { question: question.to_owned(), parameters, body: None };
        let answer = view::answer(&request, &page, &QueryStop::default())?;
        serde_json::from_str(&answer.data).map_err(|error| ReportError::Page(error.to_string()))
    }
}

/// What people and agents wrote, by the names of the fields.
const WRITTEN: [&str; 11] = [
    "text",
    "excerpt",
    "note",
    "title",
    "subject",
    "target",
    "message",
    "signature",
    "first",
    "steps",
    "sample",
];

/// Returns an answer without what people and agents wrote.
fn plain(value: Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(plain).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| {
                let is_written = WRITTEN.contains(&name.as_str());
                let value = match value {
                    Value::String(_) if is_written => json!("[left out]"),
                    Value::Array(_) if is_written => json!([]),
                    Value::Object(_) if is_written => Value::Null,
                    value => plain(value),
                };
                (name, value)
            })
            .collect(),
        other => other,
    }
}

/// Replaces the home folder by `~` in JSON text.
fn with_home_hidden(text: &str) -> String {
    let Some(home) = paths::home_dir().map(|home| home.to_string_lossy().into_owned()) else {
        return text.to_owned();
    };
    let written = json!(home).to_string();
    let home = written.trim_matches('"');
    if home.len() < 2 { text.to_owned() } else { text.replace(home, "~") }
}

/// Puts style, script and data into the page.
fn page(data: &str) -> Result<String, ReportError> {
    let nonce = peers::id();
    let file = |name: &str| assets::file(name).ok_or_else(|| ReportError::Page(format!("{name} is missing")));
    let (style, script) = (file("app.css")?, assets::script().map_err(ReportError::Page)?);
    for (name, text, end) in [("app.css", style.as_ref(), "</style"), ("app.js", script, "</script")] {
        if text.to_ascii_lowercase().contains(end) {
            return Err(ReportError::Page(format!("{name} has `{end}` in it")));
        }
    }
    // No text can end the element or open a comment in it.
    let data = data.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    );
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"dark light\">\n<title>nudge report</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style nonce=\"{nonce}\">\n{style}</style>\n\
         <div id=\"app\"></div>\n<noscript>This report needs JavaScript. It asks nobody.</noscript>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script type=\"module\" nonce=\"{nonce}\">\n{script}</script>\n</html>\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_data() {
        let data = json!({ "a": "</script><script>alert(1)</script>", "b": "<!--<script>", "c": "\u{2028}" });
        let html = page(&data.to_string()).unwrap();
        let start = html.find("id=\"data\">").unwrap() + "id=\"data\">".len();
        let end = start + html[start..].find("</script>").unwrap();
        assert_eq!(serde_json::from_str::<Value>(&html[start..end]).unwrap(), data);
        assert_eq!(html.matches("</script>").count(), 2);
        assert_eq!(html.matches("<!--").count(), 0);
    }

    #[test]
    fn two_reports_differ_in_their_nonce_only() {
        let strip = |html: String| {
            let at = html.find("nonce-").unwrap() + "nonce-".len();
            let nonce = html[at..at + 32].to_owned();
            html.replace(&nonce, "N")
        };
        assert_eq!(strip(page("{}").unwrap()), strip(page("{}").unwrap()));
    }

    #[test]
    fn a_plain_report_has_no_words() {
        let answer = json!({ "rows": [{ "id": 1, "text": "secret", "steps": ["a"], "kind": "failed" }], "sample": {} });
        let expected = json!({ "rows": [{ "id": 1, "text": "[left out]", "steps": [], "kind": "failed" }], "sample": null });
        assert_eq!(plain(answer), expected);
    }
}
