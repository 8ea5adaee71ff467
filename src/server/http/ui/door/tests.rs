//! Heads of requests, and which of them are refused.

use hyper::header::HeaderValue;
use hyper::{HeaderMap, Method};

use super::{Halves, decoded, head_refusal, parameters};

const OWN: (&str, &str) = ("origin", "http://127.0.0.1:8765");
const JSON: (&str, &str) = ("content-type", "application/json");

fn map(headers: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(*name, HeaderValue::from_static(value));
    }
    map
}

fn is_refused(method: &Method, path: &str, headers: &[(&'static str, &'static str)]) -> bool {
    head_refusal(&map(headers), method, path, 8765).is_some()
}

#[test]
fn only_our_own_page_may_ask() {
    let api = "/ui/api/meta";
    for (headers, expected) in [
        (&[][..], false),
        (&[("sec-fetch-site", "same-origin")], false),
        (&[("sec-fetch-site", "same-origin"), OWN], false),
        (&[("sec-fetch-site", "same-site")], true),
        (&[("sec-fetch-site", "cross-site")], true),
        (&[("sec-fetch-site", "none")], true),
        (&[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "same-origin")], true),
        (
            &[
                ("sec-fetch-site", "same-site"),
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", "document"),
            ],
            true,
        ),
        (&[("origin", "http://127.0.0.1:3000")], true),
        (&[("origin", "http://localhost:8765")], true),
        (&[("origin", "null")], true),
        (&[OWN, OWN], true),
    ] {
        assert_eq!(is_refused(&Method::GET, api, headers), expected, "{headers:?}");
    }
}

#[test]
fn the_page_itself_may_be_visited_from_anywhere_but_not_embedded() {
    for (headers, expected) in [
        (&[][..], false),
        (&[("sec-fetch-site", "none")], false),
        (&[("sec-fetch-site", "same-origin")], false),
        (&[("sec-fetch-site", "same-site")], true),
        (
            &[
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", "document"),
            ],
            false,
        ),
        (
            &[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")],
            true,
        ),
        (
            &[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "script")],
            true,
        ),
    ] {
        assert_eq!(is_refused(&Method::GET, "/ui/", headers), expected, "{headers:?}");
        assert_eq!(is_refused(&Method::GET, "/ui/app.js", headers), expected, "{headers:?}");
    }
}

#[test]
fn a_post_names_its_origin_and_is_json() {
    for (headers, expected) in [
        (&[OWN, JSON][..], false),
        (&[OWN, ("content-type", "application/json; charset=utf-8")], false),
        (&[JSON], true),
        (&[OWN], true),
        (&[OWN, ("content-type", "text/plain")], true),
        (&[OWN, ("content-type", "application/x-www-form-urlencoded")], true),
        (&[OWN, JSON, ("content-length", "65536")], false),
        (&[OWN, JSON, ("content-length", "65537")], true),
    ] {
        assert_eq!(is_refused(&Method::POST, "/ui/api/enter", headers), expected, "{headers:?}");
    }
}

#[test]
fn halves_are_a_cookie_of_this_port_and_a_key() {
    let both = map(&[("cookie", "a=b; nudge_ui_8765=half"), ("x-nudge-key", "other")]);
    let halves = Halves::of(&both, 8765).unwrap();
    assert_eq!((halves.cookie.as_str(), halves.key.as_str()), ("half", "other"));
    assert!(Halves::of(&both, 8766).is_none());
    assert!(Halves::of(&map(&[("cookie", "nudge_ui_8765=half")]), 8765).is_none());
    assert!(Halves::of(&map(&[("x-nudge-key", "other")]), 8765).is_none());
}

#[test]
fn queries_are_decoded() {
    let pairs = parameters("q=a%20b+c&agent=x&agent=y&flag&bad=%zz");
    let expected = [("q", "a b c"), ("agent", "x"), ("agent", "y"), ("flag", ""), ("bad", "%zz")];
    assert_eq!(pairs, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(decoded("%ff%"), "\u{fffd}%");
}
