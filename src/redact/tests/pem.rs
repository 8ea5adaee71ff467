//! Private keys, whole and in pieces.

use super::{ALPHANUMERIC, body, clean};

fn lines(count: usize) -> String {
    (0..count).map(|index| body(ALPHANUMERIC, 64 - index % 2) + "\n").collect()
}

fn key(label: &str) -> String {
    format!("-----BEGIN {label}-----\n{}-----END {label}-----", lines(5))
}

#[test]
fn a_key_is_removed_with_its_body() {
    for label in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "EC PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        assert_eq!(clean(&format!("a\n{}\nb", key(label))), "a\n[REDACTED:private-key]\nb");
    }
}

#[test]
fn a_key_in_json_or_an_environment_file_is_removed_too() {
    let escaped = key("PRIVATE KEY").replace('\n', "\\n");
    assert_eq!(
        clean(&format!("{{\"private_key\": \"{escaped}\\n\", \"x\": 1}}")),
        "{\"private_key\": \"[REDACTED:private-key]\\n\", \"x\": 1}"
    );
    assert_eq!(clean(&format!("KEY=\"{escaped}\"")), "KEY=\"[REDACTED:private-key]\"");
    let twice = key("PRIVATE KEY").replace('\n', "\\\\n");
    assert_eq!(clean(&format!("x {twice} y")), "x [REDACTED:private-key] y");
    let indented = key("RSA PRIVATE KEY").replace('\n', "\n    ");
    assert_eq!(clean(&format!("key: |\n    {indented}\nx: 1")), "key: |\n    [REDACTED:private-key]\nx: 1");
}

#[test]
fn a_cut_key_is_removed_to_its_end() {
    let whole = format!(
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n{}",
        lines(3)
    );
    assert_eq!(clean(&format!("{whole}\nand then words")), "[REDACTED:private-key]\n\nand then words");
    assert_eq!(clean(&whole[..whole.len() - 40]), "[REDACTED:private-key]");
    let escaped = format!("-----BEGIN PRIVATE KEY-----\n{}", lines(2)).replace('\n', "\\n");
    assert_eq!(clean(&format!("{escaped}... cut")), "[REDACTED:private-key]\\n... cut");
    assert_eq!(
        clean(&format!("…\n{}-----END PRIVATE KEY-----\nx", lines(3))),
        "…\n[REDACTED:private-key]\n-----END PRIVATE KEY-----\nx"
    );
    assert_eq!(
        clean(&format!("{}-----END PRIVATE KEY-----", lines(3)).replace('\n', "\\n")),
        "[REDACTED:private-key]\\n-----END PRIVATE KEY-----"
    );
}

#[test]
fn putty_keys_are_removed_too() {
    let text = format!("Private-Lines: 2\n{}Private-MAC: 0a", lines(2));
    assert_eq!(clean(&text), "Private-Lines: 2[REDACTED:private-key]\nPrivate-MAC: 0a");
}

#[test]
fn what_is_public_stays() {
    for label in ["CERTIFICATE", "PUBLIC KEY", "CERTIFICATE REQUEST"] {
        assert_eq!(clean(&key(label)), key(label));
    }
    let code =
        "if (pem.includes('-----BEGIN PRIVATE KEY-----') && pem.includes('-----END PRIVATE KEY-----')) {}";
    assert_eq!(clean(code), code);
    let prose = "files that begin with -----BEGIN PRIVATE KEY----- are never read";
    assert_eq!(clean(prose), prose);
}
