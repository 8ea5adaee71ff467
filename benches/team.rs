//! What a team's PostgreSQL carries: pushes against COPY, many clients on few connections, and search in a million rows.
//!
//! `cargo bench --bench team` starts a cluster of its own, with `fsync` on. A push is compared with COPY into the same table with
//! the same indexes, in lots of 500; 200 clients on 100 connections with the same clients behind a pool of 20.
//! `NUDGE_ROWS` is the number of rows of the search (1,000,000), for a quick look.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a benchmark times and prints"
)]

#[path = "../tests/it/postgres/cluster.rs"]
mod cluster;

use std::fmt::Write as _;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls};

use cluster::{Cluster, Database};

const SCHEMA: &str = include_str!("../migrations/team/0001.sql");
/// Rows of the comparison with COPY.
const PUSHED: usize = 100_000;
const CLIENTS: usize = 200;
const POOL: usize = 20;
/// The limits: a push at least this part of COPY, for one client and for sixteen; 200 clients at most this many times as
/// long as with a pool; a search at most this long.
const MIN_ONE: f64 = 0.6;
const MIN_SIXTEEN: f64 = 0.45;
const MAX_CROWD: f64 = 3.0;
const MAX_SEARCH: Duration = Duration::from_millis(200);

fn main() {
    let rows = std::env::var("NUDGE_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(1_000_000);
    let settings =
        ["fsync = on", "shared_buffers = 512MB", "maintenance_work_mem = 512MB", "max_wal_size = 1GB"];
    let cluster: &'static Cluster = match Cluster::start(&settings) {
        Ok(cluster) => Box::leak(Box::new(cluster)),
        Err(why) => return println!("team: not run ({why})"),
    };
    let mut is_over = pushes(cluster);
    let database = team(cluster);
    let place = fill(&database, rows);
    is_over |= searches(&database);
    is_over |= crowds(cluster, &database);
    println!("{place}");
    if is_over {
        println!("a limit is exceeded");
    }
    // The watcher of the cluster ends with this process; `leak` keeps it until then.
    std::process::exit(i32::from(is_over));
}

/// Makes a team that allows everything.
fn team(cluster: &'static Cluster) -> Database {
    let database = cluster.database();
    database.psql(&format!("BEGIN; {SCHEMA} UPDATE nudge.server SET allowed = '{{%}}'; COMMIT"));
    database
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

async fn connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    /// A word; a few are frequent, most are rare.
    fn word(&mut self) -> String {
        let rank = match self.roll(10) {
            0..4 => self.roll(100),
            4..8 => 100 + self.roll(2_000),
            _ => 2_100 + self.roll(60_000),
        };
        format!("w{rank}")
    }
}

/// Returns a text of about 480 characters, so that a row has about 640 bytes, with words of known frequency.
fn content(dice: &mut Dice, number: usize) -> String {
    let mut text = String::with_capacity(520);
    for (is_in, word) in [
        (number % 5 < 3, "common"),
        (number.is_multiple_of(200), "halfpercent"),
        (number % 100 == 7, "onepercent"),
        (number % 50_000 == 5, "rareone raretwo"),
    ] {
        if is_in {
            text.push_str(word);
            text.push(' ');
        }
    }
    while text.len() < 480 {
        text.push_str(&dice.word());
        text.push(' ');
    }
    text
}

fn uuid(number: usize) -> String {
    format!("{:032x}", number as u128 + 1)
}

/// Compares pushes of lots of 100 with COPY of lots of 500 into the same table, round by round.
fn pushes(cluster: &'static Cluster) -> bool {
    let mut is_over = false;
    for (clients, projects, limit) in [(1, 1, MIN_ONE), (16, 16, MIN_SIXTEEN), (16, 1, MIN_SIXTEEN)] {
        let mut ratios = Vec::new();
        let (mut copied, mut pushed) = (Duration::MAX, Duration::MAX);
        for round in 0..3 {
            let databases = [team(cluster), team(cluster)];
            let copy = copy(&databases[0], clients, round);
            let push = push(&databases[1], clients, projects, round);
            for database in databases {
                cluster.psql("postgres", &format!("DROP DATABASE {} WITH (FORCE)", database.name));
            }
            ratios.push(copy.as_secs_f64() / push.as_secs_f64());
            (copied, pushed) = (copied.min(copy), pushed.min(push));
        }
        ratios.sort_by(f64::total_cmp);
        let rate = |time: Duration| PUSHED as f64 / time.as_secs_f64();
        println!(
            "push, {clients} clients, {projects} projects: {:.0} rows/s, COPY {:.0} rows/s, ratio {:.2} (at least {limit})",
            rate(pushed),
            rate(copied),
            ratios[1]
        );
        is_over |= ratios[1] < limit;
    }
    is_over
}

fn push(database: &Database, clients: usize, projects: usize, round: usize) -> Duration {
    let url = database.url("postgres");
    let batches: Vec<Vec<String>> = (0..clients)
        .map(|client| {
            let mut dice = Dice((round * 100 + client) as u64);
            let each = PUSHED / clients / 100;
            (0..each).map(|lot| batch(&mut dice, client, lot * 100, 100)).collect()
        })
        .collect();
    for client in 0..clients {
        let project = format!("p{}", client % projects);
        database.psql(&format!("SELECT nudge.hello_v1('{}', '{{{project}}}')", uuid(client)));
    }
    let start = Instant::now();
    thread::scope(|scope| {
        for (client, batches) in batches.iter().enumerate() {
            let url = &url;
            scope.spawn(move || {
                runtime().block_on(async {
                    let connection = connect(url).await.unwrap();
                    let project = format!("p{}", client % projects);
                    for (lot, batch) in batches.iter().enumerate() {
                        push_lot(&connection, client, &project, lot, 100, batch).await;
                    }
                });
            });
        }
    });
    start.elapsed()
}

/// Returns a batch of rows, as JSON.
fn batch(dice: &mut Dice, client: usize, first: usize, count: usize) -> String {
    let mut text = "[".to_owned();
    for number in first..first + count {
        let comma = if number == first { "" } else { "," };
        let key = ((client as u128) << 64) | number as u128;
        write!(
            text,
            r#"{comma}{{"kind":"observation","obs_type":"command","at":{number},"session":"{key:032x}","event_key":"{key:032x}","program":"cargo","content":"{}","file_path":"src/a{number}.rs","facts":{{"exit_code":101}}}}"#,
            content(dice, number)
        )
        .unwrap();
    }
    text + "]"
}

async fn push_lot(client: &Client, machine: usize, project: &str, lot: usize, size: usize, batch: &str) {
    let id = |lot: usize| uuid((machine << 32) + lot + 1_000_000);
    let previous = if lot == 0 { "NULL".to_owned() } else { format!("'{}'", id(lot - 1)) };
    let sql = format!(
        "SELECT outcome FROM nudge.push_v1('{}', $1, {previous}, '{}', {}, 0, $2::text::jsonb)",
        uuid(machine),
        id(lot),
        lot * size + 1
    );
    let parameters: [(&(dyn ToSql + Sync), Type); 2] = [(&project, Type::TEXT), (&batch, Type::TEXT)];
    let rows = client.query_typed(&sql, &parameters).await.unwrap();
    assert_eq!(rows[0].get::<_, &str>(0), "stored");
}

/// Copies the same rows into the table of records, in lots of 500.
fn copy(database: &Database, clients: usize, round: usize) -> Duration {
    database.psql("SELECT nudge.month(now(), true)");
    let folder = database.cluster.folder.join("copy");
    fs::create_dir_all(&folder).unwrap();
    let files: Vec<Vec<String>> = (0..clients)
        .map(|client| {
            let mut dice = Dice((round * 100 + client) as u64);
            let file = |lot: usize| {
                let mut text = String::new();
                for number in lot * 500..lot * 500 + 500 {
                    copy_row(&mut text, &mut dice, (client + 1, client, number), "now");
                }
                let path = folder.join(format!("{client}-{lot}"));
                fs::write(&path, text).unwrap();
                path.display().to_string()
            };
            (0..PUSHED / clients / 500).map(file).collect()
        })
        .collect();
    let url = database.url("postgres");
    let start = Instant::now();
    thread::scope(|scope| {
        for files in &files {
            let url = &url;
            scope.spawn(move || {
                runtime().block_on(async {
                    let client = connect(url).await.unwrap();
                    for file in files {
                        client.batch_execute(&format!("{COPY} FROM '{file}'")).await.unwrap();
                    }
                });
            });
        }
    });
    let time = start.elapsed();
    fs::remove_dir_all(&folder).unwrap();
    time
}

const COPY: &str = "COPY nudge.records (project_id, machine_id, seq, received, member_id, kind, obs_type, at, session, \
                    event_key, program, content, file_path, facts)";

fn copy_row(
    text: &mut String,
    dice: &mut Dice,
    (project, machine, number): (usize, usize, usize),
    received: &str,
) {
    let key = ((machine as u128) << 64) | number as u128;
    let content = content(dice, number);
    writeln!(
        text,
        "{project}\t{}\t{}\t{received}\t1\tobservation\tcommand\t{number}\t\\\\x{key:032x}\t\\\\x{key:032x}\tcargo\t{content}\tsrc/a{number}.rs\t{{\"exit_code\": 101}}",
        machine + 1,
        number + 1
    )
    .unwrap();
}

/// The projects of the search: the largest has a fifth of the rows, a small one a thousandth.
const PROJECTS: usize = 50;

fn project_of(number: usize) -> usize {
    match number % 1000 {
        0..200 => 0,
        200 => 1,
        rest => 2 + rest % (PROJECTS - 2),
    }
}

/// Fills a database with rows of six months, and returns what it takes on the disk.
fn fill(database: &Database, rows: usize) -> String {
    let start = Instant::now();
    database.psql(
        "DROP INDEX nudge.records_words; SELECT nudge.month(now() - make_interval(months => n), true) FROM generate_series(0, 6) AS n;
         INSERT INTO nudge.machines (key, member_id) SELECT gen_random_uuid(), 1",
    );
    for project in 0..PROJECTS {
        database.psql(&format!("INSERT INTO nudge.projects (key) VALUES ('p{project}')"));
    }
    let path = database.cluster.folder.join("rows");
    let mut dice = Dice(7);
    for chunk in 0..rows.div_ceil(100_000) {
        let mut text = String::new();
        for number in chunk * 100_000..rows.min((chunk + 1) * 100_000) {
            // The oldest first, over 180 days.
            let age = 180 * 86_400 * (rows - number) / rows;
            let received = format!("@{}", now() - age as u64);
            copy_row(&mut text, &mut dice, (project_of(number) + 1, 0, number), &received);
        }
        fs::write(&path, text.replace("\t@", "\t")).unwrap();
        let path = path.display();
        database.psql(&format!(
            "CREATE TEMP TABLE new (LIKE nudge.records); ALTER TABLE new ALTER received TYPE text;
             {} FROM '{path}'; INSERT INTO nudge.records (project_id, machine_id, seq, received, member_id, kind, obs_type, at, session,
             event_key, program, content, file_path, facts) SELECT project_id, machine_id, seq, to_timestamp(received::bigint), member_id,
             kind, obs_type, at, session, event_key, program, content, file_path, facts FROM new",
            COPY.replace("nudge.records", "new")
        ));
    }
    fs::remove_file(&path).unwrap();
    database.psql(
        "CREATE INDEX records_words ON nudge.records USING gin (nudge.words(content, file_path, parts))",
    );
    database.psql("VACUUM ANALYZE nudge.records");
    println!("{rows} rows filled in {:.0} s", start.elapsed().as_secs_f64());
    let size = |what: &str| -> u64 {
        let sql = format!(
            "SELECT coalesce(sum({what}), 0) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE inhparent = 'nudge.records'::regclass"
        );
        database.psql(&sql).parse().unwrap()
    };
    let (table, indexes) = (size("pg_table_size(c.oid)"), size("pg_indexes_size(c.oid)"));
    let words = "SELECT coalesce(sum(pg_relation_size(i.inhrelid)), 0) FROM pg_inherits i WHERE inhparent = 'nudge.records_words'::regclass";
    let words: u64 = database.psql(words).parse().unwrap();
    let megabytes = |bytes: u64| bytes / 1_000_000;
    format!(
        "on the disk: table {} MB, words {} MB, other indexes {} MB: {:.2} KB a row",
        megabytes(table),
        megabytes(words),
        megabytes(indexes - words),
        (table + indexes) as f64 / rows as f64 / 1000.0
    )
}

fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

/// Searches as a member does, by the function.
fn searches(database: &Database) -> bool {
    let url = database.url("postgres");
    runtime().block_on(async {
        let client = connect(&url).await.unwrap();
        let mut is_over = false;
        for (name, words) in [
            ("a rare pair of words", "rareone raretwo"),
            ("a word in 0.5 % of rows", "halfpercent"),
            ("a word in 60 %", "common"),
            ("two words, OR", "halfpercent or onepercent"),
        ] {
            let mut times = Vec::new();
            for projects in [None, Some(vec!["p0"]), Some(vec!["p1"])] {
                let mut rounds = Vec::new();
                for _ in 0..7 {
                    let start = Instant::now();
                    let sql = "SELECT * FROM nudge.search_v1($1, $2, 200)";
                    let parameters: [(&(dyn ToSql + Sync), Type); 2] =
                        [(&words, Type::TEXT), (&projects, Type::TEXT_ARRAY)];
                    client.query_typed(sql, &parameters).await.unwrap();
                    rounds.push(start.elapsed());
                }
                rounds.sort_unstable();
                times.push(rounds[3]);
            }
            is_over |= times.iter().any(|time| *time > MAX_SEARCH);
            let shown: Vec<String> =
                times.iter().map(|time| format!("{:.1} ms", time.as_secs_f64() * 1000.0)).collect();
            println!("search, {name}: all projects, the largest, a small one: {}", shown.join(", "));
        }
        is_over
    })
}

/// Lets 200 clients do an exchange at once: connect, hello, a lot of 20, a pull, close.
fn crowds(cluster: &'static Cluster, filled: &Database) -> bool {
    let empty = team(cluster);
    let mut is_over = false;
    for (name, database) in [("an empty database", &empty), ("the filled database", filled)] {
        let (alone, refused) = crowd(database, CLIENTS, 0);
        let (pooled, _) = crowd(database, POOL, 1);
        let ratio = alone.as_secs_f64() / pooled.as_secs_f64();
        println!(
            "{CLIENTS} clients at once, {name}: {:.1} s on 100 connections ({refused} refused attempts, all done), {:.1} s with a pool of {POOL}: {ratio:.2} (at most {MAX_CROWD})",
            alone.as_secs_f64(),
            pooled.as_secs_f64()
        );
        is_over |= ratio > MAX_CROWD;
    }
    is_over
}

fn crowd(database: &Database, at_once: usize, round: usize) -> (Duration, usize) {
    let (refused, room) = (AtomicUsize::new(0), (Mutex::new(at_once), Condvar::new()));
    let login = format!("crowd_{}_{}", database.name, round);
    // Not the superuser, who has connections that nobody else gets.
    database.psql(&format!(
        "CREATE ROLE {login} LOGIN IN ROLE nudge_member; SELECT nudge.member_v1('{login}', '{login}', 'member', false)"
    ));
    let url = database.url(&login);
    let start = Instant::now();
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (url, refused, (free, freed)) = (&url, &refused, &room);
            scope.spawn(move || {
                let mut count = freed.wait_while(free.lock().unwrap(), |free| *free == 0).unwrap();
                *count -= 1;
                drop(count);
                exchange(url, client + CLIENTS * (round + 1), refused);
                *free.lock().unwrap() += 1;
                freed.notify_one();
            });
        }
    });
    (start.elapsed(), refused.into_inner())
}

fn exchange(url: &str, machine: usize, refused: &AtomicUsize) {
    let mut dice = Dice(machine as u64);
    let batch = batch(&mut dice, machine + 10, 0, 20);
    let project = format!("p{}", machine % 20);
    runtime().block_on(async {
        let client = loop {
            match connect(url).await {
                Ok(client) => break client,
                // As the exchange does: wait for a random time, and try again.
                Err(error) => {
                    assert_eq!(
                        error.code().map(tokio_postgres::error::SqlState::code),
                        Some("53300"),
                        "{error}"
                    );
                    refused.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(50 + dice.roll(1_000))).await;
                }
            }
        };
        let hello = format!("SELECT nudge.hello_v1('{}', '{{{project}}}')", uuid(machine));
        client.query_typed(&hello, &[]).await.unwrap();
        push_lot(&client, machine, &project, 0, 20, &batch).await;
        let pull = format!("SELECT * FROM nudge.pull_v1('{project}', 0, NULL, 2000)");
        client.query_typed(&pull, &[]).await.unwrap();
    });
}
