//! Abilities: what an agent lets its hooks say, moment by moment.

use super::Hook;

/// What an agent takes from us at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Ability {
    /// The action can be refused, or the turn kept going, and the model is told why.
    pub(crate) block: bool,
    /// The model can be told something while the action goes on.
    pub(crate) guide: bool,
    /// The user can be told something.
    pub(crate) tell_user: bool,
}

impl Ability {
    pub(crate) const ALL: Ability = Ability { block: true, guide: true, tell_user: true };
}

/// What an agent takes from us at each moment.
#[derive(Debug, PartialEq)]
pub(crate) struct Abilities(pub(crate) &'static [(Hook, Ability)]);

impl Abilities {
    /// Returns what can be said at a moment; one that is not listed is left to the agent's own rendering.
    pub(crate) fn at(&self, hook: Hook) -> Ability {
        self.0.iter().find(|(listed, _)| *listed == hook).map_or(Ability::ALL, |(_, ability)| *ability)
    }

    /// Says whether guidance on a tool's use has to wait until the tool has run.
    pub(crate) fn guides_late(&self) -> bool {
        !self.at(Hook::PreToolUse).guide && self.at(Hook::PostToolUse).guide
    }
}
