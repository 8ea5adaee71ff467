//! The address of the PRIMARY: the PID file that the seed describes, with some more fields.

use std::io;

use serde::{Deserialize, Serialize};

use super::folder::{ADDRESS, Folder};

/// Where the PRIMARY listens, and how to distinguish it from another program with its pid or port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Address {
    pub(crate) pid: u32,
    pub(crate) port: u16,
    /// When it became PRIMARY, in ISO format.
    pub(crate) started: String,
    /// A random id of this server; `/health` returns it too.
    #[serde(default)]
    pub(crate) instance: String,
    #[serde(default)]
    pub(crate) version: String,
}

/// Maximum size of an address file.
const MAX_BYTES: u64 = 4 << 10;

impl Address {
    /// Reads the address that was written last; its server may be gone.
    pub(crate) fn read(folder: &Folder) -> Option<Address> {
        serde_json::from_slice(&folder.read(ADDRESS, MAX_BYTES)?).ok()
    }

    pub(crate) fn write(&self, folder: &Folder) -> io::Result<()> {
        folder.write(ADDRESS, serde_json::to_string(self)?.as_bytes())
    }

    /// Removes the address file, if it still has this address.
    pub(crate) fn remove(&self, folder: &Folder) {
        if Address::read(folder).as_ref() == Some(self) {
            folder.remove(ADDRESS);
        }
    }
}
