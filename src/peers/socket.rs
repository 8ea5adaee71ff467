//! The Unix socket of the PRIMARY. It is in the private folder, so only this user's processes can create or reach it,
//! and both ends ask the kernel which user the other one is.

#![cfg(unix)]

use std::fs::File;
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::folder::{Folder, SOCKET};

/// The kernel's limit is 108 bytes on Linux and 104 on other systems, with a zero at the end.
const MAX_PATH_BYTES: usize = 103;
#[cfg(target_os = "linux")]
const CONNECT_INTERVAL: std::time::Duration = std::time::Duration::from_millis(1);

/// Listens in the folder. Only the holder of the lock may call this: it removes the socket of a killed server.
pub(crate) fn listen(folder: &Folder) -> io::Result<UnixListener> {
    let place = SocketPath::of(folder)?;
    folder.remove(SOCKET);
    let listener = UnixListener::bind(place.path())?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Connects to the PRIMARY of the folder; `TimedOut` if it accepts no connection before the deadline.
pub(super) fn connect(folder: &Folder, deadline: Instant, now: fn() -> Instant) -> io::Result<UnixStream> {
    let place = SocketPath::of(folder)?;
    let stream = open(place.path(), deadline, now)?;
    if !is_served_by_us(&stream) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(stream)
}

/// A path that is short enough for a socket.
struct SocketPath {
    path: PathBuf,
    /// Kept open while the path goes through it.
    _folder: Option<File>,
}

impl SocketPath {
    fn of(folder: &Folder) -> io::Result<SocketPath> {
        let path = folder.file(SOCKET);
        if path.as_os_str().len() <= MAX_PATH_BYTES {
            return Ok(SocketPath { path, _folder: None });
        }
        if !cfg!(target_os = "linux") {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is too long for a socket"));
        }
        use std::os::fd::AsRawFd;
        let opened = File::open(folder.path())?;
        let path = format!("/proc/self/fd/{}/{SOCKET}", opened.as_raw_fd()).into();
        Ok(SocketPath { path, _folder: Some(opened) })
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// The queue of a stopped server is full, and a blocking `connect` would wait forever.
#[cfg(target_os = "linux")]
fn open(path: &Path, deadline: Instant, now: fn() -> Instant) -> io::Result<UnixStream> {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    let address = SocketAddrUnix::new(path)?;
    loop {
        match rustix::net::connect(&socket, &address) {
            Ok(()) => break,
            Err(rustix::io::Errno::AGAIN) if now() < deadline => std::thread::sleep(CONNECT_INTERVAL),
            Err(rustix::io::Errno::AGAIN) => return Err(io::ErrorKind::TimedOut.into()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// Other systems refuse immediately when the queue is full.
#[cfg(not(target_os = "linux"))]
fn open(path: &Path, _: Instant, _: fn() -> Instant) -> io::Result<UnixStream> {
    UnixStream::connect(path)
}

/// Returns whether the listening process belongs to this user.
#[cfg(target_os = "linux")]
fn is_served_by_us(stream: &UnixStream) -> bool {
    let credentials = rustix::net::sockopt::socket_peercred(stream);
    credentials.is_ok_and(|credentials| super::owner::is_us(credentials.uid.as_raw()))
}

/// On other systems the folder is the proof: no other user can create a file in it.
#[cfg(not(target_os = "linux"))]
fn is_served_by_us(_: &UnixStream) -> bool {
    true
}
