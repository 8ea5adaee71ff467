//! Reaches the server that keeps the hints, for commands and hooks.

use std::time::Duration;

use crate::config::{clock, paths};
use crate::runtime::{Address, Client, Folder, NoServer};

/// Finds the PRIMARY: on the port that is named, else where it wrote down that it listens.
pub(crate) fn primary(port: Option<u16>, timeout: Duration) -> Result<Client, NoServer> {
    let folder = Folder::find(&paths::runtime_dirs());
    Client::find(folder.as_ref(), port, timeout, clock::instant)
}

/// Finds the PRIMARY for who has no time to look around: silence is as good as nobody.
pub(crate) fn written_down(timeout: Duration) -> Option<Client> {
    let folder = Folder::find(&paths::runtime_dirs())?;
    Address::read(&folder)?;
    Client::find(Some(&folder), None, timeout, clock::instant).ok()
}
