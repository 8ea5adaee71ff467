//! Who may ask: programs of this user on this machine, and no page in a browser.
//!
//! A page could reach us under a name of its own that leads to 127.0.0.1 (rebinding): its `Host` gives it away. A page
//! elsewhere that posts here gives itself away by its `Origin`. Neither header can be forged from within a page. This
//! server has no pages of its own, so every browser is refused.

use std::net::SocketAddr;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{
    AUTHORIZATION, CONTENT_LENGTH, HOST, HeaderName, HeaderValue, ORIGIN, TRANSFER_ENCODING, WWW_AUTHENTICATE,
};
use hyper::{HeaderMap, Request, StatusCode};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::patient::Recent;
use super::peer::Peer;
use super::reply::{self, Reply};
use crate::runtime;

/// How long a stranger is listened to, so that it hears why.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Says why a request is not let in, if it is not.
pub(super) fn refusal(
    request: &Request<Incoming>,
    peer: Peer,
    recent: &Recent,
    port: u16,
    token: Option<&str>,
) -> Option<Reply> {
    let refuse = |why: &str| Some(reply::last(reply::text(StatusCode::FORBIDDEN, why)));
    if peer == Peer::Stranger {
        return refuse(OTHER_USER);
    }
    if peer == Peer::Private {
        return None;
    }
    let headers = request.headers();
    if recent.count(CONTENT_LENGTH.as_str()) > 1 {
        let why = "a request has one Content-Length";
        return Some(reply::last(reply::text(StatusCode::BAD_REQUEST, why)));
    }
    // Whoever forwarded it may have taken the other one for its length.
    if headers.contains_key(TRANSFER_ENCODING) && !recent.has_no(CONTENT_LENGTH.as_str()) {
        let why = "a request has either Content-Length or Transfer-Encoding";
        return Some(reply::last(reply::text(StatusCode::BAD_REQUEST, why)));
    }
    let is_host_ours = only(headers, &HOST).is_some_and(|host| is_here(host, port));
    // A request may name the host in its first line too.
    let is_target_ours = request.uri().authority().is_none_or(|authority| is_here(authority.as_str(), port));
    if !is_host_ours || !is_target_ours {
        return refuse("the Host header must be 127.0.0.1, localhost or [::1], with the port of this server");
    }
    if is_from_browser(headers, request.uri().path(), port) {
        return refuse("pages in browsers are not answered");
    }
    match token {
        Some(token) if !shows(headers, token) => {
            let why = "this server wants the token beside its address: Authorization: Bearer <server.token>";
            let mut refused = reply::text(StatusCode::UNAUTHORIZED, why);
            // A client that asks for a proof first sends the token over the same connection.
            if !headers.contains_key(CHALLENGE) {
                refused = reply::last(refused);
            }
            refused.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            Some(refused)
        }
        _ => None,
    }
}

/// Says whether a page or the address bar of a browser sent this: it has `Sec-Fetch-Site` or `Origin`.
///
/// A client of MCP may send the origin of this server, without `Sec-Fetch-Site`: its conformance suite does
/// (`dns-rebinding-protection`).
fn is_from_browser(headers: &HeaderMap, path: &str, port: u16) -> bool {
    if headers.contains_key("sec-fetch-site") {
        return true;
    }
    let origin = only(headers, &ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
    let is_mcp_client = path == "/mcp" && origin.is_some_and(|origin| is_here(origin, port));
    headers.contains_key(ORIGIN) && !is_mcp_client
}

/// Carries the challenge of a client that does not know yet whether we are its server.
pub(super) const CHALLENGE: &str = "nudge-challenge";
pub(super) const PROOF: &str = "nudge-proof";
const MAX_CHALLENGE_BYTES: usize = 64;

/// Answers the challenge of a request, if it has one: nobody but a server of this folder knows the token.
pub(super) fn proof(
    headers: &HeaderMap,
    token: &str,
    port: u16,
    from: Option<SocketAddr>,
) -> Option<HeaderValue> {
    let challenge = headers.get(CHALLENGE)?.to_str().ok().filter(|text| text.len() <= MAX_CHALLENGE_BYTES)?;
    let proof = runtime::proof(token, challenge, port, from?.port())?;
    HeaderValue::from_str(&proof).ok()
}

const OTHER_USER: &str = "this server belongs to another user";

/// Ends a connection that gets no place, after saying why.
pub(super) async fn turn_away(mut stream: impl AsyncRead + AsyncWrite + Unpin, peer: Peer) {
    let (status, why) = match peer {
        Peer::Stranger => ("403 Forbidden", OTHER_USER),
        _ => ("503 Service Unavailable", "there are too many connections at the moment"),
    };
    let reply = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{why}\n",
        why.len() + 1,
    );
    let words = async {
        // What was not read when the connection is closed would take the reply with it.
        let mut request = [0; 4096];
        let _some = stream.read(&mut request).await?;
        stream.write_all(reply.as_bytes()).await?;
        stream.shutdown().await?;
        while stream.read(&mut request).await? > 0 {}
        Ok::<_, std::io::Error>(())
    };
    drop(tokio::time::timeout(LAST_WORDS, words).await);
}

/// Returns the value of a header that stands once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    value.to_str().ok()
}

/// Says whether `host:port` is this server.
fn is_here(authority: &str, port: u16) -> bool {
    let Some((host, named)) = authority.rsplit_once(':') else { return false };
    named.parse() == Ok(port)
        && (host.eq_ignore_ascii_case("localhost") || matches!(host, "127.0.0.1" | "[::1]"))
}

/// Returns whether a request shows the token.
fn shows(headers: &HeaderMap, token: &str) -> bool {
    let shown = only(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    runtime::is_same_secret(shown.unwrap_or_default(), token)
}

#[cfg(test)]
mod tests;
