//! A page that follows is told what happens, and nothing else looks.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use super::page::Page;
use crate::memory::scene::{failed, play, remembered};
use crate::payload::{bash, prompt};
use crate::sandbox::Sandbox;
use crate::servers::{Server, TIMEOUT};

/// The events of a stream, as they come.
pub(super) struct Followed {
    stream: BufReader<TcpStream>,
    /// Where the next stream continues.
    cursor: String,
}

impl Followed {
    pub(super) fn open(page: &Page, query: &str) -> (u16, Followed) {
        let mut stream = TcpStream::connect(("127.0.0.1", page.port)).expect("the server listens");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a time-out");
        let request = format!(
            "GET /ui/api/stream{query} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n",
            page.port,
            page.halves()
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut followed = Followed { stream: BufReader::new(stream), cursor: String::new() };
        let status =
            followed.line().split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        while !followed.line().is_empty() {}
        (status, followed)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// Returns the next line, whatever it is.
    pub(super) fn any(&mut self) -> String {
        self.line()
    }

    /// Returns the next event of this kind: where a stream continues behind it and what came with it, and its data.
    pub(super) fn next(&mut self, wanted: &str) -> (String, Value) {
        let (mut name, mut found) = (String::new(), None);
        for _ in 0..100_000 {
            let line = self.line();
            if let Some(value) = line.strip_prefix("event: ") {
                name = value.to_owned();
            } else if let Some(value) = line.strip_prefix("id: ") {
                value.clone_into(&mut self.cursor);
            } else if let Some(data) = line.strip_prefix("data: ")
                && name == wanted
            {
                found = Some(serde_json::from_str(data).expect("JSON"));
            } else if line.is_empty()
                && let Some(found) = found.take()
            {
                return (self.cursor.clone(), found);
            }
        }
        panic!("no {wanted}");
    }
}

#[test]
fn a_page_that_follows_sees_hooks_and_marks() {
    let sandbox = remembered();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let (status, mut followed) = Followed::open(&page, "");
    assert_eq!(status, 200);
    let (cursor, hello) = followed.next("hello");
    assert_eq!(cursor.split('.').next(), hello["instance"].as_str());
    play(
        &sandbox,
        vec![
            prompt("go on").session("session-9"),
            failed("make", "Exit code 2\nno rule to make target all").session("session-9"),
        ],
    );
    let (_, row) = followed.next("hook");
    assert_eq!(row["session"], "session-9");
    let mut kinds: Vec<u64> = Vec::new();
    while !kinds.contains(&4) {
        let (_, marks) = followed.next("marks");
        assert_eq!((&marks["session"], &marks["lane"]["title"]), (&"session-9".into(), &"go on".into()));
        kinds.extend(marks["marks"].as_array().expect("marks").iter().filter_map(|mark| mark[1].as_u64()));
    }
    assert!(kinds.contains(&3), "{kinds:?}");
    // The next stream continues where this one was.
    drop(followed);
    play(&sandbox, vec![bash("make all").after().session("session-9")]);
    let (_, mut again) = Followed::open(&page, &format!("?after={cursor}"));
    let (_, row) = again.next("hook");
    assert_eq!(row["hook"], "UserPromptSubmit", "from the cursor on: {row}");
    let (_, mut lost) = Followed::open(&page, "?after=another.0.0");
    lost.next("resync");
}

/// The trace of a sandbox, to which a test adds lines as hooks do.
struct TraceFile {
    path: std::path::PathBuf,
    line: Value,
}

impl TraceFile {
    fn of(sandbox: &Sandbox) -> TraceFile {
        let path = sandbox.data_folder().join("nudge.trace.jsonl");
        let text = std::fs::read_to_string(&path).expect("a trace");
        let line = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
        TraceFile { path, line }
    }

    fn line(&self, id: &str) -> String {
        let mut line = self.line.clone();
        line["id"] = id.into();
        format!("{line}\n")
    }

    fn append(&self, text: &str) {
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.path)
            .expect("the trace can be opened");
        file.write_all(text.as_bytes()).expect("written");
    }

    fn rotate(&self) {
        std::fs::rename(&self.path, self.path.with_extension("old.jsonl")).expect("renamed");
    }
}

#[test]
fn a_burst_means_to_ask_again_once() {
    let sandbox = remembered();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let (_, mut followed) = Followed::open(&page, "");
    followed.next("hello");
    let trace = TraceFile::of(&sandbox);
    trace.append(&trace.line("burst001").repeat(10_000));
    followed.next("resync");
    trace.append(&trace.line("after001"));
    // What comes behind it is told one by one again.
    assert_eq!(followed.next("hook").1["id"], "after001");
}

#[test]
fn a_rotated_trace_loses_no_hook() {
    let sandbox = remembered();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let (_, mut followed) = Followed::open(&page, "");
    followed.next("hello");
    let trace = TraceFile::of(&sandbox);
    trace.append(&trace.line("before01"));
    trace.rotate();
    trace.append(&trace.line("after001"));
    let ids = [(); 2].map(|()| followed.next("hook").1["id"].clone());
    assert_eq!(ids, ["before01", "after001"]);
}

#[test]
fn torn_lines_are_waited_for_or_skipped() {
    let sandbox = remembered();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let root = sandbox.path("").display().to_string();
    let (_, mut followed) = Followed::open(&page, &format!("?project={}", root.trim_end_matches('/')));
    followed.next("hello");
    let trace = TraceFile::of(&sandbox);
    let torn = trace.line("torn0001");
    let (start, rest) = torn.split_at(torn.len() / 2);
    trace.append(start);
    // Changed rules are told by the next look, which has seen the half of a line by then.
    sandbox.put(".nudge.yaml", "version: 1\nrules: []\n");
    followed.next("stale");
    trace.append(&format!("{rest}{{\"at\":\n{}", trace.line("whole001")));
    let ids = [(); 2].map(|()| followed.next("hook").1["id"].clone());
    assert_eq!(ids, ["torn0001", "whole001"]);
}

#[test]
fn a_stream_that_continues_has_each_hook_once() {
    let sandbox = remembered();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let trace = TraceFile::of(&sandbox);
    let (_, mut followed) = Followed::open(&page, "");
    followed.next("hello");
    trace.append(&trace.line("row00000"));
    let (mut cursor, row) = followed.next("hook");
    assert_eq!(row["id"], "row00000");
    drop(followed);
    let mut number = 0;
    for _ in 0..3 {
        let ids = [(); 5].map(|()| {
            number += 1;
            format!("row{number:05}")
        });
        ids.iter().for_each(|id| trace.append(&trace.line(id)));
        let (_, mut followed) = Followed::open(&page, &format!("?after={cursor}"));
        for id in &ids {
            assert_eq!(followed.next("hook").1["id"], id.as_str());
        }
        // Nobody knows what else has changed meanwhile; with that the stream is where it was.
        cursor = followed.next("stale").0;
    }
    trace.append(&trace.line("row00016").repeat(21));
    let (_, mut followed) = Followed::open(&page, &format!("?after={cursor}"));
    followed.next("resync");
}

#[test]
fn streams_are_few_and_end_with_the_page() {
    let sandbox = remembered();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let mut open: Vec<Followed> = (0..8)
        .map(|_| {
            let (status, mut followed) = Followed::open(&page, "");
            assert_eq!(status, 200);
            followed.next("hello");
            followed
        })
        .collect();
    assert_eq!(Followed::open(&page, "").0, 503);
    open.pop();
    crate::servers::wait_until("there is room again", || {
        std::thread::sleep(Duration::from_millis(50));
        let (status, _followed) = Followed::open(&page, "");
        status == 200
    });
    assert_eq!(page.get_with("stream", "").status, 401);
}

/// Returns how often the threads of a process began to wait, which every look at a file or a clock causes.
#[cfg(target_os = "linux")]
fn waits(pid: u32) -> u64 {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).expect("the process runs");
    let count = |status: String| {
        let line =
            status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")).map(str::to_owned);
        line.and_then(|count| count.trim().parse::<u64>().ok()).unwrap_or(0)
    };
    threads
        .flatten()
        .filter_map(|one| std::fs::read_to_string(one.path().join("status")).ok())
        .map(count)
        .sum()
}

#[test]
#[cfg(target_os = "linux")]
fn nobody_looks_while_no_page_follows() {
    let sandbox = remembered();
    let server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    page.data("overview");
    let pid = crate::servers::rpc(&sandbox, "nudge.status", &serde_json::json!({}))["result"]["pid"]
        .as_u64()
        .and_then(|pid| u32::try_from(pid).ok())
        .expect("a pid");
    // What one second of following costs, and what one of silence does; both over the same time.
    let during = |pause: Duration| {
        let before = waits(pid);
        std::thread::sleep(pause);
        waits(pid) - before
    };
    let second = Duration::from_millis(1_200);
    let (_, mut followed) = Followed::open(&page, "");
    followed.next("hello");
    let following = during(second);
    drop(followed);
    crate::servers::wait_until("the stream has ended", || during(Duration::from_millis(600)) < 3);
    let silent = during(second);
    assert!(following >= 4, "a page that follows is looked for: {following}");
    assert!(silent <= 2, "{silent} waits while nobody follows, {following} while a page does");
    drop(server);
}

#[test]
fn a_restored_database_means_to_ask_again() {
    let sandbox = remembered();
    sandbox.run(["recent"]).code(0);
    let database = sandbox.data_folder().join("nudge.db");
    let backup = sandbox.beside("backup.db");
    let copy = rusqlite::Connection::open(&database).expect("a database");
    copy.execute("VACUUM INTO ?1", [backup.to_str().expect("UTF-8")]).expect("a copy");
    drop(copy);
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    play(&sandbox, vec![prompt("after the backup").session("session-2")]);
    assert_eq!(page.data("overview")["sessions"], 2);
    let (_, mut followed) = Followed::open(&page, "");
    followed.next("hello");
    for name in ["nudge.db-wal", "nudge.db-shm"] {
        drop(std::fs::remove_file(sandbox.data_folder().join(name)));
    }
    std::fs::rename(&backup, &database).expect("the backup is put in place");
    followed.next("resync");
    let overview = page.data("overview");
    assert_eq!(overview["sessions"], 1, "only what the backup has: {overview}");
    assert_eq!(page.data("lanes")["sessions"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_clock_that_was_set_back_loses_no_hook() {
    let sandbox = remembered();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let (_, mut followed) = Followed::open(&page, "");
    followed.next("hello");
    // A line of an hour ago behind the lines of now, as a hook writes it whose clock was set back.
    let mut trace = TraceFile::of(&sandbox);
    let at = trace.line["at"].as_u64().expect("a time");
    trace.line["at"] = (at - 3_600_000).into();
    trace.append(&trace.line("early001"));
    let (_, row) = followed.next("hook");
    assert_eq!((&row["id"], row["at_ms"].as_u64()), (&"early001".into(), Some(at - 3_600_000)));
    let feed = page.data("feed");
    let ids: Vec<&str> =
        feed["rows"].as_array().expect("rows").iter().filter_map(|row| row["id"].as_str()).collect();
    assert_eq!(ids.last(), Some(&"early001"), "in the order of time: {ids:?}");
}
