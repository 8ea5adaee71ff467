//! What the guard allows: passwords that everybody knows, and hashes where they are expected.

use super::{OwnPatterns, find};

fn is_refused(text: &str) -> bool {
    !find(text, &OwnPatterns::default()).is_empty()
}

#[test]
fn well_known_dummies_are_not_secrets() {
    for text in [
        "POSTGRES_PASSWORD=postgres",
        "postgres://postgres:postgres@localhost:5432/app",
        "postgres://user:password@host:5432/db",
        "mysql -uroot -proot",
        "amqp://guest:guest@localhost",
        "JWT_SECRET=changeme",
        "DATABASE_URL=postgresql://app:app@127.0.0.1:5432/app",
        "MINIO_ROOT_PASSWORD=minioadmin",
        "DB_PASSWORD=dev_password",
    ] {
        assert!(!is_refused(text), "{text}");
    }
}

#[test]
fn a_dummy_on_another_machine_is_a_secret() {
    for text in [
        "postgres://postgres:postgres@db.prod.test/app",
        "POSTGRES_PASSWORD=Xk29fjQw",
        "mysql -uroot -pXk29fjQw",
        "postgres://app:Xk29fjQw@localhost/app",
    ] {
        assert!(is_refused(text), "{text}");
    }
}

#[test]
fn documented_example_keys_count() {
    let key = ["AKIA", "IOSFODNN7", "EXAMPLE"].concat();
    let secret = ["wJalrXUtnFEMI/K7MDENG", "/bPxRfiCY", "EXAMPLEKEY"].concat();
    assert!(is_refused(&key));
    assert!(is_refused(&format!("aws_secret_access_key = {secret}")));
    assert_eq!(super::clean(&format!("use {key} here")), "use [REDACTED:aws-key] here");
}

#[test]
fn hashes_in_expected_places_are_not_keys() {
    let commit = super::body(super::HEX, 40);
    let container = super::body(super::HEX, 64);
    for text in [
        format!("cargo add x --git https://x.test/y --rev {commit}"),
        format!("ref: {commit}"),
        format!("git checkout {commit}"),
        format!("https://github.com/a/b/tree/{commit}"),
        format!("https://github.com/a/b/commit/{commit}"),
        format!("docker logs {container}"),
        format!("/nix/store/{}-foo-1.2", &commit[..32]),
    ] {
        assert!(!is_refused(&text), "{text}");
    }
    assert!(is_refused(&format!("deploy with {}", &container[..32])));
}
