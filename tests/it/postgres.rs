//! A team on a real PostgreSQL: what its functions refuse, what several machines at once cannot break, how it is reached
//! and how it is administered.

mod admin;
pub(crate) mod cluster;
mod reach;
mod refusals;
pub(crate) mod team;
mod together;
