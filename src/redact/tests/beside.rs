//! Keys beside the name of their service.

use super::{ALPHANUMERIC, HEX, body, check_untouched, clean};
use crate::redact::services::SERVICES;

/// What the name of a service and the word `key` announce, for every service that we know.
#[test]
fn a_key_beside_the_name_of_its_service_is_removed() {
    let lower = "abcdefghijklmnopqrstuvwxyz0123456789";
    let values = [
        body(HEX, 32),
        body(HEX, 40),
        body(lower, 20),
        body(lower, 40),
        body(ALPHANUMERIC, 24),
        "1b6fcaa9-2356-42b1-93f5-d12ded7a8224".to_owned(),
    ];
    let mut leaked = Vec::new();
    for service in SERVICES {
        for value in &values {
            for text in [
                format!("const {service}Key = '{value}';"),
                format!("{}_API_KEY={value}", service.to_uppercase()),
                format!("deploy --{service}-key={value}"),
                format!("{{\"{service}\": {{\"key\": \"{value}\"}}}}"),
                format!("{{\"input\":\"{{\\\"{service}\\\":{{\\\"key\\\":\\\"{value}\\\"}}}}\"}}"),
                format!("'{service}' => ['key' => '{value}']"),
                format!("{service}:\n  key: {value}\n"),
                format!("the {service} key: {value}"),
                format!("{service} api key is {value}"),
            ] {
                if clean(&text).contains(value.as_str()) {
                    leaked.push(text);
                }
            }
        }
    }
    assert_eq!(leaked, Vec::<String>::new(), "{} leak", leaked.len());
}

#[test]
fn a_key_directly_after_the_name_of_its_service_is_removed() {
    let value = "gervcu13fl1933tabc9aug25erzmcq00";
    for text in [
        format!("ipstack: {value}"),
        format!("new Geoapify('{value}')"),
        format!("MAILJET={value}"),
        format!("{{\"finnhub\":\"{value}\"}}"),
    ] {
        assert!(!clean(&text).contains(value), "{text}");
    }
}

#[test]
fn hashes_ids_and_names_beside_a_service_stay() {
    check_untouched(&[
        "datadog: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "sentry 1b6fcaa9-2356-42b1-93f5-d12ded7a8224 resolved",
        "const datadogKey = config.keys.datadog_production_1;",
        "stripeKey: process.env.STRIPE_KEY_2",
        "mailgun key: see docs/setup-2024-11.md",
        "the datadog key is in the vault under team-a-2024-production",
        "const cacheKey = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b';",
        "\"key\": \"1b6fcaa9-2356-42b1-93f5-d12ded7a8224\"",
        "primaryKey = 'a8sd7f6a8s7df68as7df'",
        "openweather: https://api.openweather.test/v2/abcdefghijklmnopqrstuvwxyz0123456789",
        "curl -u bob: https://x.test",
        "Pwd={password};",
    ]);
}

/// `acmeKey` needs no list of services; `cacheKey` and others are keys of another kind.
#[test]
fn a_name_that_ends_in_key_announces_a_key_unless_programs_use_it_for_others() {
    for value in ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "w71hq190jhidnj52bqweg53az5mifj3y"] {
        for name in ["acmeKey", "acme_key", "acme.key", "myAcmeKey"] {
            let text = format!("{name} = \"{value}\"");
            assert!(!clean(&text).contains(value), "{text}");
        }
        for name in ["cacheKey", "partition_key", "primaryKey", "s3.key", "objectKey", "monkey", "hotkey"] {
            check_untouched(&[&format!("{name} = \"{value}\"")]);
        }
    }
    check_untouched(&[
        "{\"issue\": {\"key\": \"1b6fcaa9-2356-42b1-93f5-d12ded7a8224\"}}",
        "{\"sprint\": {\"key\": \"1b6fcaa9-2356-42b1-93f5-d12ded7a8224\"}}",
        "BACKEND_API=https://api.example.test/v1",
        "const acmeKey = config.acmeKey2024production;",
        "acmeKey: makeTheKeyForTheCurrentUser",
    ]);
}

#[test]
fn a_key_in_place_of_the_user_is_removed() {
    let value = "53giaqozoqjb2bfbf6o1l5y9wnh2eg";
    for quote in ["", "'"] {
        let text = format!("curl -u {quote}{value}:{quote} https://x.test");
        assert_eq!(clean(&text), text.replace(value, "[REDACTED:password]"));
    }
}
