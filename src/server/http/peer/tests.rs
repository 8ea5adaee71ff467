//! The kernel's tables, as they are printed on a little-endian machine.

use super::*;

const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:223D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 28350 1 0000000000000000 100 0 0 10 0
   1: 0100007F:223D 0100007F:C000 01 00000000:00000000 00:00000000 00000000  1000        0 28351 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:C000 0100007F:223D 01 00000000:00000000 00:00000000 00000000  1001        0 28352 1 0000000000000000 20 4 30 10 -1
   3: 0100007F:C001 0100007F:223D 06 00000000:00000000 03:00000D0C 00000000     0        0 0 3 0000000000000000
   4: 0100007F:C002 0100007F:223D 01 00000000:00000000 00:00000000 00000000     0        0 0 1 0000000000000000 20 4 30 10 -1
";

const TABLE_6: &str = "\
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0000000000000000FFFF00000100007F:C003 0000000000000000FFFF00000100007F:223D 01 00000000:00000000 00:00000000 00000000  1002        0 28353 1 0000000000000000 20 4 30 10 -1
";

#[test]
#[cfg(target_endian = "little")]
fn the_owner_is_that_of_the_other_end() {
    let owner_of = |table: &str, port: u16| owner(table, SocketAddr::from(([127, 0, 0, 1], port)), 8765);
    assert_eq!(owner_of(TABLE, 0xC000), Some(1001));
    // What is left of a closed connection, and one without a file, say root.
    assert_eq!(owner_of(TABLE, 0xC001), None);
    assert_eq!(owner_of(TABLE, 0xC002), None);
    assert_eq!(owner_of(TABLE, 0xC003), None);
    assert_eq!(owner_of(TABLE_6, 0xC003), Some(1002));
    assert_eq!(owner_of("", 0xC000), None);
}
