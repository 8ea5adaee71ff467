//! Leaves a glob with classes to `globset`, which makes a regex of it. Those that were needed last are kept, for
//! all hints together: a regex takes more room than many hints.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use globset::GlobMatcher;

/// The globs that were needed last, the newest last.
static KEPT: Mutex<VecDeque<Arc<GlobMatcher>>> = Mutex::new(VecDeque::new());

/// Each takes some 20 KB.
const MOST: usize = 100;

/// Says whether a glob matches all of a text.
pub(super) fn is_match(glob: &str, text: &str) -> bool {
    let may_match = text.contains(longest_literal(glob));
    may_match && compiled(glob).is_some_and(|matcher| matcher.is_match(text))
}

/// A glob that was checked is one; should it not be, it matches nothing.
fn compiled(glob: &str) -> Option<Arc<GlobMatcher>> {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.iter().find(|matcher| matcher.glob().glob() == glob) {
        return Some(Arc::clone(known));
    }
    let matcher = Arc::new(super::build(glob).ok()?.compile_matcher());
    if kept.len() >= MOST {
        kept.pop_front();
    }
    kept.push_back(Arc::clone(&matcher));
    Some(matcher)
}

/// Returns the longest text that must stand in whatever matches; what braces and classes hold may or may not.
pub(super) fn longest_literal(glob: &str) -> &str {
    let certain = glob.split(['{', '[']).next().unwrap_or_default();
    // The slash is left out: `**/name` also matches a bare `name`.
    let runs = certain.split(|c: char| super::SPECIAL.contains(&c) || c == '/');
    runs.max_by_key(|run| run.len()).unwrap_or_default()
}
