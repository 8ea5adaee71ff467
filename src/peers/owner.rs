//! Which user owns a TCP socket on this machine, where the kernel says so.
//!
//! Linux looks up one socket (`sock_diag`) in constant time. Where that is not available, its tables are read, up to a
//! limit. Other systems have no such lookup, and the token must prove the caller's identity.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};

mod table;

#[cfg(target_os = "linux")]
mod diag;

/// A socket as the kernel describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Socket {
    pub(crate) uid: u32,
    /// A process has it open. A connection that is not accepted yet, or is closed, has no file.
    pub(crate) has_file: bool,
}

/// Which sockets to look up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SocketState {
    Established,
    Listen,
}

/// What the kernel says about a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lookup {
    Found(Socket),
    NotFound,
    /// This system has no such lookup.
    Unavailable,
}

/// The user who serves a connection that this process has opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listener {
    Us,
    Other(u32),
    Unknown,
}

/// Whether the kernel names the owner of a connection, so that another user who reads a link in the list of processes
/// gets nothing by it.
pub(crate) const NAMES_OWNERS: bool = cfg!(target_os = "linux");

/// Looks up one end of an established connection without reading tables; `local` is that end's own address.
pub(crate) fn quick_end(local: SocketAddrV4, remote: SocketAddrV4) -> Lookup {
    quick(SocketState::Established, local, remote)
}

/// Does the same from the tables, which takes a while on a machine with many sockets.
pub(crate) fn slow_end(local: SocketAddrV4, remote: SocketAddrV4) -> Lookup {
    table::look_up(SocketState::Established, local, remote)
}

/// Returns the user who serves this connection. Nothing is sent for that.
///
/// The listener is looked up before the end of the connection: an end that is not accepted belongs to the listener,
/// because it is reset when its listener is closed.
pub(super) fn listener(stream: &TcpStream) -> Listener {
    let (Ok(SocketAddr::V4(local)), Ok(SocketAddr::V4(remote))) = (stream.local_addr(), stream.peer_addr())
    else {
        return Listener::Unknown;
    };
    let listening = look_up(SocketState::Listen, remote, SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0));
    let owner = match (look_up(SocketState::Established, remote, local), listening) {
        (Lookup::Found(end), _) if end.has_file => end,
        (_, Lookup::Found(listening)) => listening,
        _ => return Listener::Unknown,
    };
    if is_us(owner.uid) { Listener::Us } else { Listener::Other(owner.uid) }
}

fn look_up(state: SocketState, local: SocketAddrV4, remote: SocketAddrV4) -> Lookup {
    match quick(state, local, remote) {
        Lookup::Unavailable => table::look_up(state, local, remote),
        answer => answer,
    }
}

#[cfg(target_os = "linux")]
fn quick(state: SocketState, local: SocketAddrV4, remote: SocketAddrV4) -> Lookup {
    diag::look_up(state, local, remote).unwrap_or(Lookup::Unavailable)
}

#[cfg(not(target_os = "linux"))]
fn quick(_: SocketState, _: SocketAddrV4, _: SocketAddrV4) -> Lookup {
    Lookup::Unavailable
}

/// Returns whether a user id is this user's own.
#[cfg(unix)]
pub(super) fn is_us(uid: u32) -> bool {
    uid == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
pub(super) fn is_us(_: u32) -> bool {
    false
}

#[cfg(test)]
mod tests;
