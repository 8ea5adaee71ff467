//! Every combination of tier, policy and circumstances.

use super::*;
use ResumeTier::{Bounded, Ephemeral, Persistent};

fn files(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A question about `a.rs`, which only the earlier agent of the same role has written.
#[expect(clippy::needless_pass_by_value, reason = "a table reads better")]
#[track_caller]
fn check(
    tier: ResumeTier,
    policy: Option<ReusePolicy>,
    change: impl FnOnce(&mut ResumeQuestion),
    expect: Result<(), &str>,
) {
    let own = files(&["a.rs"]);
    let mut question = ResumeQuestion {
        available: true,
        tier,
        policy: policy.clone(),
        same_owner: true,
        files: own.clone(),
        touched: own,
        edited: Vec::new(),
    };
    change(&mut question);
    let expect = match expect {
        Ok(()) => Decision::Resume { reread: question.files.clone() },
        Err(reason) => Decision::Fresh { reason: reason.to_owned() },
    };
    assert_eq!(decide(&question), expect, "{tier:?} {policy:?}");
}

fn as_is(_: &mut ResumeQuestion) {}

#[test]
fn without_a_policy_the_tier_decides() {
    for policy in [None, Some(ReusePolicy::Other("of-tomorrow".to_owned()))] {
        check(Persistent, policy.clone(), as_is, Ok(()));
        check(Bounded, policy.clone(), as_is, Ok(()));
        check(Ephemeral, policy, as_is, Err("agents with this role always start fresh"));
    }
}

#[test]
fn the_policy_overrides_the_tier() {
    for tier in [Persistent, Bounded, Ephemeral] {
        check(tier, Some(ReusePolicy::Fresh), as_is, Err("the task asks for a new agent"));
        check(tier, Some(ReusePolicy::Resume), as_is, Ok(()));
        check(tier, Some(ReusePolicy::ResumeIfSameArtifact), as_is, Ok(()));
    }
}

#[test]
fn an_agent_is_resumed_for_the_same_owner_and_files_without_other_changes() {
    let others = files(&["a.rs", "b.rs"]);
    for (tier, policy) in [
        (Bounded, None),
        (Persistent, Some(ReusePolicy::ResumeIfSameArtifact)),
        (Ephemeral, Some(ReusePolicy::ResumeIfSameArtifact)),
    ] {
        let bounds =
            |change: &dyn Fn(&mut ResumeQuestion), why| check(tier, policy.clone(), |q| change(q), Err(why));
        bounds(&|q| q.same_owner = false, "the task belongs to another role");
        bounds(&|q| q.files = Vec::new(), "it is not known which files the task is about");
        bounds(&|q| q.touched = Vec::new(), "the earlier agent has not worked on `a.rs`");
    }
    check(Bounded, None, |q| q.edited = others.clone(), Err("another agent has changed `a.rs` since"));
    check(
        Persistent,
        Some(ReusePolicy::ResumeIfSameArtifact),
        |q| q.edited = others.clone(),
        Err("another agent has changed `a.rs` since"),
    );
}

#[test]
fn a_foreign_edit_overrides_every_policy_of_a_bounded_agent() {
    let edited = files(&["a.rs"]);
    for policy in
        [None, Some(ReusePolicy::Resume), Some(ReusePolicy::ResumeIfSameArtifact), Some(ReusePolicy::Fresh)]
    {
        check(Bounded, policy, |q| q.edited = edited.clone(), Err("another agent has changed `a.rs` since"));
    }
    check(Persistent, Some(ReusePolicy::Resume), |q| q.edited = edited.clone(), Ok(()));
    check(Persistent, None, |q| q.edited = edited.clone(), Ok(()));
    check(Bounded, None, |q| q.edited = files(&["b.rs"]), Ok(()));
}

#[test]
fn an_unavailable_agent_is_not_resumed() {
    for tier in [Persistent, Bounded, Ephemeral] {
        check(tier, Some(ReusePolicy::Resume), |q| q.available = false, Err("no earlier agent can continue"));
    }
}

#[test]
fn an_edit_counts_from_the_time_the_agent_stopped() {
    let agent = |id: &str, status, stopped_at: Option<&str>, touched: &[&str]| TrackedAgent {
        agent_id: Some(id.to_owned()),
        status: Some(status),
        stopped_at: stopped_at.map(str::to_owned),
        files_touched: Some(files(touched)),
        ..TrackedAgent::default()
    };
    let (running, completed) = (AgentStatus::Running, AgentStatus::Completed);
    let own = agent("own", completed, Some("2026-01-01T10:00:00.000Z"), &["own.rs"]);
    let all = [
        own.clone(),
        agent("before", completed, Some("2026-01-01T09:59:59Z"), &["before.rs"]),
        agent("zone", completed, Some("2026-01-01T11:30:00+02:00"), &["zone.rs"]),
        agent("after", completed, Some("2026-01-01T10:00:00.001Z"), &["b.rs", "a.rs"]),
        agent("again", completed, Some("2026-01-02T00:00:00Z"), &["a.rs"]),
        agent("never", completed, None, &["never.rs"]),
        agent("running", running, None, &["running.rs"]),
    ];
    let now = Timestamp(1_800_000_000);
    assert_eq!(edited_since(&own, &all, now), files(&["a.rs", "b.rs", "never.rs"]));
    // Neither an unknown time nor one that is still to come hides an edit.
    for stopped_at in [None, Some("2999-01-01T00:00:00Z".to_owned())] {
        let unknown = TrackedAgent { stopped_at, ..own.clone() };
        let edited = edited_since(&unknown, &all, now);
        assert_eq!(edited, files(&["a.rs", "b.rs", "before.rs", "never.rs", "zone.rs"]));
    }
}
