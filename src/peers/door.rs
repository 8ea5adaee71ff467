//! Whether the viewer's door answers: asked like a browser would, which has no key yet.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// The head of a reply is not longer.
const MAX_HEAD_BYTES: u64 = 8 << 10;

/// Why the viewer cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DoorFault {
    #[error("the viewer does not answer: {0}")]
    Silent(String),
    #[error("the running server has no viewer")]
    NoViewer,
    #[error("the viewer answers without asking for a key")]
    Open,
}

/// Asks for the page, and for data without a key: the first must come, sealed, and the second must be refused.
pub(crate) fn check_door(port: u16, timeout: Duration) -> Result<(), DoorFault> {
    let page = head(port, "/ui/", timeout)?;
    if !page.starts_with("HTTP/1.1 200")
        || !page.to_ascii_lowercase().contains("\r\ncontent-security-policy:")
    {
        return Err(DoorFault::NoViewer);
    }
    let data = head(port, "/ui/api/meta", timeout)?;
    if data.starts_with("HTTP/1.1 401") { Ok(()) } else { Err(DoorFault::Open) }
}

fn head(port: u16, path: &str, timeout: Duration) -> Result<String, DoorFault> {
    let silent = |error: std::io::Error| DoorFault::Silent(error.to_string());
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, timeout).map_err(silent)?;
    stream.set_read_timeout(Some(timeout)).map_err(silent)?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(silent)?;
    let mut reply = Vec::new();
    stream.take(MAX_HEAD_BYTES).read_to_end(&mut reply).map_err(silent)?;
    Ok(String::from_utf8_lossy(&reply).into_owned())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// Serves these replies, one connection each, and checks the door.
    fn check(replies: &[&'static str]) -> Result<(), DoorFault> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let replies = replies.to_vec();
        let server = std::thread::spawn(move || {
            for reply in replies {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = [0; 512];
                let _length = stream.read(&mut request).unwrap();
                stream.write_all(reply.as_bytes()).unwrap();
            }
        });
        let found = check_door(port, Duration::from_secs(5));
        server.join().unwrap();
        found
    }

    #[test]
    fn a_door_shows_the_page_and_refuses_data() {
        const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Security-Policy: default-src 'none'\r\n\r\n<html>";
        assert_eq!(check(&[PAGE, "HTTP/1.1 401 Unauthorized\r\n\r\n"]), Ok(()));
        assert_eq!(check(&[PAGE, "HTTP/1.1 200 OK\r\n\r\n{}"]), Err(DoorFault::Open));
        assert_eq!(check(&["HTTP/1.1 404 Not Found\r\n\r\n"]), Err(DoorFault::NoViewer));
        assert_eq!(check(&["HTTP/1.1 200 OK\r\n\r\n"]), Err(DoorFault::NoViewer));
    }
}
