//! Asks the kernel about one socket: `NETLINK_SOCK_DIAG` with the exact addresses, which it finds by their hash.
//!
//! The layout of the messages is that of `linux/netlink.h` and `linux/inet_diag.h`.

use std::io;
use std::net::SocketAddrV4;

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink};

use super::{Lookup, Socket, SocketState};

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLMSG_ERROR: u16 = 2;
const NLM_F_REQUEST: u16 = 1;
const AF_INET: u8 = 2;
const IPPROTO_TCP: u8 = 6;
/// `INET_DIAG_NOCOOKIE`: any socket with these addresses.
const NO_COOKIE: u32 = u32::MAX;
const ENOENT: i32 = 2;
/// Lengths of `nlmsghdr`, and of it with `inet_diag_req_v2`.
const HEADER: usize = 16;
const REQUEST: usize = HEADER + 56;
/// Offsets in `inet_diag_msg`.
const UID: usize = 64;
const INODE: usize = 68;

pub(super) fn look_up(state: SocketState, local: SocketAddrV4, remote: SocketAddrV4) -> io::Result<Lookup> {
    let socket = rustix::net::socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    )?;
    let kernel = netlink::SocketAddrNetlink::new(0, 0);
    rustix::net::sendto(&socket, &request(state, local, remote), SendFlags::empty(), &kernel)?;
    let mut buffer = [0_u8; 4096];
    // The kernel has answered when `sendto` returns.
    let (read, _) = rustix::net::recv(&socket, &mut buffer[..], RecvFlags::DONTWAIT)?;
    parse_reply(buffer.get(..read).unwrap_or_default(), state, local)
        .ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn request(state: SocketState, local: SocketAddrV4, remote: SocketAddrV4) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(REQUEST);
    bytes.extend((REQUEST as u32).to_ne_bytes());
    bytes.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    bytes.extend(NLM_F_REQUEST.to_ne_bytes());
    // Sequence number and port.
    bytes.extend([0; 8]);
    bytes.extend([AF_INET, IPPROTO_TCP, 0, 0]);
    bytes.extend((1_u32 << number(state)).to_ne_bytes());
    bytes.extend(local.port().to_be_bytes());
    bytes.extend(remote.port().to_be_bytes());
    for address in [local, remote] {
        bytes.extend(address.ip().octets());
        bytes.extend([0; 12]);
    }
    // Any interface.
    bytes.extend(0_u32.to_ne_bytes());
    bytes.extend(NO_COOKIE.to_ne_bytes());
    bytes.extend(NO_COOKIE.to_ne_bytes());
    bytes
}

/// Parses the answer: the socket, or that there is none. If no connection has these addresses, the kernel returns the
/// listener of that port, which is not what was asked for.
fn parse_reply(reply: &[u8], state: SocketState, local: SocketAddrV4) -> Option<Lookup> {
    let kind = u16::from_ne_bytes(reply.get(4..6)?.try_into().ok()?);
    let body = reply.get(HEADER..)?;
    let word = |at: usize| <[u8; 4]>::try_from(body.get(at..at + 4)?).ok();
    if kind == NLMSG_ERROR {
        let is_missing = i32::from_ne_bytes(word(0)?) == -ENOENT;
        return is_missing.then_some(Lookup::NotFound);
    }
    if kind != SOCK_DIAG_BY_FAMILY || body.get(4..6)? != local.port().to_be_bytes() {
        return None;
    }
    if *body.get(1)? != number(state) {
        return Some(Lookup::NotFound);
    }
    let has_file = u32::from_ne_bytes(word(INODE)?) != 0;
    Some(Lookup::Found(Socket { uid: u32::from_ne_bytes(word(UID)?), has_file }))
}

/// Returns the kernel's number of a TCP state.
fn number(state: SocketState) -> u8 {
    match state {
        SocketState::Established => 1,
        SocketState::Listen => 10,
    }
}
