//! Machines of members of a team: each is a sandbox with a clone of the same project.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::Value;

use crate::memory::scene::failed;
use crate::payload::{bash, edit};
use crate::postgres::team::Team;
use crate::repository::{git, with_author};
use crate::sandbox::{Ran, Sandbox};

pub(crate) const SHOP: &str = "github.com/acme/shop";

/// A machine of a member.
pub(crate) struct Machine {
    pub(crate) sandbox: Sandbox,
    pub(crate) url: String,
    pub(crate) member: String,
}

/// Returns a machine of a new member, which has not joined.
pub(crate) fn machine(team: &Team, name: &str) -> Machine {
    machine_at(&team.member(name, "member").url, name)
}

/// Returns a machine that reaches the server by this address.
pub(crate) fn machine_at(url: &str, name: &str) -> Machine {
    let sandbox = with_author(Sandbox::new());
    git(&sandbox, "", &["init", "-q", "-b", "main"]);
    git(&sandbox, "", &["remote", "add", "origin", "git@github.com:Acme/shop.git"]);
    Machine { sandbox, url: url.to_owned(), member: name.to_owned() }
}

impl Machine {
    /// Joins and shares the project at a level.
    #[track_caller]
    pub(crate) fn join(self, level: &str) -> Machine {
        // A project is known when something was seen in it.
        self.hook("start", "true");
        let share = format!("{SHOP}={level}");
        self.sandbox.run(["team", "join", &self.url, "--share", &share]).code(0);
        self
    }

    fn hook(&self, session: &str, command: &str) {
        let id = format!("{session}-{command}");
        self.sandbox.hook("claude-code", bash(command).after().session(session).with("tool_use_id", id));
    }

    /// Plays a failure that is overcome: three rows that are shared with `fixes`.
    pub(crate) fn fix(&self, session: &str, what: &str) {
        let send = |payload: crate::payload::Payload, number: u32| {
            let id = format!("{session}-{what}-{number}");
            self.sandbox.hook("claude-code", payload.session(session).with("tool_use_id", id));
        };
        send(failed(&format!("make {what}"), &format!("Exit code 2\nerror: no rule for {what}")), 1);
        send(edit("Makefile", "all:", &format!("{what}:")).after(), 2);
        send(bash(&format!("make {what}")).after(), 3);
    }

    /// Adds rows to the database as hooks and the spool would, which is faster than a process for each.
    pub(crate) fn tell(&self, words: &[String]) {
        let database = self.database();
        database.execute_batch("BEGIN IMMEDIATE").expect("a lock");
        for word in words {
            let key = key_of(&self.member, word);
            database
                .execute(
                    "INSERT INTO observations (timestamp, session_id, project_id, obs_type, source_event, content,
                         metadata, event_key, program, parts)
                     SELECT unixepoch(), 's', min(id), 'command', 'PostToolUse', ?1,
                         json_object('command', ?1, 'exit_code', 0), ?2, 'make', '' FROM projects",
                    (word, key),
                )
                .expect("a row");
            let id = database.last_insert_rowid();
            database
                .execute(
                    "INSERT INTO observations_fts (rowid, content, parts, tags)
                     SELECT id, content, parts, tags FROM observations WHERE id = ?1",
                    [id],
                )
                .expect("words");
        }
        database.execute_batch("COMMIT").expect("a commit");
    }

    #[track_caller]
    pub(crate) fn forget(&self, word: &str) {
        let id: i64 = self
            .database()
            .query_row("SELECT id FROM observations WHERE content = ?1", [word], |row| row.get(0))
            .expect("the row is there");
        self.sandbox.run(["forget", &id.to_string(), "--yes"]).code(0);
    }

    pub(crate) fn sync(&self) -> Ran {
        self.sandbox.run(["sync", "--json"])
    }

    /// Exchanges rows, which must succeed, and returns what moved.
    #[track_caller]
    pub(crate) fn synced(&self) -> Value {
        self.sync().code(0).json()
    }

    pub(crate) fn database(&self) -> Connection {
        let database = Connection::open(self.sandbox.data_folder().join("nudge.db")).expect("a database");
        database.busy_timeout(std::time::Duration::from_secs(20)).expect("a timeout");
        database
    }

    pub(crate) fn copy_path(&self) -> PathBuf {
        self.sandbox.data_folder().join("team.db")
    }

    /// Returns who told what, as it is in the copy here.
    pub(crate) fn copied(&self) -> BTreeSet<(String, String)> {
        self.copied_list().into_iter().collect()
    }

    /// The same with doubles.
    pub(crate) fn copied_list(&self) -> Vec<(String, String)> {
        if !self.copy_path().exists() {
            return Vec::new();
        }
        let copy = Connection::open(self.copy_path()).expect("a copy");
        let mut rows = copy
            .prepare("SELECT people.name, content FROM observations JOIN people ON people.id = person_id ORDER BY 1, 2")
            .expect("a statement");
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
        rows.collect::<rusqlite::Result<_>>().expect("rows")
    }

    /// Returns whether some bytes are in the copy or what is beside it.
    pub(crate) fn copy_has(&self, words: &str) -> bool {
        ["team.db", "team.db-wal"].iter().any(|name| {
            let bytes = std::fs::read(self.sandbox.data_folder().join(name)).unwrap_or_default();
            has(&bytes, words)
        })
    }
}

pub(crate) fn has(bytes: &[u8], words: &str) -> bool {
    bytes.windows(words.len()).any(|window| window == words.as_bytes())
}

/// Returns the key of an event in these tests: the same for all machines of a member.
fn key_of(member: &str, word: &str) -> [u8; 16] {
    let mut bits = 0xcbf2_9ce4_8422_2325_u128;
    for byte in member.bytes().chain([0]).chain(word.bytes()) {
        bits = (bits ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
    }
    bits.to_be_bytes()
}

/// Returns who told what, as the server has it.
pub(crate) fn on_server(team: &Team) -> BTreeSet<(String, String)> {
    let rows = team.psql(
        "SELECT m.name || E'\\t' || content FROM nudge.records r JOIN nudge.members m ON m.id = r.member_id
         WHERE kind = 'observation'",
    );
    rows.lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(who, what)| (who.to_owned(), what.to_owned()))
        .collect()
}
