//! Brings what colleagues told into the copy here. Rows and the place behind them are stored together.

use std::path::Path;

use super::ground::{Exchange, ExchangeError};
use super::plan;
use crate::config::paths;
use crate::model::{ArrivedLot, ArrivedRow, LotPlace, RandomId, Timestamp};
use crate::observations::{arrived, arrived_facts};
use crate::ops::observations::database;
use crate::redact::OwnPatterns;
use crate::store::{self, Store, StoreError, TeamCopy};
use crate::team::{PulledLot, PulledRecord, TeamError, TeamRemedy};

/// About this many rows come in one call.
const MAX_ROWS: i32 = 2_000;
/// A place that is this many lots behind may be too far behind to read everything.
const FAR_BEHIND: i64 = 200;

/// What came.
#[derive(Debug, Default)]
pub(super) struct Pulled {
    pub(super) brought: usize,
    pub(super) dropped: usize,
    pub(super) left_out: usize,
    /// Rows that were deleted from the copy.
    pub(super) deleted: usize,
    /// Rows that no version of this program would have sent.
    pub(super) unreadable: usize,
}

/// Brings every project that has something new. A damaged copy is deleted and brought again.
pub(super) fn pull_all(
    store: &Store,
    exchange: &Exchange<'_>,
    pushed: &[String],
) -> Result<Pulled, ExchangeError> {
    let path = paths::team_copy().ok_or(ExchangeError::Homeless)?;
    match pull_into(store, exchange, pushed, &path) {
        Err(ExchangeError::Store(StoreError::Corrupt(_) | StoreError::Other(_))) => {
            store::delete_team_copy(&path)?;
            pull_into(store, exchange, pushed, &path)
        }
        pulled => pulled,
    }
}

fn pull_into(
    store: &Store,
    exchange: &Exchange<'_>,
    pushed: &[String],
    path: &Path,
) -> Result<Pulled, ExchangeError> {
    let mut copy = TeamCopy::open(path, RandomId(exchange.hello.epoch), database::DATABASE_TIMEOUT)?;
    let mut done = Pulled::default();
    let wanted = exchange.plan.keys();
    for project in copy.projects()? {
        // It is closed to this member now, or not in the list any more.
        if !exchange.hello.projects.contains_key(&project) || !wanted.contains(&project) {
            copy.forget_project(&project)?;
        }
    }
    let patterns = plan::own_patterns().map_err(ExchangeError::Pattern)?;
    for project in wanted {
        let Some(head) = exchange.hello.projects.get(&project).map(|found| found.head) else { continue };
        // What was sent just now is beyond the place that the server has named.
        let head = if pushed.contains(&project) { head + 1 } else { head };
        let mut puller =
            Puller { copy: &mut copy, exchange, project: &project, patterns: &patterns, own: store };
        match puller.bring(head, &mut done) {
            // The server was restored and has gone on.
            Err(ExchangeError::Team(error)) if error.remedy == TeamRemedy::BringAgain => {
                puller.copy.forget_project(&project)?;
                puller.bring(head, &mut done)?;
            }
            Err(ExchangeError::Team(error)) if error.remedy == TeamRemedy::NoProject => {
                copy.forget_project(&project)?;
            }
            brought => brought?,
        }
    }
    if done.deleted > 0 {
        copy.scrub()?;
    }
    Ok(done)
}

struct Puller<'p> {
    copy: &'p mut TeamCopy,
    exchange: &'p Exchange<'p>,
    project: &'p str,
    patterns: &'p OwnPatterns,
    own: &'p Store,
}

impl Puller<'_> {
    fn bring(&mut self, head: i64, done: &mut Pulled) -> Result<(), ExchangeError> {
        let (exchange, now) = (self.exchange, self.exchange.now);
        let known = self.copy.project(self.project, now)?;
        let mut place = known.place;
        // A server that was restored may be behind the place that was read; a call finds that out.
        let is_rewound = place.is_some_and(|place| place.number > head);
        if place.map_or(0, |place| place.number) >= head && !is_rewound {
            return self.trim();
        }
        if !is_rewound && place.is_none_or(|place| head - place.number > FAR_BEHIND) {
            self.jump(&mut place, done)?;
        }
        let mut came = known.came_today;
        while exchange.deadline.allows(exchange.session) && came < exchange.plan.team.most_a_day {
            let (after, mark) = place.map_or((0, None), |place| (place.number, Some(place.push.0)));
            let lots: Vec<ArrivedLot> = self.pull(after, mark)?.into_iter().map(arrived_lot).collect();
            let Some(last) = lots.last() else { break };
            place = Some(last.place);
            came += lots.iter().map(|lot| lot.rows.len()).sum::<usize>();
            let count = self.copy.receive(
                self.project,
                &lots,
                now,
                &exchange.hello.name,
                |text| arrived(text, self.patterns),
                |key| self.own.is_unwanted(key).unwrap_or(false),
            )?;
            done.brought += count.stored;
            done.dropped += count.dropped;
            done.deleted += count.deleted;
            done.unreadable += count.unreadable;
        }
        self.trim()
    }

    /// Deletes what is too old or too much, also if nothing came.
    fn trim(&mut self) -> Result<(), ExchangeError> {
        let oldest = Timestamp(self.exchange.now.0 - i64::from(self.days()) * crate::model::DAY);
        self.copy.trim(self.project, oldest, self.exchange.plan.team.keep)?;
        Ok(())
    }

    fn pull(&self, after: i64, mark: Option<[u8; 16]>) -> Result<Vec<PulledLot>, TeamError> {
        self.exchange.session.pull(self.project, after, mark, MAX_ROWS)
    }

    /// Returns for how many days rows are kept here, which is never longer than on the server.
    fn days(&self) -> i32 {
        let own = i32::try_from(self.exchange.plan.team.days).unwrap_or(i32::MAX);
        own.min(self.exchange.hello.keep_days)
    }

    /// Continues at a later place, if what is before it is too old or too much.
    fn jump(&mut self, place: &mut Option<LotPlace>, done: &mut Pulled) -> Result<(), ExchangeError> {
        let most = i64::try_from(self.exchange.plan.team.most_a_day).unwrap_or(i64::MAX);
        let Some(start) = self.exchange.session.start(self.project, self.days(), most)? else {
            return Ok(());
        };
        if place.is_some_and(|place| place.number >= start.pos) {
            return Ok(());
        }
        let known = self.copy.read_numbers(self.project)?;
        let left_out = usize::try_from(start.skipped).unwrap_or_default().saturating_sub(known);
        let target = LotPlace { number: start.pos, push: RandomId(start.mark) };
        self.copy.jump(self.project, target, left_out)?;
        done.left_out += left_out;
        *place = Some(target);
        Ok(())
    }
}

fn arrived_lot(lot: PulledLot) -> ArrivedLot {
    ArrivedLot {
        place: LotPlace { number: lot.pos, push: RandomId(lot.push) },
        member_id: i64::from(lot.member_id),
        member: lot.member,
        is_ci: lot.is_ci,
        ahead: i64::from(lot.ahead),
        received: Timestamp(lot.received),
        rows: lot.records.into_iter().map(arrived_row).collect(),
    }
}

fn arrived_row(record: PulledRecord) -> ArrivedRow {
    let facts = match record.facts {
        Some(serde_json::Value::Object(facts)) if record.kind == "observation" => Some(arrived_facts(facts)),
        // Those of other kinds say whom they are about.
        Some(serde_json::Value::Object(facts)) => Some(facts),
        _ => None,
    };
    ArrivedRow {
        number: record.seq,
        kind: record.kind,
        by_admin: record.by_admin,
        obs_type: record.obs_type,
        at: record.at,
        session: record.session,
        event_key: record.event_key,
        program: record.program,
        signature: record.signature,
        content: record.content,
        file_path: record.file_path,
        facts,
    }
}
