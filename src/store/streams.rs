//! What this machine shares with a team's server: streams of numbers and keys. The texts stay in the observations, and
//! are read again when they leave.
//!
//! Every change is one small transaction. One process at a time exchanges rows; `forget` may add records meanwhile.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Reader, Result, Store, row};
use crate::model::{
    EventKey, HeldRow, KnownStream, Observation, PendingPush, RandomId, RecordKind, ServerStream, SessionId,
    ShareLevel, StreamRecord, StreamState, TeamState, Timestamp,
};

/// This many records are added in one transaction, so that hooks wait only briefly.
const MAX_BATCH: usize = 500;

/// Why a row stays here that was about to leave.
const NO_LONGER_SHARED: &str = "you chose to share less before it had left";

/// At most this many rows of a session are looked at.
const MAX_SESSION_ROWS: usize = 5_000;

/// The folders and the time from which rows may leave.
pub(crate) struct ShareScope<'s> {
    /// Ids of the project's folders.
    pub(crate) folders: &'s [i64],
    pub(crate) since: Timestamp,
    /// Rows up to this observation do not leave.
    pub(crate) after: i64,
}

impl Reader {
    /// Returns what is known about the team's server; `None` if the user has never named one.
    pub(crate) fn team_state(&self) -> Result<Option<TeamState>> {
        let sql = "SELECT url, machine, epoch, member, level, version, tried_at, reached_at, sent_at, sent,
                 brought_at, brought, problem, failing_since, rests FROM team_state";
        Ok(self.connection.prepare_cached(sql)?.query_row([], team_state).optional()?)
    }

    pub(crate) fn streams(&self) -> Result<Vec<KnownStream>> {
        let sql = "SELECT id, project, since, level, looked, last, acked, acked_push, pending_first, pending_last,
                 pending_push, after,
                 (SELECT count(*) FROM stream_records r WHERE r.stream = streams.id AND r.kind = 'observation'
                     AND r.number <= acked AND NOT EXISTS (SELECT 1 FROM stream_records d
                         WHERE d.event_key = r.event_key AND d.stream = r.stream AND d.kind = 'drop')
                     AND NOT EXISTS (SELECT 1 FROM held WHERE held.stream = r.stream AND held.number = r.number))
             FROM streams ORDER BY project";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], stream)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    pub(crate) fn stream(&self, project: &str) -> Result<Option<KnownStream>> {
        Ok(self.streams()?.into_iter().find(|stream| stream.project == project))
    }

    /// Returns the records of a stream between two numbers.
    pub(crate) fn stream_records(&self, stream: i64, first: i64, last: i64) -> Result<Vec<StreamRecord>> {
        let sql = "SELECT number, kind, observation, event_key,
                 EXISTS (SELECT 1 FROM held WHERE held.stream = r.stream AND held.number = r.number)
             FROM stream_records r WHERE stream = ?1 AND number BETWEEN ?2 AND ?3 ORDER BY number";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map((stream, first, last), |row| {
            Ok(StreamRecord {
                number: row.get(0)?,
                kind: RecordKind::parse(&row::text(row, 1)?).unwrap_or(RecordKind::Gone),
                observation: row.get(2)?,
                event_key: row.get::<_, Option<[u8; 16]>>(3)?.map(EventKey),
                is_held: row.get(4)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns whether a push of this machine ended there.
    pub(crate) fn was_pushed(&self, stream: i64, server: ServerStream) -> Result<bool> {
        let sql = "SELECT 1 FROM pushes WHERE stream = ?1 AND last = ?2 AND push = ?3";
        let push = server.push.map(|push| push.0);
        Ok(self.connection.prepare_cached(sql)?.exists((stream, server.last, push))?)
    }

    /// Returns the rows that stay here, and why.
    pub(crate) fn held_rows(&self) -> Result<Vec<HeldRow>> {
        let sql = "SELECT project, observation, why FROM held JOIN streams ON streams.id = held.stream
             LEFT JOIN stream_records r ON r.stream = held.stream AND r.number = held.number
             ORDER BY project, held.number";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(HeldRow { project: row::text(row, 0)?, observation: row.get(1)?, why: row::text(row, 2)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns every folder of a project that rows were seen in: its id and its path.
    pub(crate) fn project_folders(&self) -> Result<Vec<(i64, String)>> {
        let sql = "SELECT projects.id, root FROM projects LEFT JOIN project_identities USING (id)
             WHERE root IS NOT NULL AND NOT coalesce(replaced, 0) ORDER BY projects.id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row::text(row, 1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the sessions with rows of this machine after an observation, in the order of their last ones.
    pub(crate) fn sessions_after(&self, scope: &ShareScope<'_>, looked: i64) -> Result<Vec<SessionId>> {
        let sql = "SELECT session_id FROM observations
             WHERE id > max(?1, ?4) AND origin IS NULL AND project_id IN (SELECT value FROM json_each(?2)) AND timestamp >= ?3
             GROUP BY session_id ORDER BY max(id)";
        let mut statement = self.connection.prepare_cached(sql)?;
        let params = (looked, list(scope.folders), scope.since.0, scope.after);
        let rows = statement.query_map(params, |row| row::text(row, 0).map(SessionId))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the rows of a session that happened on this machine, in chronological order.
    pub(crate) fn rows_to_share(
        &self,
        scope: &ShareScope<'_>,
        session: &SessionId,
    ) -> Result<Vec<Observation>> {
        let rest = format!(
            "WHERE id IN (SELECT id FROM observations WHERE session_id = ?1 AND origin IS NULL
                 AND project_id IN (SELECT value FROM json_each(?2)) AND timestamp >= ?3 AND id > ?4
                 ORDER BY id DESC LIMIT {MAX_SESSION_ROWS}) ORDER BY timestamp, id"
        );
        row::all(&self.connection, &rest, params![session.0, list(scope.folders), scope.since.0, scope.after])
    }

    /// Returns whether an event is in the memory of this machine, or was forgotten or hidden here.
    pub(crate) fn is_own_or_hidden(&self, key: EventKey) -> Result<bool> {
        let sql =
            "SELECT 1 FROM observations WHERE event_key = ?1 UNION ALL SELECT 1 FROM forgotten WHERE key = ?1
             UNION ALL SELECT 1 FROM hidden_rows WHERE event_key = ?1";
        Ok(self.connection.prepare_cached(sql)?.exists([key.0])?)
    }

    /// Returns whether rows of an event are not to be brought here: the user has forgotten or hidden it.
    pub(crate) fn is_unwanted(&self, key: EventKey) -> Result<bool> {
        let sql =
            "SELECT 1 FROM forgotten WHERE key = ?1 UNION ALL SELECT 1 FROM hidden_rows WHERE event_key = ?1";
        Ok(self.connection.prepare_cached(sql)?.exists([key.0])?)
    }

    /// Returns whether an event was neither told nor taken back.
    pub(crate) fn is_untold(&self, key: EventKey) -> Result<bool> {
        is_told(&self.connection, key).map(|is_told| !is_told)
    }

    /// Counts the rows of a selection that a server has.
    pub(super) fn count_told(&self, ids: &str) -> Result<usize> {
        let sql = "SELECT count(DISTINCT r.event_key) FROM observations JOIN stream_records r
                 ON r.event_key = observations.event_key AND r.kind = 'observation'
             WHERE observations.id IN (SELECT value FROM json_each(?1))
                 AND NOT EXISTS (SELECT 1 FROM stream_records d
                     WHERE d.event_key = r.event_key AND d.stream = r.stream AND d.kind = 'drop')";
        Ok(self.connection.prepare_cached(sql)?.query_row([ids], |row| row.get(0))?)
    }
}

impl Store {
    /// Begins with a server; what belongs to another one is deleted.
    pub(crate) fn begin_team(&mut self, url: &str, machine: RandomId) -> Result<()> {
        self.write(|connection| {
            clear(connection)?;
            let sql = "INSERT INTO team_state (one, url, machine) VALUES (1, ?1, ?2)";
            connection.execute(sql, (url, machine.0))?;
            Ok(())
        })?;
        self.sync()
    }

    /// Deletes everything about the team.
    pub(crate) fn leave_team(&mut self) -> Result<()> {
        self.write(clear)?;
        self.sync()
    }

    /// Notes that the same server has another address.
    pub(crate) fn set_team_url(&mut self, url: &str) -> Result<()> {
        self.write(|connection| {
            connection.execute("UPDATE team_state SET url = ?1", [url])?;
            Ok(())
        })
    }

    /// Keeps what the server says about itself.
    pub(crate) fn set_server(
        &mut self,
        epoch: RandomId,
        member: &str,
        level: &str,
        version: i64,
    ) -> Result<()> {
        self.write(|connection| {
            let sql = "UPDATE team_state SET epoch = ?1, member = ?2, level = ?3, version = ?4";
            connection.execute(sql, (epoch.0, member, level, version))?;
            Ok(())
        })
    }

    /// Begins the stream of a project, or follows a new choice: what a higher level adds leaves from now on, and what a
    /// lower one excludes does not leave any more, even if it has a number already.
    pub(crate) fn choose(&mut self, project: &str, level: ShareLevel, since: Timestamp) -> Result<()> {
        let known = self.stream(project)?;
        // Events of this very second may have happened before the choice.
        let after = if since.0 == 0 { 0 } else { self.last_id()? };
        let Some(known) = known else {
            return self.write(|connection| {
                let sql = "INSERT INTO streams (project, since, level, after) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT DO NOTHING";
                connection.execute(sql, (project, since.0, level.name(), after))?;
                Ok(())
            });
        };
        if known.level == level {
            return Ok(());
        }
        let is_more = level > known.level;
        let (since, after) = if is_more { (since, after) } else { (known.since, known.after) };
        self.write(|connection| {
            if !is_more {
                withdraw(connection, &known)?;
            }
            let sql = "UPDATE streams SET level = ?2, since = ?3, after = ?4 WHERE id = ?1";
            connection.execute(sql, (known.id, level.name(), since.0, after))?;
            Ok(())
        })
    }

    /// Lets rows from before the choice leave too, after the user has seen them.
    pub(crate) fn share_since(&mut self, project: &str, since: Timestamp) -> Result<()> {
        self.write(|connection| {
            let sql = "UPDATE streams SET since = ?2, after = 0, looked = 0 WHERE project = ?1";
            connection.execute(sql, (project, since.0))?;
            Ok(())
        })
    }

    /// Adds observations to a stream, each event once; returns how many are new.
    pub(crate) fn append_to_stream(&mut self, stream: i64, rows: &[(i64, EventKey)]) -> Result<usize> {
        let mut added = 0;
        for some in rows.chunks(MAX_BATCH) {
            added += self.write(|connection| {
                let mut added = 0;
                for (observation, key) in some {
                    if !is_told(connection, *key)? {
                        append(connection, stream, RecordKind::Observation, Some(*observation), *key)?;
                        added += 1;
                    }
                }
                Ok(added)
            })?;
        }
        Ok(added)
    }

    /// Takes rows back by their keys.
    pub(crate) fn append_drops(&mut self, stream: i64, keys: &[EventKey]) -> Result<()> {
        for some in keys.chunks(MAX_BATCH) {
            self.write(|connection| {
                for key in some {
                    append(connection, stream, RecordKind::Drop, None, *key)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Takes back what was forgotten on another machine of this user; here, `forget` does it itself.
    pub(crate) fn append_forgotten(&mut self) -> Result<usize> {
        let sql = "SELECT DISTINCT r.stream, r.event_key FROM forgotten JOIN stream_records r
                 ON r.event_key = forgotten.key AND r.kind = 'observation'
             WHERE NOT EXISTS (SELECT 1 FROM stream_records d
                 WHERE d.event_key = r.event_key AND d.stream = r.stream AND d.kind = 'drop')";
        let found = told(&self.connection, sql, [])?;
        for (stream, key) in &found {
            self.append_drops(*stream, &[*key])?;
        }
        Ok(found.len())
    }

    /// Takes back everything that this machine has told, and keeps what has not left yet; returns how many rows that is.
    pub(crate) fn take_everything_back(&mut self) -> Result<usize> {
        let streams = self.streams()?;
        self.write(|connection| streams.iter().try_for_each(|stream| withdraw(connection, stream)))?;
        let sql = "SELECT DISTINCT r.stream, r.event_key FROM stream_records r WHERE r.kind = 'observation'
             AND NOT EXISTS (SELECT 1 FROM stream_records d
                 WHERE d.event_key = r.event_key AND d.stream = r.stream AND d.kind = 'drop')";
        let found = told(&self.connection, sql, [])?;
        for (stream, key) in &found {
            self.append_drops(*stream, &[*key])?;
        }
        Ok(found.len())
    }

    /// Notes that all rows up to this observation were looked at.
    pub(crate) fn set_looked(&mut self, stream: i64, upto: i64) -> Result<()> {
        self.write(|connection| {
            connection.execute("UPDATE streams SET looked = ?2 WHERE id = ?1", (stream, upto))?;
            Ok(())
        })
    }

    /// Writes down what is about to be sent. After this, the same push is sent until its answer is known.
    pub(crate) fn begin_push(&mut self, stream: i64, push: PendingPush) -> Result<()> {
        self.write(|connection| {
            let sql =
                "UPDATE streams SET pending_first = ?2, pending_last = ?3, pending_push = ?4 WHERE id = ?1";
            connection.execute(sql, (stream, push.first, push.last, push.id.0))?;
            Ok(())
        })?;
        self.sync()
    }

    /// Notes that the server has a push.
    pub(crate) fn acknowledge(&mut self, stream: i64, push: PendingPush) -> Result<()> {
        self.write(|connection| {
            let sql =
                "UPDATE streams SET acked = ?2, acked_push = ?3, pending_first = NULL, pending_last = NULL,
                 pending_push = NULL WHERE id = ?1";
            connection.execute(sql, (stream, push.last, push.id.0))?;
            let sql = "INSERT INTO pushes (stream, last, push) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET push = excluded.push";
            connection.execute(sql, (stream, push.last, push.id.0))?;
            Ok(())
        })
    }

    /// Continues from where the server is: it was restored from a backup.
    pub(crate) fn rewind_stream(&mut self, stream: i64, server: ServerStream) -> Result<()> {
        self.write(|connection| {
            let sql =
                "UPDATE streams SET acked = ?2, acked_push = ?3, pending_first = NULL, pending_last = NULL,
                 pending_push = NULL WHERE id = ?1";
            connection.execute(sql, (stream, server.last, server.push.map(|push| push.0)))?;
            connection
                .execute("DELETE FROM pushes WHERE stream = ?1 AND last > ?2", (stream, server.last))?;
            Ok(())
        })
    }

    /// Takes a new name on the server, in one transaction: what comes after the last common push of each stream begins
    /// at 1 under that name.
    pub(crate) fn rename_machine(&mut self, machine: RandomId, common: &[(i64, i64)]) -> Result<()> {
        self.write(|connection| {
            connection.execute("UPDATE team_state SET machine = ?1", [machine.0])?;
            for (stream, common) in common {
                shift(connection, *stream, *common)?;
            }
            Ok(())
        })?;
        self.sync()
    }

    /// Begins all streams again: there is another database at the same address.
    pub(crate) fn begin_streams_again(&mut self) -> Result<()> {
        self.write(|connection| {
            connection.execute("DELETE FROM pushes", [])?;
            let sql =
                "UPDATE streams SET acked = 0, acked_push = NULL, pending_first = NULL, pending_last = NULL,
                 pending_push = NULL";
            connection.execute(sql, [])?;
            // Records under an earlier name of this machine are not on the new server either.
            let mut streams =
                connection.prepare("SELECT stream, min(number) FROM stream_records GROUP BY stream")?;
            let streams = streams.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let streams: Vec<(i64, i64)> = streams.collect::<rusqlite::Result<_>>()?;
            for (stream, first) in streams.into_iter().filter(|(_, first)| *first < 1) {
                shift(connection, stream, first - 1)?;
            }
            Ok(())
        })
    }

    /// Notes why a row stays here; its number is sent without it.
    pub(crate) fn hold(&mut self, stream: i64, number: i64, why: &str) -> Result<()> {
        self.write(|connection| {
            let sql = "INSERT INTO held (stream, number, why) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
            connection.execute(sql, (stream, number, why))?;
            Ok(())
        })
    }

    /// Notes how an exchange ended; the times change only if rows moved.
    pub(crate) fn note_exchange(
        &mut self,
        now: Timestamp,
        (sent, brought): (usize, usize),
        problem: Option<&str>,
    ) -> Result<()> {
        self.write(|connection| {
            let sql = "UPDATE team_state SET tried_at = ?1,
                 reached_at = CASE WHEN ?4 IS NULL THEN ?1 ELSE reached_at END,
                 sent_at = CASE WHEN ?2 > 0 THEN ?1 ELSE sent_at END, sent = CASE WHEN ?2 > 0 THEN ?2 ELSE sent END,
                 brought_at = CASE WHEN ?3 > 0 THEN ?1 ELSE brought_at END,
                 brought = CASE WHEN ?3 > 0 THEN ?3 ELSE brought END,
                 failing_since = CASE WHEN ?4 IS NULL THEN NULL ELSE coalesce(failing_since, ?1) END, problem = ?4";
            connection.execute(sql, params![now.0, sent, brought, problem])?;
            Ok(())
        })
    }

    /// Makes no further attempt until the settings change, or begins again.
    pub(crate) fn set_team_rest(&mut self, why: Option<&str>) -> Result<()> {
        self.write(|connection| {
            connection.execute("UPDATE team_state SET rests = ?1", [why])?;
            Ok(())
        })
    }

    /// Hides a colleague's row here, for good.
    pub(crate) fn hide_row(&mut self, key: EventKey) -> Result<()> {
        self.write(|connection| {
            let sql = "INSERT INTO hidden_rows (event_key) VALUES (?1) ON CONFLICT DO NOTHING";
            connection.execute(sql, [key.0])?;
            Ok(())
        })
    }
}

/// Empties the numbers of rows that have not left, so that the next look decides again which of them do.
///
/// The server may have those of a push that was begun. Its numbers are sent without a row, but keep their keys, by which the
/// rows can be taken back.
fn withdraw(connection: &Connection, stream: &KnownStream) -> Result<()> {
    let begun = stream.state.pending.map_or(stream.state.acked, |push| push.last.max(stream.state.acked));
    let sql = "INSERT INTO held (stream, number, why) SELECT stream, number, ?4 FROM stream_records
         WHERE stream = ?1 AND kind = 'observation' AND number > ?2 AND number <= ?3 ON CONFLICT DO NOTHING";
    connection.execute(sql, params![stream.id, stream.state.acked, begun, NO_LONGER_SHARED])?;
    let sql =
        "UPDATE streams SET looked = min(looked, coalesce((SELECT min(observation) - 1 FROM stream_records
             WHERE stream = ?1 AND kind = 'observation' AND number > ?2), looked)) WHERE id = ?1";
    connection.execute(sql, (stream.id, begun))?;
    let sql = "UPDATE stream_records SET kind = 'gone', observation = NULL, event_key = NULL
         WHERE stream = ?1 AND kind = 'observation' AND number > ?2";
    connection.execute(sql, (stream.id, begun))?;
    Ok(())
}

/// Adds the drops of rows that are about to be forgotten, for those that were told; `ids` is a JSON array.
pub(super) fn take_back(connection: &Connection, ids: &str) -> Result<()> {
    let sql = "SELECT DISTINCT r.stream, r.event_key FROM observations JOIN stream_records r
             ON r.event_key = observations.event_key AND r.kind = 'observation'
         WHERE observations.id IN (SELECT value FROM json_each(?1))
             AND NOT EXISTS (SELECT 1 FROM stream_records d
                 WHERE d.event_key = r.event_key AND d.stream = r.stream AND d.kind = 'drop')";
    for (stream, key) in told(connection, sql, [ids])? {
        append(connection, stream, RecordKind::Drop, None, key)?;
    }
    Ok(())
}

fn told(connection: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<Vec<(i64, EventKey)>> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params, |row| Ok((row.get(0)?, EventKey(row.get(1)?))))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns whether an event was told or taken back already, or forgotten by another machine of this user.
fn is_told(connection: &Connection, key: EventKey) -> Result<bool> {
    let sql =
        "SELECT 1 FROM stream_records WHERE event_key = ?1 UNION ALL SELECT 1 FROM forgotten WHERE key = ?1";
    Ok(connection.prepare_cached(sql)?.exists([key.0])?)
}

fn append(
    connection: &Connection,
    stream: i64,
    kind: RecordKind,
    observation: Option<i64>,
    key: EventKey,
) -> Result<()> {
    let sql = "UPDATE streams SET last = last + 1 WHERE id = ?1 RETURNING last";
    let number: i64 = connection.prepare_cached(sql)?.query_row([stream], |row| row.get(0))?;
    let sql = "INSERT INTO stream_records (stream, number, kind, observation, event_key)
         VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.prepare_cached(sql)?.execute(params![stream, number, kind.name(), observation, key.0])?;
    Ok(())
}

/// Subtracts a number from all numbers of a stream, and begins its pushes again.
fn shift(connection: &Connection, stream: i64, by: i64) -> Result<()> {
    // SQLite checks uniqueness row by row, so the rows move in the order that keeps a free place ahead of them.
    for table in ["stream_records", "held"] {
        let far = 1_i64 << 40;
        for step in [-far, far - by] {
            let sql = format!("UPDATE {table} SET number = number + ?2 WHERE stream = ?1");
            connection.execute(&sql, (stream, step))?;
        }
    }
    connection.execute("DELETE FROM pushes WHERE stream = ?1", [stream])?;
    let sql = "UPDATE streams SET last = last - ?2, acked = 0, acked_push = NULL, pending_first = NULL,
         pending_last = NULL, pending_push = NULL WHERE id = ?1";
    connection.execute(sql, (stream, by))?;
    Ok(())
}

fn clear(connection: &Connection) -> Result<()> {
    Ok(connection.execute_batch(
        "DELETE FROM team_state; DELETE FROM streams; DELETE FROM stream_records; DELETE FROM pushes;
         DELETE FROM held;",
    )?)
}

fn team_state(row: &Row<'_>) -> rusqlite::Result<TeamState> {
    let time = |column| row.get::<_, Option<i64>>(column).map(|time| time.map(Timestamp));
    Ok(TeamState {
        url: row::text(row, 0)?,
        machine: RandomId(row.get(1)?),
        epoch: row.get::<_, Option<[u8; 16]>>(2)?.map(RandomId),
        member: row::optional_text(row, 3)?,
        level: row::optional_text(row, 4)?,
        version: row.get(5)?,
        tried_at: time(6)?,
        reached_at: time(7)?,
        sent_at: time(8)?,
        sent: row.get(9)?,
        brought_at: time(10)?,
        brought: row.get(11)?,
        problem: row::optional_text(row, 12)?,
        failing_since: time(13)?,
        rests: row::optional_text(row, 14)?,
    })
}

fn stream(row: &Row<'_>) -> rusqlite::Result<KnownStream> {
    let id = |column| row.get::<_, Option<[u8; 16]>>(column).map(|id| id.map(RandomId));
    let pending = match (row.get(8)?, row.get(9)?, id(10)?) {
        (Some(first), Some(last), Some(id)) => Some(PendingPush { first, last, id }),
        _ => None,
    };
    Ok(KnownStream {
        id: row.get(0)?,
        project: row::text(row, 1)?,
        since: Timestamp(row.get(2)?),
        after: row.get(11)?,
        level: row::text(row, 3)?.parse().unwrap_or_default(),
        looked: row.get(4)?,
        state: StreamState { last: row.get(5)?, acked: row.get(6)?, acked_push: id(7)?, pending },
        sent: row.get(12)?,
    })
}

fn list(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("[{}]", ids.join(","))
}

#[cfg(test)]
mod tests;
