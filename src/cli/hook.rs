//! `nudge hook`: answers one event of an agent.
//!
//! It fails open. Whatever goes wrong in here is a problem in the log, the exit code is 0, and stderr stays empty:
//! an agent would take anything else as a verdict.

use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;
use std::time::Duration;

use super::arguments::command_at;
use super::event_input::read_event;
use super::output;
use crate::harness::{self, Agent};
use crate::model::{Problem, Trace};
use crate::ops::{self, problems};
use crate::redact::OwnPatterns;
use crate::system::{clock, signals};

/// Answer an agent's hook: JSON on stdin, reply on stdout
///
/// Agents call this. It never fails: problems are logged for `nudge doctor`, and the agent continues. Only a rule blocks.
#[derive(clap::Args)]
pub(crate) struct HookArgs {
    /// Name of the event, if the input does not have it
    event: Option<String>,

    /// Agent that calls
    #[arg(long, value_name = "ID", default_value = harness::DEFAULT)]
    harness: String,

    /// Also print problems to stderr
    #[arg(long)]
    verbose: bool,
}

impl HookArgs {
    /// Reads the line that agents are set up with; anything else is left to the ordinary parser.
    pub(crate) fn from_usual_line(line: impl Iterator<Item = OsString>) -> Option<HookArgs> {
        let words: Vec<String> = line.skip(1).map(|word| word.into_string().ok()).collect::<Option<_>>()?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (event, harness) = match words.as_slice() {
            ["hook"] => (None, harness::DEFAULT),
            ["hook", "--harness", id] => (None, *id),
            ["hook", event, "--harness", id] | ["hook", "--harness", id, event]
                if !event.starts_with('-') =>
            {
                (Some(*event), *id)
            }
            ["hook", event] if !event.starts_with('-') => (Some(*event), harness::DEFAULT),
            _ => return None,
        };
        Some(HookArgs { event: event.map(str::to_owned), harness: harness.to_owned(), verbose: false })
    }
}

pub(crate) fn run(args: &HookArgs) -> ExitCode {
    // A panic's message on stderr would block the tool in some agents.
    panic::set_hook(Box::new(|_| {}));
    signals::survive_file_limit();
    let elapsed = clock::stopwatch();
    let answered = panic::catch_unwind(|| answer(args, &elapsed));
    let problem = match answered {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(problem)) => problem,
        Err(_) => Problem::error("the hook broke down; the agent went on without an answer")
            .hint("please report this, with the event if you can"),
    };
    let problem = problems::without_secrets(&problem, &OwnPatterns::default());
    problems::record(std::slice::from_ref(&problem));
    ops::trace::lost(&args.harness, &problem, elapsed());
    if args.verbose {
        output::say(format_args!("nudge hook: {problem}"));
    }
    ExitCode::SUCCESS
}

/// A hook whose command line is wrong must not block either: exit code 2 would.
pub(crate) fn excused(line: &[OsString], error: &clap::Error) -> Option<ExitCode> {
    let calls_hook = || command_at(line).is_some_and(|at| line[at] == "hook");
    (error.use_stderr() && calls_hook()).then(|| {
        let message = error.to_string();
        let first =
            message.lines().next().unwrap_or("the command line is wrong").trim_start_matches("error: ");
        problems::record(&[Problem::error(format!("`nudge hook` was called wrongly: {first}"))]);
        ExitCode::SUCCESS
    })
}

fn answer(args: &HookArgs, elapsed: &impl Fn() -> Duration) -> Result<(), Problem> {
    // People who write an entry by hand take the names of `nudge setup`.
    let Some(named) = harness::by_name(&args.harness) else {
        let known: Vec<&str> = harness::ids().collect();
        let message = format!("`nudge hook` was called for an unknown harness `{}`", args.harness);
        return Err(Problem::error(message).hint(format!("known are {}", known.join(", "))));
    };
    let input =
        read_event().map_err(|error| Problem::error(format!("an event could not be read: {error}")))?;
    let (reply, trace) = reply_to(harness::caller(named, &input), &input, args.event.as_deref())?;
    let replied = if reply.is_empty() { Ok(()) } else { output::reply(reply.as_bytes()) };
    // The agent has its answer; what is noted of it keeps nobody waiting for that.
    if let Some(trace) = trace {
        ops::trace::keep(trace, elapsed());
    }
    replied.map_err(|error| Problem::error(format!("a reply could not be written: {error}")))
}

fn reply_to(
    agent: &Agent,
    input: &[u8],
    event_name: Option<&str>,
) -> Result<(String, Option<Trace>), Problem> {
    let read = ops::hook::event::read(agent, input, event_name);
    let read = read.map_err(|why| Problem::error(format!("an event of {} was lost: {}", agent.id, why.0)))?;
    if !input.trim_ascii_end().ends_with(b"}") {
        let message = format!("an event of {} had other text behind it, which was passed over", agent.id);
        problems::record(&[Problem::warning(message)]);
    }
    let Some(event) = read else { return Ok((String::new(), None)) };
    let answer = ops::hook::handle(event, input, agent);
    Ok(((agent.render)(&answer.event, &answer.verdict), answer.trace))
}
