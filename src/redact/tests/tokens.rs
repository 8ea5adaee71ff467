//! Tokens whose form shows their vendor, in all kinds of text.

use super::{ALPHANUMERIC, CAPITALS, HEX, body, check, check_untouched, clean};

/// One token of every vendor, built here so that no scanner mistakes this file for a leak.
pub(super) fn samples() -> Vec<(&'static str, String)> {
    let url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    let alnum = |prefix: &str, length| format!("{prefix}{}", body(ALPHANUMERIC, length));
    let hex = |prefix: &str, length| format!("{prefix}{}", body(HEX, length));
    vec![
        ("aws-key", format!("AKIA{}", body(CAPITALS, 16))),
        ("aws-key", format!("ASIA{}", body(CAPITALS, 16))),
        ("github-token", alnum("ghp_", 36)),
        ("github-token", alnum("gho_", 36)),
        ("github-token", alnum("ghu_", 36)),
        ("github-token", alnum("ghs_", 36)),
        ("github-token", alnum("ghr_", 76)),
        ("github-token", format!("github_pat_{}_{}", body(ALPHANUMERIC, 22), body(ALPHANUMERIC, 59))),
        ("gitlab-token", alnum("glpat-", 20)),
        ("slack-token", format!("xoxb-123456789012-1234567890123-{}", body(ALPHANUMERIC, 24))),
        ("slack-token", format!("xoxp-1234567890-1234567890-{}", body(HEX, 32))),
        ("google-key", format!("AIza{}", body(url, 35))),
        ("google-key", format!("ya29.{}", body(url, 60))),
        ("stripe-key", alnum("sk_live_", 24)),
        ("stripe-key", alnum("rk_live_", 24)),
        ("stripe-key", alnum("sk_test_", 24)),
        ("openai-key", alnum("sk-", 48)),
        ("openai-key", alnum("sk-proj-", 120)),
        ("anthropic-key", format!("sk-ant-api03-{}", alnum("", 93))),
        ("npm-token", alnum("npm_", 36)),
        ("pypi-token", format!("pypi-AgEIcHlwaS5vcmc{}", body(url, 150))),
        ("sendgrid-key", format!("SG.{}.{}", body(url, 22), body(url, 43))),
        ("twilio-key", hex("SK", 32)),
        ("twilio-key", hex("AC", 32)),
        ("huggingface-token", alnum("hf_", 34)),
        ("digitalocean-token", hex("dop_v1_", 64)),
        ("databricks-token", hex("dapi", 32)),
        ("age-key", format!("AGE-SECRET-KEY-1{}", body(CAPITALS, 58))),
        ("vault-token", format!("hvs.{}", body(url, 90))),
        ("telegram-token", format!("123456789:AA{}", body(url, 33))),
        ("discord-token", format!("MTE4NzY1NDMyMTA5ODc2NTQz.GaBcDe.{}", body(url, 38))),
        // As issued until 2022.
        ("discord-token", format!("MTE4NzY1NDMyMTA5ODc2NTQz.GaBcDe.{}", body(url, 27))),
        ("shopify-token", hex("shpat_", 32)),
        ("docker-token", alnum("dckr_pat_", 27)),
        ("jwt", jwt()),
    ]
}

pub(super) fn jwt() -> String {
    format!("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{}", body(ALPHANUMERIC, 43))
}

#[test]
fn a_token_is_removed_wherever_it_is() {
    let surroundings = [
        "{}",
        "echo {} | gh auth login",
        "{} first",
        "last {}",
        "(see {}).",
        "{\"key\": \"{}\", \"n\": 1}",
        "https://api.test/v1?x={}&y=2",
        "/tmp/{}/file",
        "one {} two {} three",
        "line\n{}\nline",
        "a\\n{}\\nb",
        "日本語{}日本語",
        "ключ «{}».",
        "curl -H 'X-Thing: {}' url",
        "x=%3D{}",
        "<b>{}</b>",
        "`{}`",
    ];
    for (name, token) in samples() {
        for surrounding in surroundings {
            let text = surrounding.replace("{}", &token);
            let expected = surrounding.replace("{}", &format!("[REDACTED:{name}]"));
            assert_eq!(clean(&text), expected, "{text}");
        }
    }
}

#[test]
fn a_vendor_names_the_value_of_a_name() {
    let token = format!("ghp_{}", body(ALPHANUMERIC, 36));
    for (text, expected) in [
        ("GITHUB_TOKEN={}", "GITHUB_TOKEN=[REDACTED:github-token]"),
        ("Authorization: Bearer {}", "Authorization: Bearer [REDACTED:github-token]"),
        (
            "https://x-access-token:{}@github.com/a/b",
            "https://x-access-token:[REDACTED:github-token]@github.com/a/b",
        ),
        ("https://{}@github.com/a/b.git", "https://[REDACTED:github-token]@github.com/a/b.git"),
        ("\"token\": \"{}\"", "\"token\": \"[REDACTED:github-token]\""),
    ] {
        assert_eq!(clean(&text.replace("{}", &token)), expected);
    }
}

#[test]
fn a_cut_token_is_still_a_token() {
    for (prefix, length, name) in [
        ("ghp_", 22, "github-token"),
        ("sk-ant-api03-", 30, "anthropic-key"),
        ("npm_", 30, "npm-token"),
        ("glpat-", 17, "gitlab-token"),
    ] {
        let text = format!("{prefix}{}", body(ALPHANUMERIC, length));
        assert_eq!(clean(&text), format!("[REDACTED:{name}]"), "{text}");
    }
    assert_eq!(clean(&jwt()[..60]), "[REDACTED:jwt]");
}

#[test]
fn addresses_that_let_anyone_post_lose_their_path() {
    let path = format!("T0{}/B0{}/{}", body(CAPITALS, 9), body(CAPITALS, 9), body(ALPHANUMERIC, 24));
    assert_eq!(
        clean(&format!("curl https://hooks.slack.com/services/{path} -d x")),
        "curl https://hooks.slack.com/services/[REDACTED:slack-webhook] -d x"
    );
    let path = format!("1187654321098765432/{}", body(ALPHANUMERIC, 68));
    assert_eq!(
        clean(&format!("https://discord.com/api/webhooks/{path}")),
        "https://discord.com/api/webhooks/1187654321098765432/[REDACTED:discord-token]"
    );
}

#[test]
fn beginnings_alone_are_words() {
    check_untouched(&[
        "grep -rn 'ghp_' .",
        "match on AKIA or ASIA prefixes",
        "sk-learn-estimators-are-fine-12",
        "class=\"sk-estimator-doc-link sk-container-id-12\"",
        "task-1234567890123456 disk-usage-of-the-machine",
        "npm_config_registry npm_lifecycle_event npm_package_version_1",
        "pypi-server hf_hub_download(repo_id) glpat-style",
        "github_pattern_of_20_words ghost_town ghs_",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx1",
        "AIzaSyYOUR_API_KEY_GOES_HERE_PLEASE_0000",
        "eyJ.eyJ.eyJ com.eyJhbGciOi.example",
        "www.example.com org.apache.commons app.module.ts",
    ]);
}

#[test]
fn a_header_must_decode() {
    // Three parts that are base64, but the first does not contain a header.
    let text = "eyJmb28iOiJiYXIifQ.eyJmb28iOiJiYXIifQ.c2lnbmF0dXJl";
    check(&[(text, text)]);
}

#[test]
fn what_scanners_publish_is_recognised_by_its_parts() {
    for (text, rest) in [
        ("root:$1$SBxxCiAK$JmyfUMvikm0GycTxrFs3cH:1:0", "root:[REDACTED:password]:1:0"),
        ("y8tnk0.k6x7x8n9ryeob9ye\n", "[REDACTED:token]\n"),
        ("kubeadm token create y8tnk0.k6x7x8n9ryeob9ye", "kubeadm token create [REDACTED:password]"),
        ("re_aB3dE5gH_9kLmN2pQrS4tUvW6xYzA1bC8 is sent", "[REDACTED:cloud-token] is sent"),
        ("sk-pyx-2gvGtWLgUbYcBKgYtjSXNKZyCiUoiBvcXRyxwQxrBEDGWl", "[REDACTED:openai-key]"),
        ("xoxd-aB3dE5gH9k%2FLmN2pQrS4tUvW6xYzA1bC8%3D;", "[REDACTED:slack-token];"),
    ] {
        assert_eq!(clean(text), rest);
    }
}

#[test]
fn names_that_begin_like_a_token_stay() {
    for text in [
        "let ptr_to_the_first_element_of_16_bytes = 1;",
        "key_of_the_32_bit_registers, web_server_configuration_1, test_that_a_2nd_run_is_quiet",
        "tss_segment_selector_64 and prf_output_length_in_bytes_32",
        "replace(\"$1$2\", \"$5$6\") and db-migration-2024-11-16 and as-is",
        "main.5f2a9c1b7d3e4f60718293a4b5c6d7e8.a1b2c3d4e5f60718.js",
        "bundle.0123456789abcdef and y8tnk0.k6x7x8n9ryeob9ye in a line",
        "api_version.2 hawk.eu-west-1.example.com 1000.50 0.Alpha",
    ] {
        assert_eq!(clean(text), text);
    }
}
