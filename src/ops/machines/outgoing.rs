//! What this machine sends: what it has forgotten, and rows that the other one lacks, oldest first.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::lines::{EndWire, ForgottenWire, HasWire, LOT_ROWS, StockWire, SyncLine};
use super::watch::Pulse;
use super::{LocalMachine, Meter, SyncError, SyncOptions};
use crate::model::{MachineKey, SyncLot};
use crate::store::SyncRow;

/// Where lines go.
pub(super) struct LineWriter<'w> {
    pub(super) out: &'w mut dyn Write,
    pub(super) pulse: Pulse,
}

impl LineWriter<'_> {
    /// Writes a line, and reports what keeps it from arriving.
    pub(super) fn line(&mut self, line: &impl serde::Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut *self.out, line).map_err(io::Error::from)?;
        self.out.write_all(b"\n")?;
        self.pulse.beat();
        Ok(())
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl LocalMachine {
    /// Returns what this machine has, as another one is told; `peer` may have passed on rows with gaps.
    pub(super) fn stock(
        &self,
        peer: Option<MachineKey>,
        options: &SyncOptions,
    ) -> Result<StockWire, SyncError> {
        let mut has = BTreeMap::new();
        for known in self.store.known_machines()? {
            let place = match peer {
                Some(peer) => self.store.place(peer, known.key)?,
                None => 0,
            };
            let mark = known.mark.filter(|_| place <= known.upto);
            let told = HasWire { upto: known.upto.max(place), mark, forgotten: known.forgotten };
            // A machine that it is asked for everything is not to think that its key is used twice.
            has.insert(known.key, if options.again { HasWire::default() } else { told });
        }
        let upto = self.store.own_upto()?;
        let own = HasWire { upto, mark: None, forgotten: self.store.forgotten_upto()? };
        has.insert(self.key, own);
        let keeps =
            self.retention.days.iter().filter_map(|(kind, days)| Some((kind.name().to_owned(), (*days)?)));
        Ok(StockWire {
            machine: self.key,
            has,
            keeps: keeps.collect(),
            again: options.again,
            dry: options.is_dry,
            excluded: self.exclusion.hash(),
        })
    }

    /// Returns the machines of which rows can be sent, each with the numbers after and up to which the other one lacks
    /// them.
    pub(super) fn missing(
        &self,
        peer: MachineKey,
        has: &BTreeMap<MachineKey, HasWire>,
    ) -> Result<Vec<OutgoingRows>, SyncError> {
        let after = |machine: &MachineKey| has.get(machine).map_or(0, |has| has.upto.max(0));
        let mut missing = Vec::new();
        for known in self.store.known_machines()?.into_iter().filter(|known| known.key != peer) {
            let has_gaps = known.has_gaps || !self.exclusion.is_empty();
            missing.push(OutgoingRows {
                after: after(&known.key),
                upto: known.reached,
                machine: known.key,
                has_gaps,
            });
        }
        let upto = self.store.own_upto()?;
        missing.push(OutgoingRows { machine: self.key, after: after(&self.key), upto, has_gaps: false });
        missing.retain(|rows| rows.after < rows.upto);
        Ok(missing)
    }

    /// Sends everything that the other machine lacks, and the end.
    pub(super) fn send(
        &mut self,
        peer: MachineKey,
        has: &BTreeMap<MachineKey, HasWire>,
        out: &mut LineWriter<'_>,
        meter: &Meter,
    ) -> Result<EndWire, SyncError> {
        let mut end = EndWire::default();
        let cut = |_| SyncError::Cut;
        let mut number = has.get(&self.key).map_or(0, |has| has.forgotten.max(0));
        loop {
            let keys = self.store.forgotten_since(number, LOT_ROWS)?;
            let Some((last, _)) = keys.last() else { break };
            number = *last;
            end.forgotten += keys.len();
            let keys = keys.into_iter().map(|(_, key)| key).collect();
            out.line(&SyncLine::Forgotten(ForgottenWire { upto: number, keys })).map_err(cut)?;
        }
        for rows in self.missing(peer, has)? {
            end.rows += self.send_rows(rows, out, meter)?;
        }
        out.line(&SyncLine::End(end)).and_then(|()| out.flush()).map_err(cut)?;
        Ok(end)
    }

    fn send_rows(
        &mut self,
        mut rows: OutgoingRows,
        out: &mut LineWriter<'_>,
        meter: &Meter,
    ) -> Result<usize, SyncError> {
        let mut count = 0;
        while rows.after < rows.upto {
            let (lot, part) = self.next_lot(&rows)?;
            out.line(&SyncLine::Lot(lot)).map_err(|_| SyncError::Cut)?;
            for row in &part {
                out.line(&(row.number, &row.observation)).map_err(|_| SyncError::Cut)?;
            }
            rows.after = lot.upto;
            count += part.len();
            meter.add(part.len());
        }
        Ok(count)
    }

    /// Returns the next rows of a machine. Numbers of rows that stay here are passed over.
    fn next_lot(&mut self, rows: &OutgoingRows) -> Result<(SyncLot, Vec<SyncRow>), SyncError> {
        let OutgoingRows { machine, after, upto, has_gaps } = *rows;
        let is_own = machine == self.key;
        let mut part = if is_own {
            self.store.own_rows(after, upto, LOT_ROWS)?
        } else {
            self.store.rows_of(machine, after, upto, LOT_ROWS)?
        };
        let upto = if part.len() < LOT_ROWS { upto } else { part.last().map_or(upto, |row| row.number) };
        part.retain(|row| !self.exclusion.covers(&row.observation, row.title.as_deref()));
        let mark = if is_own {
            Some(self.store.mark_sent(upto)?)
        } else {
            let known = self.store.known_machines()?.into_iter().find(|known| known.key == machine);
            known.filter(|known| known.upto == upto).and_then(|known| known.mark)
        };
        Ok((SyncLot { machine, after, upto, mark, has_gaps, rows: part.len() }, part))
    }

    /// Returns how many rows and forgotten keys the other machine lacks.
    pub(super) fn count_missing(
        &self,
        peer: MachineKey,
        has: &BTreeMap<MachineKey, HasWire>,
    ) -> Result<EndWire, SyncError> {
        let forgotten = has.get(&self.key).map_or(0, |has| has.forgotten.max(0));
        let mut end =
            EndWire { rows: 0, forgotten: self.store.forgotten_since(forgotten, usize::MAX >> 1)?.len() };
        for mut rows in self.missing(peer, has)? {
            while rows.after < rows.upto {
                let part = if rows.machine == self.key {
                    self.store.own_rows(rows.after, rows.upto, LOT_ROWS)?
                } else {
                    self.store.rows_of(rows.machine, rows.after, rows.upto, LOT_ROWS)?
                };
                let is_sent = |row: &&SyncRow| !self.exclusion.covers(&row.observation, row.title.as_deref());
                end.rows += part.iter().filter(is_sent).count();
                rows.after = match part.last() {
                    Some(last) if part.len() == LOT_ROWS => last.number,
                    _ => rows.upto,
                };
            }
        }
        Ok(end)
    }
}

/// The rows of a machine that another one lacks.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutgoingRows {
    pub(super) machine: MachineKey,
    pub(super) after: i64,
    pub(super) upto: i64,
    pub(super) has_gaps: bool,
}
