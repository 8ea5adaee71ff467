//! A team on a real PostgreSQL: what its functions refuse, and what several machines at once cannot break.

pub(crate) mod cluster;
mod refusals;
pub(crate) mod team;
