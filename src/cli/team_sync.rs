//! `nudge sync` without a subcommand: one exchange with the team's server.

use std::process::ExitCode;

use super::output::{CYAN, DIM, Failure, GREEN, Out, YELLOW, counted, say};
use crate::api::list::ListWire;
use crate::api::sharing::{ExchangedJson, LeavingJson};
use crate::ops::sharing::exchange::{self, Directions, Exchanged};
use crate::ops::sharing::ground::ExchangeError;

/// What the exchange does; without any of these, both directions.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct TeamSyncArgs {
    /// Only send what you share
    #[arg(long, conflicts_with = "pull")]
    push: bool,

    /// Only bring what colleagues share
    #[arg(long)]
    pull: bool,

    /// Only say what would leave; ask no server
    #[arg(long, conflicts_with_all = ["push", "pull"])]
    dry_run: bool,

    /// With `--dry-run`: print every byte that would leave
    #[arg(long, requires = "dry_run")]
    show: bool,

    /// Say nothing unless it fails
    #[arg(long)]
    quiet: bool,
}

/// Exit code of a command that should be tried again: nothing is lost.
const TRY_AGAIN: u8 = 75;

pub(crate) fn run(args: &TeamSyncArgs, json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    if args.dry_run {
        return dry_run(args, json, out);
    }
    let directions = match (args.push, args.pull) {
        (true, _) => Directions::Push,
        (_, true) => Directions::Pull,
        _ => Directions::Both,
    };
    match exchange::run(directions) {
        Ok(done) if json => out.json(&to_json(done)).map(|()| ExitCode::SUCCESS),
        Ok(done) => {
            if !args.quiet {
                say_done(&done);
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => failed(&error, error.is_temporary(), json, out),
    }
}

/// Ends a command that could not do its work; where trying again is enough, the exit code says so.
pub(crate) fn failed(
    error: &ExchangeError,
    is_temporary: bool,
    json: bool,
    out: &mut Out,
) -> Result<ExitCode, Failure> {
    let failure = Failure::new(error.to_string()).hint_if(error.hint());
    if !is_temporary {
        return Err(failure);
    }
    if json {
        out.failed(&failure);
    }
    failure.report();
    Ok(ExitCode::from(TRY_AGAIN))
}

fn dry_run(args: &TeamSyncArgs, json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    let leaving = exchange::preview()?;
    if json {
        let items =
            leaving.into_iter().map(|(project, record)| LeavingJson { project, record: record.to_json() });
        out.json(&ListWire::<LeavingJson>::whole(items))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut projects: Vec<&str> = leaving.iter().map(|(project, _)| project.as_str()).collect();
    projects.dedup();
    for project in &projects {
        let records = leaving.iter().filter(|(known, _)| known == project);
        let count = records.clone().count();
        out.line(format_args!("{project}: {} would leave", counted(count, "record")))?;
        if args.show {
            for (_, record) in records {
                out.line(format_args!("  {}", record.to_json()))?;
            }
        }
    }
    if projects.is_empty() {
        say("nothing would leave");
    } else if !args.show {
        say(format_args!("{CYAN}hint:{CYAN:#} `--show` prints every byte of them"));
    }
    Ok(ExitCode::SUCCESS)
}

fn say_done(done: &Exchanged) {
    let mut parts = Vec::new();
    let mut part = |count: usize, words: String| parts.extend((count > 0).then_some(words));
    part(done.sent, format!("{} sent", counted(done.sent, "row")));
    part(done.taken_back, format!("{} taken back", counted(done.taken_back, "row")));
    part(done.brought, format!("{} brought", counted(done.brought, "row")));
    part(done.dropped, format!("{} of colleagues dropped", counted(done.dropped, "row")));
    let done_words = if parts.is_empty() { "nothing new".to_owned() } else { parts.join(", ") };
    say(format_args!("{GREEN}synced:{GREEN:#} {done_words}"));
    if done.waiting > 0 {
        say(format_args!("{DIM}{} wait for the next sync{DIM:#}", counted(done.waiting, "record")));
    }
    if done.left_out > 0 {
        let left_out = counted(done.left_out, "row");
        say(format_args!("{DIM}{left_out} were left on the server; `nudge search --team` finds them{DIM:#}"));
    }
    for note in &done.notes {
        say(format_args!("{YELLOW}note:{YELLOW:#} {note}"));
    }
}

fn to_json(done: Exchanged) -> ExchangedJson {
    let Exchanged { sent, taken_back, waiting, held, brought, dropped, left_out, notes } = done;
    ExchangedJson { sent, taken_back, waiting, held, brought, dropped, left_out, notes }
}

impl From<ExchangeError> for Failure {
    fn from(error: ExchangeError) -> Failure {
        Failure::new(error.to_string()).hint_if(error.hint())
    }
}
