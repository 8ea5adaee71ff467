//! `nudge hook`: answers one event of an agent.
//!
//! It fails open. Whatever goes wrong in here is a problem in the log, the exit code is 0, and stderr stays empty:
//! an agent would take anything else as a verdict.

use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;
use std::time::Duration;

use super::event_input::read_event;
use super::output;
use crate::config::{clock, env, signals, target};
use crate::harness::{self, Harness};
use crate::model::{Event, Problem, Trace};
use crate::ops::{self, problems};
use crate::redact::OwnPatterns;

/// How much of a transcript's end is looked at.
const TRANSCRIPT_END: u64 = 256 << 10;

/// Answer an event of a coding agent: JSON on stdin, the reply on stdout
///
/// Agents call this from their hooks. It never fails: what goes wrong is kept for `nudge doctor`, and the agent
/// goes on. Only a rule blocks.
#[derive(clap::Args)]
pub(crate) struct HookArgs {
    /// Name of the event, if the input does not say it
    event: Option<String>,

    /// The agent that calls
    #[arg(long, value_name = "ID", default_value = harness::DEFAULT)]
    harness: String,

    /// Also say on stderr what went wrong
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
pub(crate) fn excused(line: impl Iterator<Item = OsString>, error: &clap::Error) -> Option<ExitCode> {
    (error.use_stderr() && calls_hook(line)).then(|| {
        let message = error.to_string();
        let first =
            message.lines().next().unwrap_or("the command line is wrong").trim_start_matches("error: ");
        problems::record(&[Problem::error(format!("`nudge hook` was called wrongly: {first}"))]);
        ExitCode::SUCCESS
    })
}

/// Says whether the command is `hook`: the first word that is neither an option nor what an option takes.
fn calls_hook(line: impl Iterator<Item = OsString>) -> bool {
    let mut words = line.skip(1);
    while let Some(word) = words.next() {
        if word == "--color" {
            words.next();
        } else if !word.to_string_lossy().starts_with('-') {
            return word == "hook";
        }
    }
    false
}

fn answer(args: &HookArgs, elapsed: &impl Fn() -> Duration) -> Result<(), Problem> {
    let Some(harness) = harness::by_id(&args.harness) else {
        let known: Vec<&str> = harness::all().iter().map(|harness| harness.id()).collect();
        let message = format!("`nudge hook` was called for an unknown harness `{}`", args.harness);
        return Err(Problem::error(message).hint(format!("known are {}", known.join(", "))));
    };
    let input =
        read_event().map_err(|error| Problem::error(format!("an event could not be read: {error}")))?;
    let (reply, trace) = reply_to(harness::caller(harness, &input), &input, args.event.as_deref())?;
    let replied = if reply.is_empty() { Ok(()) } else { output::reply(reply.as_bytes()) };
    // The agent has its answer; what is noted of it keeps nobody waiting for that.
    if let Some(trace) = trace {
        ops::trace::keep(trace, elapsed());
    }
    replied.map_err(|error| Problem::error(format!("a reply could not be written: {error}")))
}

fn reply_to(
    harness: &dyn Harness,
    input: &[u8],
    event_name: Option<&str>,
) -> Result<(String, Option<Trace>), Problem> {
    let parsed = harness.parse(input, event_name);
    let parsed =
        parsed.map_err(|why| Problem::error(format!("an event of {} was lost: {}", harness.id(), why.0)))?;
    if !input.trim_ascii_end().ends_with(b"}") {
        let message = format!("an event of {} had other text behind it, which was passed over", harness.id());
        problems::record(&[Problem::warning(message)]);
    }
    let Some(mut event) = parsed else { return Ok((String::new(), None)) };
    event.harness = harness.id();
    event.project = harness.project_variable().and_then(env::folder);
    if event.tool_use_id.is_none() {
        event.fingerprint = fingerprint(input);
    }
    complete(harness, &mut event);
    let answer = ops::hook::handle(event, harness.abilities(), |end| harness.last_message(end));
    Ok((harness.render(&answer.event, &answer.verdict), answer.trace))
}

/// Looks up in the agent's transcript what it has not sent.
pub(crate) fn complete(harness: &dyn Harness, event: &mut Event) {
    if harness.needs_transcript(event)
        && let Some(path) = event.transcript.clone()
        && let Some(end) = target::read_tail(&path, TRANSCRIPT_END)
    {
        harness.complete(event, &end);
    }
}

/// Tells an event that has no id of its own from others.
pub(crate) fn fingerprint(input: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    std::hash::Hasher::write(&mut hasher, input);
    std::hash::Hasher::finish(&hasher)
}
