//! The kernel's tables of TCP sockets, for a Linux without `sock_diag`.

use std::fs::File;
use std::io::Read;
use std::net::SocketAddrV4;

use super::{Lookup, Socket, SocketState};

/// About 13,000 sockets; on a machine with more, the lookup is unavailable.
const MAX_BYTES: u64 = 2 << 20;

pub(super) fn look_up(state: SocketState, local: SocketAddrV4, remote: SocketAddrV4) -> Lookup {
    // On other systems a file of that name means nothing.
    let tables: &[&str] = if cfg!(target_os = "linux") { &["/proc/net/tcp", "/proc/net/tcp6"] } else { &[] };
    let mut answer = Lookup::Unavailable;
    for path in tables {
        let Some(table) = read(path) else { continue };
        match find(&table, state, local, remote) {
            Some(socket) => return Lookup::Found(socket),
            None if table.len() as u64 >= MAX_BYTES => return Lookup::Unavailable,
            None => answer = Lookup::NotFound,
        }
    }
    answer
}

fn read(path: &str) -> Option<String> {
    let mut table = String::new();
    File::open(path).ok()?.take(MAX_BYTES).read_to_string(&mut table).ok()?;
    Some(table)
}

/// Finds a socket in a table; a listener may listen on all addresses.
pub(super) fn find(
    table: &str,
    state: SocketState,
    local: SocketAddrV4,
    remote: SocketAddrV4,
) -> Option<Socket> {
    let number = match state {
        SocketState::Established => "01",
        SocketState::Listen => "0A",
    };
    let (local, remote) = (PrintedAddress::of(local), PrintedAddress::of(remote));
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (ours, theirs, found) = (fields.next()?, fields.next()?, fields.next()?);
        let is_match = match state {
            SocketState::Established => local.is(ours) && remote.is(theirs),
            SocketState::Listen => local.is(ours) || local.is_listened_to_by(ours),
        };
        if !is_match || found != number {
            return None;
        }
        let uid = fields.nth(3)?.parse().ok()?;
        let has_file = fields.nth(1)? != "0";
        Some(Socket { uid, has_file })
    })
}

/// An address as the tables print it.
struct PrintedAddress {
    address: String,
    port: String,
}

impl PrintedAddress {
    fn of(address: SocketAddrV4) -> PrintedAddress {
        // The kernel prints the address as a number in this machine's byte order.
        let number = u32::from_ne_bytes(address.ip().octets());
        PrintedAddress { address: format!("{number:08X}"), port: format!("{:04X}", address.port()) }
    }

    /// In the IPv6 table, an IPv4 address is the end of a longer one.
    fn is(&self, printed: &str) -> bool {
        let Some((address, port)) = printed.split_once(':') else { return false };
        address.ends_with(&self.address) && port == self.port
    }

    fn is_listened_to_by(&self, printed: &str) -> bool {
        let Some((address, port)) = printed.split_once(':') else { return false };
        address.bytes().all(|digit| digit == b'0') && port == self.port
    }
}
