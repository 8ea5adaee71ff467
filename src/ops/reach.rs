//! Reaches the server that keeps the hints, for commands and hooks.

use std::time::Duration;

use crate::config::{clock, paths};
use crate::runtime::{Client, Folder, NoServer};

/// Finds the PRIMARY: on the port that is named, else where it wrote down that it listens.
pub(crate) fn primary(port: Option<u16>, timeout: Duration) -> Result<Client, NoServer> {
    let folder = Folder::find(&paths::runtime_dirs());
    Client::find(folder.as_ref(), port, timeout, clock::instant)
}
