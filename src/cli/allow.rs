//! `nudge allow`: a person allows a call that a rule refused because nobody could be asked.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use super::here;
use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, ask, confirm, counted, in_line, say, visible};
use super::rows::{ago, one_line};
use crate::api::allow::{AllowanceWire, RevokedWire};
use crate::api::list::ListWire;
use crate::model::{Grant, WaitingCall};
use crate::ops::allow::{self, Allowances};
use crate::ops::here::root as root_of;
use crate::ops::times;

/// Allow a call once that an agent could not ask you about
///
/// A rule with `action: ask` lets the agent ask you. Where an agent asks nobody, such as in a mode that approves
/// everything, the call is refused and waits here. This shows the exact call and asks you; the same call of the same agent
/// in the same project is then allowed once, within ten minutes. Only a person at a terminal can do this: it refuses to run
/// inside an agent.
#[derive(clap::Args)]
pub(crate) struct AllowArgs {
    /// The call, by the beginning of its id [default: the one that waits, or you choose]
    #[arg(value_name = "ID", conflicts_with_all = ["list", "revoke"])]
    id: Option<String>,

    /// Only list what waits and what is allowed
    #[arg(long, conflicts_with = "revoke")]
    list: bool,

    /// Take a permission back, or stop offering a call; `all` for all of them
    #[arg(long, value_name = "ID")]
    revoke: Option<String>,

    /// Print JSON, with --list or --revoke
    #[arg(short, long)]
    json: bool,
}

/// This many characters of an id are shown, and are enough to name it.
const SHORT: usize = 8;
/// Maximum width of a call in the list.
const MAX_CALL: usize = 100;

pub(crate) fn run(args: &AllowArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let all = allow::list(&root_of(&here()?));
    if let Some(id) = &args.revoke {
        return revoke(id, &all, args.json, out);
    }
    if args.list {
        return list(&all, args.json, out);
    }
    if args.json {
        let failure = Failure::new("a person has to answer, so there is no JSON for this").usage();
        return Err(failure.hint("`nudge allow --list --json` lists what waits"));
    }
    demand_person(out)?;
    let Some(call) = chosen(args.id.as_deref(), &all)? else { return Ok(ExitCode::SUCCESS) };
    show(&call, out)?;
    if !confirm("Allow exactly this call, once, within the next ten minutes?")? {
        say("it stays refused");
        return Ok(ExitCode::FAILURE);
    }
    let grant = allow::grant(call).map_err(|error| {
        let failure = Failure::new(format!("the permission could not be written down: {error}"));
        failure.hint("check that the data folder is writable and has room")
    })?;
    out.line(format_args!(
        "{GREEN}allowed{GREEN:#} once, until {}: tell the agent to try the same call again",
        times::local_time(grant.until)
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Only a person may open this door.
fn demand_person(out: &Out) -> Result<(), Failure> {
    let hint = "run `nudge allow` yourself, in a terminal of your own";
    if let Some(why) = allow::running_agent() {
        return Err(Failure::new(format!("only a person can allow a call, and {why}")).hint(hint));
    }
    let terminals = [io::stdin().is_terminal(), out.is_terminal(), io::stderr().is_terminal()];
    if terminals.contains(&false) {
        return Err(
            Failure::new("only a person can allow a call, and nobody is at a terminal here").hint(hint)
        );
    }
    Ok(())
}

fn chosen(id: Option<&str>, all: &Allowances) -> Result<Option<WaitingCall>, Failure> {
    if let Some(id) = id {
        let fits: Vec<&WaitingCall> = all.waiting.iter().filter(|call| call.id.starts_with(id)).collect();
        return match fits.as_slice() {
            [call] => Ok(Some((*call).clone())),
            [] => Err(unknown(id)),
            _ => Err(Failure::new(format!("`{id}` is the beginning of several ids")).hint("type more of it")),
        };
    }
    match all.waiting.as_slice() {
        [] => {
            say("no call waits for you");
            Ok(None)
        }
        [call] => Ok(Some(call.clone())),
        calls => {
            for (number, call) in (1..).zip(calls) {
                say(format_args!("{BOLD}{number:2}{BOLD:#}  {}", in_one_line(call)));
            }
            let answer = ask(&format!("Which one? [1-{}, Enter for none]", calls.len()))?.unwrap_or_default();
            let number = answer.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            Ok(number.and_then(|index| calls.get(index)).cloned())
        }
    }
}

fn unknown(id: &str) -> Failure {
    Failure::new(format!("no call waits under `{}`", in_line(id)))
        .hint("`nudge allow --list` shows what waits")
}

/// Shows the whole call; the text comes from an agent, so nothing in it may act on the terminal.
fn show(call: &WaitingCall, out: &mut Out) -> Result<(), Failure> {
    out.line(format_args!(
        "{BOLD}{}{BOLD:#} of {CYAN}{}{CYAN:#} in {}, refused {}",
        in_line(&call.tool),
        in_line(&call.harness),
        in_line(&call.project),
        ago(call.at, times::now())
    ))?;
    for line in call.input.lines() {
        out.line(format_args!("    {}", visible(line)))?;
    }
    if call.cut > 0 {
        out.line(format_args!(
            "    {DIM}… and {} that are not shown{DIM:#}",
            counted(call.cut, "character")
        ))?;
    }
    let rules: Vec<String> = call.rules.iter().map(|rule| format!("`{}`", in_line(rule))).collect();
    out.line(format_args!("  {DIM}asked for by {}{DIM:#}", rules.join(", ")))
}

fn in_one_line(call: &WaitingCall) -> String {
    let (id, tool, agent) =
        (&call.id[..SHORT.min(call.id.len())], in_line(&call.tool), in_line(&call.harness));
    let at = ago(call.at, times::now());
    format!("{BOLD}{id}{BOLD:#}  {tool}  {}  {DIM}{agent}, {at}{DIM:#}", one_line(&call.input, MAX_CALL))
}

fn list(all: &Allowances, json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    if json {
        let waiting = all.waiting.iter().map(AllowanceWire::from);
        out.json(&ListWire::<AllowanceWire>::whole(
            waiting.chain(all.granted.iter().map(AllowanceWire::from)),
        ))?;
        return Ok(ExitCode::SUCCESS);
    }
    for call in &all.waiting {
        out.row(format_args!("waits    {}", in_one_line(call)))?;
    }
    for Grant { call, until, .. } in &all.granted {
        out.row(format_args!(
            "{GREEN}allowed{GREEN:#}  {}  {DIM}until {}{DIM:#}",
            in_one_line(call),
            times::local_time(*until)
        ))?;
    }
    if all.waiting.is_empty() && all.granted.is_empty() {
        say("no call waits for you, and none is allowed");
    }
    Ok(ExitCode::SUCCESS)
}

fn revoke(id: &str, all: &Allowances, json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    let known = all.granted.iter().map(|grant| &grant.call).chain(&all.waiting).map(|call| call.id.clone());
    let meant: Vec<String> = known.filter(|known| id == "all" || known.starts_with(id)).collect();
    if meant.is_empty() && id != "all" {
        return Err(unknown(id));
    }
    let revoked: Vec<String> = meant.into_iter().filter(|id| allow::revoke(id)).collect();
    if json {
        out.json(&RevokedWire { revoked })?;
    } else {
        out.line(format_args!("taken back: {}", counted(revoked.len(), "call")))?;
    }
    Ok(ExitCode::SUCCESS)
}
