//! Which user is at the other end of a connection, where the kernel tells: Linux lists every socket with its owner.

use std::fs;
use std::net::{IpAddr, SocketAddr};

use crate::runtime::is_ours;

/// Who is at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    Ours,
    /// Another user.
    Stranger,
    /// It cannot be told: the token must.
    Unknown,
}

/// Looks up who has the other end of a connection to our port.
pub(super) fn who(from: SocketAddr, port: u16) -> Peer {
    // Elsewhere a file of that name says nothing.
    let tables: &[&str] = if cfg!(unix) { &["/proc/net/tcp", "/proc/net/tcp6"] } else { &[] };
    let owner = tables.iter().find_map(|table| owner(&fs::read_to_string(table).ok()?, from, port));
    match owner {
        Some(uid) if is_ours(uid) => Peer::Ours,
        Some(_) => Peer::Stranger,
        None => Peer::Unknown,
    }
}

/// Finds the socket from `from` to our port in a table of the kernel, and returns its owner.
///
/// Only an established connection with an open file counts: what is left of a closed one belongs to root.
fn owner(table: &str, from: SocketAddr, port: u16) -> Option<u32> {
    const ESTABLISHED: &str = "01";
    let IpAddr::V4(address) = from.ip().to_canonical() else { return None };
    // The kernel prints the address as a number of this machine's byte order.
    let address = u32::from_ne_bytes(address.octets());
    let place = |port: u16| format!("{address:08X}:{port:04X}");
    let (theirs, ours) = (place(from.port()), place(port));
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (local, remote, state) = (fields.next()?, fields.next()?, fields.next()?);
        // In the table of IPv6, an address of IPv4 is the end of a longer one.
        let is_it = local.ends_with(&theirs) && remote.ends_with(&ours) && state == ESTABLISHED;
        let uid = fields.nth(3)?.parse().ok();
        let has_file = fields.nth(1)? != "0";
        uid.filter(|_| is_it && has_file)
    })
}

#[cfg(test)]
mod tests;
