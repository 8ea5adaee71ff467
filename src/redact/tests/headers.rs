//! Credentials in HTTP, and in addresses.

use super::{ALPHANUMERIC, body, check, check_untouched, clean};

#[test]
fn credentials_of_requests() {
    check(&[
        ("Authorization: Bearer abcd", "Authorization: Bearer [REDACTED:authorization]"),
        (
            "curl -H 'Authorization: Bearer abc.def-1' x",
            "curl -H 'Authorization: Bearer [REDACTED:authorization]' x",
        ),
        (
            "curl -H \"authorization: token a1b2c3\" x",
            "curl -H \"authorization: token [REDACTED:authorization]\" x",
        ),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [REDACTED:basic-auth]"),
        ("use Basic dXNlcjpwYXNz here", "use Basic [REDACTED:basic-auth] here"),
        (
            "{\"Authorization\": \"Bearer a1b2c3d4\"}",
            "{\"Authorization\": \"Bearer [REDACTED:authorization]\"}",
        ),
        (
            "headers[\"Authorization\"] = f\"Bearer a1b2c3d4\"",
            "headers[\"Authorization\"] = f\"Bearer [REDACTED:authorization]\"",
        ),
        ("X-Api-Key: a1b2c3d4", "X-Api-Key: [REDACTED:api-key]"),
        ("-H 'PRIVATE-TOKEN: a1b2c3d4e5'", "-H 'PRIVATE-TOKEN: [REDACTED:token]'"),
        (
            "curl -H \"X-Auth-Token: abcd1234\" -H 'apikey: abcd1234' x",
            "curl -H \"X-Auth-Token: [REDACTED:token]\" -H 'apikey: [REDACTED:api-key]' x",
        ),
        ("https://x/c?sv=1&sig=abcd1234EFGH%2Babc%3D&se=2", "https://x/c?sv=1&sig=[REDACTED:azure-key]&se=2"),
        ("Cookie: session=a1b2c3d4; theme=dark", "Cookie: session=[REDACTED:cookie]"),
        ("Set-Cookie: sid=a1b2c3d4; Path=/; HttpOnly", "Set-Cookie: sid=[REDACTED:cookie]; Path=/; HttpOnly"),
        ("-H 'Cookie: sid=a1b2c3d4' x", "-H 'Cookie: sid=[REDACTED:cookie]' x"),
        (
            "{\"auths\":{\"r\":{\"auth\":\"dXNlcjpwYXNz\"}}}",
            "{\"auths\":{\"r\":{\"auth\":\"[REDACTED:basic-auth]\"}}}",
        ),
        (
            "Authorization: AWS4-HMAC-SHA256 Credential=a/b, Signature=c",
            "Authorization: AWS4-HMAC-SHA256 [REDACTED:authorization]",
        ),
    ]);
    let value = body(ALPHANUMERIC, 30);
    assert_eq!(clean(&format!("got bearer {value}.")), "got bearer [REDACTED:authorization]");
}

#[test]
fn passwords_of_addresses() {
    check(&[
        ("postgres://me:hunter2@db:5432/x", "postgres://me:[REDACTED:url-password]@db:5432/x"),
        ("psql 'postgres://me:p%40ss@db/x'", "psql 'postgres://me:[REDACTED:url-password]@db/x'"),
        ("redis://:hunter2@host:6379/0", "redis://:[REDACTED:url-password]@host:6379/0"),
        ("mongodb+srv://me:p@ss@cluster/x", "mongodb+srv://me:[REDACTED:url-password]@cluster/x"),
        ("https://me:pa/ss1@host/x", "https://me:[REDACTED:url-password]@host/x"),
        (
            "a https://u:p@h/ b https://v:q@i/",
            "a https://u:[REDACTED:url-password]@h/ b https://v:[REDACTED:url-password]@i/",
        ),
        ("me:hunter2@tcp(db:3306)/x", "me:[REDACTED:url-password]@tcp(db:3306)/x"),
    ]);
    check_untouched(&[
        "https://github.com/a/b@v1.2",
        "git clone ssh://git@github.com/a/b.git",
        "http://localhost:3000/@vite/client",
        "http://127.0.0.1:8080/x?mail=a@b.c",
        "https://cdn.x.io/npm/pkg@1.2.3/file.js:12:3",
        "postgres://$USER:$PASS@db/x",
        "postgres://{user}:{password}@{host}/x",
        "postgres://user:<password>@host/x",
        "postgres://user:***@host/x",
        "mailto://a@b.c file:///home/me/x@y",
    ]);
}

#[test]
fn words_about_requests() {
    check_untouched(&[
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer ${{ secrets.X }}",
        "Authorization: Bearer <token>",
        "Authorization: Bearer {token}",
        "the Authorization header is missing",
        "authorization: required",
        "Basic usage of the bearer token scheme",
        "basic authentication, Bearer authentication",
        "WWW-Authenticate: Bearer realm=\"example\"",
        "token_type: bearer",
        "req.headers.authorization = `Bearer ${token}`",
        "cookie: a small file",
        "cookies = parse_cookies(header)",
        "Basic Authentication",
        "basic configuration",
    ]);
}
