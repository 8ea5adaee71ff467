//! The functions of the team's server that every member calls, as functions of ours.
//!
//! Ids are the 16 bytes that databases call uuid. Times are seconds since 1970.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::fault::{TeamError, TeamRemedy};
use super::pattern::shown_pattern;
use super::session::{TeamSession, one};
use crate::model::EventKey;

/// What a machine says with a batch of records.
#[derive(Debug, Clone)]
pub(crate) struct PushRequest<'p> {
    pub(crate) machine: [u8; 16],
    pub(crate) project: &'p str,
    /// The push before this one, or `None` for the first of the stream.
    pub(crate) previous: Option<[u8; 16]>,
    /// A random id of this push.
    pub(crate) this: [u8; 16],
    /// The number of the first record.
    pub(crate) first: i64,
    /// This machine's clock.
    pub(crate) now: i64,
    /// A JSON list of records, as `push_v1` reads them.
    pub(crate) batch: &'p Value,
}

/// What became of a push, with the server's last number and push of the stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum PushOutcome {
    Stored {
        last_seq: i64,
    },
    /// The same push was stored before, and its answer was lost.
    Already {
        last_seq: i64,
    },
    /// The stream ends elsewhere than the push says: nothing was stored.
    Elsewhere {
        last_seq: i64,
        last_push: Option<[u8; 16]>,
    },
}

/// What the server says about itself, the caller, and the projects that were asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TeamHello {
    /// Another database, another epoch.
    pub(crate) epoch: [u8; 16],
    pub(crate) version: i32,
    /// The oldest protocol that the server still speaks.
    pub(crate) oldest: i32,
    pub(crate) keep_days: i32,
    /// The patterns of projects that may be shared, with `*`.
    pub(crate) allowed: Vec<String>,
    /// The team's own patterns of secrets.
    pub(crate) redact: Value,
    pub(crate) level: String,
    pub(crate) name: String,
    pub(crate) now: i64,
    /// By the key that was asked for; a project that is missing is not allowed, or closed to the caller.
    pub(crate) projects: BTreeMap<String, TeamProject>,
}

/// Where a project and this machine's stream of it end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TeamProject {
    /// The server's own key, which is another one if an alias was asked for.
    pub(crate) key: String,
    pub(crate) head: i64,
    pub(crate) last_seq: i64,
    pub(crate) last_push: Option<[u8; 16]>,
}

/// Where a reader begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StartPlace {
    pub(crate) pos: i64,
    pub(crate) mark: [u8; 16],
    /// How many numbers are before it.
    pub(crate) skipped: i64,
}

/// One push of a colleague's machine, as it is brought here.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PulledLot {
    pub(crate) pos: i64,
    pub(crate) push: [u8; 16],
    pub(crate) machine: [u8; 16],
    /// The author; a name may change, the number does not.
    pub(crate) member_id: i32,
    pub(crate) member: String,
    pub(crate) is_ci: bool,
    /// Seconds by which the machine's clock was ahead of the server's.
    pub(crate) ahead: i32,
    pub(crate) received: i64,
    /// Without those that were dropped since.
    pub(crate) records: Vec<PulledRecord>,
}

/// A record of a lot. Kinds are `observation`, `drop`, `purge` and `gone`; newer servers may have others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PulledRecord {
    pub(crate) seq: i64,
    pub(crate) kind: String,
    /// An admin may drop rows of others. A `purge` names a member in `facts.member`, all of whose rows go.
    pub(crate) by_admin: bool,
    pub(crate) obs_type: Option<String>,
    pub(crate) at: i64,
    pub(crate) session: Option<[u8; 16]>,
    pub(crate) event_key: Option<EventKey>,
    pub(crate) program: Option<String>,
    pub(crate) signature: Option<String>,
    pub(crate) content: Option<String>,
    pub(crate) file_path: Option<String>,
    pub(crate) parts: Option<String>,
    pub(crate) facts: Option<Value>,
}

/// A row that the server found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TeamHit {
    pub(crate) project: String,
    pub(crate) member_id: i32,
    pub(crate) member: String,
    pub(crate) is_ci: bool,
    pub(crate) received: i64,
    pub(crate) at: i64,
    pub(crate) session: Option<[u8; 16]>,
    pub(crate) event_key: Option<EventKey>,
    pub(crate) obs_type: Option<String>,
    pub(crate) program: Option<String>,
    pub(crate) signature: Option<String>,
    pub(crate) content: Option<String>,
    pub(crate) file_path: Option<String>,
    pub(crate) facts: Option<Value>,
}

impl TeamSession {
    /// Says which machine this is, and asks about projects; the server learns of those that are allowed and new.
    /// Without a machine nothing is written there.
    pub(crate) fn hello(
        &self,
        machine: Option<[u8; 16]>,
        projects: &[String],
    ) -> Result<TeamHello, TeamError> {
        let sql = "SELECT nudge.hello_v1(encode($1, 'hex')::uuid, $2)";
        let machine = machine.as_ref().map(<[u8; 16]>::as_slice);
        let rows = self.call(sql, &[(&machine, Type::BYTEA), (&projects, Type::TEXT_ARRAY)])?;
        let value: Value = one(&rows)?.try_get(0)?;
        let wire: HelloWire =
            serde_json::from_value(value).map_err(|error| not_understood(&error.to_string()))?;
        TeamHello::try_from(wire)
    }

    pub(crate) fn push(&self, request: &PushRequest<'_>) -> Result<PushOutcome, TeamError> {
        let sql = "SELECT outcome, at_seq, uuid_send(at_push) FROM nudge.push_v1(encode($1, 'hex')::uuid, $2, \
                   encode($3, 'hex')::uuid, encode($4, 'hex')::uuid, $5, $6, $7::text::jsonb)";
        let machine = request.machine.as_slice();
        let previous = request.previous.as_ref().map(<[u8; 16]>::as_slice);
        let this = request.this.as_slice();
        // As text: it is the server that says what is wrong with it, and the same for every byte.
        let batch = request.batch.to_string();
        let rows = self.call(
            sql,
            &[
                (&machine, Type::BYTEA),
                (&request.project, Type::TEXT),
                (&previous, Type::BYTEA),
                (&this, Type::BYTEA),
                (&request.first, Type::INT8),
                (&request.now, Type::INT8),
                (&batch, Type::TEXT),
            ],
        )?;
        let row = one(&rows)?;
        let last_seq = row.try_get(1)?;
        match row.try_get(0)? {
            "stored" => Ok(PushOutcome::Stored { last_seq }),
            "already" => Ok(PushOutcome::Already { last_seq }),
            "elsewhere" => Ok(PushOutcome::Elsewhere { last_seq, last_push: id(row, 2)? }),
            other => Err(not_understood(other)),
        }
    }

    /// Brings whole lots after a place, up to about this many rows; `mark` is the push at that place.
    pub(crate) fn pull(
        &self,
        project: &str,
        after: i64,
        mark: Option<[u8; 16]>,
        most: i32,
    ) -> Result<Vec<PulledLot>, TeamError> {
        let sql = "SELECT pos, uuid_send(push), uuid_send(machine), member_id, member, is_ci, by_admin, ahead, \
                   extract(epoch FROM received)::bigint, seq, kind, obs_type, at, session, event_key, program, signature, \
                   content, file_path, parts, facts FROM nudge.pull_v1($1, $2, encode($3, 'hex')::uuid, $4)";
        let mark = mark.as_ref().map(<[u8; 16]>::as_slice);
        let rows = self.call(
            sql,
            &[(&project, Type::TEXT), (&after, Type::INT8), (&mark, Type::BYTEA), (&most, Type::INT4)],
        )?;
        let mut lots: Vec<PulledLot> = Vec::new();
        for row in &rows {
            let pos = row.try_get(0)?;
            if lots.last().is_none_or(|lot| lot.pos != pos) {
                lots.push(PulledLot {
                    pos,
                    push: wanted_id(row, 1)?,
                    machine: wanted_id(row, 2)?,
                    member_id: row.try_get(3)?,
                    member: row.try_get(4)?,
                    is_ci: row.try_get(5)?,
                    ahead: row.try_get(7)?,
                    received: row.try_get(8)?,
                    records: Vec::new(),
                });
            }
            // All rows of the lot may have been dropped since.
            if let (Some(seq), Some(lot)) = (row.try_get(9)?, lots.last_mut()) {
                lot.records.push(PulledRecord {
                    seq,
                    kind: row.try_get(10)?,
                    by_admin: row.try_get(6)?,
                    obs_type: row.try_get(11)?,
                    at: row.try_get(12)?,
                    session: id(row, 13)?,
                    event_key: id(row, 14)?.map(EventKey),
                    program: row.try_get(15)?,
                    signature: row.try_get(16)?,
                    content: row.try_get(17)?,
                    file_path: row.try_get(18)?,
                    parts: row.try_get(19)?,
                    facts: row.try_get(20)?,
                });
            }
        }
        Ok(lots)
    }

    /// Returns the place to begin after, for a reader who wants this many days and rows; `None` is the beginning.
    pub(crate) fn start(&self, project: &str, days: i32, most: i64) -> Result<Option<StartPlace>, TeamError> {
        let sql = "SELECT pos, uuid_send(mark), skipped FROM nudge.start_v1($1, $2, $3)";
        let rows = self.call(sql, &[(&project, Type::TEXT), (&days, Type::INT4), (&most, Type::INT8)])?;
        let place = |row: &Row| {
            Ok(StartPlace { pos: row.try_get(0)?, mark: wanted_id(row, 1)?, skipped: row.try_get(2)? })
        };
        rows.first().map(place).transpose()
    }

    /// Returns the pushes that the server has of one of the caller's streams: the last number of each, and its id.
    pub(crate) fn lots(&self, machine: [u8; 16], project: &str) -> Result<Vec<(i64, [u8; 16])>, TeamError> {
        let sql = "SELECT last_seq, uuid_send(push) FROM nudge.lots_v1(encode($1, 'hex')::uuid, $2)";
        let machine = machine.as_slice();
        let rows = self.call(sql, &[(&machine, Type::BYTEA), (&project, Type::TEXT)])?;
        rows.iter().map(|row| Ok((row.try_get(0)?, wanted_id(row, 1)?))).collect()
    }

    /// Searches on the server, in these projects or in all that the caller may see; the newest come first.
    pub(crate) fn search(
        &self,
        words: &str,
        projects: Option<&[String]>,
        most: i32,
    ) -> Result<Vec<TeamHit>, TeamError> {
        let sql = "SELECT project, member_id, member, is_ci, extract(epoch FROM received)::bigint, at, session, event_key, \
                   obs_type, program, signature, content, file_path, facts FROM nudge.search_v1($1, $2, $3)";
        let rows =
            self.call(sql, &[(&words, Type::TEXT), (&projects, Type::TEXT_ARRAY), (&most, Type::INT4)])?;
        let hit = |row: &Row| {
            Ok(TeamHit {
                project: row.try_get(0)?,
                member_id: row.try_get(1)?,
                member: row.try_get(2)?,
                is_ci: row.try_get(3)?,
                received: row.try_get(4)?,
                at: row.try_get(5)?,
                session: id(row, 6)?,
                event_key: id(row, 7)?.map(EventKey),
                obs_type: row.try_get(8)?,
                program: row.try_get(9)?,
                signature: row.try_get(10)?,
                content: row.try_get(11)?,
                file_path: row.try_get(12)?,
                facts: row.try_get(13)?,
            })
        };
        rows.iter().map(hit).collect()
    }
}

/// The answer to `hello_v1`; fields that are not known here are ignored.
#[derive(Deserialize)]
struct HelloWire {
    epoch: String,
    version: i32,
    oldest: i32,
    keep_days: i32,
    allowed: Vec<String>,
    redact: Value,
    level: String,
    name: String,
    now: i64,
    projects: BTreeMap<String, HelloProjectWire>,
}

#[derive(Deserialize)]
struct HelloProjectWire {
    key: String,
    head: i64,
    last_seq: i64,
    last_push: Option<String>,
}

impl TryFrom<HelloWire> for TeamHello {
    type Error = TeamError;

    fn try_from(wire: HelloWire) -> Result<TeamHello, TeamError> {
        let project = |(asked, project): (String, HelloProjectWire)| {
            let last_push = project.last_push.as_deref().map(parse_id).transpose()?;
            let (key, head, last_seq) = (project.key, project.head, project.last_seq);
            Ok((asked, TeamProject { key, head, last_seq, last_push }))
        };
        Ok(TeamHello {
            epoch: parse_id(&wire.epoch)?,
            version: wire.version,
            oldest: wire.oldest,
            keep_days: wire.keep_days,
            allowed: wire.allowed.iter().map(|pattern| shown_pattern(pattern)).collect(),
            redact: wire.redact,
            level: wire.level,
            name: wire.name,
            now: wire.now,
            projects: wire.projects.into_iter().map(project).collect::<Result<_, TeamError>>()?,
        })
    }
}

/// Parses an id as databases write it.
fn parse_id(text: &str) -> Result<[u8; 16], TeamError> {
    let bits = u128::from_str_radix(&text.replace('-', ""), 16).map_err(|_| not_understood(text))?;
    Ok(bits.to_be_bytes())
}

fn id(row: &Row, column: usize) -> Result<Option<[u8; 16]>, TeamError> {
    let bytes: Option<&[u8]> = row.try_get(column)?;
    bytes.map(|bytes| bytes.try_into().map_err(|_| not_understood("an id"))).transpose()
}

fn wanted_id(row: &Row, column: usize) -> Result<[u8; 16], TeamError> {
    id(row, column)?.ok_or_else(|| not_understood("a missing id"))
}

fn not_understood(what: &str) -> TeamError {
    TeamError::new(TeamRemedy::Report, format!("the answer of the server was not understood: {what}"))
}
