//! Properties of any text.

use proptest::prelude::*;

use super::clean;
use crate::redact::{OwnPatterns, find, without_private};

/// A secret of any kind, with the part that must be gone, as patterns of what to generate.
fn secret() -> impl Strategy<Value = (String, String)> {
    let token = |prefix: &'static str, body: &str| {
        let strategy = proptest::string::string_regex(body).unwrap();
        strategy.prop_map(move |body| (format!("{prefix}{body}"), body)).boxed()
    };
    let named = |before: &'static str, body: &str, after: &'static str| {
        let strategy = proptest::string::string_regex(body).unwrap();
        strategy.prop_map(move |body| (format!("{before}{body}{after}"), body)).boxed()
    };
    proptest::strategy::Union::new([
        token("AKIA", "[A-Z2-7]{16}"),
        token("ghp_", "[A-Za-z]{17}[0-9][A-Za-z0-9]{18}"),
        token("github_pat_", "[A-Za-z0-9]{10}[0-9][A-Za-z0-9]{11}_[A-Za-z0-9]{59}"),
        token("glpat-", "[A-Za-z0-9]{10}[0-9][A-Za-z0-9]{9}"),
        token("xoxb-", "[0-9]{12}-[0-9]{12}-[A-Za-z0-9]{24}"),
        token("AIza", "[A-Za-z0-9_-]{20}[0-9][A-Za-z0-9_-]{13}[a-z]"),
        token("sk_live_", "[A-Za-z0-9]{12}[0-9][A-Za-z0-9]{11}"),
        token("sk-", "[A-Za-z0-9]{24}[0-9][A-Za-z0-9]{23}"),
        token("sk-ant-api03-", "[A-Za-z0-9]{24}[0-9][A-Za-z0-9]{60}-[A-Za-z0-9]{8}"),
        token("npm_", "[A-Za-z0-9]{18}[0-9][A-Za-z0-9]{17}"),
        token("pypi-AgEIcHlwaS5vcmc", "[A-Za-z0-9_-]{70}[0-9][a-z]{9}"),
        token("SG.", "[A-Za-z0-9]{22}\\.[A-Za-z0-9]{43}"),
        token("SK", "[0-9][a-f0-9]{30}[a-f]"),
        token("hf_", "[A-Za-z0-9]{17}[0-9][A-Za-z0-9]{16}"),
        token("dop_v1_", "[0-9][a-f0-9]{62}[a-f]"),
        token("dapi", "[0-9][a-f0-9]{30}[a-f]"),
        token("hvs.", "[A-Za-z0-9]{45}[0-9][A-Za-z0-9]{44}"),
        token("12345678:AA", "[A-Za-z0-9_-]{32}[a-z]"),
        token("eyJhbGciOiJIUzI1NiJ9.", "[A-Za-z0-9_-]{40}\\.[A-Za-z0-9_-]{42}[a-z]"),
        token("-----BEGIN PRIVATE KEY-----\n", "[A-Za-z0-9+/]{64}\n[A-Za-z0-9+/]{64}\n"),
        named("Authorization: Bearer ", "[A-Za-z0-9]{6}[0-9][A-Za-z0-9]{6}", "'"),
        named("postgres://me:", "[A-Za-z0-9!^]{8,20}[0-9]", "@db/x"),
        named("PASSWORD=", "[A-Za-z0-9!^]{8,20}[0-9]", " "),
        named("\"password\": \"", "[A-Za-z0-9!^ ]{8,20}[0-9]", "\","),
        named("\"apiKey\":\"", "[0-9][A-Za-z0-9]{8,20}", "\","),
        named("--password ", "[A-Za-z0-9]{8,20}[0-9]", " "),
        named("mysql -p", "[A-Za-z0-9]{8,20}[0-9]", " db"),
        named("curl -u me:", "[A-Za-z0-9]{8,20}[0-9]", " x"),
        named("AWS_SECRET_ACCESS_KEY=", "[A-Za-z0-9/+]{39}[0-9]", "\n"),
        named("AccountKey=", "[A-Za-z0-9/+]{85}[0-9]", "=="),
    ])
}

/// Ordinary texts, and arbitrary ones.
fn surroundings() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z /.:=\"'-]{0,40}[ \n\"'=(]",
        "\\PC{0,40}[ \n]",
        Just("\u{65e5}\u{672c}\u{8a9e}\u{ff1a}".to_owned()),
        Just("git commit -m x && export ".to_owned()),
        Just(String::new()),
    ]
}

/// Texts made of the pieces that detectors look for.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        proptest::sample::select(vec![
            "password",
            "token",
            "secret",
            "api_key",
            "=",
            ":",
            ": ",
            " ",
            "\"",
            "'",
            "\\\"",
            "\\n",
            "\n",
            "://",
            "@",
            "a1b2c3d4",
            "hunter2",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "Bearer ",
            "Basic ",
            "Authorization: ",
            "[REDACTED:token]",
            "[REDACTED:",
            "]",
            "git ",
            "commit ",
            "curl -u ",
            "mysql -p",
            "--",
            "login me ",
            "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            "9f86d081884c7d659a2feaa0c55ad015",
            "aB3xY9kL2mN7pQ4rT6vW8zC1dF5gH0jKaQ1",
            "ghp_aB3xY9kL2mN7pQ4rT6vW8zC1dF5gH0jKaQ1x",
            "eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.abc",
            "$",
            "{",
            "}",
            "<",
            ">",
            "\u{fc}",
            "\u{65e5}",
            "cookie: a=",
            ",",
            ";",
            "&",
            "/",
            "AKIA234567ABCDEFGHIJ",
            "pwd",
            "is ",
            "_KEY",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z0-9]{1,8}",
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_planted_secret_is_gone((secret, body) in secret(), before in surroundings(), after in surroundings()) {
        // The text before may open a quote or a placeholder; a line end keeps it apart.
        for text in [format!("{before}\n{secret} {after}"), format!("x {secret}\n{after}"), secret.clone(), format!("({secret}")] {
            let cleaned = clean(&text);
            prop_assert!(!cleaned.contains(body.trim()), "{text:?}\n{cleaned:?}");
        }
    }

    #[test]
    fn a_second_time_changes_nothing(text in pieces()) {
        let once = clean(&text);
        prop_assert_eq!(clean(&once), once);
    }

    #[test]
    fn any_text_a_second_time_changes_nothing(text in "\\PC{0,80}") {
        let once = clean(&text);
        prop_assert_eq!(clean(&once), once);
    }

    #[test]
    fn findings_are_in_order_and_on_characters(text in pieces()) {
        let mut last = 0;
        for found in find(&text, &OwnPatterns::default()) {
            prop_assert!(last <= found.span.start && found.span.start < found.span.end);
            prop_assert!(text.get(found.span.clone()).is_some());
            last = found.span.end;
        }
    }

    #[test]
    fn no_text_breaks_anything(text in any::<String>()) {
        clean(&text);
        without_private(&text);
    }
}
