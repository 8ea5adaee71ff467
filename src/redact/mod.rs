//! Removes secrets before anything is stored or sent.
//!
//! One pass over the text looks for literals that announce a secret (`ghp_`, `password`, `://`); only where one occurs
//! does its detector check the text around it. A second pass, which skips most bytes, finds long runs of letters and
//! digits. Nothing is compiled, and a text without a secret costs no allocation. Every detector decides within a
//! bounded window and goes further only over bytes that it removes, so the time is linear in the length of the text.
//!
//! What else a user calls secret comes as `OwnPatterns`. Whether a finding means "replace" or "refuse" is up to the
//! caller: observations replace, the hint guard refuses.

mod assignments;
mod base64;
mod beside;
mod bridges;
mod calls;
mod clients;
mod columns;
mod command_words;
mod commands;
mod dummies;
mod entropy;
mod environment;
mod escaped;
mod forms;
mod headers;
mod heredocs;
mod hex;
mod joint;
mod jwt;
mod kind;
mod letters;
mod names;
mod operands;
mod own;
mod pairs;
mod parts;
mod pem;
mod pipes;
mod placeholder;
mod private;
mod published;
mod records;
mod runs;
mod scan;
mod services;
mod spellings;
mod tokens;
mod trigger;
mod triggers;
mod urls;
mod value;
mod variables;
mod vendors;
mod views;
mod worth;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use kind::SecretKind;
pub(crate) use own::OwnPatterns;
pub(crate) use private::without_private;
use scan::SecretScan;

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Redacted<'t> {
    pub(crate) text: Cow<'t, str>,
    /// What was removed, each kind once.
    pub(crate) kinds: Vec<SecretKind>,
}

/// A secret and its position in the text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SecretFinding {
    pub(crate) kind: SecretKind,
    /// Only the secret itself: in `password=x` the `x`.
    pub(crate) span: Range<usize>,
}

/// Returns the first `max_chars` characters of a text without its secrets.
///
/// The text is redacted before it is cut, and some way past the cut: half a secret cannot be recognised.
pub(crate) fn excerpt(text: &str, max_chars: usize, own: &OwnPatterns) -> String {
    let window = &text[..text.floor_char_boundary(max_chars * 4 + LOOK_AHEAD)];
    redact(window, own).text.chars().take(max_chars).collect()
}

/// How far past a cut a text is redacted, so that no secret is cut in two and missed.
pub(crate) const LOOK_AHEAD: usize = 8 << 10;

/// Replaces the secrets of a text by typed placeholders.
///
/// Redacting the result again changes nothing.
pub(crate) fn redact<'t>(text: &'t str, own: &OwnPatterns) -> Redacted<'t> {
    let mut redacted = Redacted { text: Cow::Borrowed(text), kinds: Vec::new() };
    // The words of a secret can hide another one (`git` excuses the hash after it), so we repeat until nothing is
    // found.
    for _ in 0..MAX_ROUNDS {
        let found = detect(&redacted.text, own, Purpose::Store);
        if found.is_empty() {
            break;
        }
        redacted.text = Cow::Owned(replace(&redacted.text, &found));
        for SecretFinding { kind, .. } in found {
            if !redacted.kinds.contains(&kind) {
                redacted.kinds.push(kind);
            }
        }
    }
    redacted
}

/// Finds the secrets of a text, in order, without overlaps.
///
/// It is stricter than `redact` with bare hex keys: a refused caller can explain, but a replaced text is gone.
/// Passwords that everybody knows are not reported: there is nothing to keep secret.
pub(crate) fn find(text: &str, own: &OwnPatterns) -> Vec<SecretFinding> {
    let mut found = detect(text, own, Purpose::Guard);
    found.retain(|found| {
        let is_password = matches!(
            found.kind,
            SecretKind::Password
                | SecretKind::UrlPassword
                | SecretKind::Secret
                | SecretKind::Token
                | SecretKind::Credential
                | SecretKind::ApiKey
        );
        !(is_password && dummies::is_dummy(text.as_bytes(), &found.span))
    });
    found
}

/// Each round removes at least one secret; real texts need two.
const MAX_ROUNDS: usize = 8;

/// Views after this many are not checked for views of their own.
const MAX_VIEWS: usize = 64;

/// Why a text is searched for secrets.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Purpose {
    /// To refuse a text: the caller can overrule that.
    Guard,
    /// To store a text: what is removed is gone.
    Store,
}

fn detect(text: &str, own: &OwnPatterns, purpose: Purpose) -> Vec<SecretFinding> {
    let mut scan = SecretScan::new(text);
    triggers::detect(&mut scan);
    let parts = escaped::parts(text.as_bytes(), &scan.line_parts).into_iter();
    let mut views: Vec<_> = parts.map(|part| (part.start, escaped::unfolded(&text[part]))).collect();
    if scan.has_views {
        views.extend(views::views(text, &scan));
    }
    // A view may have views of its own; the views of those have none.
    let mut index = 0;
    while let Some((start, view)) = views.get(index) {
        let (start, mut inner) = (*start, SecretScan::new(view));
        triggers::detect(&mut inner);
        let more = if inner.has_views && index < MAX_VIEWS { views::views(view, &inner) } else { Vec::new() };
        for SecretFinding { kind, span } in inner.into_found() {
            scan.push(kind, start + span.start..start + span.end);
        }
        views.extend(more.into_iter().map(|(at, inner)| (start + at, inner)));
        index += 1;
    }
    if let Some(span) = parts::bootstrap(text.as_bytes()) {
        scan.push(SecretKind::Token, span);
    }
    own.detect(&mut scan);
    let mut found = scan.into_found();
    runs::detect(text.as_bytes(), purpose, &mut found);
    found
}

fn replace(text: &str, found: &[SecretFinding]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for SecretFinding { kind, span } in found {
        clean.push_str(&text[at..span.start]);
        clean.push_str(&kind.to_string());
        at = span.end;
    }
    clean.push_str(&text[at..]);
    clean
}

#[cfg(test)]
mod tests;
