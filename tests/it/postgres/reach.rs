//! Reaching a server: passwords, certificates, and servers that are full or silent. Never "continue anyway".

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use super::cluster::{self, Cluster};
use crate::sandbox::{Ran, Sandbox};

/// A server that listens on loopback, wants passwords there, and has a team with `alice` in it.
struct Server {
    sandbox: Sandbox,
    cluster: Cluster,
}

const HBA: &str = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n";

impl Server {
    fn new() -> Option<Server> {
        // Says why there is none.
        cluster::cluster()?;
        let settings = ["listen_addresses = '127.0.0.1'", "password_encryption = 'scram-sha-256'"];
        // Another program may take a port between the moment when it was free and the start.
        let mut started = Cluster::start_on(free_port(), &settings);
        for _ in 0..4 {
            started = started.or_else(|_| Cluster::start_on(free_port(), &settings));
        }
        let cluster = started.expect("a cluster");
        let port = cluster.port;
        cluster.put("data/pg_hba.conf", HBA);
        let sandbox = Sandbox::new();
        let url = format!("postgres://postgres@/postgres?host={}&port={port}", cluster.folder.display());
        // The first team of a cluster makes the roles, too.
        sandbox.run(["team", "init", &url]).code(0);
        cluster.psql("postgres", "CREATE ROLE alice LOGIN PASSWORD 'right' IN ROLE nudge_member; SELECT nudge.member_v1('alice', 'alice', 'member', false), pg_reload_conf()");
        Some(Server { sandbox, cluster })
    }

    fn url(&self, host: &str, parameters: &str) -> String {
        format!("postgres://alice@{host}:{}/postgres{parameters}", self.cluster.port)
    }

    fn members(&self, url: &str, password: &str) -> Ran {
        let output = self
            .sandbox
            .command(env!("CARGO_BIN_EXE_nudge"))
            .args(["team", "members", "--url", url])
            .env("PGPASSWORD", password)
            .output()
            .expect("the program runs");
        self.sandbox.ran(&output)
    }

    /// Makes the server show a certificate for a name, signed by an authority of the folder, valid for some days.
    fn show_certificate(&self, name: &str, authority: &str, days: i32) {
        let folder = self.sandbox.path("");
        let certificate = sign(&folder, name, authority, days);
        self.cluster.put("data/server.crt", &certificate);
        self.cluster.put("data/server.key", &fs::read_to_string(folder.join("server.key")).expect("a key"));
        self.cluster.psql("postgres", "ALTER SYSTEM SET ssl = on");
        let loaded = || self.cluster.psql("postgres", "SELECT pg_conf_load_time()");
        let before = loaded();
        self.cluster.psql("postgres", "SELECT pg_reload_conf()");
        // A reload is a signal: the server has read its files when it says so.
        while loaded() == before {
            std::thread::yield_now();
        }
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port()
}

fn openssl(folder: &Path, args: &str) {
    let output = Command::new("openssl").args(args.split(' ')).current_dir(folder).output().expect("openssl");
    assert!(output.status.success(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Makes an authority, if it is new, and returns a certificate of it.
fn sign(folder: &Path, name: &str, authority: &str, days: i32) -> String {
    if !folder.join(format!("{authority}.pem")).exists() {
        openssl(
            folder,
            &format!(
                "req -x509 -newkey rsa:2048 -nodes -keyout {authority}.key -out {authority}.pem -days 30 -subj /CN={authority}"
            ),
        );
    }
    openssl(folder, "req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=server");
    fs::write(folder.join("names"), format!("subjectAltName=DNS:{name}\n")).expect("a file");
    openssl(
        folder,
        &format!(
            "x509 -req -in server.csr -CA {authority}.pem -CAkey {authority}.key -CAcreateserial -days {days} -extfile names -out server.pem"
        ),
    );
    fs::read_to_string(folder.join("server.pem")).expect("a certificate")
}

#[test]
fn a_password_is_checked_by_the_server_and_found_where_postgresql_finds_it() {
    let Some(server) = Server::new() else { return };
    let url = server.url("127.0.0.1", "");
    server.members(&url, "right").code(0);
    let wrong = server.members(&url, "wrong");
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.stderr.contains("password authentication failed"), "{}", wrong.stderr);
    assert!(wrong.stderr.contains("hint: check the user and the password"), "{}", wrong.stderr);
    let none = server.sandbox.run(["team", "members", "--url", &url]);
    assert_eq!(none.code, Some(1));
    assert!(none.stderr.contains("password missing"), "{}", none.stderr);
    let file = server.sandbox.beside("passwords");
    fs::write(&file, "127.0.0.1:*:postgres:alice:right\n").unwrap();
    let with_file = |mode: &str| {
        assert!(Command::new("chmod").arg(mode).arg(&file).status().unwrap().success());
        let mut command = server.sandbox.command(env!("CARGO_BIN_EXE_nudge"));
        let output =
            command.args(["team", "members", "--url", &url]).env("PGPASSFILE", &file).output().unwrap();
        server.sandbox.ran(&output)
    };
    with_file("600").code(0);
    let open = with_file("644");
    assert_eq!(open.code, Some(1));
    assert!(open.stderr.contains("other users can read the passwords"), "{}", open.stderr);
    // What a login may not do any more is temporary, as is a server that is full.
    server.cluster.psql("postgres", "ALTER ROLE alice CONNECTION LIMIT 0");
    let full = server.members(&url, "right");
    assert_eq!(full.code, Some(75), "{}", full.stderr);
    assert!(full.stderr.contains("too many connections"), "{}", full.stderr);
}

#[test]
fn only_a_valid_certificate_is_trusted() {
    let Some(server) = Server::new() else { return };
    let root = |authority: &str| server.sandbox.path(&format!("{authority}.pem")).display().to_string();
    let parameters = |authority: &str| format!("?sslmode=require&sslrootcert={}", root(authority));
    let refused = |url: &str, said: &str| {
        let ran = server.members(url, "right");
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
        assert!(ran.stderr.contains("sslrootcert=FILE"), "{}", ran.stderr);
    };
    sign(&server.sandbox.path(""), "localhost", "ours", 30);
    sign(&server.sandbox.path(""), "localhost", "theirs", 30);
    refused(&server.url("localhost", &parameters("ours")), "the server offers no TLS");

    server.show_certificate("localhost", "ours", 30);
    let good = server.url("localhost", &parameters("ours"));
    let ran = server.members(&good, "right");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mut join = server.sandbox.command(env!("CARGO_BIN_EXE_nudge"));
    join.args(["team", "join", &good, "--read-only"]).env("PGPASSWORD", "right");
    let joined = server.sandbox.ran(&join.output().expect("the program runs"));
    let who = "database postgres: you are `alice` (member); its certificate is valid\n";
    assert!(joined.stdout.contains(who), "{}", joined.stdout);
    server.sandbox.run(["team", "leave", "--keep-rows"]).code(0);
    refused(&server.url("localhost", &parameters("theirs")), "its authority is not known to this machine");
    refused(&server.url("localhost", "?sslmode=require"), "its authority is not known to this machine");
    refused(
        &server.url("localhost", "?sslmode=require&sslrootcert=/missing.pem"),
        "`/missing.pem` cannot be read",
    );
    // The name in the certificate is part of it, also where PostgreSQL's own `require` would not look.
    refused(&server.url("127.0.0.1", &parameters("ours")), "it is not for `127.0.0.1`");

    server.show_certificate("db.example.com", "ours", 30);
    refused(&good, "it is not for `localhost`");
    server.show_certificate("localhost", "ours", -1);
    refused(&good, "it has expired");
    server.show_certificate("localhost", "theirs", 30);
    refused(&good, "the certificate of the server is not valid");
    server.show_certificate("localhost", "ours", 30);
    server.members(&good, "right").code(0);
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://a@127.0.0.1:{}/n", silent.local_addr().unwrap().port());
    let ran = Sandbox::new().run(["team", "members", "--url", &url]);
    assert_eq!(ran.code, Some(75), "{}", ran.stderr);
    assert!(ran.stderr.contains("the server did not answer after 5 seconds"), "{}", ran.stderr);
}
