//! Lowering: what an agent cannot express is said in the nearest way it can, here and nowhere else.
//!
//! A refusal becomes guidance, guidance that cannot come before a tool's use comes after it, and what the model cannot
//! be told is told to the user. Who has neither is told nothing, and `nudge doctor` says so.

use crate::model::{Abilities, Event, Hook, Outcome, Verdict};
use crate::rules::{Action, Rule};

/// Rules that are asked about an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Asked {
    /// The moment that the rules name.
    pub(crate) hook: Hook,
    /// Only what rules of this action say counts.
    pub(crate) only: Option<Action>,
}

/// Returns which rules are asked at a moment.
pub(crate) fn asked(event: &Event, abilities: &Abilities) -> Vec<Asked> {
    let all = |hook| Asked { hook, only: None };
    let late = Asked { hook: Hook::PreToolUse, only: Some(Action::Continue) };
    match event.hook {
        Hook::PreToolUse if abilities.guides_late() => {
            vec![Asked { hook: Hook::PreToolUse, only: Some(Action::Interrupt) }]
        }
        Hook::PostToolUse if abilities.guides_late() => vec![late, all(Hook::PostToolUse)],
        Hook::PostToolUseFailure if abilities.guides_late() => vec![late],
        // A machine took the turn; rules without `match` are about what the user says, too.
        Hook::UserPromptSubmit if event.prompt.is_none() => Vec::new(),
        hook @ (Hook::PreToolUse
        | Hook::PostToolUse
        | Hook::UserPromptSubmit
        | Hook::Stop
        | Hook::SessionStart) => vec![all(hook)],
        _ => Vec::new(),
    }
}

/// Lowers a verdict to what the agent can express at this moment; a lowered one stays as it is.
pub(crate) fn lower(verdict: Verdict, event: &Event, abilities: &Abilities) -> Verdict {
    let ability = abilities.at(event.hook);
    // An agent that already goes on because of us must be let go, or it would never end.
    let may_block = ability.block && !(event.hook == Hook::Stop && event.stop_hook_active);
    let message = match verdict.outcome {
        Outcome::Block(_) if may_block => return verdict,
        Outcome::Guide(_) if ability.guide => return verdict,
        Outcome::Pass => return verdict,
        Outcome::Block(message) | Outcome::Guide(message) => message,
    };
    if ability.guide {
        return Verdict { outcome: Outcome::Guide(message), notice: verdict.notice };
    }
    let told = ability.tell_user.then_some(message);
    let lines: Vec<String> = told.into_iter().chain(verdict.notice).collect();
    let notice = (!lines.is_empty()).then(|| lines.join("\n\n"));
    Verdict { outcome: Outcome::Pass, notice }
}

/// Returns what becomes of a rule in an agent that cannot do as it says; `None` if it can.
pub(crate) fn lowered(rule: &Rule, abilities: &Abilities) -> Option<&'static str> {
    let ability = abilities.at(rule.hook);
    let is_late = rule.hook == Hook::PreToolUse && abilities.guides_late();
    match rule.action {
        Action::Interrupt if ability.block => None,
        Action::Continue if ability.guide => None,
        Action::Continue if is_late => Some("guides after the tool has run"),
        Action::Interrupt if ability.guide => Some("guides instead of blocking"),
        _ if ability.tell_user => Some("only the user is told"),
        _ => Some("nobody is told"),
    }
}

#[cfg(test)]
mod tests;
