//! JSON-RPC 2.0: single requests, batches and notifications.

use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use hyper::body::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::HttpServer;
use super::answers::{BuildPermit, MAX_ANSWER_BYTES};
use super::reply::{self, Reply};
use crate::api::hints::HintMethod;
use crate::api::status::{ClientsWire, ClosedPagesWire, UiTicketWire};
use crate::api::{Refusal, Requests, parse_requests};
use crate::model::{HintCode, HintFlaw};
use crate::ops::hints::{CallError, HintAnswer, HintExport};
use crate::ops::pages;
use crate::ops::pages::access::{PageScope, TICKET_LIFETIME_MS};
use crate::ops::pages::browser;
use crate::server::hub::{internal, to_error};

/// A link that was not used for this long leads nowhere.
const TICKET_LIFETIME: Duration = Duration::from_millis(TICKET_LIFETIME_MS.unsigned_abs());
/// Maximum number of requests in a batch.
const MAX_BATCH: usize = 100;
/// The answer to a change is shorter than this.
const MAX_CHANGE_ANSWER_BYTES: usize = 1 << 20;
/// Maximum size of all answers of a batch together, the same as for a single answer.
const MAX_BATCH_ANSWER_BYTES: usize = MAX_ANSWER_BYTES;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// Why a request has no result.
enum CallFailure {
    Error(Value),
    /// The hints are being handed over: ask the next PRIMARY.
    Leaving,
}

/// The answer to one request.
enum RpcAnswer {
    Text(String),
    /// An export that is streamed because it may be long, with the id of its request.
    Export(Value, Box<HintExport>),
}

/// Answers the body of a request.
pub(super) async fn answer(server: &Arc<HttpServer>, body: &Bytes) -> Reply {
    let invalid = |code, why: &str| Ok(Some(RpcAnswer::Text(error_reply(&Value::Null, code, why))));
    let requests = parse_requests(body, MAX_BATCH);
    let turn = match turn(server, requests.as_ref().ok()).await {
        Ok(turn) => turn,
        Err(refused) => return refused,
    };
    let answered = match requests {
        Ok(Requests::Batch(requests)) if !requests.is_empty() => batch(server, requests).await,
        Ok(Requests::Batch(_)) => invalid(INVALID_REQUEST, "a batch must not be empty"),
        Ok(Requests::TooMany(count)) => {
            let why = format!("a batch may have up to {MAX_BATCH} requests, this one has {count}");
            invalid(INVALID_REQUEST, &why)
        }
        Ok(Requests::One(request)) => one(server, request, RequestKind::Single).await,
        Err(error) => invalid(PARSE_ERROR, &format!("the body is not valid JSON: {error}")),
    };
    match answered {
        Ok(Some(RpcAnswer::Text(answer))) => server.answers.reply(answer, turn),
        Ok(Some(RpcAnswer::Export(id, export))) => reply::streamed(move |out| {
            write!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":"#)?;
            export.write(&mut *out)?;
            out.write_all(b"}")
        }),
        Ok(None) => reply::nothing(),
        Err(_) => reply::last(reply::text(StatusCode::SERVICE_UNAVAILABLE, "the server is shutting down")),
    }
}

/// Waits until a request with a possibly large answer may run; other requests do not wait.
async fn turn<'s>(
    server: &'s Arc<HttpServer>,
    requests: Option<&Requests>,
) -> Result<Option<BuildPermit<'s>>, Reply> {
    match requests {
        Some(Requests::Batch(requests)) if !requests.is_empty() => {
            server.answers.batch_turn().await.map(Some)
        }
        Some(Requests::One(request)) => {
            let method = request.get("method").and_then(Value::as_str).and_then(HintMethod::by_name);
            let is_large =
                matches!(method, Some(HintMethod::Query | HintMethod::Export | HintMethod::ListComponents));
            if is_large { server.answers.turn().await.map(Some) } else { Ok(None) }
        }
        _ => Ok(None),
    }
}

/// Whether a request was sent alone or in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestKind {
    Single,
    Batch,
}

async fn batch(server: &Arc<HttpServer>, requests: Vec<Value>) -> Result<Option<RpcAnswer>, CallFailure> {
    let mut answers = String::from("[");
    for request in requests {
        let id = request.get("id").cloned();
        let answer = match &id {
            // Only a question can be refused after it was answered: the answer to a change is always shorter than this.
            Some(id) if answers.len() > MAX_BATCH_ANSWER_BYTES - MAX_CHANGE_ANSWER_BYTES => Some(no_room(id)),
            _ => match one(server, request, RequestKind::Batch).await? {
                Some(RpcAnswer::Text(answer)) => Some(answer),
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
        // A long batch must not block other requests.
        tokio::task::yield_now().await;
    }
    answers.push(']');
    Ok((answers.len() > "[]".len()).then_some(RpcAnswer::Text(answers)))
}

/// Refuses a request of a batch whose answers have become too large.
fn no_room(id: &Value) -> String {
    let refusal =
        HintFlaw::new(HintCode::Quota, "the answers of this batch are too large: send fewer requests");
    reply_with(id, "error", &to_error(&Refusal::of_hint(refusal)).to_string())
}

/// Answers one request. A notification is executed, but gets no answer.
async fn one(
    server: &Arc<HttpServer>,
    request: Value,
    kind: RequestKind,
) -> Result<Option<RpcAnswer>, CallFailure> {
    let Value::Object(mut request) = request else {
        return Ok(Some(RpcAnswer::Text(error_reply(
            &Value::Null,
            INVALID_REQUEST,
            "a request must be an object",
        ))));
    };
    let id = request.remove("id");
    if matches!(id, Some(Value::Object(_) | Value::Array(_) | Value::Bool(_))) {
        let why = "`id` must be a string, a number or null";
        return Ok(Some(RpcAnswer::Text(error_reply(&Value::Null, INVALID_REQUEST, why))));
    }
    let answered = match parse_request(request) {
        Ok((method, params)) => ask(server, &method, params, kind).await,
        // An invalid request gets an answer even without an id: it may not be a notification.
        Err(CallFailure::Error(error)) if error["code"] == INVALID_REQUEST => {
            return Ok(Some(RpcAnswer::Text(reply_with(
                &id.unwrap_or_default(),
                "error",
                &error.to_string(),
            ))));
        }
        Err(failed) => Err(failed),
    };
    Ok(match (answered, id) {
        (Err(CallFailure::Leaving), _) => return Err(CallFailure::Leaving),
        (_, None) => None,
        (Ok(HintAnswer::Text(result)), Some(id)) => Some(RpcAnswer::Text(reply_with(&id, "result", &result))),
        (Ok(HintAnswer::Export(export)), Some(id)) => Some(RpcAnswer::Export(id, export)),
        (Err(CallFailure::Error(error)), Some(id)) => {
            Some(RpcAnswer::Text(reply_with(&id, "error", &error.to_string())))
        }
    })
}

fn parse_request(mut request: Map<String, Value>) -> Result<(String, Map<String, Value>), CallFailure> {
    let invalid = |why: &str| Err(CallFailure::Error(error(INVALID_REQUEST, why)));
    if request.get("jsonrpc").is_none_or(|version| version != "2.0") {
        return invalid("`jsonrpc` must be \"2.0\"");
    }
    let Some(Value::String(method)) = request.remove("method") else {
        return invalid("`method` must be a string");
    };
    match request.remove("params") {
        None => Ok((method, Map::new())),
        Some(Value::Object(params)) => Ok((method, params)),
        Some(_) => Err(CallFailure::Error(error(INVALID_PARAMS, "`params` must be an object"))),
    }
}

async fn ask(
    server: &Arc<HttpServer>,
    method: &str,
    mut params: Map<String, Value>,
    kind: RequestKind,
) -> Result<HintAnswer, CallFailure> {
    if let Some(method) = HintMethod::by_name(method) {
        if method == HintMethod::Export && kind == RequestKind::Batch {
            params.insert("whole".to_owned(), true.into());
        }
        let answered = server.status.hub.answer(method, params).await;
        return answered.map_err(|failed| match failed {
            CallError::Refused(error) => CallFailure::Error(error),
            _ => CallFailure::Leaving,
        });
    }
    match method.strip_prefix("nudge.").or_else(|| method.strip_prefix("nudge_")) {
        Some("status") => {
            let server = Arc::clone(server);
            let sessions = server.mcp.count().await;
            // Counting waits for the question that is being answered.
            let status = tokio::task::spawn_blocking(move || {
                let connections = server.connections.load(std::sync::atomic::Ordering::Relaxed);
                let (pages, edit_pages) = server.viewer.access.open_pages();
                let clients = ClientsWire {
                    connections,
                    proxies: server.proxies(),
                    mcp_sessions: sessions,
                    pages,
                    edit_pages,
                };
                json!(server.status.details(clients)).to_string()
            });
            status.await.map(HintAnswer::Text).map_err(|_| {
                CallFailure::Error(internal("nudge hit an internal error while reading the status"))
            })
        }
        Some("ui_ticket") => ui_ticket(server, &params).await,
        Some("ui_close") => {
            let closed = server.viewer.access.close_all();
            Ok(HintAnswer::Text(json!(ClosedPagesWire { closed }).to_string()))
        }
        Some("stop") => {
            // The reply is still sent: a connection closes after its current request.
            server.stop.notify_one();
            Ok(HintAnswer::Text(json!({ "stopping": true, "pid": server.status.address.pid }).to_string()))
        }
        _ => {
            let shown: String = method.chars().take(80).collect();
            Err(CallFailure::Error(error(METHOD_NOT_FOUND, &format!("unknown method `{shown}`"))))
        }
    }
}

/// Returns a ticket for the viewer's page.
async fn ui_ticket(server: &Arc<HttpServer>, params: &Map<String, Value>) -> Result<HintAnswer, CallFailure> {
    let refuse = |why: &str| Err(CallFailure::Error(error(INVALID_PARAMS, why)));
    let scope = match params.get("scope").map(|scope| PageScope::deserialize(scope.clone())) {
        None => PageScope::Read,
        Some(Ok(scope)) => scope,
        Some(Err(_)) => return refuse("`scope` must be `read` or `edit`"),
    };
    if !tokio::task::spawn_blocking(pages::are_enabled).await.unwrap_or(false) {
        return refuse("the viewer is disabled by `ui.enabled` in your settings");
    }
    let ticket = server.viewer.access.ticket(scope);
    if browser::needs_file() {
        tokio::spawn(async {
            tokio::time::sleep(TICKET_LIFETIME).await;
            drop(tokio::task::spawn_blocking(browser::forget_page_link).await);
        });
    }
    let port = server.status.address.port;
    let answer = UiTicketWire {
        url: format!("http://127.0.0.1:{port}/ui/#in={ticket}"),
        ticket,
        scope,
        valid_seconds: TICKET_LIFETIME_MS / 1_000,
        pid: server.status.address.pid,
    };
    Ok(HintAnswer::Text(json!(answer).to_string()))
}

fn error(code: i64, message: &str) -> Value {
    json!({ "code": code, "message": message })
}

fn error_reply(id: &Value, code: i64, message: &str) -> String {
    reply_with(id, "error", &error(code, message).to_string())
}

/// Wraps JSON text in a JSON-RPC reply.
fn reply_with(id: &Value, member: &str, json: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{json}}}"#)
}
