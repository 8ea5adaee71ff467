//! What this machine takes from another one: every row is checked and redacted again, because nobody knows where it has
//! been.

use std::io::BufRead;

use super::lines::{ForgottenWire, LineRead, MAX_LOT_ROWS, StockWire, read_line};
use super::watch::Pulse;
use super::{LocalMachine, Meter, SyncCounts, SyncError};
use crate::model::{MachineKey, NewObservation, Retention, SyncLot};
use crate::observations;
use crate::ops::observations::exchange::check_row;
use crate::ops::observations::forget;
use crate::store::{IncomingLot, StoreError};

/// Takes what one machine sends.
pub(super) struct Intake<'m> {
    pub(super) local: &'m mut LocalMachine,
    pub(super) peer: MachineKey,
    /// Whether the other machine keeps rows for as long as this one.
    pub(super) keeps_enough: bool,
    pub(super) counts: SyncCounts,
    pub(super) pulse: Pulse,
    pub(super) meter: Meter,
}

/// Whether a lot was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LotFate {
    Taken,
    /// Numbers before it are missing.
    Hole,
}

impl<'m> Intake<'m> {
    pub(super) fn new(
        local: &'m mut LocalMachine,
        stock: &StockWire,
        pulse: &Pulse,
        meter: &Meter,
    ) -> Intake<'m> {
        let keeps_enough = keeps_enough(stock, &local.retention);
        let (pulse, meter) = (pulse.clone(), meter.clone());
        Intake { local, peer: stock.machine, keeps_enough, counts: SyncCounts::default(), pulse, meter }
    }

    /// Forgets what the other machine has forgotten.
    pub(super) fn forget(&mut self, list: &ForgottenWire) -> Result<(), SyncError> {
        if list.keys.len() > MAX_LOT_ROWS || list.upto < 0 {
            return Err(SyncError::Protocol("a list of what was forgotten is too long"));
        }
        // The trace first: if this process is killed in between, the next sync finds the rows again.
        let moments = self.local.store.moments_of(&list.keys)?;
        if !moments.is_empty() {
            forget::remove_from_trace(&moments).map_err(StoreError::from)?;
        }
        let taken = self.local.store.take_forgotten(self.peer, &list.keys, list.upto)?;
        self.counts.deleted += taken.deleted;
        Ok(())
    }

    /// Reads the rows of a lot, and stores what is new.
    pub(super) fn lot(&mut self, lot: &SyncLot, lines: &mut dyn BufRead) -> Result<LotFate, SyncError> {
        if lot.after < 0 || lot.upto < lot.after || lot.rows > MAX_LOT_ROWS {
            return Err(SyncError::Protocol("the numbers of a lot make no sense"));
        }
        if lot.machine == self.local.key {
            return Err(SyncError::Protocol("rows that claim to be from this machine"));
        }
        let is_hole = lot.after > self.reached(lot.machine)?;
        let mut rows = Vec::new();
        let (mut last, mut is_cut) = (lot.after, false);
        for _ in 0..lot.rows {
            let line = match read_line(lines).map_err(|_| SyncError::Cut)? {
                LineRead::Line(line) => line,
                LineRead::TooLong => {
                    self.counts.unreadable += 1;
                    continue;
                }
                LineRead::End => return Err(SyncError::Cut),
            };
            self.pulse.beat();
            self.meter.add(1);
            if is_hole {
                continue;
            }
            let Ok((number, row)) = serde_json::from_slice::<(i64, NewObservation)>(&line) else {
                self.counts.unreadable += 1;
                continue;
            };
            if number <= last || number > lot.upto {
                return Err(SyncError::Protocol("the numbers of rows are not in order"));
            }
            last = number;
            let before = (self.counts.excluded, self.counts.expired);
            rows.extend(self.row(lot.machine, number, row)?.map(|row| (number, row)));
            is_cut |= before != (self.counts.excluded, self.counts.expired);
        }
        if is_hole {
            return Ok(LotFate::Hole);
        }
        let is_whole = lot.machine == self.peer || !lot.has_gaps && self.keeps_enough;
        let incoming = IncomingLot { peer: self.peer, lot, rows: &rows, is_whole, is_cut };
        let taken = self.local.store.take_lot(&incoming)?;
        self.counts.brought += taken.stored;
        self.counts.known += taken.known + taken.forgotten;
        Ok(LotFate::Taken)
    }

    /// Returns the number up to which the rows of a machine are here, as far as the other machine may know.
    pub(super) fn reached(&self, machine: MachineKey) -> Result<i64, SyncError> {
        let known = self.local.store.known_machines()?.into_iter().find(|known| known.key == machine);
        let upto = known.map_or(0, |known| known.upto);
        Ok(upto.max(self.local.store.place(self.peer, machine)?))
    }

    /// Returns a row as it is stored here; `None` if it is not to be stored.
    fn row(
        &mut self,
        machine: MachineKey,
        number: i64,
        row: NewObservation,
    ) -> Result<Option<NewObservation>, SyncError> {
        if check_row(&row).is_err() {
            self.counts.unreadable += 1;
            return Ok(None);
        }
        if self.local.exclusion.covers(&row, None) {
            self.counts.excluded += 1;
            return Ok(None);
        }
        if self.is_expired(&row) {
            self.counts.expired += 1;
            return Ok(None);
        }
        // Cleaning takes much longer than this look.
        if let Some(key) = row.event_key
            && !row.is_list()
            && !self.local.store.wants(machine, number, key)?
        {
            self.counts.known += 1;
            return Ok(None);
        }
        Ok(Some(observations::cleaned(row, &self.local.patterns)))
    }

    fn is_expired(&self, row: &NewObservation) -> bool {
        let days = self.local.retention.days.iter().find(|(kind, _)| *kind == row.obs_type);
        let (Some(now), Some(days)) = (self.local.now, days.and_then(|(_, days)| *days)) else {
            return false;
        };
        !row.pinned && row.timestamp < now.minus_days(days)
    }
}

/// Returns whether another machine keeps every type of row for as long as this one.
fn keeps_enough(stock: &StockWire, own: &Retention) -> bool {
    own.days.iter().all(|(kind, days)| match (stock.keeps.get(kind.name()), days) {
        (None, _) => true,
        (Some(theirs), Some(ours)) => theirs >= ours,
        (Some(_), None) => false,
    })
}
