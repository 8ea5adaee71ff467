//! `nudge sync`: exchanges rows with the team's server, and with the user's other machines.

use std::io::{self, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::output::{self, BOLD, DIM, Failure, Out, RED, YELLOW, counted, say};
use crate::api::machines::{SyncErrorJson, SyncedCountsJson, SyncedJson, SyncedPeerJson};
use crate::model::{PeerKind, SyncPeer};
use crate::ops::machines::{self, Meter, SyncCounts, SyncError, SyncOptions, SyncReport};

/// Exchange rows with your team's server, or your other machines
///
/// Without a subcommand with the server of your team, both ways, which `nudge serve` does by itself. With `ssh` and `file`
/// your own machines know what happened on each of them, and what you forget on one is forgotten on all. Exit code 75 if
/// nobody could be reached: nothing is lost, and the next sync continues.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct SyncArgs {
    #[command(subcommand)]
    command: Option<SyncCommand>,

    #[cfg(feature = "team")]
    #[command(flatten)]
    team: super::team_sync::TeamSyncArgs,

    /// Answer a machine that has called this one, on stdin and stdout
    #[arg(long, hide = true)]
    stdio: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum SyncCommand {
    Ssh(SyncSshArgs),
    File(SyncFileArgs),
}

/// Exchange with machines that you reach by ssh
///
/// Starts `nudge sync --stdio` there. A host is remembered, so that `nudge sync ssh` alone visits all of them; one that
/// is away does not stop the others. Exit code 75 if a machine could not be reached: the next time continues.
#[derive(clap::Args)]
struct SyncSshArgs {
    /// Hosts, as `ssh` takes them [default: all that are remembered]
    #[arg(value_name = "HOST")]
    hosts: Vec<String>,

    /// The program there, if it is not on the PATH, in ~/.cargo/bin or in ~/.local/bin
    #[arg(long, value_name = "PROGRAM", requires = "hosts")]
    remote: Option<String>,

    /// Give up when a machine is silent for this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u32,

    #[command(flatten)]
    common: SyncCommonArgs,
}

/// Exchange by files in a folder that something else carries
///
/// Each machine writes one file into the folder and reads those of the others: for a stick, a mounted disk, Syncthing.
#[derive(clap::Args)]
struct SyncFileArgs {
    /// The folder [default: all that are remembered]
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,

    #[command(flatten)]
    common: SyncCommonArgs,
}

#[derive(clap::Args)]
struct SyncCommonArgs {
    /// Only count what would be exchanged
    #[arg(long)]
    dry_run: bool,

    /// Exchange everything once more, for example after `sync.exclude` has changed
    #[arg(long)]
    again: bool,

    /// No longer visit it; nothing is exchanged
    #[arg(long, conflicts_with_all = ["dry_run", "again"])]
    remove: bool,

    /// Say only what went wrong
    #[arg(long)]
    quiet: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// The exit code for what may succeed later, as in `sysexits.h`.
const TRY_AGAIN: u8 = 75;
/// The exit code for a command line that can never succeed.
const USAGE: u8 = 2;

/// The caller may be silent for this long: longer than it waits itself.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);

pub(crate) fn run(args: &SyncArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    match &args.command {
        Some(SyncCommand::Ssh(args)) => ssh(args, out),
        Some(SyncCommand::File(args)) => file(args, out),
        None if args.stdio => {
            let lines = BufReader::with_capacity(1 << 16, io::stdin());
            let answered = machines::answer(lines, output::lines(), ANSWER_TIMEOUT);
            answered.map(|()| ExitCode::SUCCESS).map_err(|error| failure(&error))
        }
        None => without_command(args, out),
    }
}

#[cfg(feature = "team")]
fn without_command(args: &SyncArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    super::team_sync::run(&args.team, args.json, out)
}

#[cfg(not(feature = "team"))]
fn without_command(_: &SyncArgs, _: &mut Out) -> Result<ExitCode, Failure> {
    Err(Failure::new("this program was built without the exchange with a team")
        .hint("`nudge sync ssh HOST` calls another machine of yours, `nudge sync file FOLDER` uses a folder")
        .usage())
}

fn ssh(args: &SyncSshArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let known = remembered(PeerKind::Ssh)?;
    let program =
        |host: &str| known.iter().find(|peer| peer.name == host).and_then(|peer| peer.remote.clone());
    let named = args.hosts.iter().map(|host| (host.clone(), args.remote.clone().or_else(|| program(host))));
    let mut hosts: Vec<(String, Option<String>)> = named.collect();
    if hosts.is_empty() {
        hosts = known.iter().map(|peer| (peer.name.clone(), peer.remote.clone())).collect();
    }
    if hosts.is_empty() {
        return Err(Failure::new("no host is remembered yet")
            .hint("name one: `nudge sync ssh HOST`")
            .usage());
    }
    if args.common.remove {
        return remove(PeerKind::Ssh, hosts.into_iter().map(|(host, _)| host), args.common.json, out);
    }
    let options = args.common.options(Duration::from_secs(args.timeout.max(1).into()));
    let mut report = SyncPrinter { common: &args.common, out, peers: Vec::new(), code: None };
    for (host, remote) in hosts {
        let outcome = with_spinner(&args.common, &host, |meter, tick| {
            machines::visit(&host, remote.as_deref(), &options, meter, tick)
        });
        // A host that was never reached may be misspelt.
        if !options.is_dry && (outcome.is_ok() || known.iter().any(|peer| peer.name == host)) {
            machines::note(PeerKind::Ssh, &host, remote.as_deref(), &outcome);
        }
        report.add(PeerKind::Ssh, &host, &outcome)?;
    }
    report.finish()
}

fn file(args: &SyncFileArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let folders: Vec<PathBuf> = match &args.folder {
        Some(folder) => vec![std::path::absolute(folder).unwrap_or_else(|_| folder.clone())],
        None => remembered(PeerKind::File)?.into_iter().map(|peer| peer.name.into()).collect(),
    };
    if folders.is_empty() {
        return Err(Failure::new("no folder is remembered yet")
            .hint("name one: `nudge sync file FOLDER`")
            .usage());
    }
    let name = |folder: &Path| folder.display().to_string();
    if args.common.remove {
        return remove(PeerKind::File, folders.iter().map(|folder| name(folder)), args.common.json, out);
    }
    let options = args.common.options(Duration::MAX);
    let mut report = SyncPrinter { common: &args.common, out, peers: Vec::new(), code: None };
    for folder in &folders {
        let outcome = with_spinner(&args.common, &name(folder), |meter, tick| {
            machines::exchange_files(folder, &options, meter, tick)
        });
        if !options.is_dry && (outcome.is_ok() || args.folder.is_none()) {
            machines::note(PeerKind::File, &name(folder), None, &outcome);
        }
        report.add(PeerKind::File, &name(folder), &outcome)?;
    }
    report.finish()
}

fn remembered(kind: PeerKind) -> Result<Vec<SyncPeer>, Failure> {
    let mut peers = machines::peers()?;
    peers.retain(|peer| peer.kind == kind);
    Ok(peers)
}

fn remove(
    kind: PeerKind,
    names: impl Iterator<Item = String>,
    json: bool,
    out: &mut Out,
) -> Result<ExitCode, Failure> {
    let mut removed = Vec::new();
    for name in names {
        if !machines::remove_peer(kind, &name)? {
            return Err(Failure::new(format!("`{name}` is not remembered")));
        }
        removed.push(name);
    }
    if json {
        out.json(&serde_json::json!({ "removed": removed }))?;
    } else {
        say(format_args!("no longer visited: {}", removed.join(", ")));
    }
    Ok(ExitCode::SUCCESS)
}

impl SyncCommonArgs {
    fn options(&self, timeout: Duration) -> SyncOptions {
        let has_person = !self.quiet && io::stdin().is_terminal() && io::stderr().is_terminal();
        SyncOptions { is_dry: self.dry_run, again: self.again, has_person, timeout }
    }
}

/// Shows a person that something moves.
fn with_spinner(
    args: &SyncCommonArgs,
    name: &str,
    work: impl FnOnce(&Meter, &mut dyn FnMut()) -> Result<SyncReport, SyncError>,
) -> Result<SyncReport, SyncError> {
    let bar = if args.quiet || args.json || !io::stderr().is_terminal() {
        ProgressBar::hidden()
    } else {
        let style = ProgressStyle::with_template("{spinner} {prefix}: {pos} rows");
        ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
    };
    bar.set_prefix(output::in_line(name));
    let meter = Meter::default();
    let outcome = work(&meter, &mut || bar.set_position(meter.rows() as u64));
    bar.finish_and_clear();
    outcome
}

/// Prints what became of each machine, and decides on the exit code.
struct SyncPrinter<'p> {
    common: &'p SyncCommonArgs,
    out: &'p mut Out,
    peers: Vec<SyncedPeerJson>,
    code: Option<ExitCode>,
}

impl SyncPrinter<'_> {
    fn add(
        &mut self,
        kind: PeerKind,
        name: &str,
        outcome: &Result<SyncReport, SyncError>,
    ) -> Result<(), Failure> {
        match outcome {
            // A failure that somebody has to look at counts for more than one that goes away.
            Err(error) if error.is_temporary() => {
                self.code.get_or_insert(ExitCode::from(TRY_AGAIN));
            }
            Err(error) if error.is_usage() && self.code.is_none() => self.code = Some(ExitCode::from(USAGE)),
            Err(_) => self.code = Some(ExitCode::FAILURE),
            Ok(_) => {}
        }
        if self.common.json {
            self.peers.push(to_json(kind, name, outcome));
            return Ok(());
        }
        let shown = output::in_line(name);
        match outcome {
            Ok(report) => {
                for warning in &report.warnings {
                    say(format_args!("{YELLOW}warning:{YELLOW:#} {shown}: {warning}"));
                }
                if report.renewed {
                    say(format_args!(
                        "{YELLOW}note:{YELLOW:#} this data folder is a copy of another machine's, or was restored; it has \
                         a key of its own now"
                    ));
                }
                if !self.common.quiet {
                    let words = words(&report.counts, kind, self.common.dry_run);
                    self.out.line(format_args!("{BOLD}{shown}{BOLD:#}: {words}"))?;
                }
            }
            Err(error) => {
                say(format_args!("{RED}error:{RED:#} {shown}: {error}"));
                if let Some(hint) = error.hint() {
                    say(format_args!("  {DIM}hint:{DIM:#} {hint}"));
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<ExitCode, Failure> {
        if self.common.json {
            self.out.json(&SyncedJson { dry_run: self.common.dry_run, peers: self.peers })?;
        }
        Ok(self.code.unwrap_or(ExitCode::SUCCESS))
    }
}

fn words(counts: &SyncCounts, kind: PeerKind, is_dry: bool) -> String {
    let sent = if kind == PeerKind::File { "written" } else { "sent" };
    let mut parts = vec![match (counts.sent, counts.brought, is_dry) {
        (0, 0, _) => "nothing new".to_owned(),
        (ours, theirs, false) => format!("{} {sent}, {theirs} brought", counted(ours, "observation")),
        (ours, theirs, true) => {
            format!("{} would be {sent}, up to {theirs} brought", counted(ours, "observation"))
        }
    }];
    let more = [
        (
            counts.deleted,
            if is_dry { "forgotten there, to delete here" } else { "forgotten there, deleted here" },
        ),
        (
            counts.deleted_there,
            if is_dry { "forgotten here, to delete there" } else { "forgotten here, deleted there" },
        ),
        (counts.excluded, "left out by `sync.exclude`"),
        (counts.expired, "older than what is kept here"),
        (counts.unreadable, "unreadable"),
        (counts.postponed, "parts that wait for the file of another machine"),
    ];
    parts.extend(more.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    parts.join("; ")
}

fn to_json(kind: PeerKind, name: &str, outcome: &Result<SyncReport, SyncError>) -> SyncedPeerJson {
    let (report, error) = match outcome {
        Ok(report) => (Some(report), None),
        Err(error) => (None, Some(error)),
    };
    let counts = report.map(|report| report.counts).unwrap_or_default();
    SyncedPeerJson {
        kind,
        name: name.to_owned(),
        machines: report.map(|report| report.machines.clone()).unwrap_or_default(),
        counts: SyncedCountsJson {
            sent: counts.sent,
            brought: counts.brought,
            known: counts.known,
            deleted: counts.deleted,
            deleted_there: counts.deleted_there,
            excluded: counts.excluded,
            expired: counts.expired,
            unreadable: counts.unreadable,
            postponed: counts.postponed,
        },
        renewed: report.is_some_and(|report| report.renewed),
        warnings: report.map(|report| report.warnings.clone()).unwrap_or_default(),
        error: error.map(|error| SyncErrorJson {
            message: error.to_string(),
            hint: error.hint().map(str::to_owned),
            temporary: error.is_temporary(),
        }),
    }
}

fn failure(error: &SyncError) -> Failure {
    Failure::new(error.to_string()).hint_if(error.hint())
}
