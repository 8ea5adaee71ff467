//! A whole environment, in the notation of the program that printed it.

use super::{check_untouched, clean};

/// Variables with a secret, most of them weak: nothing but their name says so.
const SECRETS: &[(&str, &str)] = &[
    ("DB_PASSWORD", "tr0ub4dor-hunter7"),
    ("SESSION_SECRET", "correct-horse-battery"),
    ("API_KEY", "9f8e7d6c5b4a39281706"),
    ("MYSQL_PWD", "s3cr3tpw!"),
    ("PGPASSWORD", "oak-Tree-42"),
    ("AUTH_TOKEN", "Zm9vYmFyYmF6cXV4MTIz"),
    ("JWT_SECRET", "mysupersecretjwt1"),
    ("ADMIN_PASS", "letmein99x"),
    ("ENCRYPTION_KEY", "b64k3yQ2hhbmdlTWU5"),
];
const PLAIN: &[(&str, &str)] = &[
    ("PATH", "/usr/local/bin:/usr/bin"),
    ("HOME", "/home/me"),
    ("LANG", "en_US.UTF-8"),
    ("NODE_ENV", "production"),
    ("PORT", "3000"),
    ("TOKENIZERS_PARALLELISM", "false"),
    ("SSH_ASKPASS", "/usr/bin/ksshaskpass"),
    ("KEYTIMEOUT", "1"),
];

/// How a program prints its environment: what comes before, one variable, what is between two, and what comes after.
const NOTATIONS: &[(&str, [&str; 4])] = &[
    ("env", ["", "NAME=VALUE", "\n", ""]),
    ("export", ["", "export NAME=\"VALUE\"", "\n", ""]),
    ("declare", ["", "declare -x NAME=\"VALUE\"", "\n", ""]),
    ("trace", ["", "+ NAME=VALUE", "\n", ""]),
    ("fish", ["", "set -gx NAME 'VALUE'", "\n", ""]),
    ("csh", ["", "setenv NAME VALUE", "\n", ""]),
    ("node", ["{\n", "  NAME: 'VALUE'", ",\n", "\n}"]),
    ("node entries", ["[\n", "  [ 'NAME', 'VALUE' ]", ",\n", "\n]"]),
    ("node table", ["", "│ NAME │ 'VALUE' │", "\n", ""]),
    ("python", ["environ({", "'NAME': 'VALUE'", ", ", "})"]),
    ("python pprint", ["environ({", "'NAME': 'VALUE'", ",\n         ", "})"]),
    ("python bytes", ["environ({", "b'NAME': b'VALUE'", ", ", "})"]),
    ("python items", ["[", "('NAME', 'VALUE')", ", ", "]"]),
    ("json", ["{\n", "  \"NAME\": \"VALUE\"", ",\n", "\n}"]),
    ("json line", ["{", "\"NAME\":\"VALUE\"", ",", "}"]),
    ("json in json", ["\"{", "\\\"NAME\\\": \\\"VALUE\\\"", ", ", "}\""]),
    ("yaml", ["", "NAME: VALUE", "\n", ""]),
    ("yaml quoted", ["env:\n", "  NAME: 'VALUE'", "\n", ""]),
    ("yaml list", ["environment:\n", "  - NAME=VALUE", "\n", ""]),
    (
        "powershell",
        ["Name                 Value\n----                 -----\n", "NAME       VALUE", "\n", ""],
    ),
    ("powershell set", ["", "$env:NAME = 'VALUE'", "\n", ""]),
    ("cmd", ["", "NAME=VALUE", "\r\n", ""]),
    ("docker inspect", ["\"Env\": [\n", "    \"NAME=VALUE\"", ",\n", "\n]"]),
    ("docker inspect line", ["[", "\"NAME=VALUE\"", ",", "]"]),
    ("docker format", ["[", "NAME=VALUE", " ", "]"]),
    ("kubectl describe", ["    Environment:\n", "      NAME:       VALUE", "\n", ""]),
    ("ruby", ["{", "\"NAME\"=>\"VALUE\"", ", ", "}"]),
    ("ruby 3.4", ["{", "\"NAME\" => \"VALUE\"", ", ", "}"]),
    ("php print_r", ["Array\n(\n", "    [NAME] => VALUE", "\n", "\n)"]),
    ("php var_dump", ["array(9) {\n", "  [\"NAME\"]=>\n  string(9) \"VALUE\"", "\n", "\n}"]),
    ("java", ["{", "NAME=VALUE", ", ", "}"]),
    ("go", ["[]string{", "\"NAME=VALUE\"", ", ", "}"]),
    ("rust", ["[", "(\"NAME\", \"VALUE\")", ", ", "]"]),
    ("elixir", ["%{", "\"NAME\" => \"VALUE\"", ", ", "}"]),
    ("dotnet", ["", "[NAME, VALUE]", "\n", ""]),
    ("log", ["", "12:00:01 INFO NAME=VALUE", "\n", ""]),
    ("tab", ["", "NAME\tVALUE", "\n", ""]),
];

#[test]
fn an_environment_loses_its_secrets_and_nothing_else() {
    let mut wrong = Vec::new();
    for (notation, [head, variable, between, end]) in NOTATIONS {
        for one @ (name, secret) in SECRETS {
            let all = PLAIN[..3].iter().chain([one]).chain(&PLAIN[3..]);
            let list: Vec<String> =
                all.map(|(name, value)| variable.replace("NAME", name).replace("VALUE", value)).collect();
            let cleaned = clean(&format!("{head}{}{end}", list.join(between)));
            if cleaned.contains(secret) {
                wrong.push(format!("{notation}: {name} stays"));
            }
            let lost = PLAIN.iter().filter(|(_, value)| !cleaned.contains(value));
            wrong.extend(lost.map(|(name, _)| format!("{notation}: {name} is lost")));
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn settings_and_code_are_no_environment() {
    check_untouched(&[
        "const secretKey = 'SESSION_SECRET', HOME = '/';",
        "The PATH and HOME variables, the SESSION_SECRET and the TOKEN_LIMIT are documented below.",
        "env:\n  SESSION_SECRET: session-secret-name\n",
    ]);
}
