//! The runtime folder that all servers of one user share, with their locks, the address of the PRIMARY and the
//! session's snapshot; and the client that asks the PRIMARY.
//!
//! The kernel decides which server is PRIMARY: it releases a lock even when the holder is killed. All other files here
//! only inform other processes, and may be stale. What the files mean, and which server is asked what, is decided by
//! the callers.

mod address;
mod changes;
mod client;
mod door;
mod folder;
mod holder;
mod lock;
mod owner;
mod proof;
mod random;
mod snapshot;
#[cfg(unix)]
mod socket;
mod token;

pub(crate) use address::Address;
pub(crate) use changes::ChangeLog;
pub(crate) use client::{CallError, ClientRole, NoServer, ServerClient, ServerPlace};
pub(crate) use door::{DoorFault, check_door};
pub(crate) use folder::{Folder, is_ours, own_files};
pub(crate) use holder::ServerProcess;
pub(crate) use lock::{Membership, Primacy};
pub(crate) use owner::{Lookup, NAMES_OWNERS, quick_end, slow_end};
pub(crate) use proof::{is_same_secret, proof};
pub(crate) use random::id;
#[cfg(unix)]
pub(crate) use socket::listen;

/// The port that the seed names; the next nineteen are tried after it.
pub(crate) const DEFAULT_PORT: u16 = 8765;

#[cfg(test)]
mod tests;
