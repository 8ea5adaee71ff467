//! Sharing with a team, on the built program and a real PostgreSQL.

mod border;
mod choices;
mod consent;
mod differences;
mod exchange;
mod faults;
mod guide;
mod proxy;
mod scene;
mod unasked;
