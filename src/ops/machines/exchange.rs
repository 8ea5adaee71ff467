//! The conversation of two machines. They take turns, so that neither can wait for the other to read.
//!
//! ```text
//! there                      here
//! greeting                                   after whatever its shell has printed
//!                            greeting, lock
//! locked
//!                            stock           what each has
//! stock
//!                            forgotten, lots, end
//! got
//! forgotten, lots, end
//!                            got
//! ```

use std::fs::File;
use std::io::{BufRead, Write};

use super::intake::{Intake, LotFate};
use super::lines::{
    EndWire, FailedWire, GotWire, GreetingWire, HasWire, LineRead, StockWire, SyncLine, VersionFlaw,
    read_greeting, read_line,
};
use super::outgoing::LineWriter;
use super::watch::{self, Pulse};
use super::{LOCK_TIMEOUT, LocalMachine, Meter, SyncCounts, SyncError, SyncOptions, SyncReport};
use crate::model::{MachineKey, PeerKind, SyncLot};

/// Both ends of a connection.
pub(super) struct Link<'l> {
    pub(super) lines: &'l mut dyn BufRead,
    pub(super) out: LineWriter<'l>,
    pub(super) meter: Meter,
}

impl Link<'_> {
    fn send(&mut self, line: &impl serde::Serialize) -> Result<(), SyncError> {
        self.out.line(line).and_then(|()| self.out.flush()).map_err(|_| SyncError::Cut)
    }

    fn read(&mut self) -> Result<SyncLine, SyncError> {
        let line = match read_line(self.lines).map_err(|_| SyncError::Cut)? {
            LineRead::Line(line) => line,
            LineRead::TooLong => return Err(SyncError::Protocol("a line is too long")),
            LineRead::End => return Err(SyncError::Cut),
        };
        self.out.pulse.beat();
        match serde_json::from_slice(&line) {
            Ok(SyncLine::Failed(FailedWire { message, is_busy: true })) => Err(SyncError::BusyThere(message)),
            Ok(SyncLine::Failed(FailedWire { message, .. })) => Err(SyncError::There(message)),
            Ok(line) => Ok(line),
            Err(_) => Err(SyncError::Protocol("a line is not part of an exchange")),
        }
    }

    /// Returns why the other machine has hung up, if it has said so.
    fn reason(&mut self, error: SyncError) -> SyncError {
        if matches!(error, SyncError::Cut)
            && let Err(said @ (SyncError::There(_) | SyncError::BusyThere(_))) = self.read()
        {
            return said;
        }
        error
    }

    fn read_stock(&mut self) -> Result<StockWire, SyncError> {
        match self.read()? {
            SyncLine::Stock(stock) => Ok(stock),
            _ => Err(SyncError::Protocol("it did not say what it has")),
        }
    }

    fn read_got(&mut self) -> Result<GotWire, SyncError> {
        match self.read()? {
            SyncLine::Got(got) => Ok(got),
            _ => Err(SyncError::Protocol("it did not say what it has stored")),
        }
    }

    /// Takes everything that the other machine sends.
    fn take(&mut self, local: &mut LocalMachine, stock: &StockWire) -> Result<SyncCounts, SyncError> {
        let mut intake = Intake::new(local, stock, &self.out.pulse, &self.meter);
        loop {
            match self.read()? {
                SyncLine::Forgotten(list) => intake.forget(&list)?,
                SyncLine::Lot(lot) => self.take_lot(&mut intake, &lot)?,
                SyncLine::End(_) => break,
                _ => return Err(SyncError::Protocol("a line has no place here")),
            }
        }
        let counts = intake.counts;
        local.store.scrub_taken()?;
        Ok(counts)
    }

    fn take_lot(&mut self, intake: &mut Intake<'_>, lot: &SyncLot) -> Result<(), SyncError> {
        match intake.lot(lot, self.lines)? {
            LotFate::Taken => Ok(()),
            LotFate::Hole => Err(SyncError::Protocol("the numbers of a lot have a hole before them")),
        }
    }
}

/// Refuses another version of the exchange.
fn check_version(greeting: &GreetingWire) -> Result<(), SyncError> {
    match greeting.flaw() {
        Some(VersionFlaw::OlderThere) => Err(SyncError::OlderThere(greeting.program.clone())),
        Some(VersionFlaw::OlderHere) => Err(SyncError::OlderHere(greeting.program.clone())),
        None => Ok(()),
    }
}

/// Exchanges rows with a machine that this one has called.
pub(super) fn call(link: &mut Link<'_>, options: &SyncOptions) -> Result<SyncReport, SyncError> {
    let greeting = read_greeting(link.lines).map_err(|_| SyncError::Cut)?;
    let greeting =
        greeting.ok_or_else(|| SyncError::NoGreeting("it printed nothing that is known".to_owned()))?;
    link.out.pulse.beat();
    check_version(&greeting)?;
    let mut local = LocalMachine::open()?;
    if greeting.machine == local.key {
        local.renew()?;
    }
    let _lock = lock_both(link, local.key, greeting.machine)?;
    link.send(&SyncLine::Stock(local.stock(Some(greeting.machine), options)?))?;
    let stock = link.read_stock()?;
    if local.is_copy(&has_of(&stock, local.key))? {
        local.renew()?;
        return Err(SyncError::Renewed);
    }
    let has = if options.again { Default::default() } else { stock.has.clone() };
    let mut counts = SyncCounts::default();
    if options.is_dry {
        let SyncLine::End(theirs) = link.read()? else {
            return Err(SyncError::Protocol("it did not count what it has"));
        };
        let ours = local.count_missing(stock.machine, &has)?;
        (counts.sent, counts.deleted_there) = (ours.rows, ours.forgotten);
        (counts.brought, counts.deleted) = (theirs.rows, theirs.forgotten);
    } else {
        let meter = link.meter.clone();
        local.send(stock.machine, &has, &mut link.out, &meter).map_err(|error| link.reason(error))?;
        let got = link.read_got()?;
        counts = link.take(&mut local, &stock)?;
        (counts.sent, counts.deleted_there) = (got.stored, got.deleted);
        link.send(&SyncLine::Got(GotWire { stored: counts.brought, deleted: counts.deleted }))?;
    }
    Ok(SyncReport { counts, machines: vec![stock.machine], renewed: local.renewed, warnings: Vec::new() })
}

/// Takes the locks of both machines in the same order, wherever the call came from: two that call each other at the
/// same moment would otherwise wait for each other.
fn lock_both(link: &mut Link<'_>, own: MachineKey, other: MachineKey) -> Result<File, SyncError> {
    let mut own_lock = None;
    if own < other {
        own_lock = Some(super::lock(LOCK_TIMEOUT)?);
    }
    link.send(&GreetingWire::new(own))?;
    link.send(&SyncLine::Lock)?;
    match link.read()? {
        SyncLine::Locked => {}
        _ => return Err(SyncError::Protocol("it did not take its lock")),
    }
    match own_lock {
        Some(lock) => Ok(lock),
        None => super::lock(LOCK_TIMEOUT),
    }
}

/// Answers a machine that has called this one, on its input and output, until it has ended or is silent for too long.
pub(crate) fn answer(
    lines: impl BufRead + Send + 'static,
    out: impl Write + Send + 'static,
    timeout: std::time::Duration,
) -> Result<(), SyncError> {
    let pulse = Pulse::default();
    let beats = pulse.clone();
    let work = move || {
        let (mut lines, mut out) = (lines, out);
        let out = LineWriter { out: &mut out, pulse: beats };
        let mut link = Link { lines: &mut lines, out, meter: Meter::default() };
        let answered = answer_link(&mut link);
        if let Err(error) = &answered
            && !matches!(error, SyncError::Cut)
        {
            let failed = FailedWire { message: error.to_string(), is_busy: error.is_temporary() };
            // Whoever does not read this sees the end of the connection.
            drop(link.send(&SyncLine::Failed(failed)));
        }
        answered
    };
    watch::while_alive(&pulse, timeout, || {}, || {}, work).unwrap_or(Err(SyncError::Cut))
}

fn answer_link(link: &mut Link<'_>) -> Result<(), SyncError> {
    let mut local = LocalMachine::open()?;
    // What a shell has printed without the end of a line must not become a part of this line.
    link.out.out.write_all(b"\n").map_err(|_| SyncError::Cut)?;
    link.send(&GreetingWire::new(local.key))?;
    let greeting = read_greeting(link.lines).map_err(|_| SyncError::Cut)?.ok_or(SyncError::Cut)?;
    check_version(&greeting)?;
    if link.read()? != SyncLine::Lock {
        return Err(SyncError::Protocol("it did not ask for the lock"));
    }
    let _lock = super::lock(LOCK_TIMEOUT)?;
    link.send(&SyncLine::Locked)?;
    let stock = link.read_stock()?;
    if stock.machine == local.key || local.is_copy(&has_of(&stock, local.key))? {
        local.renew()?;
    }
    let has = if stock.again { Default::default() } else { stock.has.clone() };
    let options = SyncOptions {
        is_dry: stock.dry,
        again: stock.again,
        has_person: false,
        timeout: std::time::Duration::MAX,
    };
    link.send(&SyncLine::Stock(local.stock(Some(stock.machine), &options)?))?;
    if stock.dry {
        let end: EndWire = local.count_missing(stock.machine, &has)?;
        return link.send(&SyncLine::End(end));
    }
    let mut counts = link.take(&mut local, &stock)?;
    link.send(&SyncLine::Got(GotWire { stored: counts.brought, deleted: counts.deleted }))?;
    local.send(stock.machine, &has, &mut link.out, &link.meter.clone())?;
    let got = link.read_got()?;
    (counts.sent, counts.deleted_there) = (got.stored, got.deleted);
    let report =
        SyncReport { counts, machines: vec![stock.machine], renewed: local.renewed, warnings: Vec::new() };
    let name: String = stock.machine.to_string().chars().take(8).collect();
    super::note(PeerKind::Caller, &name, None, &Ok(report));
    Ok(())
}

/// Returns how far a machine is known, by what another one says.
pub(super) fn has_of(stock: &StockWire, machine: MachineKey) -> HasWire {
    stock.has.get(&machine).copied().unwrap_or_default()
}
