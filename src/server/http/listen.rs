//! The listeners: TCP for all programs on this machine, and the Unix socket in the private folder for nudge itself.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::net::UnixListener;

use super::peer::{self, Peer};
use crate::peers::Folder;

/// Where connections are accepted.
pub(in crate::server) struct Listeners {
    tcp: TcpListener,
    #[cfg(unix)]
    unix: Option<UnixListener>,
}

/// An accepted connection.
pub(super) enum Caller {
    Tcp(tokio::net::TcpStream, SocketAddr),
    #[cfg(unix)]
    Unix(tokio::net::UnixStream),
}

impl Listeners {
    /// Adds the folder's socket; the caller must have the lock. If it cannot be made, only TCP is used.
    pub(in crate::server) fn open(tcp: TcpListener, folder: &Folder) -> Listeners {
        #[cfg(unix)]
        {
            let unix = crate::peers::listen(folder).and_then(UnixListener::from_std).ok();
            Listeners { tcp, unix }
        }
        #[cfg(not(unix))]
        {
            let _ = folder;
            Listeners { tcp }
        }
    }

    #[cfg(unix)]
    pub(super) async fn accept(&self) -> io::Result<Caller> {
        let Some(unix) = &self.unix else { return self.accept_tcp().await };
        tokio::select! {
            accepted = unix.accept() => accepted.map(|(stream, _)| Caller::Unix(stream)),
            accepted = self.accept_tcp() => accepted,
        }
    }

    #[cfg(not(unix))]
    pub(super) async fn accept(&self) -> io::Result<Caller> {
        self.accept_tcp().await
    }

    async fn accept_tcp(&self) -> io::Result<Caller> {
        let (stream, from) = self.tcp.accept().await?;
        Ok(Caller::Tcp(stream, from))
    }
}

impl Caller {
    /// Returns which user is at the other end.
    pub(super) async fn peer(&self, port: u16) -> Peer {
        match self {
            Caller::Tcp(_, from) => peer::look_up_peer(*from, port).await,
            #[cfg(unix)]
            Caller::Unix(stream) => match stream.peer_cred().map(|user| Peer::with_uid(user.uid())) {
                Ok(Peer::Ours) => Peer::Private,
                _ => Peer::Stranger,
            },
        }
    }

    /// Returns the address of the other end, if it has one.
    pub(super) fn address(&self) -> Option<SocketAddr> {
        match self {
            Caller::Tcp(_, from) => Some(*from),
            #[cfg(unix)]
            Caller::Unix(_) => None,
        }
    }
}
