//! Which sessions a hint without a folder, repository or branch is pushed to.

use super::may_push;
use crate::model::{Fact, HintContext, HintOrigin, HintScope};

#[test]
fn an_agents_hint_without_a_location_stays_in_its_project() {
    let origin = |cwd: Option<&str>, repo: Option<&str>| HintOrigin {
        agent: None,
        cwd: cwd.map(str::to_owned),
        repo: repo.map(str::to_owned),
    };
    let here = HintContext {
        cwd: Some(Fact::said("/work/a/src".to_owned())),
        repo: Some(Fact::said("https://example.org/team/a.git".to_owned())),
        ..HintContext::default()
    };
    for (origin, expected) in [
        (None, true),
        (Some(origin(Some("/work/a"), None)), true),
        (Some(origin(Some("/work/a/"), None)), true),
        (Some(origin(Some("/work/b"), None)), false),
        (Some(origin(Some("/work/a/s"), None)), false),
        (Some(origin(Some("/other"), Some("git@example.org:team/a"))), true),
        (Some(origin(Some("/other"), Some("git@example.org:team/b"))), false),
        (Some(origin(None, None)), false),
    ] {
        assert_eq!(may_push(&HintScope::default(), origin.as_ref(), &here), expected, "{origin:?}");
    }
    let scope = HintScope { branch: vec!["main".to_owned()], ..HintScope::default() };
    assert!(may_push(&scope, Some(&origin(Some("/work/b"), None)), &here), "a scope says where");
}
