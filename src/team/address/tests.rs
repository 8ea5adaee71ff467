//! Tests of addresses: what is read, what is refused, what must be encrypted.

use super::{AddressError, ServerHost, TeamAddress, Transport};

fn parsed(url: &str) -> TeamAddress {
    TeamAddress::parse(url).unwrap_or_else(|error| panic!("{url}: {error}"))
}

#[test]
fn an_address_is_read_as_libpq_reads_it() {
    let check = |url: &str, expected: (&str, u16, &str, &str, Option<&str>)| {
        let address = parsed(url);
        let host = match &address.host {
            ServerHost::Socket(folder) => folder.to_string_lossy().into_owned(),
            ServerHost::Name(name) => name.clone(),
        };
        let (user, database) = (address.user.as_str(), address.database.as_str());
        assert_eq!(
            (host.as_str(), address.port, user, database, address.password.as_deref()),
            expected,
            "{url}"
        );
    };
    check("postgres://alice@db.example.com/nudge", ("db.example.com", 5432, "alice", "nudge", None));
    check("postgresql://a%40b:p%3aw@db:6432/n", ("db", 6432, "a@b", "n", Some("p:w")));
    check("postgres://a@[::1]:7000/n", ("::1", 7000, "a", "n", None));
    check("postgres://a@/n?host=/run/pg&port=5433", ("/run/pg", 5433, "a", "n", None));
    check("postgres://a@%2Frun%2Fpg/n", ("/run/pg", 5432, "a", "n", None));
    check("postgres:///n?host=127.0.0.1&user=b&password=c", ("127.0.0.1", 5432, "b", "n", Some("c")));
    // A password may have an `@` of its own.
    check("postgres://a:x@y@db/n", ("db", 5432, "a", "n", Some("x@y")));
}

#[test]
fn bytes_that_leave_this_machine_are_encrypted() {
    let tls = Transport::Tls { root: None, client: None };
    for (rest, expected) in [
        ("a@/n?host=/run/pg", Ok(Transport::Local)),
        ("a@/n?host=/run/pg&sslmode=require", Ok(Transport::Local)),
        ("a@localhost/n", Ok(Transport::Local)),
        ("a@127.9.9.9/n?sslmode=prefer", Ok(Transport::Local)),
        ("a@[::1]/n?sslmode=disable", Ok(Transport::Local)),
        ("a@localhost/n?sslmode=verify-full", Ok(tls.clone())),
        ("a@db/n", Ok(tls.clone())),
        ("a@db/n?sslmode=prefer", Ok(tls.clone())),
        ("a@db/n?sslmode=allow", Ok(tls.clone())),
        ("a@db/n?sslmode=require", Ok(tls)),
        (
            "a@db/n?sslrootcert=/etc/ca.pem",
            Ok(Transport::Tls { root: Some("/etc/ca.pem".into()), client: None }),
        ),
        (
            "a@db/n?sslcert=/c.pem&sslkey=/k.pem",
            Ok(Transport::Tls { root: None, client: Some(("/c.pem".into(), "/k.pem".into())) }),
        ),
        ("a@db/n?sslcert=/c.pem", Err(AddressError::Missing("sslkey"))),
        ("a@db/n?sslmode=disable", Err(AddressError::NotEncrypted)),
        // Names that only look like this machine.
        ("a@localhost.example.com/n?sslmode=disable", Err(AddressError::NotEncrypted)),
        ("a@128.0.0.1/n?sslmode=disable", Err(AddressError::NotEncrypted)),
        ("a@0.0.0.0/n?sslmode=disable", Err(AddressError::NotEncrypted)),
        ("a@db/n?host=127.0.0.1&sslmode=disable", Ok(Transport::Local)),
        ("a@127.0.0.1/n?host=db&sslmode=disable", Err(AddressError::NotEncrypted)),
        ("a@db/n?sslmode=none", Err(AddressError::Invalid("sslmode", "none".to_owned()))),
    ] {
        let url = format!("postgres://{rest}");
        assert_eq!(TeamAddress::parse(&url).map(|address| address.transport), expected, "{url}");
    }
}

const NOT_ESCAPED: &str =
    "the password in the address has a character that must be written as a percent sign and two digits";

#[test]
fn what_is_no_address_is_refused_and_no_password_is_repeated() {
    for (url, expected) in [
        ("mysql://a:secret@b/c", "the address does not begin with `postgres://`"),
        ("host=db user=a password=secret", "the address does not begin with `postgres://`"),
        ("postgres://a:secret/1@db/n", NOT_ESCAPED),
        ("postgres://a:12/secret@db/n", NOT_ESCAPED),
        ("postgres://a:12?secret=1@db/n", NOT_ESCAPED),
        ("postgres://a:secret", "the address has a port that cannot be read: `…`"),
        ("postgres://db/n", "the address has no user"),
        ("postgres://a@/n", "the address has no host"),
        ("postgres://a@db", "the address has no database"),
        ("postgres://a@db:x/n", "the address has a port that cannot be read: `…`"),
        ("postgres://a@db:0/n", "the address has a port that cannot be read: `…`"),
        ("postgres://a@one,two/n", "the address has a host that cannot be read: `one,two`"),
        ("postgres://a@[::1/n", "the address has a host that cannot be read: `[::1`"),
        ("postgres://a:%zz@db/n", "the address has a password that cannot be read: `…`"),
        ("postgres://a@db/n?options=-c", "the address has a parameter `options` that nudge does not know"),
        ("postgres://a%00@db/n", "the address has a user that cannot be read: `a%00`"),
    ] {
        let error = TeamAddress::parse(url).expect_err(url);
        assert_eq!(error.to_string(), expected, "{url}");
        assert!(!error.hint().is_empty());
        assert!(!error.to_string().contains("secret"), "{url}: {error}");
    }
}

#[test]
fn an_address_is_kept_without_its_password() {
    for (url, expected) in [
        ("postgresql://a:secret@db/n", "postgres://a@db/n"),
        ("postgres://a@db:6432/n?sslmode=require", "postgres://a@db:6432/n?sslmode=require"),
        ("postgres://a@[::1]:7000/n", "postgres://a@[::1]:7000/n"),
        ("postgres://a@%2Frun%2Fp%20g:5433/n", "postgres://a@/n?host=/run/p%20g&port=5433"),
        ("postgres:///n?user=a&host=db&password=x&sslrootcert=/c a", "postgres://a@db/n?sslrootcert=/c%20a"),
    ] {
        let kept = parsed(url).url();
        assert_eq!(kept, expected);
        let mut again = parsed(&kept);
        again.password = parsed(url).password;
        assert_eq!(again, parsed(url), "{url}");
    }
}
