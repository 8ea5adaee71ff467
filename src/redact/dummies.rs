//! Passwords that everybody knows: what images, manuals and tutorials ship with. The hint guard allows them, because
//! developers write them down all day; stored text is redacted nevertheless.
//!
//! Sources: the review's examples (hints-observations.md, D13) and the allow list of gitleaks' rule `curl-auth-user`;
//! the others come from general knowledge of the usual images and are not checked against their pages.

use std::ops::Range;

use super::scan::{contains, is_one_of, line_after, line_before, run_back};

/// Words that stand for a secret anywhere: nobody mistakes them for a real one.
#[rustfmt::skip]
const STAND_INS: &[&str] = &[
    "changeme", "change-me", "change_me", "changeit", "changethis", "replaceme", "password", "passwd", "pass",
    "secret", "supersecret", "mysecretpassword", "my-secret-pw", "mypassword", "mysecret", "example", "dummy",
    "fake", "foobar", "test", "testing", "dev", "development", "local", "postgres", "root", "admin", "guest",
    "mysql", "mongo", "redis", "rabbitmq", "minioadmin", "minio123", "elastic", "grafana", "keycloak", "sonar",
    "neo4j", "vagrant", "user", "username", "token", "notasecret", "not-a-secret", "insecure", "s3cr3t",
];

/// Names of this machine, and the names that services have for each other in a compose file.
#[rustfmt::skip]
const LOCAL_HOSTS: &[&str] = &[
    "localhost", "127.0.0.1", "[::1]", "0.0.0.0", "host.docker.internal", "postgres", "db", "mysql", "mariadb",
    "redis", "rabbitmq", "mongo", "database", "host", "hostname", "example.com", "db.example.com",
];

/// Passwords that count as known only for this machine.
const LOCAL_ONLY: &[&str] =
    &["123456", "12345678", "1234", "qwerty", "letmein", "abc123", "toor", "p@ssw0rd"];

/// Returns whether a finding is a password that everybody knows.
pub(super) fn is_dummy(text: &[u8], span: &Range<usize>) -> bool {
    let secret = &text[span.clone()];
    let stem = secret.trim_ascii();
    if is_remote(text, span) {
        return false;
    }
    is_one_of(stem, STAND_INS)
        || is_compound(stem)
        || (is_local(text, span) && (is_one_of(stem, LOCAL_ONLY) || repeats_user(text, span)))
}

/// `test-password`, `dev_secret`, `root_password_1`: stand-ins put together.
fn is_compound(secret: &[u8]) -> bool {
    let words = || secret.split(|byte| matches!(byte, b'-' | b'_' | b'.')).filter(|word| !word.is_empty());
    let is_known = |word: &[u8]| {
        is_one_of(word, STAND_INS)
            || is_one_of(
                word,
                &["my", "db", "app", "jwt", "api", "key", "me", "only", "for", "in", "prod", "production"],
            )
            || (word.len() <= 3 && word.iter().all(u8::is_ascii_digit))
    };
    words().count() > 1 && words().all(is_known) && words().any(|word| is_one_of(word, STAND_INS))
}

/// Returns whether the password is for another machine: there even `postgres:postgres@db.example.net` is a secret.
fn is_remote(text: &[u8], span: &Range<usize>) -> bool {
    text.get(span.end) == Some(&b'@') && !is_one_of(host_behind(text, span), LOCAL_HOSTS)
}

/// Returns the host of an address whose password this is.
fn host_behind<'t>(text: &'t [u8], span: &Range<usize>) -> &'t [u8] {
    let after = line_after(text, span.end, 200);
    let host = after.strip_prefix(b"@").unwrap_or_default();
    host.split(|byte| b":/? \"'`)".contains(byte)).next().unwrap_or_default()
}

/// Returns whether the line names a host of this machine.
fn is_local(text: &[u8], span: &Range<usize>) -> bool {
    let (before, after) = (line_before(text, span.start, 200), line_after(text, span.end, 200));
    is_one_of(host_behind(text, span), LOCAL_HOSTS)
        || ["localhost", "127.0.0.1"].iter().any(|host| contains(before, host) || contains(after, host))
}

/// `app:app@localhost`: the password is the user's name.
fn repeats_user(text: &[u8], span: &Range<usize>) -> bool {
    let user_end = span.start.saturating_sub(1);
    let user =
        run_back(text, user_end, 64, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    text[user..user_end] == text[span.clone()]
}
