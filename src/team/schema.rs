//! The schema of a team in its database: making it, bringing it up to this program, and trying whether an engine takes it.
//!
//! Everything happens in one transaction, and only because a person asks for it. A migration adds; it removes only what no
//! served function reads.

use std::time::Duration;

use tokio_postgres::types::Type;

use super::fault::{TeamError, TeamRemedy};
use super::pattern::stored_pattern;
use super::session::{TeamSession, one};

/// The files of the schema, each from one version to the next.
const MIGRATIONS: [&str; 1] = [include_str!("../../migrations/team/0001.sql")];

/// The version of the protocol that this program speaks.
pub(crate) const PROTOCOL: i32 = 1;

/// PostgreSQL 14, as the server says it.
const MIN_SERVER: i32 = 140_000;

/// Statements of a migration may wait for pushes that are under way.
const MIGRATION_TIMEOUT: Duration = Duration::from_secs(60);

/// What `nudge team init` sets.
#[derive(Debug, Clone, Default)]
pub(crate) struct SchemaOptions {
    /// Patterns of projects that may be shared, with `*`.
    pub(crate) allowed: Vec<String>,
    /// Whether new projects are at first closed to those who do not share them.
    pub(crate) is_closed: bool,
}

/// A statement that an engine refuses.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RefusedStatement {
    /// Its first line.
    pub(crate) statement: String,
    pub(crate) why: String,
}

/// What an upgrade did: the versions before and after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SchemaUpgrade {
    pub(crate) from: i32,
    pub(crate) to: i32,
}

impl TeamSession {
    /// Makes the schema, and the caller its first admin.
    pub(crate) fn init_schema(&self, options: &SchemaOptions) -> Result<(), TeamError> {
        self.in_transaction(|| self.create_schema(&MIGRATIONS, options))
    }

    fn create_schema(&self, migrations: &[&str], options: &SchemaOptions) -> Result<(), TeamError> {
        self.demand_version()?;
        if self.has_schema()? {
            let message = "this database has a team already";
            return Err(TeamError::new(TeamRemedy::Report, message));
        }
        for (index, migration) in migrations.iter().enumerate() {
            for statement in statements(migration) {
                self.run(statement)?;
            }
            if index > 0 {
                self.set_version(index + 1)?;
            }
        }
        let allowed: Vec<String> = options.allowed.iter().map(|pattern| stored_pattern(pattern)).collect();
        let is_open = !options.is_closed;
        self.run("SET LOCAL ROLE nudge_owner")?;
        let sql = "UPDATE nudge.server SET allowed = $1, open_new = $2";
        self.call(sql, &[(&allowed, Type::TEXT_ARRAY), (&is_open, Type::BOOL)])?;
        Ok(())
    }

    /// Tries every statement, and the functions themselves, and takes all of it back.
    pub(crate) fn check_schema(&self) -> Result<Vec<RefusedStatement>, TeamError> {
        self.demand_version()?;
        self.run("BEGIN")?;
        let tried = self.try_statements(&all_statements());
        // A connection that is gone has nothing to take back.
        let ended = self.run("ROLLBACK");
        let refused = tried?;
        ended.map(|()| refused)
    }

    fn try_statements(&self, statements: &[&str]) -> Result<Vec<RefusedStatement>, TeamError> {
        let mut refused = Vec::new();
        for statement in statements {
            self.run("SAVEPOINT try")?;
            match self.run(statement) {
                Ok(()) => self.run("RELEASE SAVEPOINT try")?,
                Err(error) if error.code.is_some() && !error.is_temporary() => {
                    let first = statement.lines().find(|line| !line.is_empty() && !line.starts_with("--"));
                    let first = first.unwrap_or_default();
                    refused.push(RefusedStatement { statement: first.to_owned(), why: error.message });
                    self.run("ROLLBACK TO SAVEPOINT try")?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(refused)
    }

    /// Brings the schema up to this program. Several at once do it once: the others wait for the server's row.
    pub(crate) fn upgrade_schema(&self) -> Result<SchemaUpgrade, TeamError> {
        self.in_transaction(|| self.apply(&MIGRATIONS))
    }

    fn apply(&self, migrations: &[&str]) -> Result<SchemaUpgrade, TeamError> {
        if !self.has_schema()? {
            return Err(TeamError::new(TeamRemedy::NoSchema, "this database has no team"));
        }
        self.run("SET LOCAL ROLE nudge_owner")?;
        // A row's lock, not an advisory one: some engines have only stubs of those.
        let rows = self.call("SELECT version FROM nudge.server FOR UPDATE", &[])?;
        let from: i32 = one(&rows)?.try_get(0)?;
        self.call("SELECT (nudge.admin()).id", &[])?;
        let newest = i32::try_from(migrations.len()).unwrap_or(i32::MAX);
        if from > newest {
            let message = format!("the schema has version {from}, and this program knows up to {newest}");
            return Err(TeamError::new(TeamRemedy::Report, message));
        }
        let done = usize::try_from(from).unwrap_or_default();
        for (index, migration) in migrations.iter().enumerate().skip(done) {
            for statement in statements(migration) {
                self.run(statement)?;
            }
            self.set_version(index + 1)?;
        }
        Ok(SchemaUpgrade { from, to: newest })
    }

    fn set_version(&self, version: usize) -> Result<(), TeamError> {
        let version = i32::try_from(version).unwrap_or(i32::MAX);
        self.run("SET LOCAL ROLE nudge_owner")?;
        self.call("UPDATE nudge.server SET version = $1", &[(&version, Type::INT4)]).map(drop)
    }

    /// Runs something that is done as a whole or not at all.
    pub(super) fn in_transaction<T>(
        &self,
        deed: impl FnOnce() -> Result<T, TeamError>,
    ) -> Result<T, TeamError> {
        self.allow_long_calls(MIGRATION_TIMEOUT);
        self.run("BEGIN")?;
        let done = deed().and_then(|done| self.run("COMMIT").map(|()| done));
        if done.is_err() {
            // If this fails too, the connection is gone, and the transaction with it.
            drop(self.run("ROLLBACK"));
        }
        done
    }

    fn has_schema(&self) -> Result<bool, TeamError> {
        let rows = self.call("SELECT to_regclass('nudge.server') IS NOT NULL", &[])?;
        Ok(one(&rows)?.try_get(0)?)
    }

    fn demand_version(&self) -> Result<(), TeamError> {
        let rows = self.call("SELECT current_setting('server_version_num')::int, version()", &[])?;
        let (number, name): (i32, String) = (one(&rows)?.try_get(0)?, one(&rows)?.try_get(1)?);
        if number < MIN_SERVER {
            let message = format!("a team needs PostgreSQL 14 or newer, and this is {name}");
            return Err(TeamError::new(TeamRemedy::Report, message));
        }
        Ok(())
    }

    /// Returns what of the server's configuration the person who runs it should know.
    pub(crate) fn server_warnings(&self) -> Result<Vec<String>, TeamError> {
        let names = [
            "log_statement",
            "log_min_duration_statement",
            "log_parameter_max_length",
            "log_parameter_max_length_on_error",
            "fsync",
            "synchronous_commit",
        ];
        let mut values = Vec::new();
        for name in names {
            let rows = self.call("SELECT current_setting($1, true)", &[(&name, Type::TEXT)])?;
            let value: Option<String> = one(&rows)?.try_get(0)?;
            values.push((name, value.unwrap_or_default()));
        }
        Ok(warnings(&values))
    }
}

/// Returns what is risky about values of settings.
fn warnings(values: &[(&str, String)]) -> Vec<String> {
    let value =
        |name: &str| values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value.as_str());
    let keeps_parameters = value("log_parameter_max_length") != "0";
    let mut found = Vec::new();
    if value("log_statement") == "all" && keeps_parameters {
        let what =
            "`log_statement` is `all`: the server's log keeps every shared row, also after it is forgotten";
        found.push(format!("{what}; set it to `none` or `ddl`, or `log_parameter_max_length` to 0"));
    }
    if !matches!(value("log_min_duration_statement"), "" | "-1") && keeps_parameters {
        let what = "`log_min_duration_statement` is on: the server's log keeps the rows of slow pushes";
        found.push(format!("{what}; set `log_parameter_max_length` to 0"));
    }
    if !matches!(value("log_parameter_max_length_on_error"), "" | "0") {
        found.push("`log_parameter_max_length_on_error` is on: the server's log keeps rows that were refused; set it to 0".to_owned());
    }
    for name in ["fsync", "synchronous_commit"] {
        if value(name) == "off" {
            let what =
                format!("`{name}` is off: a crash of the server may lose rows that it said it had stored");
            found.push(format!("{what}; members send them again, but turn it on"));
        }
    }
    found
}

fn all_statements() -> Vec<&'static str> {
    MIGRATIONS.iter().flat_map(|migration| statements(migration)).collect()
}

/// Splits a migration. A statement ends with a semicolon at the end of a line, outside of the body of a function.
fn statements(migration: &str) -> Vec<&str> {
    let (mut found, mut start, mut at, mut is_body) = (Vec::new(), 0, 0, false);
    for line in migration.split_inclusive('\n') {
        at += line.len();
        let code = line.split(" --").next().unwrap_or_default().trim_end();
        let is_comment = code.starts_with("--");
        if !is_comment && code.matches("$$").count() % 2 == 1 {
            is_body = !is_body;
        }
        if !is_comment && !is_body && code.ends_with(';') {
            found.push(migration[start..at].trim());
            start = at;
        }
    }
    found
}

#[cfg(test)]
mod tests;
