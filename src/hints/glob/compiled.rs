//! Matches a glob with character classes by `globset`, which compiles it to a regex. One cache of the most recently
//! compiled ones serves all hints, since a regex takes more RAM than many hints.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use globset::GlobMatcher;

/// The most recently compiled globs, the newest last.
static CACHE: Mutex<VecDeque<Arc<GlobMatcher>>> = Mutex::new(VecDeque::new());

/// Each takes about 20 KB.
const MAX_CACHED: usize = 100;

/// Returns whether a glob matches the whole text.
pub(super) fn is_match(glob: &str, text: &str) -> bool {
    let may_match = text.contains(longest_literal(glob));
    may_match && compiled(glob).is_some_and(|matcher| matcher.is_match(text))
}

/// Returns the compiled glob. A checked glob always compiles; one that does not matches nothing.
fn compiled(glob: &str) -> Option<Arc<GlobMatcher>> {
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = cache.iter().find(|matcher| matcher.glob().glob() == glob) {
        return Some(Arc::clone(known));
    }
    let matcher = Arc::new(super::build(glob).ok()?.compile_matcher());
    if cache.len() >= MAX_CACHED {
        cache.pop_front();
    }
    cache.push_back(Arc::clone(&matcher));
    Some(matcher)
}

/// Returns the longest literal that every match must contain. Braces and classes are skipped: their content is
/// optional.
pub(super) fn longest_literal(glob: &str) -> &str {
    let certain = glob.split(['{', '[']).next().unwrap_or_default();
    // The slash is left out: `**/name` also matches a bare `name`.
    let runs = certain.split(|c: char| super::SPECIAL.contains(&c) || c == '/');
    runs.max_by_key(|run| run.len()).unwrap_or_default()
}
