//! `nudge demo`: shows a short session, scene by scene.

use std::process::ExitCode;

use serde_json::Value;

use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, RED, YELLOW};
use crate::ops::demo::{self, Scene};
use crate::ops::explain::Why;

/// See what nudge does: a short recorded session, played through the real hook
///
/// It needs no agent, works in a temporary folder and leaves nothing behind.
#[derive(clap::Args)]
pub(crate) struct DemoArgs {
    /// Also show the JSON that goes back to the agent
    #[arg(long)]
    wire: bool,
}

pub(crate) fn run(args: &DemoArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    out.line(format_args!("{BOLD}A project has this .nudge.yaml:{BOLD:#}\n"))?;
    quote(demo::RULES, DIM, out)?;
    let mut number = 0;
    let mut failure = None;
    let played = demo::play(|scene| {
        number += 1;
        show(number, &scene, args.wire, out).map_err(|error| {
            failure = Some(error);
            std::io::Error::other("nobody watches")
        })
    });
    match (played, failure) {
        (_, Some(failure)) => Err(failure),
        (Err(error), None) => Err(Failure::new(format!("the demo could not be played: {error}"))),
        (Ok(()), None) => {
            out.line(format_args!("\n{BOLD}That was all of it, and nothing is left behind.{BOLD:#}"))?;
            out.line(
                "Write a `.nudge.yaml` of your own, and look at it with `nudge validate` and `nudge test`.",
            )?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn show(number: usize, scene: &Scene, wire: bool, out: &mut Out) -> Result<(), Failure> {
    out.line(format_args!("\n{BOLD}{number}. {}{BOLD:#}\n", scene.title))?;
    quote(&scene.deed, CYAN, out)?;
    let Some(reply) = &scene.reply else { return Ok(()) };
    let specific = &reply["hookSpecificOutput"];
    if let Some(reason) = specific["permissionDecisionReason"].as_str() {
        out.line(format_args!("\n   {RED}blocked{RED:#}, and the agent is told:"))?;
        quote(reason, BOLD, out)?;
    } else if let Some(context) = specific["additionalContext"].as_str() {
        out.line(format_args!("\n   {GREEN}goes on{GREEN:#}, and the agent is told:"))?;
        quote(context, BOLD, out)?;
    } else {
        out.line(format_args!("\n   {GREEN}goes on{GREEN:#}, without a word"))?;
    }
    if let Some(notice) = reply["systemMessage"].as_str() {
        out.line(format_args!("   {YELLOW}and the user is told, once in this session:{YELLOW:#}"))?;
        quote(notice, BOLD, out)?;
    }
    for one in &scene.rules {
        let why = match &one.why {
            Why::Fired(_) => format!("fires ({})", one.rule.place),
            why => format!("is quiet: {why}"),
        };
        out.line(format_args!("   {DIM}why: {} {why}{DIM:#}", one.rule.name))?;
    }
    if wire && *reply != Value::Null {
        out.line(format_args!("   {DIM}{reply}{DIM:#}"))?;
    }
    Ok(())
}

fn quote(text: &str, style: anstyle::Style, out: &mut Out) -> Result<(), Failure> {
    text.lines().try_for_each(|line| out.line(format_args!("   │ {style}{line}{style:#}")))
}
