//! Which requests are allowed: those of this user's programs on this machine, never those of a web page.
//!
//! A page could reach the server under its own host name that resolves to 127.0.0.1 (DNS rebinding), but its `Host`
//! header shows that. A page elsewhere that posts here shows its `Origin`. Pages cannot forge either header. Every
//! browser is refused, also this server's own page: the viewer has its own way in, under `/ui/` (`ui/door.rs`).

use std::net::SocketAddr;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{
    AUTHORIZATION, CONTENT_LENGTH, HOST, HeaderName, HeaderValue, ORIGIN, TRANSFER_ENCODING, WWW_AUTHENTICATE,
};
use hyper::{HeaderMap, Request, StatusCode};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::patient::RecentBytes;
use super::peer::Peer;
use super::reply::{self, Reply};
use crate::peers;

/// How long another user's connection is kept open to send the reason.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(1);

/// Returns a refusal if the request is not allowed.
pub(super) fn refusal(
    request: &Request<Incoming>,
    peer: Peer,
    recent: &RecentBytes,
    port: u16,
    token: Option<&str>,
) -> Option<Reply> {
    let refuse = |why: &str| Some(reply::last(reply::text(StatusCode::FORBIDDEN, why)));
    if peer == Peer::Private {
        return None;
    }
    if let Some(refused) = connection_refusal(request, peer, recent) {
        return Some(refused);
    }
    let headers = request.headers();
    if !is_host(request, |host| is_this_server(host, port)) {
        return refuse("the Host header must be 127.0.0.1, localhost or [::1], with the port of this server");
    }
    if is_from_browser(headers, request.uri().path(), port) {
        return refuse("requests from browsers are refused");
    }
    match token {
        Some(token) if !has_token(headers, token) => {
            let why = "this server requires the token from its runtime folder: Authorization: Bearer <server.token>";
            let mut refused = reply::text(StatusCode::UNAUTHORIZED, why);
            // A client that asks for a proof first then sends the token over the same connection.
            if !headers.contains_key(CHALLENGE) {
                refused = reply::last(refused);
            }
            refused.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            Some(refused)
        }
        _ => None,
    }
}

/// Returns a refusal if the caller is another user, or if two programs could disagree about where the request ends.
pub(super) fn connection_refusal(
    request: &Request<Incoming>,
    peer: Peer,
    recent: &RecentBytes,
) -> Option<Reply> {
    if peer == Peer::Stranger {
        return Some(reply::last(reply::text(StatusCode::FORBIDDEN, OTHER_USER)));
    }
    let headers = request.headers();
    if recent.count(CONTENT_LENGTH.as_str()) > 1 {
        let why = "a request must have only one Content-Length";
        return Some(reply::last(reply::text(StatusCode::BAD_REQUEST, why)));
    }
    // A program that forwarded it may have used the other header for its length.
    if headers.contains_key(TRANSFER_ENCODING) && !recent.has_no(CONTENT_LENGTH.as_str()) {
        let why = "a request must have either Content-Length or Transfer-Encoding, not both";
        return Some(reply::last(reply::text(StatusCode::BAD_REQUEST, why)));
    }
    None
}

/// Returns whether the `Host` header, and the first line if it names a host, are what is wanted.
pub(super) fn is_host(request: &Request<Incoming>, is_wanted: impl Fn(&str) -> bool) -> bool {
    let is_target_wanted = request.uri().authority().is_none_or(|authority| is_wanted(authority.as_str()));
    only(request.headers(), &HOST).is_some_and(&is_wanted) && is_target_wanted
}

/// Returns whether a browser sent this, for a page or from the address bar: it has `Origin`, or a `Sec-Fetch-` header
/// other than the one that `fetch` of Node sends.
///
/// An MCP client may name this server as `localhost` in `Origin`: the MCP conformance suite does
/// (`dns-rebinding-protection`). No page has that origin, because the viewer sends browsers on to 127.0.0.1.
fn is_from_browser(headers: &HeaderMap, path: &str, port: u16) -> bool {
    let is_of_node = headers.get("sec-fetch-mode").is_some_and(|mode| mode == "cors");
    let is_of_browser = |name: &HeaderName| match name.as_str() {
        "sec-fetch-mode" => !is_of_node,
        name => name.starts_with("sec-fetch-"),
    };
    if headers.keys().any(is_of_browser) {
        return true;
    }
    let is_mcp_client = path == "/mcp"
        && only(headers, &ORIGIN).is_some_and(|origin| origin == format!("http://localhost:{port}"));
    headers.contains_key(ORIGIN) && !is_mcp_client
}

/// Has the challenge of a client that does not know yet whether this is its server.
const CHALLENGE: &str = "nudge-challenge";
pub(super) const PROOF: &str = "nudge-proof";
const MAX_CHALLENGE_BYTES: usize = 64;

/// Answers the challenge of a request, if it has one: only a server of this folder knows the token.
pub(super) fn proof(
    headers: &HeaderMap,
    token: &str,
    port: u16,
    from: Option<SocketAddr>,
) -> Option<HeaderValue> {
    let challenge = headers.get(CHALLENGE)?.to_str().ok().filter(|text| text.len() <= MAX_CHALLENGE_BYTES)?;
    let proof = peers::proof(token, challenge, port, from?.port())?;
    HeaderValue::from_str(&proof).ok()
}

const OTHER_USER: &str = "this server belongs to another user";

/// Refuses a connection: sends the reason, then closes it.
pub(super) async fn turn_away(mut stream: impl AsyncRead + AsyncWrite + Unpin, peer: Peer) {
    let (status, why) = match peer {
        Peer::Stranger => ("403 Forbidden", OTHER_USER),
        _ => ("503 Service Unavailable", "too many connections; try again later"),
    };
    let reply = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{why}\n",
        why.len() + 1,
    );
    let refusing = async {
        // Closing a connection with unread data would discard the reply.
        let mut request = [0; 4096];
        let _some = stream.read(&mut request).await?;
        stream.write_all(reply.as_bytes()).await?;
        stream.shutdown().await?;
        while stream.read(&mut request).await? > 0 {}
        Ok::<_, std::io::Error>(())
    };
    drop(tokio::time::timeout(REFUSAL_TIMEOUT, refusing).await);
}

/// Returns the value of a header that occurs exactly once.
pub(super) fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    value.to_str().ok()
}

/// Returns whether `host:port` is this server.
pub(super) fn is_this_server(authority: &str, port: u16) -> bool {
    let Some((host, named)) = authority.rsplit_once(':') else { return false };
    named.parse() == Ok(port)
        && (host.eq_ignore_ascii_case("localhost") || matches!(host, "127.0.0.1" | "[::1]"))
}

/// Returns whether a request has the token.
fn has_token(headers: &HeaderMap, token: &str) -> bool {
    let shown = only(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    peers::is_same_secret(shown.unwrap_or_default(), token)
}

#[cfg(test)]
mod tests;
