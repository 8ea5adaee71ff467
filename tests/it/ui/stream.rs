//! A page that follows is told what happens, and nothing else looks.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use super::page::Page;
use crate::memory::scene::{failed, play, remembered};
use crate::payload::{bash, prompt};
use crate::servers::{Server, TIMEOUT};

/// The events of a stream, as they come.
struct Followed(BufReader<TcpStream>);

impl Followed {
    fn open(page: &Page, query: &str) -> (u16, Followed) {
        let mut stream = TcpStream::connect(("127.0.0.1", page.port)).expect("the server listens");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a time-out");
        let request = format!(
            "GET /ui/api/stream{query} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n",
            page.port,
            page.halves()
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut followed = Followed(BufReader::new(stream));
        let status =
            followed.line().split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        while !followed.line().is_empty() {}
        (status, followed)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// Returns the next event of this kind: its cursor and its data.
    fn next(&mut self, wanted: &str) -> (String, Value) {
        let (mut name, mut cursor) = (String::new(), String::new());
        for _ in 0..10_000 {
            let line = self.line();
            if let Some(value) = line.strip_prefix("event: ") {
                name = value.to_owned();
            } else if let Some(value) = line.strip_prefix("id: ") {
                cursor = value.to_owned();
            } else if let Some(data) = line.strip_prefix("data: ")
                && name == wanted
            {
                return (cursor, serde_json::from_str(data).expect("JSON"));
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

#[test]
fn a_burst_means_to_ask_again() {
    let sandbox = remembered();
    let _server = Server::start(&sandbox, &[]);
    let page = Page::open(&sandbox, "read");
    let (_, mut followed) = Followed::open(&page, "");
    followed.next("hello");
    let trace = sandbox.data_folder().join("nudge.trace.jsonl");
    let line = std::fs::read_to_string(&trace).expect("a trace").lines().last().expect("a line").to_owned();
    let mut file = std::fs::OpenOptions::new().append(true).open(&trace).expect("the trace");
    file.write_all(format!("{line}\n").repeat(200).as_bytes()).expect("written");
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
