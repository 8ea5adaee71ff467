//! Percentiles, calculated by hand.

use super::{Latency, latency};
use crate::model::{Hook, Trace};

fn took(hook: Hook, microseconds: u64) -> Trace {
    Trace { hook, microseconds, ..Trace::default() }
}

#[test]
fn all_hooks_come_first_and_then_each_kind() {
    let mut traces: Vec<Trace> = (1..=100).rev().map(|time| took(Hook::Stop, time)).collect();
    traces.push(took(Hook::PreToolUse, 7));
    let of = |hook, count, p50, p95, max| Latency { hook, count, p50, p95, max };
    assert_eq!(
        latency(&traces),
        [
            of(None, 101, 50, 95, 100),
            of(Some(Hook::PreToolUse), 1, 7, 7, 7),
            of(Some(Hook::Stop), 100, 50, 95, 100),
        ]
    );
    assert_eq!(latency(&[]), []);
}

#[test]
fn only_the_last_thousand_are_timed() {
    let old = std::iter::repeat_n(took(Hook::Stop, 9_999), 500);
    let new = std::iter::repeat_n(took(Hook::Stop, 1), 1_000);
    let all: Vec<Trace> = old.chain(new).collect();
    assert_eq!(latency(&all)[0], Latency { hook: None, count: 1_000, p50: 1, p95: 1, max: 1 });
}
