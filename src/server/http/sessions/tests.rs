//! Which sessions end when there are too many.

use std::sync::Arc;

use super::Used;

#[test]
fn the_sessions_that_were_unused_for_the_longest_time_end() {
    let ids = |names: &[&str]| names.iter().copied().map(Arc::from).collect::<Vec<Arc<str>>>();
    let mut used = Used { now: 9, by_id: [("a".into(), 7), ("b".into(), 3), ("gone".into(), 1)].into() };
    assert_eq!(used.oldest(ids(&["a", "b", "new"]), 3), ids(&[]));
    assert_eq!(used.oldest(ids(&["a", "b", "new"]), 1), ids(&["b", "a"]));
    assert!(!used.by_id.contains_key("gone"), "a session that has ended takes no memory");
}
