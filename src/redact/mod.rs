//! Secrets out, before anything is stored or sent.
//!
//! One pass over the text looks for literals that announce a secret (`ghp_`, `password`, `://`); only where one
//! stands does its detector look around. A second, skipping pass finds long runs of letters and digits. Nothing is
//! compiled, and a text without a secret costs no allocation. Every detector decides within a bounded window and walks
//! on only over what it takes out, so the whole is linear in the text.
//!
//! What a user calls secret beyond that comes as `OwnPatterns`. Whether a finding means "replace" or "refuse" is up to
//! the caller: observations replace, the hint guard refuses.

mod assignments;
mod base64;
mod bridges;
mod calls;
mod clients;
mod columns;
mod commands;
mod dummies;
mod entropy;
mod escaped;
mod forms;
mod headers;
mod hex;
mod joint;
mod jwt;
mod kind;
mod letters;
mod names;
mod operands;
mod own;
mod pairs;
mod pem;
mod pipes;
mod placeholder;
mod private;
mod records;
mod runs;
mod scan;
mod spellings;
mod tokens;
mod triggers;
mod urls;
mod value;
mod vendors;
mod views;
mod worth;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use kind::Kind;
pub(crate) use own::OwnPatterns;
pub(crate) use private::without_private;
use runs::Purpose;
use scan::Scan;

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Redacted<'t> {
    pub(crate) text: Cow<'t, str>,
    /// What was taken out, each kind once.
    pub(crate) kinds: Vec<Kind>,
}

/// A secret and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub(crate) kind: Kind,
    /// Only the secret itself: in `password=x` the `x`.
    pub(crate) span: Range<usize>,
}

/// Returns the first `max_chars` characters of a text without its secrets.
///
/// The text is redacted before it is cut, and further than the cut: half a secret cannot be recognised.
pub(crate) fn excerpt(text: &str, max_chars: usize, own: &OwnPatterns) -> String {
    let window = &text[..text.floor_char_boundary(max_chars * 4 + LOOK_AHEAD)];
    redact(window, own).text.chars().take(max_chars).collect()
}

/// How far past a cut a text is redacted, so that no secret is cut in two and not recognised.
pub(crate) const LOOK_AHEAD: usize = 8 << 10;

/// Takes the secrets out of a text and puts typed placeholders in their place.
///
/// Doing it twice changes nothing more.
pub(crate) fn redact<'t>(text: &'t str, own: &OwnPatterns) -> Redacted<'t> {
    let mut redacted = Redacted { text: Cow::Borrowed(text), kinds: Vec::new() };
    // A secret can hide another by its mere words (`git` excuses the hash behind it), so we look until all is quiet.
    for _ in 0..MAX_ROUNDS {
        let found = detect(&redacted.text, own, Purpose::Store);
        if found.is_empty() {
            break;
        }
        redacted.text = Cow::Owned(replace(&redacted.text, &found));
        for Found { kind, .. } in found {
            if !redacted.kinds.contains(&kind) {
                redacted.kinds.push(kind);
            }
        }
    }
    redacted
}

/// Finds the secrets of a text, in order, without overlaps.
///
/// It is stricter than `redact` with bare hex keys: a refused caller can explain, a replaced text is gone. Passwords
/// that everybody knows are left alone for the same reason: there is nothing to keep secret.
pub(crate) fn find(text: &str, own: &OwnPatterns) -> Vec<Found> {
    let mut found = detect(text, own, Purpose::Guard);
    found.retain(|found| {
        let is_password = matches!(
            found.kind,
            Kind::Password | Kind::UrlPassword | Kind::Secret | Kind::Token | Kind::Credential | Kind::ApiKey
        );
        !(is_password && dummies::is_dummy(text.as_bytes(), &found.span))
    });
    found
}

/// Each round takes at least one secret out; real texts need two.
const MAX_ROUNDS: usize = 8;

/// Later views are not looked into again.
const MAX_VIEWS: usize = 64;

fn detect(text: &str, own: &OwnPatterns, purpose: Purpose) -> Vec<Found> {
    let mut scan = Scan::new(text);
    triggers::detect(&mut scan);
    let parts = escaped::parts(text.as_bytes(), &scan.met).into_iter();
    let mut views: Vec<_> = parts.map(|part| (part.start, escaped::unfolded(&text[part]))).collect();
    if scan.has_views {
        views.extend(views::views(text, &scan));
    }
    // A view may have views of its own; the views of those have none.
    let mut index = 0;
    while let Some((start, view)) = views.get(index) {
        let (start, mut inner) = (*start, Scan::new(view));
        triggers::detect(&mut inner);
        let more = if inner.has_views && index < MAX_VIEWS { views::views(view, &inner) } else { Vec::new() };
        for Found { kind, span } in inner.into_found() {
            scan.push(kind, start + span.start..start + span.end);
        }
        views.extend(more.into_iter().map(|(at, inner)| (start + at, inner)));
        index += 1;
    }
    own.detect(&mut scan);
    let mut found = scan.into_found();
    runs::detect(text.as_bytes(), purpose, &mut found);
    found
}

fn replace(text: &str, found: &[Found]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for Found { kind, span } in found {
        clean.push_str(&text[at..span.start]);
        clean.push_str(&kind.to_string());
        at = span.end;
    }
    clean.push_str(&text[at..]);
    clean
}

#[cfg(test)]
mod tests;
