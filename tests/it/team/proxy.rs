//! A proxy in front of the server that keeps all bytes, and cuts or hangs a connection after some of them.

#![cfg(unix)]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What happens to the next connection.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) enum Cut {
    #[default]
    Never,
    /// It is closed after this many bytes, in both directions together.
    After(usize),
    /// It is silent after this many bytes.
    SilentAfter(usize),
}

/// Forwards to the socket of a server.
pub(super) struct Proxy {
    port: u16,
    inner: Arc<Inner>,
}

struct Inner {
    socket: PathBuf,
    next: Mutex<Cut>,
    /// Everything that clients sent, for as long as it is wanted.
    sent: Mutex<Vec<u8>>,
    keeps: AtomicBool,
    connections: AtomicUsize,
    bytes: AtomicUsize,
    cuts: AtomicUsize,
}

impl Proxy {
    pub(super) fn start(socket: PathBuf) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let inner = Arc::new(Inner {
            socket,
            next: Mutex::default(),
            sent: Mutex::default(),
            keeps: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            cuts: AtomicUsize::new(0),
        });
        let shared = Arc::clone(&inner);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let inner = Arc::clone(&shared);
                std::thread::spawn(move || inner.serve(&client));
            }
        });
        Proxy { port, inner }
    }

    /// Returns the address of a database behind the proxy.
    pub(super) fn url(&self, login: &str, database: &str) -> String {
        format!("postgres://{login}@127.0.0.1:{}/{database}", self.port)
    }

    pub(super) fn cut_next(&self, cut: Cut) {
        *self.inner.next.lock().expect("no panic") = cut;
    }

    /// Begins to keep what clients send.
    pub(super) fn keep(&self) {
        self.inner.keeps.store(true, Ordering::SeqCst);
    }

    pub(super) fn sent(&self) -> Vec<u8> {
        self.inner.sent.lock().expect("no panic").clone()
    }

    /// Returns the connections and the bytes so far.
    pub(super) fn traffic(&self) -> (usize, usize) {
        (self.inner.connections.load(Ordering::SeqCst), self.inner.bytes.load(Ordering::SeqCst))
    }

    /// Returns how many connections were cut or became silent.
    pub(super) fn cuts(&self) -> usize {
        self.inner.cuts.load(Ordering::SeqCst)
    }
}

impl Inner {
    fn serve(self: &Arc<Self>, client: &TcpStream) {
        self.connections.fetch_add(1, Ordering::SeqCst);
        let cut = std::mem::take(&mut *self.next.lock().expect("no panic"));
        let Ok(server) = UnixStream::connect(&self.socket) else { return };
        let passed = Arc::new(AtomicUsize::new(0));
        let back = {
            let (inner, passed) = (Arc::clone(self), Arc::clone(&passed));
            let (server, client) =
                (server.try_clone().expect("a stream"), client.try_clone().expect("a stream"));
            std::thread::spawn(move || {
                inner.pump(&server, &client, cut, &passed, false);
                drop((server.shutdown(Shutdown::Both), client.shutdown(Shutdown::Both)));
            })
        };
        self.pump(client, &server, cut, &passed, true);
        drop((server.shutdown(Shutdown::Both), client.shutdown(Shutdown::Both)));
        drop(back.join());
    }

    fn pump(&self, mut from: impl Read, mut to: impl Write, cut: Cut, passed: &AtomicUsize, is_client: bool) {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            let before = passed.fetch_add(length, Ordering::SeqCst);
            self.bytes.fetch_add(length, Ordering::SeqCst);
            let limit = match cut {
                Cut::Never => usize::MAX,
                Cut::After(limit) | Cut::SilentAfter(limit) => limit,
            };
            let allowed = limit.saturating_sub(before).min(length);
            if is_client && self.keeps.load(Ordering::SeqCst) {
                self.sent.lock().expect("no panic").extend_from_slice(&buffer[..allowed]);
            }
            if to.write_all(&buffer[..allowed]).is_err() {
                return;
            }
            if allowed < length {
                self.cuts.fetch_add(1, Ordering::SeqCst);
                if matches!(cut, Cut::SilentAfter(_)) {
                    // Longer than any client waits.
                    std::thread::sleep(Duration::from_secs(20));
                }
                return;
            }
        }
    }
}
