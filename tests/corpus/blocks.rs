//! Secrets in texts of more than one line.

use super::{Kind, kind};

#[rustfmt::skip]
pub(super) const KINDS: &[Kind] = &[
    kind("block-k8s-name-value", "env:\n  - name: DB_PASSWORD\n    value: «%p»\n  - name: PORT\n    value: \"80\"\n"),
    kind("block-k8s-value-quoted", "    - name: API_TOKEN\n      value: \"«%a32»\"\n"),
    kind("block-k8s-string-data", "apiVersion: v1\nkind: Secret\nstringData:\n  anything: «%p»\n"),
    kind("block-k8s-data", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  anything: «%B20»\n"),
    kind("block-yaml-block", "db:\n  password: |\n    «%p»\n  port: 1\n"),
    kind("block-yaml-folded", "token: >-\n  «%a40»\n"),
    kind("block-yaml-args", "args:\n  - --token\n  - «%a32»\n"),
    kind("block-mcp-args", "args=--token\nargs=«%a32»\n"),
    kind("block-mcp-name-value", "name=DB_PASSWORD\nvalue=«%p»\n"),
    kind("block-mcp-element", "element=Password input\ntext=«%p»\n"),
    kind("block-mcp-nested", "secret.value=«%p»\n"),
    kind("block-mcp-credentials", "credentials.pass=«%p»\n"),
    kind("block-json-args-lines", "[\n  \"--token\",\n  \"«%a32»\"\n]\n"),
    kind("block-json-name-value-lines", "{\n  \"name\": \"DB_PASSWORD\",\n  \"value\": \"«%p»\"\n}\n"),
    kind("block-netrc-lines", "machine x.test\n  login me\n  password «%p»\n"),
    kind("block-pem", "-----BEGIN RSA PRIVATE KEY-----\n«%a64»\n-----END RSA PRIVATE KEY-----\n"),
    kind("block-pem-openssh", "-----BEGIN OPENSSH PRIVATE KEY-----\n«%a70»\n-----END OPENSSH PRIVATE KEY-----\n"),
    kind("block-pgp", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n«%a64»\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----\n"),
    kind("block-putty", "Private-Lines: 1\n«%a64»\nPrivate-MAC: x\n"),
    kind("block-aws-credentials", "[default]\naws_access_key_id = AKIA%C16\naws_secret_access_key = «%b40»\n"),
    kind("block-plist-lines", "<key>password</key>\n<string>«%p»</string>\n"),
    kind("block-yaml-users", "users:\n- name: me\n  user:\n    client-key-data: «%b80»\n"),
    kind("block-env-file", "HOST=h\nDB_PASSWORD=«%p»\nPORT=1\n"),
];
