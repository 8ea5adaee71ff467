//! Forms of configuration files, of code and of commands, as secret scanners test them.
//!
//! Their shapes are those of the examples in the rules of Nosey Parker and in the tests of TruffleHog.

use super::{Kind, kind};

#[rustfmt::skip]
pub(super) const KINDS: &[Kind] = &[
    kind("service-any-camel", "const acmeKey = '«%h40»';"),
    kind("service-any-env", "ACME_API=«%a24»"),
    kind("service-any-property", "acme.key=«%x20»"),
    kind("service-any-flag", "run --acme-key «%h8-%h4-%h4-%h4-%h12»"),
    kind("service-any-element", "<acmeKey>«%h32»</acmeKey>"),
    kind("service-any-attribute", "<add key=\"AcmeKey\" value=\"«%x20»\" />"),
    kind("service-any-prose", "the acme key is «%x32»"),
    kind("service-any-json", "{\"acme\": {\"key\": \"«%x32»\"}}"),
    kind("service-word-json", "{\"square\": {\"key\": \"«%h40»\"}}"),
    kind("service-word-cell", "| square key | «%x40» |"),
    kind("service-word-client", "square.Client(\"«%a24»\")"),
    kind("service-word-setter", "square.setKey('«%h32»')"),
    kind("service-log", "[INFO] Sending request to the API\n[DEBUG] Using Key=«%h40»"),
    kind("jenkins-sealed", "<secret>{acme AQAAABAAA «%x40»}</secret>"),
    kind("jenkins-crumb", "-H 'Jenkins-Crumb:«%h32»'"),
    kind("directory-entry", "new DirectoryEntry(\"LDAP://x.test\", \"corp\\bob\", \"«%p»\")"),
    kind("password-authentication", "new PasswordAuthentication(\"bob\", \"«%p»\".toCharArray())"),
    kind("psexec", "PSEXEC \\\\10.0.0.1 -u Administrator -p «%p» CMD"),
    kind("ipmitool", "ipmitool -H h -U admin -P «%p» power on"),
    kind("podman-creds", "podman push --creds bob:«%p» img"),
    kind("docker-secret", "echo '«%p»' | docker secret create db_password -"),
    kind("connection-blank", "User ID=bob; Password = «%p»;Initial Catalog=x"),
    kind("mount-options", "//srv/x /mnt cifs username=bob,password=«%p»,uid=0 0 0"),
    kind("element-attributes", "<wsse:Password Type=\"x\">«%p»</wsse:Password>"),
    kind("fallback-value", "const key = process.env.JWT_SECRET || '«%p»'"),
    kind("fallback-value-null", "const key = env.DB_PASSWORD ?? '«%p»'"),
    kind("setenv", "setenv DB_PASSWORD «%p»"),
    kind("fish-set", "set -x DB_PASSWORD «%p»"),
    kind("redis-requirepass", "requirepass «%p»"),
    kind("redis-masterauth", "masterauth «%p»"),
    kind("ldap-bindpw", "bindpw «%p»"),
    kind("ldap-hash", "olcRootPW: «{SSHA}%b32»"),
    kind("wifi-psk", "psk=\"«%p»\""),
    kind("query-pass", "https://x.test/login?user=a&pass=«%p»"),
    kind("pat-lower", "ado_pat = \"«%x52»\""),
    kind("facebook-app-token", "access_token=«%d15|%a27»"),
    kind("aws-scheme", "Authorization: AWS bob:«%b27=»"),
    kind("telegram-address", "https://api.telegram.org/bot«%d9:%a35»/sendMessage"),
    kind("cisco-scrypt", "enable secret 9 «$9$%a14$%a43»"),
    kind("ssh2", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n«%b64\n%b64»\n---- END SSH2 ENCRYPTED PRIVATE KEY ----"),
];
