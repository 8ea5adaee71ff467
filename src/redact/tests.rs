//! What is removed, what is left, and that no text breaks the detectors.

mod assignments;
mod beside;
mod corpus;
mod dummies;
mod environment;
mod headers;
mod heredocs;
mod hex;
mod letters;
mod ordinary;
mod own;
mod pem;
mod placeholders;
mod private;
mod properties;
mod tokens;

use super::{OwnPatterns, SecretFinding, excerpt, find, redact};

/// Redacts without user patterns.
fn clean(text: &str) -> String {
    redact(text, &OwnPatterns::default()).text.into_owned()
}

/// Checks texts and what they become.
#[track_caller]
fn check(cases: &[(&str, &str)]) {
    let wrong: Vec<_> = cases
        .iter()
        .filter(|(text, expected)| clean(text) != *expected)
        .map(|(text, expected)| format!("text: {text}\nwant: {expected}\n got: {}\n", clean(text)))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Checks texts that stay as they are.
#[track_caller]
fn check_untouched(texts: &[&str]) {
    check(&texts.iter().map(|text| (*text, *text)).collect::<Vec<_>>());
}

/// Returns a text of `length` characters that looks random and is the same every time.
fn body(alphabet: &str, length: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = 0x2545_F491_4F6C_DD1D_u64 ^ length as u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        letters[(state % letters.len() as u64) as usize]
    };
    (0..length).map(|_| next()).collect()
}

const ALPHANUMERIC: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

#[test]
fn an_ordinary_text_is_returned_unchanged() {
    let text = "cargo test --lib redact";
    let redacted = redact(text, &OwnPatterns::default());
    assert!(matches!(redacted.text, std::borrow::Cow::Borrowed(_)));
    assert_eq!(redacted.kinds, []);
}

#[test]
fn every_kind_is_named_once() {
    let redacted = redact("PASSWORD=a1 PGPASSWORD=b2 https://u:p@h/", &OwnPatterns::default());
    assert_eq!(
        redacted.text,
        "PASSWORD=[REDACTED:password] PGPASSWORD=[REDACTED:password] https://u:[REDACTED:url-password]@h/"
    );
    assert_eq!(redacted.kinds, [super::SecretKind::Password, super::SecretKind::UrlPassword]);
}

#[test]
fn find_points_at_the_secret_alone() {
    let found = find("login with password=hunter2 now", &OwnPatterns::default());
    assert_eq!(found, [SecretFinding { kind: super::SecretKind::Password, span: 20..27 }]);
}

#[test]
fn texts_full_of_triggers_finish() {
    for part in ["=", ":", "password"] {
        find(&part.repeat((5 << 20) / part.len()), &OwnPatterns::default());
    }
    let parts = [
        "password=",
        "password: ",
        "token=\"",
        "://",
        "a://a",
        "a:b@",
        "a://a:b/",
        "-----",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "eyJ.",
        "eyJ",
        "sk-",
        "password=<",
        "password='\\'",
        "a",
        "A1b",
        "a1b2 ",
        "Bearer ",
        "Bearer:a1b2c3d4e5.",
        "Authorization: Digest a1b2c3 ",
        "curl -u ",
        "curl -u mysql -p ",
        "mysql -p",
        "[REDACTED:",
        "key=\\\"",
        "machine login password ",
        "secret:\n",
        "@tcp(",
        "ghp_",
        "ghp_a1a1a1a1a1a1a1a1a1a1a1.",
        "\\n",
        "password=$(",
        "cookie: a=",
        "cookie: a=b1c2d3e4; ",
        "SG.a.",
        "/api/webhooks/1/",
        "password=f(",
        "\"token\",",
        "-----BEGIN PRIVATE KEY-----\nProc-Type: 4\n",
        "<password>",
        "PASSWORD=",
        "password:a=",
        "hvs.a1a1a1a1a1a1a1a1a1a1a1-",
    ];
    for part in parts {
        find(&part.repeat((1 << 19) / part.len()), &OwnPatterns::default());
    }
}

#[test]
fn an_excerpt_has_no_half_of_a_secret() {
    let own = OwnPatterns::default();
    let token = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
    for max_chars in 1..60 {
        let text = format!("the token is {token} and more text follows");
        let excerpt = excerpt(&text, max_chars, &own);
        assert!(excerpt.chars().count() <= max_chars);
        assert!(!excerpt.contains("ghp_"), "{max_chars}: {excerpt}");
    }
    assert_eq!(excerpt("äöü plain", 3, &own), "äöü");
}
