//! A relay in front of a real server: it takes the place of the socket in the private folder, looks at what clients send,
//! and passes it on. Clients talk to the real server through it, so what they send is what they always send.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::sandbox::Sandbox;

pub(crate) struct Relay {
    recorded: Arc<Mutex<Vec<u8>>>,
}

/// Decides whether bytes of a client are passed on.
type Look = dyn Fn(&[u8]) -> bool + Send + Sync;

impl Relay {
    /// Takes the place of the server's socket; `look` sees what clients send before the server does.
    pub(crate) fn start(sandbox: &Sandbox, look: impl Fn(&[u8]) -> bool + Send + Sync + 'static) -> Relay {
        let socket = sandbox.runtime_folder().join("server.sock");
        let behind = sandbox.runtime_folder().join("behind.sock");
        fs::rename(&socket, &behind).expect("the server has a socket");
        let listener = UnixListener::bind(&socket).expect("a socket");
        let recorded: Arc<Mutex<Vec<u8>>> = Arc::default();
        let relay = Relay { recorded: Arc::clone(&recorded) };
        let look: Arc<Look> = Arc::new(look);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                pass_on(client, &behind, &recorded, &look);
            }
        });
        relay
    }

    /// Returns all that clients have sent so far.
    pub(crate) fn recorded(&self) -> String {
        String::from_utf8_lossy(&self.recorded.lock().expect("bytes")).into_owned()
    }
}

fn pass_on(client: UnixStream, behind: &PathBuf, recorded: &Arc<Mutex<Vec<u8>>>, look: &Arc<Look>) {
    let Ok(server) = UnixStream::connect(behind) else { return };
    let (mut from_client, mut to_server) =
        (client.try_clone().expect("a copy"), server.try_clone().expect("a copy"));
    let (mut from_server, mut to_client) = (server, client);
    let (recorded, look) = (Arc::clone(recorded), Arc::clone(look));
    std::thread::spawn(move || {
        let mut bytes = [0; 64 << 10];
        while let Ok(count @ 1..) = from_client.read(&mut bytes) {
            recorded.lock().expect("bytes").extend_from_slice(&bytes[..count]);
            if look(&bytes[..count]) && to_server.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        drop(to_server.shutdown(std::net::Shutdown::Write));
    });
    std::thread::spawn(move || {
        drop(std::io::copy(&mut from_server, &mut to_client));
        drop(to_client.shutdown(std::net::Shutdown::Both));
    });
}
