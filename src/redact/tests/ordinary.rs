//! A corpus of ordinary lines: none of them contains a secret, so none of them may change.

use super::clean;

const ORDINARY: &str = include_str!("../ordinary.txt");

#[test]
fn ordinary_lines_stay_as_they_are() {
    let lines: Vec<_> = ORDINARY.lines().collect();
    let changed: Vec<_> = lines
        .iter()
        .filter(|line| clean(line) != **line)
        .map(|line| format!("{line}\n  {}", clean(line)))
        .collect();
    assert!(lines.len() >= 600, "{} lines", lines.len());
    assert!(
        changed.len() * 100 < lines.len(),
        "{} of {} changed:\n{}",
        changed.len(),
        lines.len(),
        changed.join("\n")
    );
    // Currently none does; a change that breaks one must say so here.
    assert_eq!(changed, Vec::<String>::new());
}

#[test]
fn ordinary_lines_stay_as_they_are_together() {
    let found = super::find(ORDINARY, &super::OwnPatterns::default());
    let words: Vec<_> = found
        .iter()
        .filter(|found| found.kind != crate::redact::SecretKind::HexKey)
        .map(|found| &ORDINARY[found.span.clone()])
        .collect();
    assert_eq!(words, Vec::<&str>::new());
    assert_eq!(clean(ORDINARY), ORDINARY);
}

/// Nudge's own sources, manuals and lock file: the kind of text that agents read and print all day.
const OWN_TEXTS: &[&str] = &[
    include_str!("../../../Cargo.lock"),
    include_str!("../../../docs/reference/cli.md"),
    include_str!("../../../docs/guide/memory.md"),
    include_str!("../../../docs/guide/nexus.md"),
    include_str!("../../../docs/guide/rules.md"),
    include_str!("../../../src/rules/read.rs"),
    include_str!("../../../src/rules/schema.rs"),
    include_str!("../../../src/rules/yaml.rs"),
    include_str!("../../../src/cli/setup.rs"),
];

#[test]
fn six_thousand_ordinary_lines_stay_as_they_are() {
    let lines: Vec<&str> = OWN_TEXTS.iter().copied().chain([ORDINARY]).flat_map(str::lines).collect();
    let changed: Vec<_> = lines.iter().filter(|line| clean(line) != **line).collect();
    assert!(lines.len() >= 6_000, "{} lines", lines.len());
    assert_eq!(changed, Vec::<&&str>::new());
    for text in OWN_TEXTS {
        assert_eq!(clean(text), *text);
    }
}

#[test]
fn grammars_error_codes_and_headers_that_say_yes_stay() {
    for text in [
        "/// token = 1*tchar",
        "b\"HTTP/1.1 200 OK\\r\\nAccess-Control-Allow-Credentials: hell0o1x\\r\\n\"",
        "pub const STATUS_WRONG_PASSWORD: crate::redact::Foundation::NTSTATUS = 0xC000006A_u32 as _;",
        "/// Day of the month (FW=PW=2).",
    ] {
        assert_eq!(clean(text), text);
    }
}

/// What redaction took away from recorded sessions and from public sources, and should not have.
#[test]
fn what_sessions_of_others_contain_stays() {
    super::check_untouched(&[
        r#""jason": {:hex, :jason, "1.4.4", "b9226785a9aa77b6857ca22832cffa5d5011a667207eb2a0ad56adb5db443b8a", [:mix], [], "hexpm", "c5eb0cab91f094599f94d55bc63409236a8ec69a21a67814529e8d5f6cc90b3b"},"#,
        "function seal(\n  userPrivateKey: Uint8Array\n): Promise<void>",
        "generateKeypair(): { publicKey: Uint8Array; privateKey: Uint8Array } {",
        "  return {\n    privateKey: ed25519Seed,\n    publicKey: key,\n  }",
        "- All tests pass: `mise run test:ci`",
        "Verify tests pass: `pnpm --filter @app/api test -- --testPathPattern=email-otp`",
        "Messages routinely embed `password=`, `host=`, and `user=`.",
        "srvtoolu_014mMpV5Bt48gi3wNAo5NesH",
        "name_pat = r'([a-z]+)_(\\d{3})'",
        "file_pat = \"report_2024_*.csv\"",
    ]);
}
