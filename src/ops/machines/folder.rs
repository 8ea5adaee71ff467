//! Exchanges rows by files in a folder that something else carries: a stick, Syncthing, a mounted disk.
//!
//! Each machine writes one file of its own, whole, and renames it into place; it reads those of the others. A file has
//! the same lines as a conversation. The rows of a machine that has a file in the folder are left to that file.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::exchange::has_of;
use super::intake::{Intake, LotFate};
use super::lines::{GreetingWire, HasWire, LineRead, StockWire, SyncLine, read_line};
use super::outgoing::LineWriter;
use super::watch::{self, Pulse};
use super::{LOCK_TIMEOUT, LocalMachine, Meter, SyncCounts, SyncError, SyncOptions, SyncReport};
use crate::files;
use crate::model::MachineKey;

/// Maximum number of machines whose files are read.
const MAX_FILES: usize = 100;

/// The end of a file is looked for in this many bytes.
const TAIL_BYTES: u64 = 4 << 10;

/// Exchanges rows with all machines that have a file in this folder; `tick` is called now and then.
pub(crate) fn exchange_files(
    folder: &Path,
    options: &SyncOptions,
    meter: &Meter,
    tick: impl FnMut(),
) -> Result<SyncReport, SyncError> {
    let (folder, options, meter) = (folder.to_owned(), *options, meter.clone());
    let pulse = Pulse::default();
    let beats = pulse.clone();
    // A disk may take its time.
    let work = move || exchange(&folder, &options, &beats, &meter);
    watch::while_alive(&pulse, Duration::MAX, tick, || {}, work).unwrap_or(Err(SyncError::Cut))
}

fn exchange(
    folder: &Path,
    options: &SyncOptions,
    pulse: &Pulse,
    meter: &Meter,
) -> Result<SyncReport, SyncError> {
    let unusable = |error: io::Error| SyncError::Folder(error.kind().to_string());
    if !fs::metadata(folder).map_err(unusable)?.is_dir() {
        return Err(SyncError::NotAFolder);
    }
    let mut local = LocalMachine::open()?;
    let _lock = super::lock(LOCK_TIMEOUT)?;
    let mut warnings = Vec::new();
    let files = machine_files(folder, &mut warnings).map_err(unusable)?;
    let is_of_copy = |file: &MachineFile| local.is_copy(&has_of(&file.stock, local.key));
    if files.iter().map(is_of_copy).collect::<Result<Vec<_>, _>>()?.contains(&true) {
        local.renew()?;
    }
    let own = files.iter().find(|file| file.machine == local.key);
    let others: Vec<&MachineFile> = files.iter().filter(|file| file.machine != local.key).collect();
    let mut counts = SyncCounts::default();
    for file in &others {
        let mut intake = Intake::new(&mut local, &file.stock, pulse, meter);
        let taken = if options.is_dry { count(file, &mut intake) } else { take(file, &mut intake, options) };
        let part = intake.counts;
        counts.add(&part);
        match taken {
            Ok(true) => {}
            Ok(false) => warnings.push(format!("`{}` is not complete; the beginning was read", file.name())),
            Err(SyncError::Protocol(why)) => warnings.push(format!("`{}` was not read: {why}", file.name())),
            Err(error) => return Err(error),
        }
    }
    if !options.is_dry {
        local.store.scrub_taken()?;
    }
    let covered: BTreeMap<MachineKey, i64> = others
        .iter()
        .filter(|file| file.is_complete())
        .map(|file| (file.machine, has_of(&file.stock, file.machine).upto))
        .collect();
    let known = own.map(|own| own.stock.has.clone()).unwrap_or_default();
    counts.sent = local.count_missing(local.key, &own_view(&known, &covered))?.rows;
    if !options.is_dry {
        let meter = LineMeter { pulse, meter };
        OwnFile { folder, own, covered: &covered, again: options.again }
            .write(&mut local, options, &meter)?;
    }
    let machines = others.iter().map(|file| file.machine).collect();
    Ok(SyncReport { counts, machines, renewed: local.renewed, warnings })
}

impl SyncCounts {
    fn add(&mut self, other: &SyncCounts) {
        self.brought += other.brought;
        self.known += other.known;
        self.deleted += other.deleted;
        self.excluded += other.excluded;
        self.expired += other.expired;
        self.unreadable += other.unreadable;
        self.postponed += other.postponed;
    }
}

/// What counts the lines and rows that are written.
struct LineMeter<'m> {
    pulse: &'m Pulse,
    meter: &'m Meter,
}

/// The file of a machine, with what it says at its beginning.
struct MachineFile {
    machine: MachineKey,
    path: PathBuf,
    stock: StockWire,
}

impl MachineFile {
    fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the lines after the beginning.
    fn lines(&self) -> io::Result<BufReader<File>> {
        let mut lines = BufReader::with_capacity(1 << 16, open(&self.path)?);
        read_line(&mut lines)?;
        read_line(&mut lines)?;
        Ok(lines)
    }

    /// Returns whether the file ends as it should.
    fn is_complete(&self) -> bool {
        let tail = || -> io::Result<Vec<u8>> {
            let mut file = open(&self.path)?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
            let mut tail = Vec::new();
            file.take(TAIL_BYTES).read_to_end(&mut tail)?;
            Ok(tail)
        };
        let Ok(tail) = tail() else { return false };
        let Some(text) = tail.strip_suffix(b"\n") else { return false };
        let last = text.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        matches!(serde_json::from_slice(last), Ok(SyncLine::End(_)))
    }
}

fn file_name(machine: MachineKey) -> String {
    format!("nudge-{machine}.jsonl")
}

/// Opens a regular file, and nothing that a link leads to.
fn open(path: &Path) -> io::Result<File> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    files::open_regular(path, File::options().read(true))
}

/// Finds the files of machines, and reads the beginning of each.
fn machine_files(folder: &Path, warnings: &mut Vec<String>) -> io::Result<Vec<MachineFile>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let key = name.strip_prefix("nudge-").and_then(|name| name.strip_suffix(".jsonl"));
        let Some(machine) = key.and_then(|key| key.parse::<MachineKey>().ok()) else { continue };
        match read_head(&path, machine) {
            Ok(stock) => found.push(MachineFile { machine, path, stock }),
            Err(why) => warnings.push(format!("`{name}` was not read: {why}")),
        }
    }
    found.sort_by_key(|file| file.machine);
    found.truncate(MAX_FILES);
    Ok(found)
}

fn read_head(path: &Path, machine: MachineKey) -> Result<StockWire, String> {
    let mut lines = BufReader::new(open(path).map_err(|error| error.to_string())?);
    let mut line = || match read_line(&mut lines) {
        Ok(LineRead::Line(line)) => Ok(line),
        Ok(LineRead::TooLong | LineRead::End) => Err("its beginning is missing".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    let greeting: GreetingWire =
        serde_json::from_slice(&line()?).map_err(|_| "it is not a file of nudge".to_owned())?;
    if let Some(_flaw) = greeting.flaw() {
        return Err(format!(
            "it was written by nudge {}, which this one does not understand",
            greeting.program
        ));
    }
    match serde_json::from_slice(&line()?) {
        Ok(SyncLine::Stock(stock)) if stock.machine == machine && greeting.machine == machine => Ok(stock),
        _ => Err("it does not say what it has, or has the name of another machine".to_owned()),
    }
}

/// Takes what is new in a file; returns whether the file is complete.
fn take(file: &MachineFile, intake: &mut Intake<'_>, options: &SyncOptions) -> Result<bool, SyncError> {
    let forgotten = known_forgotten(intake)?;
    if !options.again && !has_news(file, intake, forgotten)? {
        return Ok(true);
    }
    let unreadable = |_| SyncError::Protocol("it cannot be opened");
    let mut lines = file.lines().map_err(unreadable)?;
    loop {
        let line = match read_line(&mut lines).map_err(unreadable)? {
            LineRead::Line(line) => line,
            LineRead::TooLong => return Err(SyncError::Protocol("a line is too long")),
            LineRead::End => return Ok(false),
        };
        match serde_json::from_slice(&line) {
            Ok(SyncLine::Forgotten(list)) if list.upto > forgotten || options.again => {
                intake.forget(&list)?;
            }
            Ok(SyncLine::Forgotten(_)) => {}
            Ok(SyncLine::Lot(lot)) => {
                let is_known = !options.again && lot.upto <= intake.reached(lot.machine)?;
                if is_known || lot.machine == intake.local.key {
                    if !skip(&mut lines, lot.rows) {
                        return Ok(false);
                    }
                    continue;
                }
                match intake.lot(&lot, &mut lines) {
                    Ok(LotFate::Taken) => {}
                    Ok(LotFate::Hole) => intake.counts.postponed += 1,
                    Err(SyncError::Cut) => return Ok(false),
                    Err(error) => return Err(error),
                }
            }
            Ok(SyncLine::End(_)) => return Ok(true),
            _ => return Err(SyncError::Protocol("a line has no place here")),
        }
    }
}

/// Counts what would be taken from a file.
fn count(file: &MachineFile, intake: &mut Intake<'_>) -> Result<bool, SyncError> {
    let forgotten = known_forgotten(intake)?;
    let unreadable = |_| SyncError::Protocol("it cannot be opened");
    let mut lines = file.lines().map_err(unreadable)?;
    loop {
        let LineRead::Line(line) = read_line(&mut lines).map_err(unreadable)? else { return Ok(false) };
        match serde_json::from_slice(&line) {
            Ok(SyncLine::Forgotten(list)) if list.upto > forgotten => {
                intake.counts.deleted += list.keys.len();
            }
            Ok(SyncLine::Forgotten(_)) => {}
            Ok(SyncLine::Lot(lot)) => {
                let is_new = lot.machine != intake.local.key && lot.upto > intake.reached(lot.machine)?;
                intake.counts.brought += if is_new { lot.rows } else { 0 };
                if !skip(&mut lines, lot.rows) {
                    return Ok(false);
                }
            }
            Ok(SyncLine::End(_)) => return Ok(true),
            _ => return Err(SyncError::Protocol("a line has no place here")),
        }
    }
}

/// Passes over the rows of a lot; returns whether they were all there.
fn skip(lines: &mut dyn BufRead, rows: usize) -> bool {
    (0..rows).all(|_| matches!(read_line(lines), Ok(LineRead::Line(_) | LineRead::TooLong)))
}

fn known_forgotten(intake: &Intake<'_>) -> Result<i64, SyncError> {
    let known = intake.local.store.known_machines()?;
    Ok(known.iter().find(|known| known.key == intake.peer).map_or(0, |known| known.forgotten))
}

/// Returns whether a file has something that is not here yet.
fn has_news(file: &MachineFile, intake: &Intake<'_>, forgotten: i64) -> Result<bool, SyncError> {
    if has_of(&file.stock, file.machine).forgotten > forgotten {
        return Ok(true);
    }
    for (machine, has) in &file.stock.has {
        if *machine != intake.local.key && has.upto > intake.reached(*machine)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns what readers of the folder have without this machine's file.
fn own_view(
    known: &BTreeMap<MachineKey, HasWire>,
    covered: &BTreeMap<MachineKey, i64>,
) -> BTreeMap<MachineKey, HasWire> {
    let mut view = known.clone();
    for (machine, upto) in covered {
        let has = view.entry(*machine).or_default();
        has.upto = has.upto.max(*upto);
    }
    view
}

/// The file that this machine writes.
struct OwnFile<'f> {
    folder: &'f Path,
    /// What it has written before.
    own: Option<&'f MachineFile>,
    /// Numbers up to which rows of other machines are left to their own files.
    covered: &'f BTreeMap<MachineKey, i64>,
    again: bool,
}

impl OwnFile<'_> {
    /// Writes the file, unless it has everything already.
    fn write(
        &self,
        local: &mut LocalMachine,
        options: &SyncOptions,
        meter: &LineMeter<'_>,
    ) -> Result<(), SyncError> {
        let failed = |error: io::Error| SyncError::Write(error.kind().to_string());
        remove_remains(self.folder, local.key);
        let stock = self.stock(local, options)?;
        if self.own.is_some_and(|own| own.stock == stock && own.is_complete()) && !self.again {
            return Ok(());
        }
        let prefix = remains_prefix(local.key);
        let mut builder = tempfile::Builder::new();
        let file = builder.prefix(&prefix).suffix(".tmp").tempfile_in(self.folder).map_err(failed)?;
        let mut buffer = BufWriter::with_capacity(1 << 16, file.as_file());
        let mut out = LineWriter { out: &mut buffer, pulse: meter.pulse.clone() };
        out.line(&GreetingWire::new(local.key)).map_err(failed)?;
        out.line(&SyncLine::Stock(stock)).map_err(failed)?;
        let has = own_view(&BTreeMap::new(), self.covered);
        local.send(local.key, &has, &mut out, meter.meter).map_err(|error| match error {
            SyncError::Cut => SyncError::Write("the disk is full, or the folder is gone".to_owned()),
            error => error,
        })?;
        drop(buffer);
        files::persist(file, &self.folder.join(file_name(local.key))).map_err(failed)
    }

    /// Returns what the file has: this machine's rows, and those of machines without a file of their own.
    fn stock(&self, local: &mut LocalMachine, options: &SyncOptions) -> Result<StockWire, SyncError> {
        let mut stock = local.stock(None, &SyncOptions { again: false, is_dry: false, ..*options })?;
        let mut own = has_of(&stock, local.key);
        own.mark = Some(local.store.mark_sent(own.upto)?);
        stock.has.clear();
        stock.has.insert(local.key, own);
        for known in local.store.known_machines()? {
            if known.reached > self.covered.get(&known.key).copied().unwrap_or(0) {
                let mark = known.mark.filter(|_| known.reached == known.upto);
                stock.has.insert(known.key, HasWire { upto: known.reached, mark, forgotten: 0 });
            }
        }
        Ok(stock)
    }
}

/// Returns how the names of this machine's unfinished files begin.
fn remains_prefix(machine: MachineKey) -> String {
    format!(".nudge-{machine}-")
}

/// Removes what an interrupted run has left; this process has the lock, so nobody is writing it.
fn remove_remains(folder: &Path, machine: MachineKey) {
    let prefix = remains_prefix(machine);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) && name.ends_with(".tmp") {
            drop(fs::remove_file(entry.path()));
        }
    }
}
