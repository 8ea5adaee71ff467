//! The address of the PRIMARY: the PID file of the seed, with a little more in it.

use std::io;

use serde::{Deserialize, Serialize};

use super::folder::{ADDRESS, Folder};

/// Where the PRIMARY listens, and how to tell it from a stranger with its number or its port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Address {
    pub(crate) pid: u32,
    pub(crate) port: u16,
    /// When it took the lead, in ISO form.
    pub(crate) started: String,
    /// A random name of this one server; `/health` says it too.
    #[serde(default)]
    pub(crate) instance: String,
    #[serde(default)]
    pub(crate) version: String,
}

/// No address is longer.
const MOST_BYTES: u64 = 4 << 10;

impl Address {
    /// Reads the address that was last written; who wrote it may be gone.
    pub(crate) fn read(folder: &Folder) -> Option<Address> {
        serde_json::from_slice(&folder.read(ADDRESS, MOST_BYTES)?).ok()
    }

    pub(crate) fn write(&self, folder: &Folder) -> io::Result<()> {
        folder.write(ADDRESS, serde_json::to_string(self)?.as_bytes())
    }

    /// Removes the address, if it still is this one.
    pub(crate) fn remove(&self, folder: &Folder) {
        if Address::read(folder).as_ref() == Some(self) {
            folder.remove(ADDRESS);
        }
    }
}
