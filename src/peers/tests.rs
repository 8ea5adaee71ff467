//! What the folder and its locks guarantee, between threads as between processes.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Map, json};
use tempfile::TempDir;

use super::*;

fn folder() -> (TempDir, Folder) {
    let place = TempDir::new().unwrap();
    let folder = Folder::open(&[place.path().join("nudge")]).unwrap();
    (place, folder)
}

fn snapshot(folder: &Folder) -> Vec<u8> {
    let mut bytes = Vec::new();
    folder.snapshot().unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

fn files(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn one_server_is_primary_and_the_next_takes_over() {
    let (_place, folder) = folder();
    let first = Primacy::try_take(&folder).unwrap().unwrap();
    assert!(Primacy::try_take(&folder).unwrap().is_none());
    let waiting = std::thread::spawn({
        let folder = folder.clone();
        move || Primacy::wait(&folder).unwrap()
    });
    drop(first);
    let second = waiting.join().unwrap();
    assert!(Primacy::try_take(&folder).unwrap().is_none());
    drop(second);
    assert!(Primacy::try_take(&folder).unwrap().is_some());
}

#[test]
fn the_last_server_removes_all_files() {
    let (_place, folder) = folder();
    let one = Membership::join(&folder).unwrap();
    let other = Membership::join(&folder).unwrap();
    let primacy = Primacy::try_take(&folder).unwrap().unwrap();
    folder.write_snapshot(|out| out.write_all(b"hints")).unwrap();
    folder.write_token("t").unwrap();
    assert!(!one.leave());
    assert_eq!(snapshot(&folder), b"hints");
    drop(primacy);
    assert!(other.leave());
    if cfg!(unix) {
        assert_eq!(files(&folder), Vec::<String>::new());
    }
}

#[test]
fn the_first_server_removes_what_a_killed_group_left() {
    let (_place, folder) = folder();
    folder.write_snapshot(|out| out.write_all(b"old")).unwrap();
    fs::write(folder.path().join(".server-abc"), "half").unwrap();
    let first = Membership::join(&folder).unwrap();
    assert_eq!(files(&folder), ["members.lock"]);
    folder.write_snapshot(|out| out.write_all(b"new")).unwrap();
    let second = Membership::join(&folder).unwrap();
    assert_eq!(snapshot(&folder), b"new");
    drop((first, second));
}

#[test]
fn servers_that_start_and_stop_at_once_leave_no_files() {
    let (_place, folder) = folder();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let membership = Membership::join(&folder).unwrap();
                    let primacy = Primacy::try_take(&folder).unwrap();
                    if primacy.is_some() {
                        folder.write_snapshot(|out| out.write_all(b"hints")).unwrap();
                    }
                    membership.leave();
                    drop(primacy);
                }
            });
        }
    });
    if cfg!(unix) {
        assert_eq!(files(&folder), Vec::<String>::new());
    }
}

#[test]
#[cfg(unix)]
fn a_folder_that_others_can_use_is_skipped() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = TempDir::new().unwrap();
    let path = |name: &str| place.path().join(name);
    fs::create_dir(path("target")).unwrap();
    symlink(path("target"), path("link")).unwrap();
    fs::create_dir(path("open")).unwrap();
    fs::write(path("open/letter"), "").unwrap();
    fs::set_permissions(path("open"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(path("file"), "").unwrap();
    let choices: Vec<std::path::PathBuf> = ["link", "open", "file"].map(path).into();
    let refused = Folder::open(&choices).unwrap_err().replace(place.path().to_str().unwrap(), "");
    assert_eq!(
        refused,
        "/link: is a symbolic link; /open: is open to others (mode 755, not 700); /file: is not a folder"
    );
    assert!(Folder::find(&choices).is_none());
    let with_safe = [choices, vec![path("safe")]].concat();
    assert!(Folder::find(&with_safe).is_none());
    assert_eq!(Folder::open(&with_safe).unwrap().path(), path("safe"));
    assert_eq!(fs::metadata(path("safe")).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn an_address_is_removed_only_by_its_owner() {
    let (_place, folder) = folder();
    let address = |instance: &str| Address {
        pid: 7,
        port: 8765,
        started: "2026-01-01T00:00:00Z".to_owned(),
        instance: instance.to_owned(),
        version: "1".to_owned(),
    };
    address("a").write(&folder).unwrap();
    address("b").remove(&folder);
    assert_eq!(Address::read(&folder), Some(address("a")));
    address("a").remove(&folder);
    assert_eq!(Address::read(&folder), None);
    fs::write(folder.path().join("server.pid"), r#"{"pid": 12, "port": 1, "started": "x"}"#).unwrap();
    assert_eq!(Address::read(&folder).map(|address| address.pid), Some(12));
}

#[expect(clippy::disallowed_methods, reason = "a test has its own clock")]
fn now() -> Instant {
    Instant::now()
}

const TIMEOUT: Duration = Duration::from_secs(20);

const TOKEN: &str = "00112233445566778899aabbccddeeff";

/// Answers each request on one connection with the next of these replies, and proves that it knows the token.
fn server(replies: &'static [&'static str]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut stream, from) = listener.accept().unwrap();
        for reply in replies {
            let mut request = [0; 4096];
            let read = stream.read(&mut request).unwrap();
            assert!(read > 0);
            let request = String::from_utf8_lossy(&request[..read]);
            let challenge = request.lines().find_map(|line| line.strip_prefix("Nudge-Challenge: "));
            let proof = challenge.and_then(|challenge| proof(TOKEN, challenge, port, from.port()));
            let proof =
                proof.map(|proof| format!("\r\nNudge-Proof: {proof}\r\n")).unwrap_or("\r\n".to_owned());
            stream.write_all(reply.replacen("\r\n", &proof, 1).as_bytes()).unwrap();
        }
    });
    port
}

const HEALTH: &str =
    "HTTP/1.1 200 OK\r\nContent-Length: 47\r\n\r\n{\"status\":\"ok\",\"instance\":\"a\",\"pid\":1234567890}";

fn find(folder: Option<&Folder>, place: ServerPlace, timeout: Duration) -> Result<ServerClient, NoServer> {
    ServerClient::find(folder, place, ClientRole::Command, timeout, now)
}

fn address(port: u16, pid: u32) -> Address {
    let (started, version) = (String::new(), String::new());
    Address { pid, port, started, instance: "a".to_owned(), version }
}

#[test]
#[cfg(target_os = "linux")]
fn a_chunked_answer_is_joined() {
    let (_place, folder) = folder();
    let port = server(&[
        HEALTH,
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"res\r\nb\r\nult\":{\"a\":1\r\n2\r\n}}\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 41\r\n\r\n{\"error\":{\"code\":40401,\"message\":\"gone\"}}",
        "HTTP/1.1 413 Payload Too Large\r\ncontent-length: 9\r\n\r\ntoo large",
        "HTTP/1.1 503 Unavailable\r\ncontent-length: 0\r\n\r\n",
    ]);
    address(port, 1_234_567_890).write(&folder).unwrap();
    folder.write_token(TOKEN).unwrap();
    let mut client = find(Some(&folder), ServerPlace::Folder, TIMEOUT).unwrap();
    assert_eq!(client.health()["instance"], "a");
    let mut call = || client.call("nudge.get_hint", &Map::new(), TIMEOUT);
    assert_eq!(call(), Ok(json!({ "a": 1 })));
    assert_eq!(call(), Err(CallError::Refused(json!({ "code": 40401, "message": "gone" }))));
    assert_eq!(call(), Err(CallError::TurnedAway { status: 413, reason: "too large".to_owned() }));
    assert_eq!(call(), Err(CallError::Unreachable("the server is shutting down".to_owned())));
}

#[test]
#[cfg(target_os = "linux")]
fn a_server_that_is_not_the_one_of_the_folder_is_a_stranger() {
    let (_place, folder) = folder();
    let port = server(&[HEALTH]);
    folder.write_token(TOKEN).unwrap();
    address(port, 1).write(&folder).unwrap();
    let found = find(Some(&folder), ServerPlace::FolderOrDefault, TIMEOUT).err();
    assert_eq!(found, Some(NoServer::Stranger { port }));
    let port = server(&[HEALTH]);
    address(port, 1_234_567_890).write(&folder).unwrap();
    let found = find(Some(&folder), ServerPlace::Port(port), TIMEOUT).unwrap();
    assert_eq!(found.health()["pid"], 1_234_567_890);
    for token in ["ffeeddccbbaa99887766554433221100", ""] {
        let port = server(&[HEALTH]);
        address(port, 1_234_567_890).write(&folder).unwrap();
        folder.write_token(token).unwrap();
        let found = find(Some(&folder), ServerPlace::Port(port), TIMEOUT).err();
        assert_eq!(found, Some(NoServer::Stranger { port }), "{token:?}");
    }
    for place in [Some(&folder), None] {
        let port = server(&["SSH-2.0-OpenSSH\r\n"]);
        assert_eq!(find(place, ServerPlace::Port(port), TIMEOUT).err(), Some(NoServer::Stranger { port }));
    }
}

#[test]
fn without_an_address_only_a_command_tries_the_default_port() {
    let (_place, folder) = folder();
    let none = Some(NoServer::NotRunning { port: None });
    assert_eq!(find(Some(&folder), ServerPlace::Folder, TIMEOUT).err(), none);
    assert_eq!(find(None, ServerPlace::FolderOrDefault, TIMEOUT).err(), none);
}

#[test]
fn a_silent_server_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let found = find(None, ServerPlace::Port(port), Duration::from_millis(30)).err();
    assert!(
        matches!(found, Some(NoServer::Silent { port: silent, pid: None, .. }) if silent == port),
        "{found:?}"
    );
}

#[test]
fn a_port_without_a_listener_is_not_running() {
    // Another test may take a port as soon as it is free, so a few are tried.
    let is_not_running = |_| {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let found = find(None, ServerPlace::Port(port), TIMEOUT).err();
        found == Some(NoServer::NotRunning { port: Some(port) })
    };
    assert!((0..5).any(is_not_running));
}

#[test]
#[cfg(unix)]
fn a_socket_that_accepts_no_connections_times_out() {
    let (_place, folder) = folder();
    let listener = listen(&folder).unwrap();
    let mut waiting = Vec::new();
    let found = loop {
        match ServerClient::find(
            Some(&folder),
            ServerPlace::Folder,
            ClientRole::Hook,
            Duration::from_millis(30),
            now,
        ) {
            Ok(client) if waiting.len() < 10_000 => waiting.push(client),
            found => break found.err(),
        }
    };
    if cfg!(target_os = "linux") {
        assert!(matches!(found, Some(NoServer::Silent { .. })), "{found:?}");
    }
    drop(listener);
}
