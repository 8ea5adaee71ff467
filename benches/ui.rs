//! What the viewer costs: its answers beside `/health` on the same connection, beside a small memory, and what a hook
//! pays while a page is open.
//!
//! `cargo bench --bench ui` builds what users get and prints tables; `NUDGE_BENCH_NO_BUILD=1` takes the program that is
//! there. `NUDGE_BENCH_ROWS` changes the size of the large memory, and `NUDGE_BENCH_HOMES=DIR` keeps the filled
//! memories there for the next run. No two questions are the same, so no answer can be one that was kept.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a benchmark times and prints"
)]

mod agent;
#[path = "ui/home.rs"]
mod home;
#[path = "ui/page.rs"]
mod page;
mod timing;

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

use agent::AgentServer;
use home::Home;
use page::OpenPage;
use timing::{dist, median, millis};

const LARGE: usize = 1_000_000;
const MIDDLE: usize = 100_000;
const SMALL: usize = 10_000;
/// Observations of a session, so that a million rows are 6,000 sessions.
const PER_SESSION: usize = 166;
const DAYS: u64 = 90;
const DAY_MS: u64 = 86_400_000;
const ROUNDS: usize = 30;
/// Hook calls that the trace has before anything is measured.
const TRACED: usize = 400;

fn main() {
    let program = dist();
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let kept = std::env::var_os("NUDGE_BENCH_HOMES").map(PathBuf::from);
    let root = kept.as_deref().unwrap_or(temporary.path());
    let most = std::env::var("NUDGE_BENCH_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(LARGE);
    let homes: Vec<Home> =
        [SMALL, MIDDLE, most].into_iter().map(|rows| Home::new(root, rows, &program)).collect();
    let mut over = false;
    for home in &homes[1..] {
        over |= against_health(home);
    }
    over |= flat(&homes[0], &homes[2]);
    over |= search(&homes[2]);
    over |= hooks(&homes[2]);
    over |= ram(&homes[2]);
    if over {
        eprintln!("over the limit");
        std::process::exit(1);
    }
}

/// The questions of all pages for a range of a week, each with its limit as a ratio to `/health`.
const QUESTIONS: [&str; 21] = [
    "meta",
    "overview",
    "density",
    "lanes",
    "feed",
    "sessions",
    "session/{session}",
    "search?q=common",
    "search?q=common+rareword77",
    "observation/{id}",
    "walls",
    "wall/{wall}",
    "files",
    "file?path=src/module_3/file_43.rs",
    "rules",
    "rule/no-force-push",
    "told",
    "notes",
    "plan",
    "hints",
    "health",
];

/// Every question against `/health`, in turn on one connection.
fn against_health(home: &Home) -> bool {
    const LIMIT: f64 = 60.0;
    let page = OpenPage::new(home);
    let mut connection = page.connection();
    let names = page.names(&mut connection);
    println!(
        "\n{:<34} {:>9} {:>9} {:>8} {:>8} {:>7}",
        format!("{} rows, a week", home.rows),
        "median",
        "first",
        "ratio",
        "fastest",
        "limit"
    );
    let mut over = false;
    for question in QUESTIONS {
        let question = names.fill(question);
        let (mut health, mut times) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            health.push(connection.get("/health"));
            let from = now_ms() - 7 * DAY_MS + round as u64 * 1_000;
            times.push(connection.ask(&page.asked(&question, from)));
        }
        let first = times[0];
        let middle = median(&mut times);
        let ratio = middle.as_secs_f64() / median(&mut health).as_secs_f64();
        // Other work on the machine lengthens a long answer more than a short one; the fastest of both had the least of it.
        let fastest = times[0].as_secs_f64() / health[0].as_secs_f64();
        // What the memory's own search costs is measured below.
        let limit = if question.starts_with("search") { f64::INFINITY } else { LIMIT };
        over |= ratio > limit;
        let mark = if ratio > limit { "  over" } else { "" };
        println!(
            "{question:<34.34} {:>6.2} ms {:>6.2} ms {ratio:>7.1}x {fastest:>7.1}x {LIMIT:>6}x{mark}",
            millis(middle),
            millis(first)
        );
    }
    over
}

/// A large memory against a small one, in turn.
fn flat(small: &Home, large: &Home) -> bool {
    let pages = [OpenPage::new(small), OpenPage::new(large)];
    let mut connections = pages.each_ref().map(OpenPage::connection);
    let names = [0, 1].map(|at| pages[at].names(&mut connections[at]));
    println!(
        "\n{:<34} {:>9} {:>9} {:>8} {:>8} {:>7}",
        format!("{} rows against {}", large.rows, small.rows),
        "large",
        "small",
        "ratio",
        "fastest",
        "limit"
    );
    let mut over = false;
    // A list has as many rows in both, if the range is open; the last two add up a quarter of a year.
    for (question, limit) in [
        ("lanes", 2.0),
        ("sessions", 2.0),
        ("feed", 2.0),
        ("session/{session}", 2.0),
        ("density", 3.0),
        ("overview", 3.0),
    ] {
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..ROUNDS {
            for at in [0, 1] {
                let from = now_ms() - (DAYS + 1) * DAY_MS + round as u64 * 1_000;
                let asked = pages[at].asked(&names[at].fill(question), from);
                times[at].push(connections[at].ask(&asked));
            }
        }
        let [few, many] = &mut times;
        let middle = (median(few), median(many));
        let fastest = many[0].as_secs_f64() / few[0].as_secs_f64();
        let (few, many) = middle;
        let ratio = many.as_secs_f64() / few.as_secs_f64();
        over |= ratio > limit;
        let mark = if ratio > limit { "  over" } else { "" };
        println!(
            "{question:<34} {:>6.2} ms {:>6.2} ms {ratio:>7.2}x {fastest:>7.2}x {limit:>6}x{mark}",
            millis(many),
            millis(few)
        );
    }
    over
}

/// The page's search against the server's own, which agents use.
fn search(home: &Home) -> bool {
    const LIMIT: f64 = 1.3;
    let page = OpenPage::new(home);
    let mut connection = page.connection();
    let mut server = AgentServer::start(home.command(&["serve"]));
    println!("\n{:<34} {:>9} {:>9} {:>8} {:>7}", "search", "page", "agents", "ratio", "limit");
    let mut over = false;
    for words in ["rareword77", "common", "common middling", "word17 word39"] {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            times[0].push(connection.ask(&format!("search?q={}&limit=20", words.replace(' ', "+"))));
            let question = json!({ "query": words, "project": null, "limit": 20 });
            times[1].push(server.call("search", &question));
        }
        let [mine, theirs] = &mut times;
        let (mine, theirs) = (median(mine), median(theirs));
        let ratio = mine.as_secs_f64() / theirs.as_secs_f64();
        over |= ratio > LIMIT;
        let mark = if ratio > LIMIT { "  over" } else { "" };
        println!(
            "{words:<34} {:>6.2} ms {:>6.2} ms {ratio:>7.2}x {LIMIT:>6}x{mark}",
            millis(mine),
            millis(theirs)
        );
    }
    over
}

/// Hooks while a page follows, against hooks while none is open: in blocks, because the first looks need a moment.
fn hooks(home: &Home) -> bool {
    const LIMIT: f64 = 1.1;
    const BLOCKS: usize = 12;
    const BLOCK: usize = 30;
    // So that a block lasts longer than the quarter of a second after which a page looks again.
    const PAUSE: Duration = Duration::from_millis(12);
    let mut times = [Vec::new(), Vec::new()];
    let mut number = 0;
    // A server runs in both cases, as it does beside an agent.
    let page = OpenPage::new(home);
    for block in 0..BLOCKS {
        let stream = (block % 2 == 1).then(|| page.follow());
        for _ in 0..BLOCK {
            number += 1;
            times[block % 2].push(home.hook(&home.ran(number)));
            std::thread::sleep(PAUSE);
        }
        drop(stream);
    }
    let [without, with] = &mut times;
    let (without, with) = (median(without), median(with));
    let ratio = with.as_secs_f64() / without.as_secs_f64();
    println!(
        "\na hook while a page follows: {:.3} ms, while none is open {:.3} ms: {ratio:.2}x (limit {LIMIT}x)",
        millis(with),
        millis(without)
    );
    ratio > LIMIT
}

/// The RAM of a server after all questions of a page, against one that was asked nothing.
fn ram(home: &Home) -> bool {
    const LIMIT: f64 = 1.5;
    let page = OpenPage::new(home);
    let Some(before) = page.resident() else {
        println!("RAM of the server: unknown on this system");
        return false;
    };
    let mut connection = page.connection();
    let names = page.names(&mut connection);
    for question in QUESTIONS {
        connection.ask(&page.asked(&names.fill(question), now_ms() - 7 * DAY_MS));
    }
    let after = page.resident().unwrap_or(before);
    let ratio = after as f64 / before as f64;
    println!("RAM of the server: {after} KB with a page, {before} KB without: {ratio:.2}x (limit {LIMIT}x)");
    ratio > LIMIT
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_millis() as u64
}
