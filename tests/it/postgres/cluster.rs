//! A real PostgreSQL for tests: one cluster for the program, in a folder of its own, stopped when the program ends.
//!
//! A shell watches the program through a pipe, so the cluster also ends if the program is killed or panics. The same file
//! belongs to the tests of the built program, to those inside of the library, and to the benchmark.
#![allow(dead_code, reason = "every program that includes this uses some of it")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const PORT: u16 = 5432;
/// The path of a socket has room for 103 bytes on macOS, and 107 on Linux.
const MAX_FOLDER: usize = 60;

/// A running cluster.
pub(crate) struct Cluster {
    /// Has the socket and, in `data`, the cluster.
    pub(crate) folder: PathBuf,
    pub(crate) bin: PathBuf,
    pub(crate) port: u16,
    /// Ends the cluster when its stdin is closed, which the kernel does at the latest.
    _watcher: Child,
}

/// A database of one test.
pub(crate) struct Database {
    pub(crate) name: String,
    pub(crate) cluster: &'static Cluster,
}

/// Returns the cluster, or says why there is none; `NUDGE_PG=required` makes that a failure.
pub(crate) fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Result<Cluster, String>> = OnceLock::new();
    let start = || {
        if variable("NUDGE_PG").is_some_and(|value| value == "off") {
            return Err("NUDGE_PG=off".to_owned());
        }
        let cluster = Cluster::start(&[])?;
        // Roles belong to the cluster, so that tests which make a team at the same time would meet there.
        cluster.try_psql(
            "postgres",
            "CREATE ROLE nudge_owner NOLOGIN; CREATE ROLE nudge_member NOLOGIN; CREATE ROLE nudge_admin NOLOGIN; \
             GRANT nudge_owner, nudge_admin TO CURRENT_USER; GRANT nudge_member TO nudge_admin WITH ADMIN OPTION",
        )?;
        Ok(cluster)
    };
    let start_or_say = || {
        // The runner keeps what a passing test prints, but not what is written to the stream itself.
        start().inspect_err(|why| {
            let _ = writeln!(std::io::stderr(), "team: the tests with a PostgreSQL are not run ({why})");
        })
    };
    match CLUSTER.get_or_init(start_or_say) {
        Ok(cluster) => Some(cluster),
        Err(why) => {
            let is_required = variable("NUDGE_PG").is_some_and(|value| value == "required");
            assert!(!is_required, "NUDGE_PG=required: {why}");
            None
        }
    }
}

/// Returns a database of its own for a test.
pub(crate) fn database() -> Option<Database> {
    cluster().map(Cluster::database)
}

impl Cluster {
    /// Starts a cluster with these lines in its configuration.
    pub(crate) fn start(settings: &[&str]) -> Result<Cluster, String> {
        Cluster::start_on(PORT, settings)
    }

    /// Starts a cluster whose port is taken by nobody; on the socket of its folder any number is free.
    pub(crate) fn start_on(port: u16, settings: &[&str]) -> Result<Cluster, String> {
        let bin = find_bin().ok_or("no PostgreSQL 14 or newer; apt-get install postgresql")?;
        let folder = socket_folder().join(format!("nudge-pg-{}-{}", std::process::id(), number()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let as_postgres = is_root();
        if as_postgres {
            shell(&format!("chown postgres '{}'", folder.display()))?;
        }
        let cluster = |command: &str| {
            let line = format!("cd '{}' && PATH='{}':$PATH && {command}", folder.display(), bin.display());
            if as_postgres { shell(&format!("su postgres -s /bin/sh -c \"{line}\"")) } else { shell(&line) }
        };
        let made = cluster("initdb --no-sync -A trust -U postgres -E UTF8 --locale=C -D data");
        made.map_err(|why| format!("initdb: {why}"))?;
        let mut configuration = format!(
            "listen_addresses = ''\nport = {port}\nunix_socket_directories = '{}'\nfsync = off\n\
             max_connections = 100\nlog_min_messages = fatal\n",
            folder.display()
        );
        for line in settings {
            configuration.push_str(line);
            configuration.push('\n');
        }
        let path = folder.join("data/postgresql.conf");
        fs::write(&path, configuration).map_err(|error| format!("{}: {error}", path.display()))?;
        cluster("pg_ctl -w -s -D data -l log start").map_err(|why| {
            let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
            let _ = fs::remove_dir_all(&folder);
            format!("pg_ctl: {why}\n{log}")
        })?;
        let watcher = watch(&folder, &bin, as_postgres)?;
        Ok(Cluster { folder, bin, port, _watcher: watcher })
    }

    /// Writes a file that only the server may read, as keys must be.
    pub(crate) fn put(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        fs::write(&path, text).expect("a file");
        let path = path.display();
        shell(&format!("chmod 600 '{path}'")).expect("permissions");
        if is_root() {
            shell(&format!("chown postgres '{path}'")).expect("an owner");
        }
    }

    /// Crashes the server, and starts it again.
    pub(crate) fn crash(&self) {
        let (folder, bin) = (self.folder.display(), self.bin.display());
        let line = format!(
            "cd '{folder}' && '{bin}/pg_ctl' -s -m immediate -D data stop; '{bin}/pg_ctl' -w -s -D data -l log start"
        );
        let line = if is_root() { format!("su postgres -s /bin/sh -c \"{line}\"") } else { line };
        shell(&line).unwrap_or_else(|why| panic!("{why}"));
    }

    /// Makes a database.
    pub(crate) fn database(&'static self) -> Database {
        let name = format!("test_{}", number());
        self.psql("postgres", &format!("CREATE DATABASE {name}"));
        Database { name, cluster: self }
    }

    /// Runs SQL as the superuser, and returns what it prints; a failure is a failure of the test.
    #[track_caller]
    pub(crate) fn psql(&self, database: &str, sql: &str) -> String {
        self.try_psql(database, sql).unwrap_or_else(|why| panic!("{sql}: {why}"))
    }

    pub(crate) fn try_psql(&self, database: &str, sql: &str) -> Result<String, String> {
        let output = Command::new(self.bin.join("psql"))
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", database, "-h"])
            .arg(&self.folder)
            .args(["-p", &self.port.to_string(), "-c", sql])
            .output()
            .map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }
}

impl Database {
    /// Returns the address of this database for a login.
    pub(crate) fn url(&self, login: &str) -> String {
        let port =
            if self.cluster.port == PORT { String::new() } else { format!("&port={}", self.cluster.port) };
        format!("postgres://{login}@/{}?host={}{port}", self.name, self.cluster.folder.display())
    }

    #[track_caller]
    pub(crate) fn psql(&self, sql: &str) -> String {
        self.cluster.psql(&self.name, sql)
    }

    /// Makes a login that no other test has, and returns its name.
    pub(crate) fn login(&self, name: &str) -> String {
        let login = format!("{name}_{}", number());
        self.psql(&format!("CREATE ROLE {login} LOGIN"));
        login
    }
}

#[expect(clippy::disallowed_methods, reason = "tests read what they are started with")]
fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}

/// Returns the folder for temporary files, or `/tmp` where its path is too long for that of a socket.
fn socket_folder() -> PathBuf {
    let usual = std::env::temp_dir();
    if usual.as_os_str().len() > MAX_FOLDER { PathBuf::from("/tmp") } else { usual }
}

/// Returns a number that no other test of this program has.
fn number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Finds the folder of the newest PostgreSQL that is new enough.
fn find_bin() -> Option<PathBuf> {
    let named = variable("NUDGE_PG_BIN").map(PathBuf::from);
    let told = Command::new("pg_config").arg("--bindir").output().ok();
    let told = told.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let mut installed: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .map(|folders| folders.flatten().map(|folder| folder.path().join("bin")).collect())
        .unwrap_or_default();
    installed.sort_by_key(|path| std::cmp::Reverse(version(path)));
    let path = variable("PATH").unwrap_or_default();
    let found = named.into_iter().chain(told).chain(installed).chain(std::env::split_paths(&path));
    found.into_iter().find(|folder| version(folder).is_some_and(|version| version >= 14))
}

fn version(bin: &Path) -> Option<u32> {
    let output = Command::new(bin.join("initdb")).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split_whitespace().last()?.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// `initdb` refuses root.
fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.starts_with(b"0"))
}

fn shell(line: &str) -> Result<(), String> {
    let output = Command::new("sh")
        .args(["-c", line])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

/// Starts a shell that waits for the end of this program, stops the cluster and deletes its folder.
fn watch(folder: &Path, bin: &Path, as_postgres: bool) -> Result<Child, String> {
    let (folder, bin) = (folder.display(), bin.display());
    let stop = format!("'{bin}/pg_ctl' -s -m immediate -D '{folder}/data' stop");
    let stop = if as_postgres { format!("su postgres -s /bin/sh -c \"{stop}\"") } else { stop };
    // A signal to the whole group of the terminal must not end the shell before its work is done.
    let line = format!("trap '' INT TERM HUP; read end; cd /; {stop}; rm -rf '{folder}'");
    Command::new("sh")
        .args(["-c", &line])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())
}
