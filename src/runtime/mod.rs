//! Where the servers of one user meet: the folder with their locks, the address of the PRIMARY, the session's snapshot,
//! and the client that asks the PRIMARY.
//!
//! Who leads is decided by the kernel, which frees a lock even when its holder is killed; every file here is only a
//! note for others and may be stale. What is kept, and who is asked what, is decided above.

mod address;
mod client;
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
pub(crate) use client::{CallError, Client, NoServer, Place, Role};
pub(crate) use folder::{Folder, is_ours};
pub(crate) use holder::Holder;
pub(crate) use lock::{Membership, Primacy};
pub(crate) use owner::{Lookup, quick_end, slow_end};
pub(crate) use proof::{is_same_secret, proof};
pub(crate) use random::id;
#[cfg(unix)]
pub(crate) use socket::listen;

/// The port of the seed; the next nineteen are tried after it.
pub(crate) const DEFAULT_PORT: u16 = 8765;

#[cfg(test)]
mod tests;
