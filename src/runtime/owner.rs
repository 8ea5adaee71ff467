//! Which user owns a TCP socket of this machine, where the kernel says so.
//!
//! Linux answers for one socket at a time (`sock_diag`), whatever the number of sockets. Where that is not to be had, its
//! tables are read, up to a limit. On other systems nobody answers, and the token has to prove who is there.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};

mod table;

#[cfg(target_os = "linux")]
mod diag;

/// A socket as the kernel describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Socket {
    pub(crate) uid: u32,
    /// A process has it open. A connection that nobody has accepted yet has no file, and neither has a closed one.
    pub(crate) has_file: bool,
}

/// Which sockets are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Established,
    Listen,
}

/// What the kernel says about a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lookup {
    Found(Socket),
    Nobody,
    /// This system does not answer such questions.
    Unavailable,
}

/// The user at the other end of a connection that this process has made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listener {
    Us,
    Other(u32),
    Unknown,
}

/// Returns the end of an established connection, from its own address to the other one; without reading tables.
pub(crate) fn quick_end(local: SocketAddrV4, remote: SocketAddrV4) -> Lookup {
    quick(State::Established, local, remote)
}

/// Returns the same from the tables, which takes a while on a machine with many sockets.
pub(crate) fn slow_end(local: SocketAddrV4, remote: SocketAddrV4) -> Lookup {
    table::look_up(State::Established, local, remote)
}

/// Returns the user that serves this connection. Nothing needs to be sent for that.
///
/// The listener is looked up first and the end of the connection after it: an end that nobody has accepted belongs to
/// the listener, since it is reset when its listener is closed.
pub(super) fn listener(stream: &TcpStream) -> Listener {
    let (Ok(SocketAddr::V4(local)), Ok(SocketAddr::V4(remote))) = (stream.local_addr(), stream.peer_addr())
    else {
        return Listener::Unknown;
    };
    let listening = either(State::Listen, remote, SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0));
    let owner = match (either(State::Established, remote, local), listening) {
        (Lookup::Found(end), _) if end.has_file => end,
        (_, Lookup::Found(listening)) => listening,
        _ => return Listener::Unknown,
    };
    if is_us(owner.uid) { Listener::Us } else { Listener::Other(owner.uid) }
}

fn either(state: State, local: SocketAddrV4, remote: SocketAddrV4) -> Lookup {
    match quick(state, local, remote) {
        Lookup::Unavailable => table::look_up(state, local, remote),
        answer => answer,
    }
}

#[cfg(target_os = "linux")]
fn quick(state: State, local: SocketAddrV4, remote: SocketAddrV4) -> Lookup {
    diag::look_up(state, local, remote).unwrap_or(Lookup::Unavailable)
}

#[cfg(not(target_os = "linux"))]
fn quick(_: State, _: SocketAddrV4, _: SocketAddrV4) -> Lookup {
    Lookup::Unavailable
}

/// Says whether a number is this user's own.
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
