//! Which requests of a browser the viewer answers: those of its own page on 127.0.0.1, and of no other.
//!
//! A page on another port of 127.0.0.1 counts as the same site, so its requests bring our cookie along; the browser
//! says so in `Sec-Fetch-Site`, and only our own page can add the key.

use hyper::body::Incoming;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HeaderName, ORIGIN};
use hyper::{HeaderMap, Method, Request, StatusCode};

use super::{API, MAX_BODY_BYTES, moved};
use crate::server::http::gate::{is_host, is_this_server, only};
use crate::server::http::reply::{self, Reply};

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
const KEY: HeaderName = HeaderName::from_static("x-nudge-key");

/// Both halves of a grant, as a request brought them.
pub(super) struct Halves {
    pub(super) cookie: String,
    pub(super) key: String,
}

impl Halves {
    pub(super) fn of(headers: &HeaderMap, port: u16) -> Option<Halves> {
        let name = format!("nudge_ui_{port}=");
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let cookie =
            cookies.flat_map(|value| value.split(';')).find_map(|one| one.trim().strip_prefix(&name))?;
        Some(Halves { cookie: cookie.to_owned(), key: only(headers, &KEY)?.to_owned() })
    }
}

/// Returns the refusal of a request that our own page would not send, or the way to the one address.
pub(super) fn refusal(request: &Request<Incoming>, port: u16) -> Option<Reply> {
    let here = format!("127.0.0.1:{port}");
    if !is_host(request, |host| host == here) {
        if is_host(request, |host| is_this_server(host, port)) {
            let rest = request.uri().path_and_query().map_or("/ui/", |rest| rest.as_str());
            return Some(reply::last(moved(&format!("http://{here}{rest}"))));
        }
        return refuse("the Host header must be 127.0.0.1 with the port of this server");
    }
    head_refusal(request.headers(), request.method(), request.uri().path(), port).and_then(refuse)
}

fn refuse(why: &str) -> Option<Reply> {
    Some(reply::last(reply::text(StatusCode::FORBIDDEN, why)))
}

/// Returns why a head is refused, whatever page it is of.
fn head_refusal(headers: &HeaderMap, method: &Method, path: &str, port: u16) -> Option<&'static str> {
    let is_api = path.starts_with(API);
    let site = match (headers.contains_key(&FETCH_SITE), only(headers, &FETCH_SITE)) {
        (false, _) => None,
        (true, Some(site)) => Some(site),
        (true, None) => return Some("a request must have only one Sec-Fetch-Site"),
    };
    let is = |name: &HeaderName, value: &str| only(headers, name) == Some(value);
    // The page itself holds no data, so a link from anywhere may lead to it.
    let is_visit = !is_api && is(&FETCH_MODE, "navigate") && is(&FETCH_DEST, "document");
    let is_own = matches!(site, None | Some("same-origin")) || !is_api && site == Some("none");
    if !is_own && !is_visit {
        return Some("only the viewer's own page may ask this");
    }
    let own_origin = format!("http://127.0.0.1:{port}");
    let is_origin_own = only(headers, &ORIGIN) == Some(own_origin.as_str());
    if headers.contains_key(ORIGIN) && !is_origin_own {
        return Some("only the viewer's own page may ask this");
    }
    if *method != Method::POST {
        return None;
    }
    if !is_origin_own {
        return Some("a POST must name its Origin");
    }
    let kind = only(headers, &CONTENT_TYPE).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Some("a POST must be application/json");
    }
    let length = only(headers, &CONTENT_LENGTH).and_then(|length| length.parse::<usize>().ok());
    if length.is_some_and(|length| length > MAX_BODY_BYTES) {
        return Some("a body may have 64 KiB");
    }
    None
}

/// Parses a query: names and values, in their order.
pub(super) fn parameters(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        })
        .collect()
}

/// Decodes the path of a question; a `+` is a `+` there.
pub(super) fn decoded_path(path: &str) -> String {
    decoded(&path.replace('+', "%2B"))
}

/// Decodes a part of an address; what is not valid stays as it is.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
        match (bytes[at], hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                plain.push((high * 16 + low) as u8);
                at += 2;
            }
            (b'+', _, _) => plain.push(b' '),
            (byte, _, _) => plain.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests;
