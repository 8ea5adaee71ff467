//! Secrets that a user defines with regexes in the config.
//!
//! A pattern is parsed when the config is read, and compiled only when a text may match it, because a hook would pay
//! for every regex on every event.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::hir::literal::Extractor;

use super::kind::{is_name, placeholder_end};
use super::scan::SecretScan;
use super::{SecretKind, kind};

/// The user's own patterns.
#[derive(Debug, Default)]
pub(crate) struct OwnPatterns(Vec<OwnPattern>);

#[derive(Debug)]
struct OwnPattern {
    name: Arc<str>,
    source: String,
    /// A match begins with one of these; empty if it may begin with anything.
    beginnings: Vec<Vec<u8>>,
    size_limit: usize,
    regex: OnceLock<Result<Regex, String>>,
}

impl OwnPatterns {
    /// Parses patterns with their names; the error says which one is wrong.
    ///
    /// A pattern with a group removes the first group only, so that `pin=(\d+)` keeps the name.
    pub(crate) fn new<N: AsRef<str>, P: AsRef<str>>(patterns: &[(N, P)]) -> Result<OwnPatterns, String> {
        let read = |(name, source): &(N, P)| OwnPattern::new(name.as_ref(), source.as_ref());
        patterns.iter().map(read).collect::<Result<_, _>>().map(OwnPatterns)
    }

    /// Adds the patterns of a repository, which have a lower size limit than the user's.
    pub(crate) fn with_foreign(mut self, patterns: &[(String, String)]) -> Result<OwnPatterns, String> {
        for (name, source) in patterns {
            let pattern = OwnPattern::new(name, source)?;
            self.0.push(OwnPattern { size_limit: FOREIGN_SIZE_LIMIT, ..pattern });
        }
        Ok(self)
    }

    /// Compiles every pattern, so that one that is too large is found before an agent needs it.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.0.iter().try_for_each(|pattern| match pattern.regex() {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("pattern `{}`: {error}", pattern.name)),
        })
    }

    pub(super) fn detect(&self, scan: &mut SecretScan<'_>) {
        for pattern in &self.0 {
            if pattern.may_match(scan.text) {
                pattern.detect(scan);
            }
        }
    }
}

impl OwnPattern {
    fn new(name: &str, source: &str) -> Result<OwnPattern, String> {
        if !is_name(name) {
            return Err(format!(
                "`{name}` is not a valid pattern name: use lower-case letters, digits and `-`"
            ));
        }
        let hir = regex_syntax::ParserBuilder::new()
            .utf8(false)
            .build()
            .parse(source)
            .map_err(|error| format!("pattern `{name}`: {error}"))?;
        if hir.properties().minimum_len().unwrap_or(0) == 0 {
            return Err(format!("pattern `{name}` matches the empty text"));
        }
        let beginnings = Extractor::new().extract(&hir);
        let beginnings =
            beginnings.literals().unwrap_or_default().iter().map(|literal| literal.as_bytes().to_vec());
        let beginnings: Vec<_> = beginnings.collect();
        // One empty beginning means: anything may begin a match.
        let beginnings = if beginnings.iter().any(Vec::is_empty) { Vec::new() } else { beginnings };
        let (name, source) = (name.into(), source.to_owned());
        Ok(OwnPattern { name, source, beginnings, size_limit: SIZE_LIMIT, regex: OnceLock::new() })
    }

    fn regex(&self) -> &Result<Regex, String> {
        self.regex.get_or_init(|| {
            RegexBuilder::new(&self.source)
                .size_limit(self.size_limit)
                .build()
                .map_err(|error| error.to_string())
        })
    }

    fn may_match(&self, text: &[u8]) -> bool {
        self.beginnings.is_empty()
            || self.beginnings.iter().any(|beginning| memchr::memmem::find(text, beginning).is_some())
    }

    fn detect(&self, scan: &mut SecretScan<'_>) {
        let kind = SecretKind::Own(self.name.clone());
        let text = scan.text;
        let Ok(regex) = self.regex() else {
            // The user wants this pattern to be removed; if the text cannot be searched, all of it is removed.
            if !text.is_empty() && placeholder_end(text, 0) != Some(text.len()) {
                scan.push(kind, 0..text.len());
            }
            return;
        };
        let placeholders = placeholders(text);
        for captures in regex.captures_iter(text) {
            let Some(found) = captures.get(1).or_else(|| captures.get(0)) else { continue };
            let span = on_characters(text, found.range());
            let next = placeholders.partition_point(|old| old.end <= span.start);
            let replaced = placeholders.get(next).is_some_and(|old| old.start < span.end);
            if !span.is_empty() && !replaced {
                scan.push(kind.clone(), span);
            }
        }
    }
}

/// The maximum size of one compiled pattern.
const SIZE_LIMIT: usize = 4 << 20;
/// The same for a pattern that comes with a repository: thirty of them must not delay an event.
const FOREIGN_SIZE_LIMIT: usize = 256 << 10;

fn placeholders(text: &[u8]) -> Vec<Range<usize>> {
    let openings = memchr::memmem::find_iter(text, kind::OPENING);
    openings.filter_map(|at| Some(at..placeholder_end(text, at)?)).collect()
}

/// Widens a span to whole characters: `(?-u)` patterns may cut one.
fn on_characters(text: &[u8], span: Range<usize>) -> Range<usize> {
    let is_inside = |at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let start = (0..=span.start).rev().find(|at| !is_inside(*at)).unwrap_or(0);
    let end = (span.end..=text.len()).find(|at| !is_inside(*at)).unwrap_or(text.len());
    start..end
}
