//! `nudge status`: the server that keeps the hints, on one screen.

use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Map, Value};

use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, counted};
use crate::ops::reach;
use crate::runtime::NoServer;

/// Show the server that keeps the hints
#[derive(clap::Args)]
pub(crate) struct StatusArgs {
    /// Print it as JSON
    #[arg(long)]
    json: bool,

    /// Show it again every second, until Ctrl-C
    #[arg(long, conflicts_with = "json")]
    watch: bool,
}

const PATIENCE: Duration = Duration::from_secs(5);
const WATCH_EVERY: Duration = Duration::from_secs(1);
/// So many tags are shown.
const TAGS: usize = 8;

pub(crate) fn run(args: &StatusArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    loop {
        let status = ask(port);
        if args.watch {
            // Clears the screen, and goes to its top.
            out.bytes(b"\x1b[2J\x1b[H")?;
        }
        match status {
            Ok(status) if args.json => out.json(&status)?,
            Ok(status) => show(&status, out)?,
            Err(failure) if args.watch => drop(failure.report()),
            Err(failure) => return Err(failure),
        }
        if !args.watch {
            return Ok(ExitCode::SUCCESS);
        }
        std::thread::sleep(WATCH_EVERY);
    }
}

fn ask(port: Option<u16>) -> Result<Value, Failure> {
    let mut client = reach::primary(port, PATIENCE).map_err(|none| no_server(&none))?;
    client.call("nudge.status", &Map::new(), PATIENCE).map_err(|error| Failure::new(error.to_string()))
}

/// Says that there is no server, and what starts one.
pub(crate) fn no_server(none: &NoServer) -> Failure {
    let failure = Failure::new(none.to_string());
    match none {
        NoServer::Refused { .. } => failure,
        _ => failure.hint("agents start one themselves; to start one by hand: nudge serve"),
    }
}

fn show(status: &Value, out: &mut Out) -> Result<(), Failure> {
    let text = |key: &str| status[key].as_str().unwrap_or("?");
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let row =
        |out: &mut Out, name: &str, value: String| out.line(format_args!("{DIM}{name:>9}{DIM:#}  {value}"));
    out.line(format_args!(
        "{GREEN}●{GREEN:#} {BOLD}nudge {}{BOLD:#} {} on {CYAN}http://127.0.0.1:{}{CYAN:#}",
        text("version"),
        text("mode"),
        status["port"]
    ))?;
    row(out, "pid", format!("{}, up {}", status["pid"], duration(number(&status["uptime_seconds"]))))?;
    row(
        out,
        "clients",
        format!(
            "{}, {}",
            counted(count(&status["clients"]["proxies"]), "PROXY"),
            counted(count(&status["clients"]["connections"]), "open connection"),
        ),
    )?;
    let hints = &status["hints"];
    row(
        out,
        "hints",
        format!(
            "{} in {}",
            counted(count(&hints["hints"]), "hint"),
            counted(count(&hints["components"]), "component")
        ),
    )?;
    row(out, "used", counted(count(&hints["uses"]), "time"))?;
    if let Some(bytes) = status["memory_bytes"].as_u64() {
        row(out, "memory", format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)))?;
    }
    row(
        out,
        "changes",
        format!(
            "{}, {} in the snapshot",
            number(&status["generation"]),
            number(&status["snapshot_generation"])
        ),
    )?;
    row(out, "folder", text("runtime_dir").to_owned())?;
    let tags: Vec<String> =
        hints["top_tags"].as_array().into_iter().flatten().take(TAGS).filter_map(tag).collect();
    if !tags.is_empty() {
        row(out, "tags", tags.join(", "))?;
    }
    Ok(())
}

fn tag(tag: &Value) -> Option<String> {
    Some(format!("{} ({})", tag["tag"].as_str()?, tag["count"]))
}

fn count(value: &Value) -> usize {
    value.as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
}

/// Says a time in its two largest parts: `1 d 2 h`.
fn duration(seconds: u64) -> String {
    let parts = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let first = parts.iter().position(|(size, _)| seconds >= *size).unwrap_or(3);
    let mut rest = seconds;
    let mut said = Vec::new();
    for (size, name) in &parts[first..parts.len().min(first + 2)] {
        said.push(format!("{} {name}", rest / size));
        rest %= size;
    }
    said.join(" ")
}
