//! `nudge status`: where things stand, on one screen: the server that keeps the hints, and what is here without it.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Map;

use super::here;
use super::keyboard::Keyboard;
use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, YELLOW, counted};
use super::rows::{ago, one_line};
use super::why::milliseconds;
use crate::api::status::{HereWire, ProjectSummary, ServerStatusWire, StatusWire, TeamSummary};
use crate::model::{PeerKind, SyncPeer, Timestamp};
use crate::ops::doctor::agents::{self, AgentConnection};
use crate::ops::here::root as root_of;
use crate::ops::here::short_path;
use crate::ops::hints::NoServer;
use crate::ops::hints::reach;
use crate::ops::pause;
use crate::ops::status::{self, Watcher};
use crate::ops::times;

/// Show a summary: agents, rules, memory, tasks, server
///
/// Agents start the server themselves, so that none is running is fine. Exit code 1 if one does not answer.
#[derive(clap::Args)]
pub(crate) struct StatusArgs {
    /// Print JSON
    #[arg(short, long)]
    json: bool,

    /// Refresh every second, until you press `q`
    #[arg(long, conflicts_with = "json")]
    watch: bool,

    /// Print goal and tasks in one line, as for the status line of an agent; nothing if there are none
    #[arg(long, conflicts_with_all = ["json", "watch"])]
    line: bool,
}

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const STATUS_TIMEOUT: Duration = Duration::from_secs(5);
const WATCH_INTERVAL: Duration = Duration::from_secs(1);
/// To look how agents are set up takes longer than all the rest, and that changes rarely.
const AGENTS_EVERY: u64 = 10;
/// Maximum number of characters of a plan's topic.
const MAX_CHARS: usize = 100;
/// Maximum number of characters of a status line.
const MAX_LINE: usize = 120;
/// Maximum number of tags that are shown.
const MAX_TAGS: usize = 8;

pub(crate) fn run(args: &StatusArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let folder = here()?;
    if args.line {
        return show_line(&folder, out);
    }
    if args.watch && !out.is_terminal() {
        let failure = Failure::new("`--watch` draws on a terminal");
        return Err(failure.hint("`nudge log -f` follows hook calls, one line each"));
    }
    let root = root_of(&folder);
    let (mut watcher, mut agents) = (Watcher::default(), Vec::new());
    let keys = args.watch.then(Keyboard::listen);
    for round in 0_u64.. {
        let status = ask(port);
        if args.watch {
            // Clears the screen, and goes to its top.
            out.bytes(b"\x1b[2J\x1b[H")?;
        }
        let summary = watcher.look(&root);
        if round % AGENTS_EVERY == 0 {
            agents = connected(&root);
        }
        let (server, failure) = match status {
            Ok(server) => (server, None),
            Err(failure) => (None, Some(failure)),
        };
        if args.json {
            let here = HereWire { summary: &summary, agents: &agents };
            let error = failure.as_ref().map(Failure::to_error);
            out.json(&StatusWire { server: server.as_ref(), here, error })?;
        } else {
            match &server {
                Some(server) => show(server, out)?,
                None if failure.is_none() => row(out, "server", "none running; agents start one")?,
                None => {}
            }
            show_off(&root, out)?;
            show_here(&summary, &agents, out)?;
        }
        match failure {
            Some(failure) if args.watch => drop(failure.report()),
            Some(failure) => return Err(failure),
            None if !args.watch => return Ok(ExitCode::SUCCESS),
            None => {}
        }
        if keys.as_ref().is_none_or(|keys| keys.quits_within(WATCH_INTERVAL)) {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints what a person wants to see all the time.
fn show_line(folder: &Path, out: &mut Out) -> Result<ExitCode, Failure> {
    if let Some(line) = status::line(folder) {
        out.line(one_line(&line, MAX_LINE))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the names of the agents that call us, for this user or in this project.
fn connected(root: &Path) -> Vec<&'static str> {
    let all = agents::all(root).into_iter();
    let one = all.filter_map(|(_, asked)| asked.iter().map(agents::look).find(AgentConnection::is_connected));
    one.map(|wired| wired.title).collect()
}

/// Says that hooks do nothing here at the moment.
fn show_off(root: &Path, out: &mut Out) -> Result<(), Failure> {
    match pause::of_project(root) {
        Some(paused) => {
            row(out, "off", format!("{YELLOW}nudge is off {paused}{YELLOW:#}: {}", paused.way_out()))
        }
        None => Ok(()),
    }
}

/// Returns when rows last moved between this machine and another one.
fn machine(peer: &SyncPeer) -> String {
    let moved = |at: Option<Timestamp>, rows: usize, what: &str| {
        at.map(|at| format!("{rows} {what} {}", ago(at, times::now())))
    };
    let parts = [moved(peer.sent_at, peer.sent, "sent"), moved(peer.brought_at, peer.brought, "brought")];
    let mut parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        parts.push("nothing has moved yet".to_owned());
    }
    if let Some(problem) = &peer.problem {
        parts.push(format!("{YELLOW}{}{YELLOW:#}", one_line(problem, MAX_CHARS)));
    }
    let name = match peer.kind {
        PeerKind::Caller => format!("{} (calls this one)", peer.name),
        PeerKind::Ssh | PeerKind::File => peer.name.clone(),
    };
    format!("{}: {}", one_line(&name, MAX_CHARS), parts.join(", "))
}

/// Says which team rows are exchanged with, when that last worked, what waits, and why nothing moves.
fn describe_team(team: &TeamSummary) -> String {
    let member = team.member.as_ref().map(|member| format!(" as {member}")).unwrap_or_default();
    let exchanged = team.exchanged.map_or_else(
        || "nothing has been exchanged yet".to_owned(),
        |at| format!("exchanged {}", ago(at, times::now())),
    );
    let mut parts = vec![exchanged];
    if team.waiting > 0 {
        parts.push(format!("{} waiting", counted(team.waiting, "record")));
    }
    if team.held > 0 {
        parts.push(format!("{} held: `nudge team status --held`", counted(team.held, "row")));
    }
    parts.push(format!("{} of colleagues here", counted(team.rows_here, "row")));
    parts.extend(team.trouble.as_ref().map(|why| format!("{YELLOW}{}{YELLOW:#}", one_line(why, MAX_CHARS))));
    format!("{}{member}: {}", one_line(&team.server, MAX_CHARS), parts.join(", "))
}

fn show_here(summary: &ProjectSummary, agents: &[&str], out: &mut Out) -> Result<(), Failure> {
    let problems = match summary.rule_problems {
        0 => String::new(),
        count => format!(", {YELLOW}{}{YELLOW:#}: `nudge validate`", counted(count, "error")),
    };
    let disabled = match summary.disabled_rules {
        0 => String::new(),
        count => format!(", {count} disabled"),
    };
    let untrusted = match summary.untrusted_rule_files {
        0 => String::new(),
        count => format!(", {} not trusted: `nudge trust`", counted(count, "file")),
    };
    row(out, "rules", format!("{} here{disabled}{problems}{untrusted}", counted(summary.rules, "rule")))?;
    row(
        out,
        "observed",
        match (summary.observations, &summary.settings_unknown) {
            (_, Some(_)) => {
                "nothing is remembered here, the settings cannot be read: `nudge doctor`".to_owned()
            }
            (Some(count), None) => {
                let waiting = match summary.events_waiting {
                    0 => String::new(),
                    events => format!(
                        "; {YELLOW}{} waiting{YELLOW:#}: `nudge recent` says why",
                        counted(events, "event")
                    ),
                };
                format!("{}, {} today{waiting}", counted(count, "observation"), summary.observations_today)
            }
            (None, None) => "the memory does not answer: `nudge doctor`".to_owned(),
        },
    )?;
    if let Some(tokens) = summary.session_tokens {
        row(out, "cost", format!("a new session costs up to {tokens} tokens: `nudge context --tokens`"))?;
    }
    for damage in &summary.damage {
        row(out, "damage", format!("{YELLOW}{damage}{YELLOW:#}: `nudge doctor`"))?;
    }
    for problem in &summary.state_problems {
        row(out, "plan", one_line(problem, MAX_CHARS))?;
    }
    if let Some(plan) = &summary.plan {
        row(out, "plan", one_line(plan, MAX_CHARS))?;
    }
    if let Some(tasks) = &summary.tasks {
        row(out, "tasks", format!("{} of {} open", tasks.open, tasks.all))?;
    }
    for peer in &summary.machines {
        row(out, "machine", machine(peer))?;
    }
    if let Some(team) = &summary.team {
        row(out, "team", describe_team(team))?;
    }
    let agents = if agents.is_empty() { "none: `nudge setup`".to_owned() } else { agents.join(", ") };
    row(out, "agents", agents)?;
    row(
        out,
        "hooks",
        match &summary.hooks {
            None => "none yet".to_owned(),
            Some(last) => {
                let at = Timestamp(i64::try_from(last.at / 1_000).unwrap_or(i64::MAX));
                let when = ago(at, times::now());
                format!(
                    "{} {when}; 95 of 100 within {} (last {})",
                    last.hook,
                    milliseconds(last.p95_us),
                    last.timed
                )
            }
        },
    )
}

fn row(out: &mut Out, name: &str, value: impl Display) -> Result<(), Failure> {
    out.line(format_args!("{DIM}{name:>9}{DIM:#}  {value}"))
}

/// Asks the server; `None` if none is running.
fn ask(port: Option<u16>) -> Result<Option<ServerStatusWire>, Failure> {
    let mut client = match reach::primary(port, CONNECT_TIMEOUT) {
        // A port that the user names must have one.
        Err(none) if reach::is_absent(&none, port) => return Ok(None),
        found => found.map_err(|none| no_server(&none))?,
    };
    let status = client.call("nudge.status", &Map::new(), STATUS_TIMEOUT);
    let status = status.map_err(|error| Failure::new(error.to_string()))?;
    let unreadable = |error| Failure::new(format!("the server's answer cannot be read: {error}"));
    ServerStatusWire::deserialize(status).map(Some).map_err(unreadable)
}

/// Says that there is no server, and what starts one.
pub(crate) fn no_server(none: &NoServer) -> Failure {
    let failure = Failure::new(none.to_string());
    match none {
        NoServer::Refused { .. } => failure,
        _ if none.advice().is_some() => failure.hint_if(none.advice()),
        _ => failure.hint("agents start one themselves; to start one by hand: nudge serve"),
    }
}

fn show(status: &ServerStatusWire, out: &mut Out) -> Result<(), Failure> {
    let ServerStatusWire { health, uptime_seconds, clients, memory_bytes, hints } = status;
    out.line(format_args!(
        "{GREEN}●{GREEN:#} {BOLD}nudge {}{BOLD:#} {} on {CYAN}http://127.0.0.1:{}{CYAN:#}",
        health.version, health.mode, health.port
    ))?;
    row(out, "pid", format!("{}, up {}", health.pid, duration(*uptime_seconds)))?;
    let proxies = counted(clients.proxies, "PROXY");
    // One of the connections is that of this command, and each PROXY has one.
    let others = counted(clients.connections.saturating_sub(1 + clients.proxies), "other connection");
    row(out, "clients", format!("{proxies}, {others}"))?;
    if clients.pages > 0 {
        let edit = match clients.edit_pages {
            0 => String::new(),
            edit => format!(", {YELLOW}{edit} of them may change things{YELLOW:#}"),
        };
        let pages = counted(clients.pages, "open page");
        row(out, "viewer", format!("{pages}{edit}: `nudge ui --close` closes all"))?;
    }
    if let Some(hints) = hints {
        let count = |count: u64, what: &str| counted(usize::try_from(count).unwrap_or(usize::MAX), what);
        let components = counted(hints.components, "component");
        let used = count(hints.uses, "time");
        row(out, "hints", format!("{} in {components}, used {used}", count(hints.hints, "hint")))?;
    }
    if let Some(bytes) = memory_bytes {
        row(out, "RAM", format!("{:.1} MiB", *bytes as f64 / f64::from(1 << 20)))?;
    }
    row(out, "folder", short_path(Path::new(&health.runtime_dir)))?;
    let tags = hints.iter().flat_map(|hints| &hints.top_tags).take(MAX_TAGS);
    let tags: Vec<String> = tags.map(|tag| format!("{} ({})", tag.tag, tag.hints)).collect();
    if !tags.is_empty() {
        row(out, "tags", tags.join(", "))?;
    }
    Ok(())
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
