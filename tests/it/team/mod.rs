//! Sharing with a team, on the built program and a real PostgreSQL.

mod border;
mod choices;
mod consent;
mod differences;
mod exchange;
mod faults;
mod guide;
mod less;
mod proxy;
pub(crate) mod scene;
mod unasked;
