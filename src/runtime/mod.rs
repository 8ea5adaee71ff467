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
mod random;
mod snapshot;
mod token;

pub(crate) use address::Address;
pub(crate) use client::{CallError, Client, NoServer};
pub(crate) use folder::{Folder, is_ours};
pub(crate) use holder::Holder;
pub(crate) use lock::{Membership, Primacy};
pub(crate) use random::id;

/// The port of the seed; the next nineteen are tried after it.
pub(crate) const DEFAULT_PORT: u16 = 8765;

#[cfg(test)]
mod tests;
