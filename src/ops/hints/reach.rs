//! Connects to the server that has the hints, for commands and hooks.

use std::time::Duration;

use crate::config::paths;
use crate::peers::{Address, ClientRole, Folder, NoServer, ServerClient, ServerPlace};
use crate::system::clock;

/// How long a command waits for a server to take over from one that has just exited.
pub(crate) const HANDOVER_TIMEOUT: Duration = Duration::from_secs(8);
const HANDOVER_INTERVAL: Duration = Duration::from_millis(20);

/// Finds the PRIMARY of this folder: on the given port, else at the address in its file.
///
/// If the PRIMARY has exited and other servers are running, one of them is about to take over, and is waited for.
pub(crate) fn primary(port: Option<u16>, timeout: Duration) -> Result<ServerClient, NoServer> {
    let choices = paths::runtime_dirs();
    let folder = Folder::find(&choices);
    if folder.is_none()
        && let Some(reason) = Folder::why_none(&choices)
    {
        return Err(NoServer::NoFolder { reason });
    }
    let place = port.map_or(ServerPlace::FolderOrDefault, ServerPlace::Port);
    // A server that takes over listens on the same port as the previous one.
    let is_group = port.is_none_or(|port| {
        folder.as_ref().and_then(Address::read).is_some_and(|address| address.port == port)
    });
    let waited = clock::stopwatch();
    loop {
        let found = ServerClient::find(folder.as_ref(), place, ClientRole::Command, timeout, clock::instant);
        let Err(none) = found else { return found };
        let is_handover = is_group && none.may_pass() && folder.as_ref().is_some_and(Folder::has_members);
        if !is_handover || waited() >= HANDOVER_TIMEOUT {
            return Err(none);
        }
        std::thread::sleep(HANDOVER_INTERVAL);
    }
}

/// Finds the PRIMARY at the address in the folder's file; no other port is tried, and it does not wait.
pub(crate) fn written_down(timeout: Duration) -> Result<ServerClient, NoServer> {
    let folder = Folder::find(&paths::runtime_dirs());
    ServerClient::find(folder.as_ref(), ServerPlace::Folder, ClientRole::Command, timeout, clock::instant)
}

/// Finds the PRIMARY for a hook, which has no time: a server that does not answer counts as missing.
pub(crate) fn in_passing(timeout: Duration) -> Result<ServerClient, NoServer> {
    let folder = Folder::find(&paths::runtime_dirs()).ok_or(NoServer::NotRunning { port: None })?;
    ServerClient::find(Some(&folder), ServerPlace::Folder, ClientRole::Hook, timeout, clock::instant)
}

/// Returns whether no server of this folder runs, so that a command does without one: where the user names no port, a
/// stranger on the default port is none of ours.
pub(crate) fn is_absent(none: &NoServer, port: Option<u16>) -> bool {
    let is_strange = || {
        matches!(none, NoServer::Stranger { .. } | NoServer::OtherUser { .. } | NoServer::OtherFolder { .. })
            && !has_servers()
    };
    port.is_none() && (matches!(none, NoServer::NotRunning { .. }) || is_strange())
}

/// Returns whether servers are running, one of which will answer.
pub(crate) fn has_servers() -> bool {
    Folder::find(&paths::runtime_dirs()).as_ref().is_some_and(Folder::has_members)
}
