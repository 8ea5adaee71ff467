//! Tests of this module.

#![expect(clippy::needless_pass_by_value, reason = "tables read better without borrows")]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::hints::table::{Draft, HintLimits, HintTable, PutOptions};

fn now() -> Timestamp {
    "2026-01-02T03:04:05Z".parse().unwrap()
}

fn days_ago(days: i64) -> Timestamp {
    now().checked_sub(jiff::SignedDuration::from_hours(24 * days)).unwrap()
}

/// Makes a hint that differs only in what affects its rank.
fn hint(meta: Value, uses: u64, used_at: Option<Timestamp>, updated_at: Timestamp) -> Hint {
    let place = HintName { component: "c", key: "k" };
    let limits =
        HintLimits { max_hints: 9, secret_guard: true, default_ttl: "session".into(), suggestions: 5 };
    let draft = Draft::read(place, &json!("v"), &meta, &limits).unwrap();
    Hint {
        value: draft.value,
        meta: draft.meta,
        version: 1,
        created_at: updated_at,
        updated_at,
        last_used_at: used_at,
        use_count: uses,
    }
}

#[test]
fn the_score_adds_up_the_weights() {
    let now = now();
    let check = |meta: Value, uses: u64, used_at: Option<Timestamp>, updated_at: Timestamp, expect: f64| {
        assert_eq!(score(&hint(meta.clone(), uses, used_at, updated_at), now), expect, "{meta}");
    };
    // Neutral: priority 5, confidence 0.5, set just now.
    check(json!({}), 0, None, now, 0.3);
    check(json!({"priority": 10, "confidence": 1.0}), 0, None, now, 0.5);
    check(json!({"priority": 1, "confidence": 0.0}), 0, None, now, 0.12);
    // Recency halves in seven days; the future is as new as now.
    check(json!({}), 0, None, days_ago(7), 0.25);
    check(json!({}), 0, None, days_ago(14), 0.225);
    check(json!({}), 0, None, days_ago(-7), 0.3);
    // Frecency: 1 − e^(−10/10), halved once.
    check(json!({}), 10, Some(now), now, 0.4896);
    check(json!({}), 10, Some(days_ago(7)), now, 0.3948);
    check(json!({}), 10, Some(days_ago(-1)), now, 0.4896);
    check(json!({}), 10, None, now, 0.3);
    // Each field counts once, and more than five count as five.
    check(json!({"scope": {"os": ["linux"]}}), 0, None, now, 0.34);
    check(
        json!({"scope": {"os": ["linux", "darwin"], "env_required": ["A", "B", "C", "D", "E"]}}),
        0,
        None,
        now,
        0.38,
    );
    let six = json!({
        "cwd_glob": ["/a"], "repo": "git:a/b", "branch": ["a"], "os": ["linux"],
        "env_required": ["A"], "env_match": {"B": "1"},
    });
    check(json!({"scope": six}), 0, None, now, 0.5);
}

#[test]
fn ties_are_broken_by_use_then_priority_then_confidence_then_age_then_scope() {
    let now = now();
    let check = |name: &str, first: Hint, second: Hint| {
        assert_eq!(score(&first, now), score(&second, now), "{name}: not equals");
        let kept = |hint: Hint| StoredHint::new(hint, crate::hints::ttl::Ttl::Session);
        let (first, second) = (kept(first), kept(second));
        let place = HintName { component: "c", key: "k" };
        let one = Ranked { place, kept: &first, score: score(&first.hint, now) };
        let other = Ranked { place, kept: &second, score: score(&second.hint, now) };
        assert_eq!(order(&one, &other), Ordering::Less, "{name}");
        assert_eq!(order(&other, &one), Ordering::Greater, "{name}");
    };
    // Uses without a date do not add to the score, but they still break ties.
    check("uses", hint(json!({}), 3, None, now), hint(json!({}), 2, None, now));
    check(
        "priority",
        hint(json!({"priority": 6, "confidence": 0.5}), 0, None, now),
        hint(json!({"priority": 5, "confidence": 0.6}), 0, None, now),
    );
    check(
        "confidence",
        hint(json!({"confidence": 0.50001}), 0, None, now),
        hint(json!({"confidence": 0.5}), 0, None, now),
    );
    let earlier = now.checked_sub(jiff::SignedDuration::from_secs(1)).unwrap();
    check("age", hint(json!({}), 0, None, now), hint(json!({}), 0, None, earlier));
    check(
        "scope",
        hint(json!({"scope": {"os": ["darwin"]}}), 0, None, now),
        hint(json!({"scope": {"os": ["linux"]}}), 0, None, now),
    );
}

#[test]
fn names_break_the_last_ties_so_that_results_are_deterministic() {
    let now = now();
    let limits =
        HintLimits { max_hints: 9, secret_guard: true, default_ttl: "session".into(), suggestions: 5 };
    let mut table = HintTable::default();
    for (component, key) in [("b", "a"), ("a", "b"), ("a", "a")] {
        let place = HintName { component, key };
        let draft = Draft::read(place, &json!("v"), &Value::Null, &limits).unwrap();
        table.put(place, draft, PutOptions::default(), &limits, now).unwrap();
    }
    let places: Vec<_> = top(table.all(now), usize::MAX, now)
        .0
        .iter()
        .map(|ranked| format!("{}/{}", ranked.place.component, ranked.place.key))
        .collect();
    assert_eq!(places, ["a/a", "a/b", "b/a"]);
}

proptest! {
    #[test]
    fn a_score_is_between_zero_and_one(
        priority in 1_u8..=10,
        confidence in 0.0..=1.0_f64,
        uses in any::<u64>(),
        used in -400_i64..400,
        updated in -400_i64..400,
        fields in 0_usize..2,
    ) {
        let scope = if fields == 0 { json!({}) } else { json!({"os": ["linux"], "branch": ["a"]}) };
        let meta = json!({"priority": priority, "confidence": confidence, "scope": scope});
        let score = score(&hint(meta, uses, Some(days_ago(used)), days_ago(updated)), now());
        prop_assert!((0.0..=1.0).contains(&score));
    }
}

/// A default that was useful elsewhere does not replace the exception that was made for this place.
#[test]
fn among_variants_of_a_key_the_most_specific_wins_whatever_the_scores_are() {
    let now = now();
    let limits =
        HintLimits { max_hints: 9, secret_guard: true, default_ttl: "session".into(), suggestions: 5 };
    let mut table = HintTable::default();
    let place = HintName { component: "web", key: "build" };
    for (value, meta) in [
        ("make all", json!({"priority": 10, "confidence": 1})),
        ("make hotfix", json!({"confidence": 0, "scope": {"branch": ["hotfix/*"]}})),
    ] {
        let draft = Draft::read(place, &json!(value), &meta, &limits).unwrap();
        table.put(place, draft, PutOptions::default(), &limits, now).unwrap();
    }
    table.bump(place, &crate::model::HintScope::default(), 50, now);
    let on = |branch: &str| {
        let branch = Some(crate::model::Fact::said(branch.to_owned()));
        let context = HintContext { branch, ..HintContext::default() };
        best(table.variants(place, now), &context, now).unwrap().kept.hint.value.shown()
    };
    assert_eq!((on("hotfix/1"), on("main")), ("make hotfix".to_owned(), "make all".to_owned()));
    // Across keys, and in a query, the score decides.
    assert_eq!(top(table.all(now), 1, now).0[0].kept.hint.value.shown(), "make all");
}
