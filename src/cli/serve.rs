//! `nudge serve`: answers agents over MCP, and keeps the hints that they share.

use std::io::{IsTerminal, stdin};
use std::process::ExitCode;

use super::output::{Failure, say};
use crate::api::ToolChoice;
use crate::config::{env, paths, settings};
use crate::ops::hints::HintLimits;
use crate::ops::times;
use crate::peers::DEFAULT_PORT;
use crate::server::{self, Input, Level, Log, Options};

/// Serve MCP tools to agents, and keep their shared hints
///
/// Agents start this themselves; it ends when they close its input. It offers tools for observations and hints, and `nx_`
/// tools for the plan, tasks, history and notes in `.nexus/` of the project. The first server is PRIMARY: it keeps the
/// hints and listens on this machine for JSON-RPC (/rpc) and MCP (/mcp). Further servers are PROXYs: they forward calls,
/// and one of them becomes PRIMARY when the PRIMARY ends. The hints are lost when the last server ends.
///
/// In a terminal, or without input, it runs until `nudge stop` or Ctrl-C. Its current project is the folder it was
/// started in.
#[derive(clap::Args)]
pub(crate) struct ServeArgs {
    /// Maximum number of hints [default: 5000]
    #[arg(long, value_name = "COUNT")]
    max_hints: Option<String>,

    /// Lifetime of hints without `--ttl`: `session`, `2h`, `P30D` [default: session]
    #[arg(long, value_name = "TTL")]
    default_ttl: Option<String>,

    /// Accept values that look like secrets
    #[arg(long)]
    no_secret_guard: bool,

    /// Messages on stderr: error, warn, info or debug [default: info]
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,

    /// Tools to offer: memory, hints, plan or all, several with commas [default: memory and hints; plan where there is a
    /// `.nexus/`]
    #[arg(long, value_name = "GROUPS", value_parser = tool_groups)]
    tools: Option<ToolChoice>,

    /// Require the token in server.token from every caller, even where the system identifies the caller
    #[arg(long)]
    token: bool,
}

/// The seed's most.
const MAX_HINTS: usize = 5_000;

pub(crate) fn run(args: &ServeArgs, port: Option<u16>) -> Result<ExitCode, Failure> {
    let options = Options {
        cwd: env::current_dir(),
        runtime_dirs: paths::runtime_dirs(),
        port: port.unwrap_or(DEFAULT_PORT),
        limits: limits(args)?,
        tools: args.tools.clone().unwrap_or_default(),
        wants_token: args.token,
        input: input(),
        log: Log { level: level(args)?, say: |line| say(line) },
    };
    if stdin().is_terminal() {
        say(
            "nudge serve: agents start this themselves; to add it to Claude Code: claude mcp add nudge -- nudge serve",
        );
    }
    server::run(&options).map_err(|reason| Failure::new(format!("the server cannot start: {reason}")))?;
    Ok(ExitCode::SUCCESS)
}

/// Serves for `nudge ui`, with what the environment sets, until it is stopped.
pub(super) fn run_for_page(port: Option<u16>) -> Result<ExitCode, Failure> {
    let args = ServeArgs {
        max_hints: None,
        default_ttl: None,
        no_secret_guard: false,
        log_level: None,
        tools: None,
        token: false,
    };
    // What `nudge ui` says itself is enough, unless the user asks for more.
    let level = env::of_serve(env::LOG_LEVEL).map_or(Ok(Level::Warn), |_| level(&args))?;
    let options = Options {
        cwd: env::current_dir(),
        runtime_dirs: paths::runtime_dirs(),
        port: port.unwrap_or(DEFAULT_PORT),
        limits: limits(&args)?,
        tools: ToolChoice::default(),
        wants_token: false,
        input: Input::Person,
        log: Log { level, say: |line| say(line) },
    };
    server::run(&options).map_err(|reason| Failure::new(format!("the server cannot start: {reason}")))?;
    Ok(ExitCode::SUCCESS)
}

/// Parses the value of `--tools`.
pub(super) fn tool_groups(names: &str) -> Result<ToolChoice, String> {
    ToolChoice::parse(names).ok_or_else(|| format!("known are {}", ToolChoice::WORDS))
}

fn limits(args: &ServeArgs) -> Result<HintLimits, Failure> {
    let (max_hints, name) = set(args.max_hints.as_ref(), "--max-hints", env::MAX_HINTS);
    let max_hints = match max_hints {
        None => MAX_HINTS,
        Some(text) => {
            let count = text.parse().ok().filter(|count| *count > 0);
            count.ok_or_else(|| wrong(name, &text, "a number above 0"))?
        }
    };
    let secret_guard = match env::of_serve(env::SECRET_GUARD).as_deref() {
        _ if args.no_secret_guard => false,
        None | Some("1") => true,
        Some("0") => false,
        Some(text) => return Err(wrong(env::SECRET_GUARD, text, "0 or 1")),
    };
    let (default_ttl, _) = set(args.default_ttl.as_ref(), "--default-ttl", env::DEFAULT_TTL);
    let default_ttl = times::iso_duration(default_ttl.as_deref().unwrap_or("session"));
    Ok(HintLimits {
        max_hints,
        secret_guard,
        default_ttl,
        suggestions: settings::load_user().0.hint_suggestions,
    })
}

fn level(args: &ServeArgs) -> Result<Level, Failure> {
    let (text, name) = set(args.log_level.as_ref(), "--log-level", env::LOG_LEVEL);
    let Some(text) = text else { return Ok(Level::Info) };
    let found = Level::NAMES.into_iter().find(|(name, _)| *name == text);
    found.map(|(_, level)| level).ok_or_else(|| wrong(name, &text, "error, warn, info or debug"))
}

/// Returns what a flag says, else its variable, and which of them it was.
fn set(
    flag: Option<&String>,
    flag_name: &'static str,
    variable: &'static str,
) -> (Option<String>, &'static str) {
    match flag {
        Some(value) => (Some(value.clone()), flag_name),
        None => (env::of_serve(variable), variable),
    }
}

fn wrong(name: &str, value: &str, wanted: &str) -> Failure {
    Failure::new(format!("`{name}` is `{value}`, which is not {wanted}")).usage()
}

/// Tells an agent's pipe from a terminal, and from no input at all.
fn input() -> Input {
    if stdin().is_terminal() || is_nothing() { Input::Person } else { Input::Agent }
}

/// A closed input is opened as `/dev/null` before the program starts.
#[cfg(unix)]
fn is_nothing() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let Ok(file) = stdin().as_fd().try_clone_to_owned().map(std::fs::File::from) else { return true };
    let device = |meta: std::fs::Metadata| meta.file_type().is_char_device().then_some(meta.rdev());
    let (input, null) =
        (file.metadata().ok().and_then(device), std::fs::metadata("/dev/null").ok().and_then(device));
    input.is_some() && input == null
}

#[cfg(not(unix))]
fn is_nothing() -> bool {
    false
}
