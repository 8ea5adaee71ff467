//! Values after names such as `DB_PASSWORD`.

use super::{ALPHANUMERIC, body, check, check_untouched, clean};

#[test]
fn the_value_is_removed_and_the_name_stays() {
    check(&[
        ("PASSWORD=hunter2", "PASSWORD=[REDACTED:password]"),
        ("export DB_PASSWORD='correct horse'", "export DB_PASSWORD='[REDACTED:password]'"),
        ("DB_PASS=s3cr&t;x", "DB_PASS=[REDACTED:password]"),
        ("API_KEY=abc123def make run", "API_KEY=[REDACTED:api-key] make run"),
        ("PGPASSWORD=hunter psql -h db", "PGPASSWORD=[REDACTED:password] psql -h db"),
        ("password=changeme", "password=[REDACTED:password]"),
        (
            "docker run -e MYSQL_ROOT_PASSWORD=root mysql:8",
            "docker run -e MYSQL_ROOT_PASSWORD=[REDACTED:password] mysql:8",
        ),
        ("env TOKEN=abcd1234 ./run.sh", "env TOKEN=[REDACTED:token] ./run.sh"),
        ("$env:SECRET=\"abc12345\"", "$env:SECRET=\"[REDACTED:secret]\""),
        ("A=1\nSECRET_KEY=django-1nsecure\nB=2", "A=1\nSECRET_KEY=[REDACTED:secret]\nB=2"),
        ("SESSION_KEY=a1b2c3d4e5f6a7b8c9", "SESSION_KEY=[REDACTED:secret]"),
        ("GITHUB_TOKEN=abc123 TOKEN2=def456", "GITHUB_TOKEN=[REDACTED:token] TOKEN2=[REDACTED:token]"),
    ]);
}

#[test]
fn configuration_files() {
    check(&[
        ("{\"password\": \"hunter2\"}", "{\"password\": \"[REDACTED:password]\"}"),
        ("{\"password\":\"correct horse\",\"n\":1}", "{\"password\":\"[REDACTED:password]\",\"n\":1}"),
        ("{\"accessToken\":\"a1b2c3d4e5\"}", "{\"accessToken\":\"[REDACTED:token]\"}"),
        ("{\\\"password\\\": \\\"hunter2\\\"}", "{\\\"password\\\": \\\"[REDACTED:password]\\\"}"),
        ("{\"client_secret\": \"q1w2e3r4\"}", "{\"client_secret\": \"[REDACTED:secret]\"}"),
        (
            "{\"a\": \"say \\\"hi\\\"\", \"pwd\": \"x\\\"y1\"}",
            "{\"a\": \"say \\\"hi\\\"\", \"pwd\": \"[REDACTED:password]\"}",
        ),
        ("db:\n  password: hunter2\n  host: x", "db:\n  password: [REDACTED:password]\n  host: x"),
        ("  api_key: 'a1b2c3d4'  # old", "  api_key: '[REDACTED:api-key]'  # old"),
        ("- token: a1b2c3d4e5", "- token: [REDACTED:token]"),
        ("password = \"hunter2\"", "password = \"[REDACTED:password]\""),
        ("password = hunter2", "password = [REDACTED:password]"),
        ("DB_PASS: hunter2 ; old", "DB_PASS: [REDACTED:password] ; old"),
        (
            "//registry.npmjs.org/:_authToken=0f8fad5b-d9cb-469f",
            "//registry.npmjs.org/:_authToken=[REDACTED:token]",
        ),
        ("token = 'a1b2c3d4e5'", "token = '[REDACTED:token]'"),
        ("spring.datasource.password=s3cret", "spring.datasource.password=[REDACTED:password]"),
        ("config/db.yml:12:  password: hunter2", "config/db.yml:12:  password: [REDACTED:password]"),
        ("    12\tpassword: hunter2", "    12\tpassword: [REDACTED:password]"),
        ("+  password: hunter2", "+  password: [REDACTED:password]"),
        ("-password: hunter2", "-password: [REDACTED:password]"),
        ("<password>hunter2</password>", "<password>[REDACTED:password]</password>"),
        ("Server=db;Uid=sa;Pwd=hunter2;Encrypt=yes", "Server=db;Uid=sa;Pwd=[REDACTED:password];Encrypt=yes"),
        (
            "AccountName=x;AccountKey=aB3+/aB3=;EndpointSuffix=y",
            "AccountName=x;AccountKey=[REDACTED:azure-key];EndpointSuffix=y",
        ),
        ("host=db password=hunter user=me", "host=db password=[REDACTED:password] user=me"),
        (
            "machine api.x.io login me password hunter2",
            "machine api.x.io login me password [REDACTED:password]",
        ),
        (
            "machine x\n  login me\n  password hunter2\n",
            "machine x\n  login me\n  password [REDACTED:password]\n",
        ),
    ]);
}

#[test]
fn options_of_commands() {
    check(&[
        ("tool --password hunter2 run", "tool --password [REDACTED:password] run"),
        ("tool --password=hunter2 run", "tool --password=[REDACTED:password] run"),
        ("tool --password 'two words'", "tool --password '[REDACTED:password]'"),
        ("tool --token=abcd --x", "tool --token=[REDACTED:token] --x"),
        (
            "kubectl create secret generic x --from-literal=password=hunter2",
            "kubectl create secret generic x --from-literal=password=[REDACTED:password]",
        ),
        ("tool --api-key abcd1234", "tool --api-key [REDACTED:api-key]"),
        ("tool --client-secret abcd1234", "tool --client-secret [REDACTED:secret]"),
        ("mysql -u root -phunter2 db", "mysql -u root -p[REDACTED:password] db"),
        ("mysql -u root -p'hunter 2' db", "mysql -u root -p'[REDACTED:password]' db"),
        ("sshpass -p hunter2 ssh -p 22 host", "sshpass -p [REDACTED:password] ssh -p 22 host"),
        ("sshpass -phunter2 ssh host", "sshpass -p[REDACTED:password] ssh host"),
        ("docker login -u me -p hunter2 registry", "docker login -u me -p [REDACTED:password] registry"),
        ("curl -u me:hunter2 https://x", "curl -u me:[REDACTED:password] https://x"),
        ("curl -s --user 'me:hunter2' https://x", "curl -s --user 'me:[REDACTED:password]' https://x"),
        ("curl \\\n  -u me:hunter2 \\\n  https://x", "curl \\\n  -u me:[REDACTED:password] \\\n  https://x"),
        ("redis-cli -h x -a hunter2 ping", "redis-cli -h x -a [REDACTED:password] ping"),
        ("/usr/bin/mysqldump -phunter2 db", "/usr/bin/mysqldump -p[REDACTED:password] db"),
        ("openssl rsa -in k -passin pass:hunter2", "openssl rsa -in k -passin pass:[REDACTED:password]"),
        ("smbclient //h/s -U me%hunter2", "smbclient //h/s -U me%[REDACTED:password]"),
        ("mongosh -u me -p hunter2", "mongosh -u me -p [REDACTED:password]"),
        (
            "echo ok; curl -u a:b1 x | mysql -pc2",
            "echo ok; curl -u a:[REDACTED:password] x | mysql -p[REDACTED:password]",
        ),
    ]);
    check_untouched(&[
        "mysql -u root -p db",
        "docker run -p 8080:80 nginx",
        "ssh -p 22 host",
        "curl -u $USER:$PASS https://x",
        "curl -u me https://x",
        "mkdir -p a/b",
        "docker login --password-stdin",
        "mysql -p\"$PASS\" db",
        "tool --token-file /run/secrets/token",
        "tool --password-file x",
        "  --token <TOKEN>   API token",
        "  --password string   Password for the registry",
        "use --token to pass one",
    ]);
}

#[test]
fn code() {
    check(&[
        ("let password = \"hunter2\";", "let password = \"[REDACTED:password]\";"),
        ("let password: &str = \"hunter2\";", "let password: &str = \"[REDACTED:password]\";"),
        ("const token: string = 'a1b2c3d4e5';", "const token: string = '[REDACTED:token]';"),
        ("os.environ[\"API_KEY\"] = \"a1b2c3d4e5\"", "os.environ[\"API_KEY\"] = \"[REDACTED:api-key]\""),
        ("'password' => 'hunter2',", "'password' => '[REDACTED:password]',"),
        ("if token == \"a1b2c3d4e5f6\" {", "if token == \"[REDACTED:token]\" {"),
        ("connect(user='me', password='hunter2')", "connect(user='me', password='[REDACTED:password]')"),
        (
            "headers.set(\"X-Api-Key\", \"a1b2c3d4e5f6\")",
            "headers.set(\"X-Api-Key\", \"[REDACTED:api-key]\")",
        ),
        ("password: Some(\"hunter22x9\".into()),", "password: Some(\"[REDACTED:password]\".into()),"),
        ("CREATE USER me WITH PASSWORD 'hunter2';", "CREATE USER me WITH PASSWORD '[REDACTED:password]';"),
        (
            "CREATE USER 'me' IDENTIFIED BY 'hunter2';",
            "CREATE USER 'me' IDENTIFIED BY '[REDACTED:password]';",
        ),
        ("auth: { user: 'me', pass: 'hunter2' }", "auth: { user: 'me', pass: '[REDACTED:password]' }"),
        ("bash -c \"export PASSWORD=\"hunter2\"\"", "bash -c \"export PASSWORD=\"[REDACTED:password]\"\""),
        ("secret := \"q1w2e3r4t5\"", "secret := \"[REDACTED:secret]\""),
    ]);
}

#[test]
fn queries() {
    check(&[
        ("https://x/cb?token=abcd1234&state=1", "https://x/cb?token=[REDACTED:token]&state=1"),
        ("https://x/?a=1&access_token=abcd#top", "https://x/?a=1&access_token=[REDACTED:token]"),
        ("curl -d 'user=me&password=hunter' x", "curl -d 'user=me&password=[REDACTED:password]' x"),
    ]);
}

#[test]
fn the_secret_of_aws_is_known_by_its_name() {
    let secret = body(ALPHANUMERIC, 40);
    for (text, expected) in [
        ("AWS_SECRET_ACCESS_KEY={}", "AWS_SECRET_ACCESS_KEY=[REDACTED:aws-secret]"),
        ("aws_secret_access_key = {}", "aws_secret_access_key = [REDACTED:aws-secret]"),
        ("\"SecretAccessKey\": \"{}\"", "\"SecretAccessKey\": \"[REDACTED:aws-secret]\""),
        (
            "aws configure set aws_secret_access_key {}",
            "aws configure set aws_secret_access_key [REDACTED:aws-secret]",
        ),
    ] {
        assert_eq!(clean(&text.replace("{}", &secret)), expected);
    }
}

#[test]
fn neighbours_of_other_scripts_stay_whole() {
    check(&[
        ("пароль password=hunter2 дальше", "пароль password=[REDACTED:password] дальше"),
        ("密码 password=hunter2，谢谢", "密码 password=[REDACTED:password]，谢谢"),
        ("password=hünter2 ok", "password=[REDACTED:password] ok"),
        ("“password=hunter2”", "“password=[REDACTED:password]”"),
        ("password: \"пароль1\" ☕", "password: \"[REDACTED:password]\" ☕"),
    ]);
}

#[test]
fn a_long_line_hides_nothing() {
    let text = format!("{}\",password:\"hunter2\"", "a=\"b\",".repeat(60));
    assert!(clean(&text).ends_with("password:\"[REDACTED:password]\""));
}
