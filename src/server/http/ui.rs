//! The viewer, below `/ui/`: four files that hold no data, and the questions of the page below `/ui/api/`.
//!
//! `door.rs` decides which requests are answered. Everything here leaves with the headers of `sealed`.

mod door;
mod queue;
mod stream;

use std::sync::Arc;

use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, SET_COOKIE};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use serde::{Deserialize, Serialize};

use self::door::Halves;
use self::queue::Questions;
use self::stream::Streams;
use super::patient::RecentBytes;
use super::peer::Peer;
use super::reply::{self, Reply};
use super::{HttpServer, gate};
use crate::api::hints::HintMethod;
use crate::api::view::{ViewAnswerWire, ViewErrorBodyWire, ViewErrorWire};
use crate::ops::pages::access::{MAX_IDLE_MS, PageAccess, PageGrant, PageScope, TicketError};
use crate::ops::pages::act::PageActs;
use crate::ops::pages::{assets, browser};
use crate::ops::times;
use crate::ops::view::{self, PageFacts, ViewError, ViewErrorKind, ViewRequest};

/// Maximum size of the body of a question.
const MAX_BODY_BYTES: usize = 64 << 10;
const API: &str = "/ui/api/";

/// What all pages share.
pub(super) struct Viewer {
    pub(super) access: PageAccess,
    questions: Questions,
    streams: Streams,
    acts: Arc<PageActs>,
}

impl Viewer {
    pub(super) fn new(access: PageAccess) -> Viewer {
        Viewer { access, questions: Questions::new(), streams: Streams::new(), acts: Arc::default() }
    }
}

/// Returns whether a path belongs to the viewer.
pub(super) fn is_path(path: &str) -> bool {
    path == "/ui" || path.starts_with("/ui/")
}

/// Answers a request below `/ui/`.
pub(super) async fn answer(
    server: Arc<HttpServer>,
    request: Request<Incoming>,
    peer: Peer,
    recent: RecentBytes,
) -> Reply {
    let port = server.status.address.port;
    if let Some(refused) = gate::connection_refusal(&request, peer, &recent) {
        return sealed(refused, port);
    }
    recent.clear();
    let reply = match door::refusal(&request, port) {
        Some(refused) => refused,
        None => {
            let (head, incoming) = request.into_parts();
            let reply = open(&server, &head, incoming).await;
            recent.clear();
            reply
        }
    };
    sealed(reply, port)
}

async fn open(server: &Arc<HttpServer>, head: &Parts, incoming: Incoming) -> Reply {
    let path = head.uri.path();
    match path.strip_prefix(API) {
        Some(question) => question_answer(server, head, question, incoming).await,
        None => file(path, &head.method),
    }
}

/// Serves a file of the page.
fn file(path: &str, method: &Method) -> Reply {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return reply::only("GET");
    }
    let name = match path {
        // Addresses in the page are relative to the folder.
        "/ui" => return moved("/ui/"),
        "/ui/" => "index.html",
        path => path.strip_prefix("/ui/").unwrap_or_default(),
    };
    let is_page = matches!(name, "index.html" | "app.js" | "app.css" | "icon.svg");
    let text = if is_page || assets::is_served_alone(name) { assets::file(name) } else { None };
    let Some(text) = text else {
        return reply::text(StatusCode::NOT_FOUND, "there is no such file");
    };
    let kind = match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "application/json",
    };
    let mut reply = reply::json(StatusCode::OK, Bytes::from(text.into_owned()));
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    // The next version of the program may have other files.
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    reply
}

/// Leads a browser to another address.
fn moved(to: &str) -> Reply {
    let mut reply = reply::text(StatusCode::PERMANENT_REDIRECT, "the viewer is at another address");
    if let Ok(to) = HeaderValue::from_str(to) {
        reply.headers_mut().insert(LOCATION, to);
    }
    reply
}

/// What the page posts to come in.
#[derive(Deserialize)]
struct EnterWire {
    ticket: String,
}

/// What it gets.
#[derive(Serialize)]
struct EnteredWire {
    key: String,
    scope: PageScope,
    until_ms: i64,
}

async fn question_answer(
    server: &Arc<HttpServer>,
    head: &Parts,
    question: &str,
    incoming: Incoming,
) -> Reply {
    let is_post = head.method == Method::POST;
    if is_post != view::is_posted(question) || !is_post && head.method != Method::GET {
        return match view::is_known(question) {
            true => problem(&ViewError::wrong(format!("`{question}` is asked with another method"))),
            false => problem(&ViewError::unknown(format!("there is no question `{question}`"))),
        };
    }
    let body = match is_post {
        true => match body(incoming).await {
            Ok(body) => Some(body),
            Err(refused) => return problem(&refused),
        },
        false => None,
    };
    if question == "enter" {
        return enter(server, &body.unwrap_or_default());
    }
    let halves = Halves::of(&head.headers, server.status.address.port);
    let grant = halves.as_ref().and_then(|halves| server.viewer.access.check(&halves.cookie, &halves.key));
    let (Some(halves), Some(grant)) = (halves, grant) else { return closed() };
    match question {
        "leave" => {
            server.viewer.access.leave(&halves.cookie);
            data(&serde_json::Map::new())
        }
        "sample" => sample(),
        _ => {
            let request = ViewRequest {
                question: door::decoded_path(question),
                parameters: door::parameters(head.uri.query().unwrap_or_default()),
                body: body.map(|body| body.to_vec()),
            };
            if question == "stream" {
                return stream::open(server, request, halves).await.unwrap_or_else(|error| problem(&error));
            }
            ask(server, request, grant).await
        }
    }
}

/// Answers a question about what is remembered.
async fn ask(server: &Arc<HttpServer>, request: ViewRequest, grant: PageGrant) -> Reply {
    if request.question == "act" {
        return act(server, request, grant).await;
    }
    if request.question == "hints" {
        return hints(server, &request).await;
    }
    let page = PageFacts {
        instance: server.status.address.instance.clone(),
        scope: grant.scope,
        until_ms: grant.until_ms,
    };
    let asked = server.viewer.questions.ask(move |stop| view::answer(&request, &page, stop)).await;
    match asked {
        Ok(answer) => server.answers.reply(answer.to_json(), None),
        Err(error) => problem(&error),
    }
}

/// Changes something, for a page that may.
async fn act(server: &Arc<HttpServer>, request: ViewRequest, grant: PageGrant) -> Reply {
    if grant.scope != PageScope::Edit {
        let error = ViewError::forbidden("this page may only read".to_owned());
        return problem(&error.hint("`nudge ui --edit` opens one that may change things, for an hour"));
    }
    let acts = Arc::clone(&server.viewer.acts);
    let body = request.body.unwrap_or_default();
    match server.viewer.questions.ask(move |_| acts.act(&body)).await {
        Ok(done) => data(&done),
        Err(error) => problem(&error),
    }
}

/// Answers what the page asks about hints, which this server has itself.
async fn hints(server: &Arc<HttpServer>, request: &ViewRequest) -> Reply {
    let found = server.status.hub.answer(HintMethod::Query, view::hints::question(request)).await;
    let answer = match found.map(|found| found.to_value()) {
        Ok(found) => view::hints::answer(&found),
        Err(_) => Err(ViewError::wrong("the hints could not be read for this place".to_owned())),
    };
    answer.map_or_else(|error| problem(&error), |answer| server.answers.reply(answer.to_json(), None))
}

fn enter(server: &Arc<HttpServer>, body: &Bytes) -> Reply {
    let Ok(EnterWire { ticket }) = serde_json::from_slice(body) else {
        return problem(&ViewError::wrong("the body must be `{\"ticket\": …}`".to_owned()));
    };
    let grant = match server.viewer.access.enter(&ticket) {
        Ok(grant) => grant,
        Err(TicketError::Unknown) => return closed(),
        Err(TicketError::Closed) => {
            return problem(&ViewError::busy("too many wrong links; wait a minute".to_owned()));
        }
    };
    if browser::needs_file() {
        drop(tokio::task::spawn_blocking(browser::forget_page_link));
    }
    let port = server.status.address.port;
    let entered = EnteredWire { key: grant.key, scope: grant.scope, until_ms: grant.until_ms };
    let mut reply = data(&entered);
    let cookie = format!(
        "nudge_ui_{port}={}; HttpOnly; SameSite=Strict; Path=/ui/api; Max-Age={}",
        grant.cookie,
        MAX_IDLE_MS / 1_000
    );
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        reply.headers_mut().insert(SET_COOKIE, cookie);
    }
    reply
}

/// Refuses a page that is not open; the same words for every reason.
fn closed() -> Reply {
    problem(&ViewError {
        kind: ViewErrorKind::Closed,
        message: "this page is not open".to_owned(),
        hint: Some("`nudge ui` prints a link that works once, for a minute".to_owned()),
    })
}

/// The sample is not an answer of ours: it has the answers of all questions in it.
fn sample() -> Reply {
    match assets::file("sample.json") {
        Some(text) => reply::json(StatusCode::OK, Bytes::from(text.into_owned())),
        None => problem(&ViewError::unknown("this build has no sample".to_owned())),
    }
}

async fn body(incoming: Incoming) -> Result<Bytes, ViewError> {
    let limited = http_body_util::Limited::new(incoming, MAX_BODY_BYTES);
    let collected = tokio::time::timeout(super::HEAD_TIMEOUT, limited.collect()).await;
    match collected {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        _ => Err(ViewError::wrong(
            "a body may have 64 KiB, and must be complete within ten seconds".to_owned(),
        )),
    }
}

fn data(data: &impl Serialize) -> Reply {
    let answer = ViewAnswerWire { v: 1, now_ms: times::now_ms(), data };
    reply::json(StatusCode::OK, to_json(&answer).into())
}

fn to_json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_default()
}

fn problem(error: &ViewError) -> Reply {
    let status = match error.kind {
        ViewErrorKind::Wrong => StatusCode::BAD_REQUEST,
        ViewErrorKind::Closed => StatusCode::UNAUTHORIZED,
        ViewErrorKind::Forbidden => StatusCode::FORBIDDEN,
        ViewErrorKind::Unknown => StatusCode::NOT_FOUND,
        ViewErrorKind::Conflict => StatusCode::CONFLICT,
        ViewErrorKind::Busy => StatusCode::TOO_MANY_REQUESTS,
        ViewErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ViewErrorKind::Late => StatusCode::GATEWAY_TIMEOUT,
    };
    let body =
        ViewErrorBodyWire { code: error.kind.code(), message: &error.message, hint: error.hint.as_deref() };
    reply::json(status, to_json(&ViewErrorWire { v: 1, error: body }).into())
}

/// Everything that a page is not for.
const PERMISSIONS: &str = "clipboard-write=(self), accelerometer=(), autoplay=(), camera=(), clipboard-read=(), \
    display-capture=(), encrypted-media=(), fullscreen=(), geolocation=(), gyroscope=(), hid=(), identity-credentials-get=(), \
    idle-detection=(), magnetometer=(), microphone=(), midi=(), payment=(), picture-in-picture=(), \
    publickey-credentials-get=(), screen-wake-lock=(), serial=(), storage-access=(), usb=(), xr-spatial-tracking=()";

/// Adds the headers that keep a page from doing anything but ask this server.
fn sealed(mut reply: Reply, port: u16) -> Reply {
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         connect-src http://127.0.0.1:{port}/ui/api/; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'"
    );
    let headers = reply.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert("content-security-policy", policy);
    }
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-frame-options", "DENY"),
        ("permissions-policy", PERMISSIONS),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    reply
}
