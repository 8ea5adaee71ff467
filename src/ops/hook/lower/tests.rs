//! Degrading verdicts for agents with different abilities.

use super::*;
use crate::model::Ability;

fn abilities(list: Vec<(Hook, Ability)>) -> Abilities {
    Abilities(list.leak())
}

const NOTHING: Ability = Ability { block: false, guide: false, tell_user: false };
const BLOCK: Ability = Ability { block: true, ..NOTHING };
const GUIDE: Ability = Ability { guide: true, ..NOTHING };
const TELL: Ability = Ability { tell_user: true, ..NOTHING };

fn verdict(outcome: Outcome, notice: Option<&str>) -> Verdict {
    Verdict { outcome, notice: notice.map(str::to_owned) }
}

fn guide() -> Outcome {
    Outcome::Guide("M".into())
}

fn block() -> Outcome {
    Outcome::Block("M".into())
}

#[track_caller]
fn check(ability: Ability, outcome: Outcome, expect: &Verdict) {
    let event = Event { hook: Hook::PostToolUse, ..Event::default() };
    let can = abilities(vec![(Hook::PostToolUse, ability)]);
    let once = lower(verdict(outcome, Some("N")), &event, &can);
    assert_eq!(once, *expect, "{ability:?}");
    assert_eq!(lower(once, &event, &can), *expect, "degraded twice");
}

#[test]
fn a_missing_ability_falls_back_to_the_next_one() {
    for (ability, of_block, of_guide) in [
        (Ability::ALL, verdict(block(), Some("N")), verdict(guide(), Some("N"))),
        (GUIDE, verdict(guide(), Some("N")), verdict(guide(), Some("N"))),
        (BLOCK, verdict(block(), Some("N")), verdict(Outcome::Pass, Some("N"))),
        (TELL, verdict(Outcome::Pass, Some("M\n\nN")), verdict(Outcome::Pass, Some("M\n\nN"))),
        (NOTHING, verdict(Outcome::Pass, Some("N")), verdict(Outcome::Pass, Some("N"))),
    ] {
        check(ability, block(), &of_block);
        check(ability, guide(), &of_guide);
        check(ability, Outcome::Pass, &verdict(Outcome::Pass, Some("N")));
    }
}

#[test]
fn only_what_the_agent_sees_is_remembered_as_said_to_it() {
    let seen = |ability, outcome: Outcome| {
        let event = Event { hook: Hook::PostToolUse, ..Event::default() };
        effect(&outcome, &event, &abilities(vec![(Hook::PostToolUse, ability)])).seen_by_agent(&outcome)
    };
    let (blocked, guided) = (RuleWord::Blocked("M".into()), RuleWord::Guided("M".into()));
    assert_eq!(seen(Ability::ALL, block()), Some(blocked));
    assert_eq!(seen(Ability::ALL, guide()), Some(guided.clone()));
    assert_eq!(seen(GUIDE, block()), Some(guided));
    assert_eq!((seen(BLOCK, guide()), seen(TELL, block()), seen(NOTHING, guide())), (None, None, None));
    assert_eq!(seen(Ability::ALL, Outcome::Pass), None);
}

#[test]
fn an_agent_that_continues_because_of_a_stop_hook_may_stop() {
    let stop = Event { hook: Hook::Stop, stop_hook_active: true, ..Event::default() };
    let can = abilities(vec![(Hook::Stop, Ability { block: true, ..TELL })]);
    assert_eq!(lower(verdict(block(), None), &stop, &can), verdict(Outcome::Pass, Some("M")));
    let first = Event { stop_hook_active: false, ..stop };
    assert_eq!(lower(verdict(block(), None), &first, &can), verdict(block(), None));
}

#[test]
fn guidance_that_cannot_come_before_the_tool_call_comes_after_it() {
    let late = abilities(vec![(Hook::PreToolUse, BLOCK), (Hook::PostToolUse, GUIDE)]);
    let early = abilities(Vec::new());
    let check = |hook, can: &Abilities, expect: &[(Hook, Option<SelectedActions>)]| {
        let event = Event { hook, prompt: Some("p".into()), ..Event::default() };
        let selected: Vec<_> = select_rules(&event, can).iter().map(|one| (one.hook, one.only)).collect();
        assert_eq!(selected, expect, "{hook:?}");
    };
    let (block, guide) = (Some(SelectedActions::HoldingUp), Some(SelectedActions::Guiding));
    check(Hook::PreToolUse, &early, &[(Hook::PreToolUse, None)]);
    check(Hook::PostToolUse, &early, &[(Hook::PostToolUse, None)]);
    check(Hook::PostToolUseFailure, &early, &[(Hook::PostToolUse, None)]);
    check(Hook::PreToolUse, &late, &[(Hook::PreToolUse, block)]);
    check(Hook::PostToolUse, &late, &[(Hook::PreToolUse, guide), (Hook::PostToolUse, None)]);
    check(Hook::PostToolUseFailure, &late, &[(Hook::PreToolUse, guide), (Hook::PostToolUse, None)]);
    for can in [&early, &late] {
        check(Hook::UserPromptSubmit, can, &[(Hook::UserPromptSubmit, None)]);
        check(Hook::SessionEnd, can, &[]);
        assert_eq!(select_rules(&Event { hook: Hook::UserPromptSubmit, ..Event::default() }, can), []);
    }
}
