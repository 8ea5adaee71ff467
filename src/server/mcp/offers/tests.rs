//! Names of components in addresses.

use super::{decoded, uri};

#[test]
fn any_name_survives_its_address() {
    for (name, address) in [
        ("http-proxy", "nudge://hints/http-proxy"),
        ("a/b c", "nudge://hints/a%2Fb%20c"),
        ("ü%", "nudge://hints/%C3%BC%25"),
    ] {
        assert_eq!(uri(name), address);
        assert_eq!(decoded(address.strip_prefix("nudge://hints/").unwrap()).as_deref(), Some(name));
    }
    for broken in ["", "%", "%2", "%zz", "%FF"] {
        assert_eq!(decoded(broken), None, "{broken}");
    }
}
