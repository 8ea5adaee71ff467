//! JSON-RPC 2.0: single requests, batches and notifications.

use std::sync::Arc;

use hyper::StatusCode;
use hyper::body::Bytes;
use serde_json::{Map, Value, json};

use super::Door;
use super::answers::{MAX_ANSWER_BYTES, Turn};
use super::reply::{self, Reply};
use crate::api::{HintMethod, Refusal, Requests, read_requests};
use crate::model::{HintCode, HintFlaw};
use crate::ops::hints::{Answer, Export};
use crate::runtime::CallError;
use crate::server::hub::{internal, to_error};

/// A batch has up to this many requests.
const MAX_BATCH: usize = 100;
/// The answer to a change is shorter than this.
const MAX_CHANGE_ANSWER_BYTES: usize = 1 << 20;
/// The answers of a batch have up to this many bytes together, as much as a single answer.
const MAX_BATCH_ANSWER_BYTES: usize = MAX_ANSWER_BYTES;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// Why there is no answer.
enum Failed {
    Error(Value),
    /// The hints are being handed over: ask the next PRIMARY.
    Leaving,
}

/// What is said to one request.
enum Said {
    Text(String),
    /// An export that is too long for one piece, with the id of who asked.
    Export(Value, Box<Export>),
}

/// Answers a body.
pub(super) async fn answer(door: &Arc<Door>, body: &Bytes) -> Reply {
    let invalid = |code, why: &str| Ok(Some(Said::Text(wrong(&Value::Null, code, why))));
    let requests = read_requests(body, MAX_BATCH);
    let turn = match turn(door, requests.as_ref().ok()).await {
        Ok(turn) => turn,
        Err(refused) => return refused,
    };
    let answered = match requests {
        Ok(Requests::Batch(requests)) if !requests.is_empty() => batch(door, requests).await,
        Ok(Requests::Batch(_)) => invalid(INVALID_REQUEST, "a batch must not be empty"),
        Ok(Requests::TooMany(count)) => {
            let why = format!("a batch may have up to {MAX_BATCH} requests, this one has {count}");
            invalid(INVALID_REQUEST, &why)
        }
        Ok(Requests::One(request)) => one(door, request, Company::Alone).await,
        Err(error) => invalid(PARSE_ERROR, &format!("the body is no JSON: {error}")),
    };
    match answered {
        Ok(Some(Said::Text(answer))) => door.answers.reply(answer, turn),
        Ok(Some(Said::Export(id, export))) => reply::streamed(move |out| {
            write!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":"#)?;
            export.write(&mut *out)?;
            out.write_all(b"}")
        }),
        Ok(None) => reply::nothing(),
        Err(_) => reply::last(reply::text(StatusCode::SERVICE_UNAVAILABLE, "the server is leaving")),
    }
}

/// Waits for the turn of requests that may have a large answer; others need none.
async fn turn<'d>(door: &'d Arc<Door>, requests: Option<&Requests>) -> Result<Option<Turn<'d>>, Reply> {
    match requests {
        Some(Requests::Batch(requests)) if !requests.is_empty() => door.answers.batch_turn().await.map(Some),
        Some(Requests::One(request)) => {
            let method = request.get("method").and_then(Value::as_str).and_then(HintMethod::by_name);
            let is_large =
                matches!(method, Some(HintMethod::Query | HintMethod::Export | HintMethod::ListComponents));
            if is_large { door.answers.turn().await.map(Some) } else { Ok(None) }
        }
        _ => Ok(None),
    }
}

/// Whether a request has the reply for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Company {
    Alone,
    Batch,
}

async fn batch(door: &Arc<Door>, requests: Vec<Value>) -> Result<Option<Said>, Failed> {
    let mut answers = String::from("[");
    for request in requests {
        let id = request.get("id").cloned();
        let answer = match &id {
            // Only a question can be refused after it was answered: no change has an answer as long as this.
            Some(id) if answers.len() > MAX_BATCH_ANSWER_BYTES - MAX_CHANGE_ANSWER_BYTES => Some(no_room(id)),
            _ => match one(door, request, Company::Batch).await? {
                Some(Said::Text(answer)) => Some(answer),
                _ => None,
            },
        };
        let Some(mut answer) = answer else { continue };
        if answers.len() + answer.len() > MAX_BATCH_ANSWER_BYTES {
            answer = no_room(&id.unwrap_or_default());
        }
        if answers.len() > 1 {
            answers.push(',');
        }
        answers.push_str(&answer);
        // A long batch keeps nobody waiting.
        tokio::task::yield_now().await;
    }
    answers.push(']');
    Ok((answers.len() > "[]".len()).then_some(Said::Text(answers)))
}

/// Refuses a request of a batch whose answers have become too large.
fn no_room(id: &Value) -> String {
    let refusal =
        HintFlaw::new(HintCode::Quota, "the answers of this batch are too large: send fewer requests");
    reply_with(id, "error", &to_error(&Refusal::of_hint(refusal)).to_string())
}

/// Answers one request; a notification is obeyed, and not answered.
async fn one(door: &Arc<Door>, request: Value, company: Company) -> Result<Option<Said>, Failed> {
    let Value::Object(mut request) = request else {
        return Ok(Some(Said::Text(wrong(&Value::Null, INVALID_REQUEST, "a request must be an object"))));
    };
    let id = request.remove("id");
    let answered = match read(request) {
        Ok((method, params)) => ask(door, &method, params, company).await,
        // Who cannot be told from a notification for want of a proper request is answered all the same.
        Err(Failed::Error(error)) if error["code"] == INVALID_REQUEST => {
            return Ok(Some(Said::Text(reply_with(&id.unwrap_or_default(), "error", &error.to_string()))));
        }
        Err(failed) => Err(failed),
    };
    Ok(match (answered, id) {
        (Err(Failed::Leaving), _) => return Err(Failed::Leaving),
        (_, None) => None,
        (Ok(Answer::Text(result)), Some(id)) => Some(Said::Text(reply_with(&id, "result", &result))),
        (Ok(Answer::Export(export)), Some(id)) => Some(Said::Export(id, export)),
        (Err(Failed::Error(error)), Some(id)) => {
            Some(Said::Text(reply_with(&id, "error", &error.to_string())))
        }
    })
}

fn read(mut request: Map<String, Value>) -> Result<(String, Map<String, Value>), Failed> {
    let invalid = |why: &str| Err(Failed::Error(error(INVALID_REQUEST, why)));
    if request.get("jsonrpc").is_none_or(|version| version != "2.0") {
        return invalid("`jsonrpc` must be \"2.0\"");
    }
    let Some(Value::String(method)) = request.remove("method") else {
        return invalid("`method` must be a string");
    };
    match request.remove("params") {
        None => Ok((method, Map::new())),
        Some(Value::Object(params)) => Ok((method, params)),
        Some(_) => Err(Failed::Error(error(INVALID_PARAMS, "`params` must be an object"))),
    }
}

async fn ask(
    door: &Arc<Door>,
    method: &str,
    mut params: Map<String, Value>,
    company: Company,
) -> Result<Answer, Failed> {
    if let Some(method) = HintMethod::by_name(method) {
        if method == HintMethod::Export && company == Company::Batch {
            params.insert("whole".to_owned(), true.into());
        }
        let answered = door.standing.hub.answer(method, params).await;
        return answered.map_err(|failed| match failed {
            CallError::Refused(error) => Failed::Error(error),
            _ => Failed::Leaving,
        });
    }
    match method.strip_prefix("nudge.").or_else(|| method.strip_prefix("nudge_")) {
        Some("status") => {
            let door = Arc::clone(door);
            let sessions = door.mcp.count().await;
            // The counts wait for who is asking just now.
            let status = tokio::task::spawn_blocking(move || {
                let connections = door.connections.load(std::sync::atomic::Ordering::Relaxed);
                let mut status = door.standing.status(connections, door.proxies());
                status["clients"]["mcp_sessions"] = json!(sessions);
                status.to_string()
            });
            status.await.map(Answer::Text).map_err(|_| Failed::Error(internal("nudge broke down over this")))
        }
        Some("stop") => {
            // The reply is still sent: a connection ends after the request that it is at.
            door.stop.notify_one();
            Ok(Answer::Text(json!({ "stopping": true, "pid": door.standing.address.pid }).to_string()))
        }
        _ => {
            let shown: String = method.chars().take(80).collect();
            Err(Failed::Error(error(METHOD_NOT_FOUND, &format!("there is no method `{shown}`"))))
        }
    }
}

fn error(code: i64, message: &str) -> Value {
    json!({ "code": code, "message": message })
}

fn wrong(id: &Value, code: i64, message: &str) -> String {
    reply_with(id, "error", &error(code, message).to_string())
}

/// Puts what is said, as JSON, into its envelope.
fn reply_with(id: &Value, word: &str, said: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"{word}":{said}}}"#)
}
