//! Which user is at the other end of a connection, where the kernel says so.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4};

use tokio::sync::Semaphore;

use crate::peers::{self, Lookup, is_ours};

/// The user at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    /// This user, over the socket in the private folder. A browser cannot connect that way.
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix has such a socket"))]
    Private,
    /// This user, over TCP.
    Ours,
    /// Another user.
    Stranger,
    /// The kernel does not say, so the token is required.
    Unknown,
}

/// One thread at a time reads the kernel's tables.
static TABLES: Semaphore = Semaphore::const_new(1);

impl Peer {
    pub(super) fn with_uid(uid: u32) -> Peer {
        if is_ours(uid) { Peer::Ours } else { Peer::Stranger }
    }
}

/// Looks up which user has the other end of a connection to our port.
pub(super) async fn look_up_peer(from: SocketAddr, port: u16) -> Peer {
    let IpAddr::V4(address) = from.ip().to_canonical() else { return Peer::Unknown };
    let theirs = SocketAddrV4::new(address, from.port());
    let ours = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    let end = match peers::quick_end(theirs, ours) {
        Lookup::Unavailable => look_in_tables(theirs, ours).await,
        answer => answer,
    };
    match end {
        // A closed connection is listed as root's, and has no file.
        Lookup::Found(socket) if socket.has_file => Peer::with_uid(socket.uid),
        _ => Peer::Unknown,
    }
}

/// The tables may be long, so they are read on another thread.
async fn look_in_tables(theirs: SocketAddrV4, ours: SocketAddrV4) -> Lookup {
    let _turn = TABLES.acquire().await;
    let looked = tokio::task::spawn_blocking(move || peers::slow_end(theirs, ours));
    looked.await.unwrap_or(Lookup::Unavailable)
}
