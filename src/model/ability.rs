//! Abilities: what an agent allows its hooks to do, for each kind of event.

use super::Hook;

/// What an agent accepts in reply to one kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Ability {
    /// The action can be refused, or the turn continued, and the model sees the reason.
    pub(crate) block: bool,
    /// Context can be added for the model while the action continues.
    pub(crate) guide: bool,
    /// A message can be shown to the user.
    pub(crate) tell_user: bool,
}

impl Ability {
    pub(crate) const ALL: Ability = Ability { block: true, guide: true, tell_user: true };
}

/// Whether a person really is asked when a hook replies that one should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    /// The agent cannot be made to ask, or may approve by itself without saying so.
    Never,
    Always,
    /// Only in these permission modes; in others it approves or refuses without a person. Versions that do not report
    /// a mode ask.
    InModes(&'static [&'static str]),
}

impl Asking {
    /// Returns whether a person is asked in a permission mode.
    pub(crate) fn asks_in(self, mode: Option<&str>) -> bool {
        match self {
            Asking::Never => false,
            Asking::Always => true,
            Asking::InModes(modes) => mode.is_none_or(|mode| modes.contains(&mode)),
        }
    }
}

/// What an agent accepts for each kind of event.
#[derive(Debug, PartialEq)]
pub(crate) struct Abilities(pub(crate) &'static [(Hook, Ability)]);

impl Abilities {
    /// Returns what is accepted for an event; for one that is not listed, the rendering of the agent decides.
    pub(crate) fn at(&self, hook: Hook) -> Ability {
        self.0.iter().find(|(listed, _)| *listed == hook).map_or(Ability::ALL, |(_, ability)| *ability)
    }

    /// Returns whether guidance on a tool's use has to wait until the tool has run.
    pub(crate) fn guides_late(&self) -> bool {
        !self.at(Hook::PreToolUse).guide && self.at(Hook::PostToolUse).guide
    }
}
