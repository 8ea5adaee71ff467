//! `nudge demo`: shows a short session, scene by scene.

use std::process::ExitCode;

use regex::Regex;
use serde_json::Value;

use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, RED, YELLOW};
use super::picture;
use crate::ops::demo::{self, Scene};
use crate::ops::rules::explain::Explanation;

/// Play a short recorded session through the real hook
///
/// Needs no agent, works in a temporary folder and leaves nothing behind.
#[derive(clap::Args)]
pub(crate) struct DemoArgs {
    /// Also show the JSON reply that the agent gets
    #[arg(long)]
    wire: bool,

    /// Print the picture of the README instead, as SVG
    #[arg(long, conflicts_with = "wire")]
    svg: bool,
}

/// The scenes of the picture: a write is blocked, and a failure is told what worked.
const PICTURED: [usize; 2] = [1, 9];

pub(crate) fn run(args: &DemoArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    if args.svg {
        return draw(out);
    }
    out.line(format_args!("{BOLD}A project has this .nudge.yaml:{BOLD:#}\n"))?;
    quote(demo::RULES, DIM).iter().try_for_each(|line| out.line(line))?;
    play(|number, scene| told(number, &scene, args.wire).iter().try_for_each(|line| out.line(line)))?;
    out.line(format_args!("\n{BOLD}That was all of it, and nothing is left behind.{BOLD:#}"))?;
    out.line("Write a `.nudge.yaml` of your own, and look at it with `nudge validate` and `nudge test`.")?;
    Ok(ExitCode::SUCCESS)
}

/// Draws the scenes that say most in the least room.
fn draw(out: &mut Out) -> Result<ExitCode, Failure> {
    let mut lines = vec![format!("$ {BOLD}nudge demo{BOLD:#}")];
    play(|number, scene| {
        if PICTURED.contains(&number) {
            // Between them others are left out, as the numbers say.
            lines.extend((number > 1).then(|| format!("{DIM}…{DIM:#}")));
            lines.extend(told(number, &scene, false).iter().map(|line| timeless(line)));
        }
        Ok(())
    })?;
    lines.push(format!("{DIM}…{DIM:#}"));
    let about = "nudge demo: a rule blocks a write, and a failure is told what worked the last time";
    out.bytes(picture::svg(about, &lines).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a line as it would be at one fixed time of day, since the picture is kept.
fn timeless(line: &str) -> String {
    let time = Regex::new(r"\d{1,2}:\d\d [AP]M");
    time.map_or_else(|_| line.to_owned(), |time| time.replace_all(line, "2:30 PM").into_owned())
}

/// Plays all scenes, counted from 1.
fn play(mut tell: impl FnMut(usize, Scene) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut number = 0;
    let mut failure = None;
    let played = demo::play(|scene| {
        number += 1;
        tell(number, scene).map_err(|error| {
            failure = Some(error);
            std::io::Error::other("nobody watches")
        })
    });
    match (played, failure) {
        (_, Some(failure)) => Err(failure),
        (Err(error), None) => Err(Failure::new(format!("the demo could not be played: {error}"))),
        (Ok(()), None) => Ok(()),
    }
}

/// Returns a scene as it is shown, line by line.
fn told(number: usize, scene: &Scene, wire: bool) -> Vec<String> {
    let mut lines = vec![String::new(), format!("{BOLD}{number}. {}{BOLD:#}", scene.title), String::new()];
    lines.extend(quote(&scene.deed, CYAN));
    let Some(reply) = &scene.reply else { return lines };
    lines.push(String::new());
    let specific = &reply["hookSpecificOutput"];
    if let Some(reason) = specific["permissionDecisionReason"].as_str() {
        lines.push(format!("   {RED}blocked{RED:#}, and the agent is told:"));
        lines.extend(quote(reason, BOLD));
    } else if let Some(context) = specific["additionalContext"].as_str() {
        lines.push(format!("   {GREEN}goes on{GREEN:#}, and the agent is told:"));
        lines.extend(quote(context, BOLD));
    } else {
        lines.push(format!("   {GREEN}goes on{GREEN:#}, without a word"));
    }
    if let Some(notice) = reply["systemMessage"].as_str() {
        lines.push(format!("   {YELLOW}and the user is told, once in this session:{YELLOW:#}"));
        lines.extend(quote(notice, BOLD));
    }
    for one in &scene.rules {
        let why = match &one.why {
            Explanation::Fired(_) => format!("fires ({})", one.rule.place),
            why => format!("is quiet: {why}"),
        };
        lines.push(format!("   {DIM}why: {} {why}{DIM:#}", one.rule.name));
    }
    if wire && *reply != Value::Null {
        lines.push(format!("   {DIM}{reply}{DIM:#}"));
    }
    lines
}

fn quote(text: &str, style: anstyle::Style) -> Vec<String> {
    text.lines().map(|line| format!("   │ {style}{line}{style:#}")).collect()
}
