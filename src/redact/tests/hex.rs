//! Hex keys and random texts without a name or a prefix.

use super::{ALPHANUMERIC, HEX, body, check, check_untouched, clean};
use crate::redact::{OwnPatterns, SecretKind, find};

const SHA: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

#[test]
fn bare_hex_keys_are_secrets() {
    for length in [32, 48, 64] {
        let key = body(HEX, length);
        assert_eq!(clean(&format!("use {key} for it")), "use [REDACTED:hex-key] for it", "{key}");
        assert_eq!(clean(&key), "[REDACTED:hex-key]", "{key}");
    }
}

#[test]
fn the_guard_follows_the_contract_to_the_letter() {
    let kinds = |text: &str| {
        find(text, &OwnPatterns::default()).into_iter().map(|found| found.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(SHA), [SecretKind::HexKey]);
    assert_eq!(kinds(&format!("git checkout {SHA}")), []);
    assert_eq!(kinds(&format!("rev={SHA} a@{SHA} b#{SHA}")), []);
    assert_eq!(kinds("0f8fad5bd9cb469fa16570867728950e"), [], "a UUID of version 4");
    assert_eq!(kinds("018f2b6c7d3e7a1b9c0d1e2f3a4b5c6d"), [], "a UUID of version 7");
    assert_eq!(kinds("sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"), []);
}

#[test]
fn hashes_are_not() {
    check_untouched(&[
        SHA,
        "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904\trefs/heads/main",
        "d41d8cd98f00b204e9800998ecf8427e  empty.txt",
        "checksum = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
        "alpine@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "ETag: \"d41d8cd98f00b204e9800998ecf8427e\"",
        "/cache/d41d8cd98f00b204e9800998ecf8427e/file.bin",
        "main-d41d8cd98f00b204e9800998ecf8427e.js",
        "actions/checkout@4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "550e8400-e29b-41d4-a716-446655440000",
        "00000000000000000000000000000000",
        "12345678901234567890123456789012",
    ]);
}

#[test]
fn a_random_text_is_a_secret_as_a_last_resort() {
    for length in [32, 40, 64, 86] {
        let key = body(ALPHANUMERIC, length);
        assert_eq!(clean(&format!("use {key} for it")), "use [REDACTED:random] for it");
    }
    check(&[("take aB3xY9kL2mN7pQ4rT6vW8zC1dF5gH0jK+/a=", "take [REDACTED:random]")]);
}

#[test]
fn long_names_are_not_random() {
    check_untouched(&[
        "/home/me/projects/Nudge2/src/components/AuthenticationProvider/index.test.tsx",
        "AbstractSingletonProxyFactoryBeanConfigurationException",
        "test_that_a_very_long_function_name_v2_is_not_taken_for_a_key_2",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "golang.org/x/net v0.1.0 h1:hZ/3BUoy5aId7sCpA/Tc5lt8DkFgdVS2onTpJsZ/fl0=",
        "SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDbSFsjtmLd1zDNLrY",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@host",
        "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
        "https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
        "ここはとても長い日本語の文章であり、鍵ではありませんのでそのまま残してください。",
        "достопримечательностидостопримечательностидостопримечательности",
    ]);
}
