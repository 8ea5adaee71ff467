//! Values that look like names in code, after names that leave no doubt.

use super::{check, check_untouched};

#[test]
fn random_letters_after_the_name_of_a_secret_are_removed() {
    check(&[
        (
            "{\"user\":\"bob\",\"password\":\"ZLtYbpUNCvwm\"}",
            "{\"user\":\"bob\",\"password\":\"[REDACTED:password]\"}",
        ),
        ("{\"db\":{\"password\":\"AKTwnDucTqxUIaqk\"}}", "{\"db\":{\"password\":\"[REDACTED:password]\"}}"),
        ("\"client_secret\": \"KdTrWqLmZxPv\"", "\"client_secret\": \"[REDACTED:secret]\""),
        ("token: VpKKzZkEStzQjske", "token: [REDACTED:token]"),
        ("deploy --secret CKqwSfQEQmPLwsxi", "deploy --secret [REDACTED:secret]"),
        ("curl -H \"X-Gitlab-Token: TLpOpQbKT8\" h", "curl -H \"X-Gitlab-Token: [REDACTED:token]\" h"),
        ("error: Password: gNLCSi6RDS", "error: Password: [REDACTED:password]"),
        (
            "mount -t cifs //h/s /m -o username=bob,password=pQP3JTkLoa",
            "mount -t cifs //h/s /m -o username=bob,password=[REDACTED:password]",
        ),
        ("&{User:bob Password:gNLCSi6RDS Host:h}", "&{User:bob Password:[REDACTED:password] Host:h}"),
        (
            "System.setProperty(\"db.password\", \"TLpOpQbKT8\");",
            "System.setProperty(\"db.password\", \"[REDACTED:password]\");",
        ),
        (
            "Login failed: user=bob pass=ZLtYbpUNCvwm ip=1",
            "Login failed: user=bob pass=[REDACTED:password] ip=1",
        ),
    ]);
}

#[test]
fn a_message_or_an_argument_begins_with_its_key() {
    check(&[
        ("error: Passphrase: mapleocumc7", "error: Passphrase: [REDACTED:password]"),
        ("text=dbPwd: mapleurnrk7", "text=dbPwd: [REDACTED:password]"),
    ]);
}

#[test]
fn words_and_names_in_code_stay() {
    check_untouched(&[
        "password: hashPassword",
        "password: SecretBytes",
        "  token: CancellationToken,",
        "token: JwtRequest",
        "token = parser.next_token()",
        "secret: SecretKeySelector",
        "apiKey: process.env.KEY",
        "password=$DB_PASSWORD",
        "password: \"Password\"",
        "\"token\": \"string\"",
        "Password: required",
        "\"token\": \"identifier\"",
        "access_token: LazyLock<String>,",
        "our secret knowledge of the format",
        "the next token adjacency",
        "pub const SCTP_AUTH_KEY: c_int = 0x00000013;",
        "\"NextToken\": \"abcdefgh\"",
        "token: 'myregistrytoken'",
        "error: token: UnexpectedEof",
    ]);
}

#[test]
fn an_ampersand_in_quotes_is_a_part_of_the_value() {
    check(&[
        (
            "docker run --env 'POSTGRES_PASSWORD=s3cUr&raDew4!' pg",
            "docker run --env 'POSTGRES_PASSWORD=[REDACTED:password]' pg",
        ),
        ("sh -c 'PASSWORD=abc1&2def&3gh run'", "sh -c 'PASSWORD=[REDACTED:password]&2def&3gh run'"),
        ("env 'PASSWORD=abc1&2def&3gh' run", "env 'PASSWORD=[REDACTED:password]' run"),
        ("c=\"Server=a;Password=Kx9&5tQoIh!;\"", "c=\"Server=a;Password=[REDACTED:password];\""),
        (
            "Header.Set(\"Authorization\", \"Bearer Wint3r&qUThDz!\")",
            "Header.Set(\"Authorization\", \"Bearer [REDACTED:authorization]\")",
        ),
        ("curl 'https://h/?token=abc123def&verbose'", "curl 'https://h/?token=[REDACTED:token]&verbose'"),
        ("curl -d 'password=abc123def&user=bob' h", "curl -d 'password=[REDACTED:password]&user=bob' h"),
        ("<a href=\"x?password=abc123&amp;u=b\">", "<a href=\"x?password=[REDACTED:password]&amp;u=b\">"),
    ]);
}

#[test]
fn a_dot_at_the_end_of_a_sentence_hides_nothing() {
    let key = super::body(super::ALPHANUMERIC, 40);
    check(&[
        (&format!("Incorrect API key provided: {key}."), "Incorrect API key provided: [REDACTED:token]"),
        (&format!("see {key}.json"), &format!("see {key}.json")),
    ]);
}
