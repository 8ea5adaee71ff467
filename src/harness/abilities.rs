//! Constants for the tables of what each agent supports; `ops::lower` degrades whatever is missing.
//!
//! A table has what was observed or is documented to work, not what an agent accepts: most silently accept any JSON.

use crate::model::Ability;

pub(super) const NOTHING: Ability = Ability { block: false, guide: false, tell_user: false };
pub(super) const BLOCK: Ability = Ability { block: true, guide: false, tell_user: false };
pub(super) const GUIDE: Ability = Ability { block: false, guide: true, tell_user: false };
pub(super) const BLOCK_GUIDE: Ability = Ability { block: true, ..GUIDE };
pub(super) const TELL: Ability = Ability { block: false, guide: false, tell_user: true };
pub(super) const BLOCK_TELL: Ability = Ability { block: true, ..TELL };
pub(super) const GUIDE_TELL: Ability = Ability { guide: true, ..TELL };
pub(super) const ALL: Ability = Ability::ALL;
