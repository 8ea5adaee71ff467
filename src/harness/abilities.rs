//! The table of what each agent can express; whatever is missing here is lowered by `ops::lower`.
//!
//! It says what was observed or is documented to arrive, not what an agent accepts: most take any JSON in silence.

use crate::model::{Abilities, Ability, Hook};

const NOTHING: Ability = Ability { block: false, guide: false, tell_user: false };
const BLOCK: Ability = Ability { block: true, guide: false, tell_user: false };
const GUIDE: Ability = Ability { block: false, guide: true, tell_user: false };
const BLOCK_GUIDE: Ability = Ability { block: true, ..GUIDE };
const TELL: Ability = Ability { block: false, guide: false, tell_user: true };
const BLOCK_TELL: Ability = Ability { block: true, ..TELL };
const GUIDE_TELL: Ability = Ability { guide: true, ..TELL };
const ALL: Ability = Ability::ALL;

pub(super) const CLAUDE_CODE: Abilities = Abilities(&[
    (Hook::PreToolUse, ALL),
    (Hook::PostToolUse, ALL),
    (Hook::PostToolUseFailure, GUIDE_TELL),
    (Hook::UserPromptSubmit, ALL),
    // Context would keep the turn going, which is more than guidance.
    (Hook::Stop, BLOCK_TELL),
    (Hook::SessionStart, GUIDE_TELL),
    (Hook::SessionEnd, TELL),
    (Hook::Other, TELL),
]);

/// A failure comes as an ordinary end of a tool. The end of a session has no output at all.
pub(super) const CODEX: Abilities = Abilities(&[
    (Hook::PreToolUse, ALL),
    // The reason takes the place of what the tool printed.
    (Hook::PostToolUse, ALL),
    (Hook::PostToolUseFailure, GUIDE_TELL),
    (Hook::UserPromptSubmit, ALL),
    (Hook::Stop, BLOCK_TELL),
    (Hook::SessionStart, GUIDE_TELL),
    // By its schemas, not observed.
    (Hook::SubagentStart, GUIDE_TELL),
    (Hook::SubagentStop, TELL),
    (Hook::SessionEnd, NOTHING),
    (Hook::Other, NOTHING),
]);

/// Context in front of a tool is dropped; the end of a session is not waited for.
pub(super) const GEMINI_CLI: Abilities = Abilities(&[
    (Hook::PreToolUse, BLOCK_TELL),
    (Hook::PostToolUse, ALL),
    (Hook::PostToolUseFailure, GUIDE_TELL),
    (Hook::UserPromptSubmit, ALL),
    (Hook::Stop, BLOCK_TELL),
    (Hook::SessionStart, GUIDE_TELL),
    (Hook::SessionEnd, NOTHING),
    (Hook::Other, NOTHING),
]);

/// What the user is told stands beside a refusal only.
pub(super) const CURSOR: Abilities = Abilities(&[
    (Hook::PreToolUse, BLOCK_GUIDE),
    (Hook::PostToolUse, GUIDE),
    (Hook::PostToolUseFailure, GUIDE),
    (Hook::UserPromptSubmit, ALL),
    (Hook::Stop, BLOCK),
    (Hook::SessionStart, GUIDE_TELL),
    (Hook::SessionEnd, NOTHING),
    (Hook::Other, NOTHING),
]);

/// All of it through our own plugin; a message to the user is shown by version 1 only.
pub(super) const OPENCODE: Abilities = Abilities(&[
    (Hook::PreToolUse, BLOCK_TELL),
    (Hook::PostToolUse, GUIDE_TELL),
    (Hook::PostToolUseFailure, GUIDE_TELL),
    (Hook::UserPromptSubmit, GUIDE_TELL),
    (Hook::Stop, TELL),
    (Hook::SessionStart, GUIDE_TELL),
    (Hook::SessionEnd, NOTHING),
    (Hook::Other, NOTHING),
]);

/// As observed: the model hears guidance at each of these moments, the user nothing at any.
pub(super) const COPILOT: Abilities = Abilities(&[
    (Hook::PreToolUse, BLOCK_GUIDE),
    (Hook::PostToolUse, GUIDE),
    (Hook::PostToolUseFailure, GUIDE),
    (Hook::UserPromptSubmit, GUIDE),
    (Hook::Stop, BLOCK),
    (Hook::SessionStart, GUIDE),
    (Hook::SubagentStart, GUIDE),
    (Hook::SubagentStop, NOTHING),
    (Hook::SessionEnd, NOTHING),
    (Hook::Other, NOTHING),
]);
