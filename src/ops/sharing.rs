//! Sharing with a team: what leaves, what comes, and who may see it. Hooks know nothing of this.

pub(crate) mod agree;
pub(crate) mod colleagues;
pub(crate) mod door;
pub(crate) mod exchange;
pub(crate) mod ground;
mod look;
pub(crate) mod membership;
pub(crate) mod overview;
pub(crate) mod pause;
mod plan;
mod pull;
mod push;
