//! `nudge demo`: shows a short session, scene by scene.

use std::process::ExitCode;
use std::time::Duration;

use regex::Regex;
use serde_json::Value;

use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, RED, YELLOW};
use super::picture::{self, wrapped};
use crate::model::counted;
use crate::ops::demo::{self, Scene};
use crate::ops::rules::explain::Explanation;

/// Play a short recorded session through the real hook
///
/// Needs no agent, works in a temporary folder and leaves nothing behind.
#[derive(clap::Args)]
pub(crate) struct DemoArgs {
    /// Show everything: thirteen scenes, with the rules and why they fire
    #[arg(short, long)]
    all: bool,

    /// Also show the JSON reply that the agent gets
    #[arg(long)]
    wire: bool,

    /// Print the picture of the README instead, as SVG
    #[arg(long, conflicts_with_all = ["wire", "all"])]
    svg: bool,
}

/// How long a person on a terminal has for a scene before the next one.
const SCENE_INTERVAL: Duration = Duration::from_millis(700);

pub(crate) fn run(args: &DemoArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    if args.svg {
        return draw(out);
    }
    if args.all {
        out.line(format_args!("{BOLD}A project has this .nudge.yaml:{BOLD:#}\n"))?;
        quote(demo::RULES, DIM).iter().try_for_each(|line| out.line(line))?;
        play(demo::play_all, |number, scene| {
            let lines = in_full(number, &scene, args.wire);
            lines.iter().try_for_each(|line| out.line(line))
        })?;
    } else {
        let columns = out.width().unwrap_or(picture::COLUMNS);
        play(demo::play_short, |number, scene| {
            let lines =
                in_short(number, &scene, args.wire).into_iter().flat_map(|line| wrapped(&line, columns));
            lines.into_iter().try_for_each(|line| out.line(line))?;
            if out.is_terminal() {
                std::thread::sleep(SCENE_INTERVAL);
            }
            Ok(())
        })?;
    }
    out.line(next_step(args.all))?;
    Ok(ExitCode::SUCCESS)
}

/// The beginning of the line that says who speaks; each scene says that itself.
const SIGNATURE: &str = "[nudge: ";

/// Says what to type next.
fn next_step(is_all: bool) -> String {
    let more = if is_all { "\nNothing of this is left behind." } else { "More: nudge demo --all." };
    let watch = format!("Watch them: {BOLD}nudge ui{BOLD:#}");
    format!("{DIM}{more}{DIM:#} Connect your agents: {BOLD}nudge setup{BOLD:#}. {watch}")
}

/// Draws the short demo.
fn draw(out: &mut Out) -> Result<ExitCode, Failure> {
    let mut lines = vec![format!("$ {BOLD}nudge demo{BOLD:#}"), String::new()];
    play(demo::play_short, |number, scene| {
        lines.extend(in_short(number, &scene, false).iter().map(|line| timeless(line)));
        Ok(())
    })?;
    lines.push(next_step(false));
    let about = "nudge demo: a rule blocks a write, a failure shows what worked the last time, and a session starts with what happened before";
    out.bytes(picture::svg(about, &lines).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a line as it would be at one fixed time of day, since the picture is kept.
fn timeless(line: &str) -> String {
    let time = Regex::new(r"\d{1,2}:\d\d [AP]M");
    time.map_or_else(|_| line.to_owned(), |time| time.replace_all(line, "2:30 PM").into_owned())
}

/// Plays scenes, counted from 1.
fn play(
    scenes: fn(&mut demo::Show<'_>) -> std::io::Result<()>,
    mut show: impl FnMut(usize, Scene) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut number = 0;
    let mut failure = None;
    let played = scenes(&mut |scene| {
        number += 1;
        show(number, scene).map_err(|error| {
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

/// Returns a scene in a few lines: what happens, and what the agent sees of nudge.
fn in_short(number: usize, scene: &Scene, wire: bool) -> Vec<String> {
    let mut lines = vec![format!("{BOLD}{number}. {}{BOLD:#}", scene.title)];
    lines.extend(quote(&scene.action, CYAN));
    let Some(reply) = &scene.reply else { return lines };
    let fired = scene.rules.iter().find(|one| matches!(one.why, Explanation::Fired(_)));
    let rule = fired.map(|one| format!("   {DIM}{} in {}{DIM:#}", one.rule.name, one.rule.place));
    match (reason(reply), context(reply)) {
        (Some(reason), _) => {
            lines
                .push(format!("   {RED}blocked{RED:#}, and the agent sees why:{}", rule.unwrap_or_default()));
            lines.extend(quote(reason, BOLD));
        }
        (None, Some(context)) => {
            lines.push(format!("   {GREEN}the agent sees:{GREEN:#}"));
            // A heading for the agent, and a table below it, are for the long form.
            let is_heading = |line: &&str| line.starts_with('#') || line.starts_with("Recorded in earlier");
            let shown = context.lines().skip_while(is_heading).take_while(|line| !line.is_empty());
            let shown = shown.filter(|line| !line.starts_with(SIGNATURE));
            lines.extend(shown.map(|line| format!("   │ {BOLD}{line}{BOLD:#}")));
            let table = context.lines().filter(|line| line.starts_with("| #")).count();
            lines.extend(
                (table > 0).then(|| {
                    format!("   │ {DIM}… and a table of {}{DIM:#}", counted(table, "earlier action"))
                }),
            );
        }
        (None, None) => lines.push(format!("   {GREEN}allowed{GREEN:#}, without a message")),
    }
    lines.extend(wire.then(|| format!("   {DIM}{reply}{DIM:#}")));
    lines.push(String::new());
    lines
}

/// Returns a scene with everything that can be said about it.
fn in_full(number: usize, scene: &Scene, wire: bool) -> Vec<String> {
    let mut lines = vec![String::new(), format!("{BOLD}{number}. {}{BOLD:#}", scene.title), String::new()];
    lines.extend(quote(&scene.action, CYAN));
    let Some(reply) = &scene.reply else { return lines };
    lines.push(String::new());
    if let Some(reason) = reason(reply) {
        lines.push(format!("   {RED}blocked{RED:#}, and the agent sees why:"));
        lines.extend(quote(reason, BOLD));
    } else if let Some(context) = context(reply) {
        lines.push(format!("   {GREEN}allowed{GREEN:#}, and the agent sees:"));
        lines.extend(quote(context, BOLD));
    } else {
        lines.push(format!("   {GREEN}allowed{GREEN:#}, without a message"));
    }
    if let Some(notice) = reply["systemMessage"].as_str() {
        lines.push(format!("   {YELLOW}and the user sees, once in this session:{YELLOW:#}"));
        lines.extend(quote(notice, BOLD));
    }
    for one in &scene.rules {
        let why = match &one.why {
            Explanation::Fired(_) => format!("fires ({})", one.rule.place),
            why => format!("does not fire: {why}"),
        };
        lines.push(format!("   {DIM}why: {} {why}{DIM:#}", one.rule.name));
    }
    if wire && *reply != Value::Null {
        lines.push(format!("   {DIM}{reply}{DIM:#}"));
    }
    lines
}

/// Returns why an action was blocked.
fn reason(reply: &Value) -> Option<&str> {
    reply["hookSpecificOutput"]["permissionDecisionReason"].as_str()
}

/// Returns what is added to the agent's context.
fn context(reply: &Value) -> Option<&str> {
    reply["hookSpecificOutput"]["additionalContext"].as_str()
}

fn quote(text: &str, style: anstyle::Style) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with(SIGNATURE));
    lines.map(|line| format!("   │ {style}{line}{style:#}")).collect()
}
