//! Words for the tables in which each agent's folder says what it can express; `ops::lower` degrades whatever is missing.
//!
//! A table says what was observed or is documented to arrive, not what an agent accepts: most take any JSON in silence.

use crate::model::Ability;

pub(super) const NOTHING: Ability = Ability { block: false, guide: false, tell_user: false };
pub(super) const BLOCK: Ability = Ability { block: true, guide: false, tell_user: false };
pub(super) const GUIDE: Ability = Ability { block: false, guide: true, tell_user: false };
pub(super) const BLOCK_GUIDE: Ability = Ability { block: true, ..GUIDE };
pub(super) const TELL: Ability = Ability { block: false, guide: false, tell_user: true };
pub(super) const BLOCK_TELL: Ability = Ability { block: true, ..TELL };
pub(super) const GUIDE_TELL: Ability = Ability { guide: true, ..TELL };
pub(super) const ALL: Ability = Ability::ALL;
