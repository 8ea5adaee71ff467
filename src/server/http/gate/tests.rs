//! Which hosts are this server.

use super::is_this_server;

#[test]
fn only_this_machine_with_our_port_is_this_server() {
    for here in ["127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765"] {
        assert!(is_this_server(here, 8765), "{here}");
    }
    for elsewhere in [
        "",
        ":8765",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:8766",
        "127.0.0.1:",
        "localhost:08765x",
        "::1:8765",
        "127.0.0.1.evil.example:8765",
        "evil.example:8765",
        "evil.example#127.0.0.1:8765",
        "127.0.0.2:8765",
        "user@127.0.0.1:8765",
        "0.0.0.0:8765",
        "localhost.:8765",
        "null",
    ] {
        assert!(!is_this_server(elsewhere, 8765), "{elsewhere}");
    }
}
