//! The door to a team's PostgreSQL: its address, TLS, the functions that are the protocol, and what to do about its errors.
//!
//! Calls block: a session has a runtime of one thread inside, so that the rest of the program stays free of async. Nothing
//! here reads the memory or decides what leaves; `ops` does. Hooks never come here.

mod address;
mod admin;
mod calls;
mod fault;
mod password;
mod pattern;
mod schema;
mod session;
mod tls;

pub(crate) use address::{AddressError, TeamAddress};
pub(crate) use admin::{ListedProject, MemberLevel, NewMember, TeamMember, TeamProjectChange};
pub(crate) use calls::{PulledLot, PulledRecord, PushOutcome, PushRequest, TeamHello, TeamHit};
pub(crate) use fault::{TeamError, TeamRemedy};
pub(crate) use password::{OpenPasswordFile, PasswordPlaces, find_password, password_line};
pub(crate) use schema::{PROTOCOL, RefusedStatement, SchemaOptions, SchemaUpgrade};
pub(crate) use session::TeamSession;

#[cfg(test)]
#[path = "../../tests/it/postgres/cluster.rs"]
mod postgres;
