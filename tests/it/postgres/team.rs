//! A team in a database of its own, and members who call the functions of the protocol directly.

use std::ops::Deref;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, NoTls};

use super::cluster::{self, Database};

const SCHEMA: &str = include_str!("../../../migrations/team/0001.sql");

/// A team that allows `github.com/acme/*`; its admin is the superuser `postgres`.
pub(crate) struct Team {
    database: Database,
}

/// A member at one machine. Errors are the server's codes.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) login: String,
    pub(crate) machine: [u8; 16],
    pub(crate) url: String,
}

impl Deref for Team {
    type Target = Database;

    fn deref(&self) -> &Database {
        &self.database
    }
}

impl Team {
    pub(crate) fn new() -> Option<Team> {
        let database = cluster::database()?;
        database.psql(&format!(
            "BEGIN; {SCHEMA} UPDATE nudge.server SET allowed = '{{github.com/acme/%}}'; COMMIT"
        ));
        Some(Team { database })
    }

    /// Lets a member in, with a machine.
    pub(crate) fn member(&self, name: &str, level: &str) -> Member {
        let member = self.login(name);
        let role = if level == "admin" { "nudge_admin" } else { "nudge_member" };
        self.psql(&format!(
            "GRANT {role} TO {0}; SELECT nudge.member_v1('{0}', '{name}', '{level}', false)",
            member.login
        ));
        member
    }

    /// Returns a login that may call the functions, but is not a member.
    pub(crate) fn stranger(&self, name: &str) -> Member {
        let member = self.login(name);
        self.psql(&format!("GRANT nudge_member TO {}", member.login));
        member
    }

    /// Returns a login without any permission.
    pub(crate) fn login(&self, name: &str) -> Member {
        let login = self.database.login(name);
        let mut machine = [0; 16];
        machine[..login.len().min(16)].copy_from_slice(&login.as_bytes()[..login.len().min(16)]);
        Member { url: self.url(&login), login, machine }
    }

    /// Returns all texts that the tables have.
    pub(crate) fn texts(&self) -> Vec<String> {
        let texts = self.psql(
            "SELECT content FROM nudge.records WHERE content IS NOT NULL AND kind = 'observation' ORDER BY 1",
        );
        texts.lines().map(str::to_owned).collect()
    }
}

impl Member {
    /// Connects, and runs one statement; a session of its own for every call, as after a cut.
    fn call<T>(
        &self,
        call: impl AsyncFnOnce(&Client) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, String> {
        runtime().block_on(async {
            let (client, connection) = tokio_postgres::connect(&self.url, NoTls).await.expect("a connection");
            tokio::spawn(connection);
            call(&client).await.map_err(|error| code(&error))
        })
    }

    /// Runs SQL, and returns how many rows it gave.
    pub(crate) fn sql(&self, sql: &str) -> Result<usize, String> {
        self.call(async |client| Ok(client.query_typed(sql, &[]).await?.len()))
    }

    /// Counts the rows of a statement about this machine.
    pub(crate) fn count(&self, sql: &str) -> usize {
        let sql = sql.replace("$1", &format!("'{}'", uuid(self.machine)));
        self.sql(&sql).expect("rows")
    }

    pub(crate) fn hello(&self, projects: &[&str]) -> Result<Value, String> {
        let sql = format!("SELECT nudge.hello_v1('{}', $1)", uuid(self.machine));
        let rows =
            self.call(async |client| client.query_typed(&sql, &[(&projects, Type::TEXT_ARRAY)]).await)?;
        Ok(rows[0].get(0))
    }

    /// Pushes records; pushes are named by one byte.
    pub(crate) fn push(
        &self,
        project: &str,
        previous: Option<u8>,
        this: u8,
        first: i64,
        batch: &[Value],
    ) -> Result<String, String> {
        self.push_as(project, previous.map(|id| [id; 16]), [this; 16], first, &Value::from(batch).to_string())
    }

    pub(crate) fn push_text(&self, project: &str, batch: &str) -> Result<String, String> {
        self.push_as(project, None, [1; 16], 1, batch)
    }

    fn push_as(
        &self,
        project: &str,
        previous: Option<[u8; 16]>,
        this: [u8; 16],
        first: i64,
        batch: &str,
    ) -> Result<String, String> {
        let sql = push_sql(self.machine, previous, this, first);
        let parameters: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 2] =
            [(&project, Type::TEXT), (&batch, Type::TEXT)];
        let rows = self.call(async |client| client.query_typed(&sql, &parameters).await)?;
        Ok(rows[0].get(0))
    }

    /// Says hello, and pushes the first records of a stream.
    #[track_caller]
    pub(crate) fn told(&self, project: &str, this: u8, batch: &[Value]) {
        self.hello(&[project]).expect("hello");
        assert_eq!(self.push(project, None, this, 1, batch).as_deref(), Ok("stored"));
    }

    /// Returns how many records follow a place.
    pub(crate) fn pull(&self, project: &str, after: i64, mark: Option<u8>) -> Result<usize, String> {
        let mark = mark.map_or("NULL".to_owned(), |id| format!("'{}'", uuid([id; 16])));
        let sql = format!("SELECT seq FROM nudge.pull_v1($1, {after}, {mark}, 2000) WHERE seq IS NOT NULL");
        Ok(self.call(async |client| client.query_typed(&sql, &[(&project, Type::TEXT)]).await)?.len())
    }

    /// Returns all records that a reader gets.
    pub(crate) fn records(&self, project: &str) -> Vec<Value> {
        let sql = "SELECT to_jsonb(r) FROM nudge.pull_v1($1, 0, NULL, 2000) AS r WHERE seq IS NOT NULL";
        let rows =
            self.call(async |client| client.query_typed(sql, &[(&project, Type::TEXT)]).await).expect("rows");
        rows.iter().map(|row| row.get(0)).collect()
    }

    pub(crate) fn found(&self, words: &str) -> usize {
        self.sql(&format!("SELECT * FROM nudge.search_v1('{words}', NULL, 100)")).expect("rows")
    }
}

/// Returns the statement of a push whose parameters are the project and the batch.
pub(crate) fn push_sql(machine: [u8; 16], previous: Option<[u8; 16]>, this: [u8; 16], first: i64) -> String {
    let previous = previous.map_or("NULL".to_owned(), |id| format!("'{}'", uuid(id)));
    let (machine, this) = (uuid(machine), uuid(this));
    format!(
        "SELECT outcome FROM nudge.push_v1('{machine}', $1, {previous}, '{this}', {first}, 0, $2::text::jsonb)"
    )
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

pub(crate) fn uuid(id: [u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(id))
}

fn code(error: &tokio_postgres::Error) -> String {
    error.code().map_or_else(|| error.to_string(), |code| code.code().to_owned())
}

/// Returns the key of a text in these tests.
pub(crate) fn key(text: &str) -> String {
    let mut bits = 0_u128;
    for byte in text.bytes() {
        bits = bits.wrapping_mul(257) ^ u128::from(byte);
    }
    format!("{bits:032x}")
}

pub(crate) fn row(text: &str) -> Value {
    json!({"kind": "observation", "obs_type": "command", "at": 1, "content": text, "event_key": key(text)})
}
