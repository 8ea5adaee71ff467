//! Names of components in URIs.

use super::{parse_component, uri};

#[test]
fn any_name_survives_its_uri() {
    for (name, address) in [
        ("http-proxy", "nudge://hints/http-proxy"),
        ("a/b c", "nudge://hints/a%2Fb%20c"),
        ("ü%", "nudge://hints/%C3%BC%25"),
    ] {
        assert_eq!(uri(name), address);
        assert_eq!(parse_component(address.strip_prefix("nudge://hints/").unwrap()).as_deref(), Some(name));
    }
    for broken in ["", "%", "%2", "%zz", "%FF"] {
        assert_eq!(parse_component(broken), None, "{broken}");
    }
}
