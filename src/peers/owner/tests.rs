//! The kernel's tables as a little-endian machine prints them, and what the kernel says about this test's sockets.

use std::net::TcpListener;

use super::*;

const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:223D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 28350 1 0000000000000000 100 0 0 10 0
   1: 0100007F:223D 0100007F:C000 01 00000000:00000000 00:00000000 00000000  1000        0 28351 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:C000 0100007F:223D 01 00000000:00000000 00:00000000 00000000  1001        0 28352 1 0000000000000000 20 4 30 10 -1
   3: 0100007F:C001 0100007F:223D 06 00000000:00000000 03:00000D0C 00000000     0        0 0 3 0000000000000000
   4: 0100007F:C002 0100007F:223D 01 00000000:00000000 00:00000000 00000000     0        0 0 1 0000000000000000 20 4 30 10 -1
   5: 00000000:223E 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1003        0 28354 1 0000000000000000 100 0 0 10 0
";

const TABLE_6: &str = "\
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0000000000000000FFFF00000100007F:C003 0000000000000000FFFF00000100007F:223D 01 00000000:00000000 00:00000000 00000000  1002        0 28353 1 0000000000000000 20 4 30 10 -1
   1: 00000000000000000000000000000000:223F 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1004        0 28355 1 0000000000000000 100 0 0 10 0
";

fn at(port: u16) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)
}

#[test]
#[cfg(target_endian = "little")]
fn a_table_names_the_owner_of_an_end_and_of_a_listener() {
    let end = |table: &str, port: u16| {
        table::find(table, SocketState::Established, at(port), at(8765))
            .map(|socket| (socket.uid, socket.has_file))
    };
    assert_eq!(end(TABLE, 0xC000), Some((1001, true)));
    // A closed connection, and one that no process has open, are listed as root's.
    assert_eq!(end(TABLE, 0xC001), None);
    assert_eq!(end(TABLE, 0xC002), Some((0, false)));
    assert_eq!(end(TABLE, 0xC003), None);
    assert_eq!(end(TABLE_6, 0xC003), Some((1002, true)));
    assert_eq!(end("", 0xC000), None);
    let listener = |table: &str, port: u16| {
        let anywhere = SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0);
        table::find(table, SocketState::Listen, at(port), anywhere).map(|socket| socket.uid)
    };
    assert_eq!(listener(TABLE, 8765), Some(1000));
    assert_eq!(listener(TABLE, 8766), Some(1003));
    assert_eq!(listener(TABLE_6, 8767), Some(1004));
    assert_eq!(listener(TABLE, 8768), None);
}

#[test]
#[cfg(target_os = "linux")]
fn the_kernel_names_the_owner_before_and_after_a_connection_is_accepted() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    assert_eq!(listener(&stream), Listener::Us);
    let (accepted, from) = server.accept().unwrap();
    assert_eq!(listener(&stream), Listener::Us);
    let own = Socket { uid: rustix::process::geteuid().as_raw(), has_file: true };
    let client = at(from.port());
    assert_eq!(look_up(SocketState::Established, client, at(port)), Lookup::Found(own));
    assert_eq!(slow_end(client, at(port)), Lookup::Found(own));
    // A connection outlives its listener.
    drop(server);
    assert_eq!(listener(&stream), Listener::Us);
    drop((accepted, stream));
    assert_eq!(look_up(SocketState::Established, client, at(port)), Lookup::NotFound);
}
