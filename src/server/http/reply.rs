//! Replies of HTTP.

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

/// A reply, of ours or of `rmcp`.
pub(super) type Reply = Response<BoxBody<Bytes, std::convert::Infallible>>;

pub(super) fn json(status: StatusCode, text: String) -> Reply {
    whole(status, "application/json", text)
}

pub(super) fn text(status: StatusCode, text: &str) -> Reply {
    whole(status, "text/plain; charset=utf-8", format!("{text}\n"))
}

/// Says that there is nothing to say: to notifications.
pub(super) fn nothing() -> Reply {
    whole(StatusCode::NO_CONTENT, "", String::new())
}

/// Says which method there is.
pub(super) fn only(method: &'static str) -> Reply {
    let mut reply = text(StatusCode::METHOD_NOT_ALLOWED, &format!("only {method} is answered here"));
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static(method));
    reply
}

/// Lets the reply be the last one of its connection.
pub(super) fn last(mut reply: Reply) -> Reply {
    reply.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    reply
}

fn whole(status: StatusCode, kind: &'static str, content: String) -> Reply {
    let mut reply = Response::new(Full::new(Bytes::from(content)).boxed());
    *reply.status_mut() = status;
    if !kind.is_empty() {
        reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    reply
}
