//! Degrades a verdict to what an agent can express. This happens here and nowhere else.
//!
//! A refusal becomes guidance, guidance that cannot come before a tool call comes after it, and what the model cannot
//! see is shown to the user. An agent that can do none of this shows nothing, and `nudge doctor` says so.

use crate::model::{Abilities, Asking, Event, Hook, Outcome, Verdict};
use crate::observations::RuleWord;
use crate::rules::{self, Action, Rule};

/// Which rules are evaluated on an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RuleSelection {
    /// The event kind that the rules name.
    pub(crate) hook: Hook,
    /// If set, only these rules count.
    pub(crate) only: Option<SelectedActions>,
}

/// A part of the rules, where an agent gets guidance later than refusals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SelectedActions {
    /// Those that block or ask.
    HoldingUp,
    Guiding,
}

impl RuleSelection {
    /// Returns whether rules with this action count.
    pub(crate) fn includes(&self, action: Action) -> bool {
        self.only.is_none_or(|only| action.holds_up() == (only == SelectedActions::HoldingUp))
    }
}

/// Returns which rules are evaluated on this event.
pub(crate) fn select_rules(event: &Event, abilities: &Abilities) -> Vec<RuleSelection> {
    let all = |hook| RuleSelection { hook, only: None };
    let late = RuleSelection { hook: Hook::PreToolUse, only: Some(SelectedActions::Guiding) };
    match event.hook {
        Hook::PreToolUse if abilities.guides_late() => {
            vec![RuleSelection { hook: Hook::PreToolUse, only: Some(SelectedActions::HoldingUp) }]
        }
        // A tool that failed has run as well.
        Hook::PostToolUse | Hook::PostToolUseFailure if abilities.guides_late() => {
            vec![late, all(Hook::PostToolUse)]
        }
        Hook::PostToolUseFailure => vec![all(Hook::PostToolUse)],
        // Without a prompt the turn is not the user's; even rules without `match` are about what the user says.
        Hook::UserPromptSubmit if event.prompt.is_none() => Vec::new(),
        hook @ (Hook::PreToolUse
        | Hook::PostToolUse
        | Hook::UserPromptSubmit
        | Hook::Stop
        | Hook::SessionStart) => vec![all(hook)],
        _ => Vec::new(),
    }
}

/// What becomes of an outcome when an agent can express only some of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum DegradedOutcome {
    Block,
    Ask,
    Guide,
    /// Only the user sees the message.
    ShowUser,
    Nothing,
}

impl DegradedOutcome {
    /// Returns what the agent sees of an outcome that has this effect.
    pub(crate) fn seen_by_agent(self, outcome: &Outcome) -> Option<RuleWord> {
        match (self, outcome) {
            (DegradedOutcome::Block, Outcome::Block(message)) => Some(RuleWord::Blocked(message.clone())),
            (DegradedOutcome::Guide, Outcome::Block(message) | Outcome::Guide(message)) => {
                Some(RuleWord::Guided(message.clone()))
            }
            // Whether the person agrees is not known yet; the call's own event will say it.
            (DegradedOutcome::Ask, Outcome::Ask { context: Some(context), .. }) => {
                Some(RuleWord::Guided(context.clone()))
            }
            _ => None,
        }
    }
}

/// Returns the effect of an outcome on this agent at this event.
pub(crate) fn effect(outcome: &Outcome, event: &Event, abilities: &Abilities) -> DegradedOutcome {
    let ability = abilities.at(event.hook);
    // An agent that already continues because of a stop hook must be allowed to stop, or it would never end.
    let may_block = ability.block && !(event.hook == Hook::Stop && event.stop_hook_active);
    match outcome {
        Outcome::Pass => DegradedOutcome::Nothing,
        Outcome::Block(_) if may_block => DegradedOutcome::Block,
        // `asking` has already refused where the agent asks nobody.
        Outcome::Ask { .. } if may_block => DegradedOutcome::Ask,
        _ if ability.guide => DegradedOutcome::Guide,
        _ if ability.tell_user => DegradedOutcome::ShowUser,
        _ => DegradedOutcome::Nothing,
    }
}

/// Degrades a verdict to what the agent can express for this event.
pub(crate) fn lower(verdict: Verdict, event: &Event, abilities: &Abilities) -> Verdict {
    let effect = effect(&verdict.outcome, event, abilities);
    let Verdict { outcome, notice } = verdict;
    let message = match outcome {
        Outcome::Pass => return Verdict { outcome, notice },
        Outcome::Ask { .. } if effect == DegradedOutcome::Ask => return Verdict { outcome, notice },
        Outcome::Block(message) | Outcome::Guide(message) => message,
        Outcome::Ask { reason, context } => rules::join_texts(reason, context),
    };
    match effect {
        DegradedOutcome::Block | DegradedOutcome::Ask => Verdict { outcome: Outcome::Block(message), notice },
        DegradedOutcome::Guide => Verdict { outcome: Outcome::Guide(message), notice },
        DegradedOutcome::ShowUser => {
            let lines: Vec<String> = [message].into_iter().chain(notice).collect();
            Verdict { outcome: Outcome::Pass, notice: Some(lines.join("\n\n")) }
        }
        DegradedOutcome::Nothing => Verdict { outcome: Outcome::Pass, notice },
    }
}

/// Returns what an agent does instead of what the rule says; `None` if it can do what the rule says.
pub(crate) fn degraded_effect(rule: &Rule, abilities: &Abilities, asking: Asking) -> Option<&'static str> {
    let ability = abilities.at(rule.hook);
    let is_late = rule.hook == Hook::PreToolUse && abilities.guides_late();
    match rule.action {
        Action::Interrupt if ability.block => None,
        Action::Ask if ability.block => match asking {
            Asking::Always => None,
            Asking::InModes(_) => Some("refuses in modes that ask nobody, until `nudge allow`"),
            Asking::Never => Some("refuses until `nudge allow`"),
        },
        Action::Continue if ability.guide => None,
        Action::Continue if is_late => Some("guides after the tool has run"),
        Action::Interrupt | Action::Ask if ability.guide => Some("guides instead of blocking"),
        _ if ability.tell_user => Some("only the user sees it"),
        _ => Some("nobody sees it"),
    }
}

#[cfg(test)]
mod tests;
