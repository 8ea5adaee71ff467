//! `nudge record`: stores events at once, for any program that can write JSON.

use std::process::ExitCode;

use super::event_input::EventReader;
use super::output::{Failure, Out, counted, say};
use crate::model::Hook;
use crate::ops::agents::{self, Agent};
use crate::ops::hook::event;
use crate::ops::hook::session_context;
use crate::ops::observations::StoreError;
use crate::ops::observations::{database, remember};
use crate::ops::turn::Turn;

/// Store events as observations: JSON lines on stdin
///
/// Each event is stored as soon as it is complete; the end of the input need not come. Every object needs `session_id`,
/// `cwd` and `hook_event_name`; unknown fields are ignored. Prints nothing, except for SessionStart, which prints the
/// context from earlier sessions. Exit codes: 0 stored, 1 an event could not be stored, with the number of its line, 2
/// the database is corrupt.
#[derive(clap::Args)]
pub(crate) struct RecordArgs {
    /// Agent that sent the event
    #[arg(long, value_name = "ID", default_value = agents::DEFAULT)]
    harness: String,
}

/// What the input must have, each as a text that is not empty.
const REQUIRED: [&str; 3] = ["session_id", "cwd", "hook_event_name"];

pub(crate) fn run(args: &RecordArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some(named) = agents::by_id(&args.harness) else {
        let known: Vec<&str> = agents::ids().collect();
        let failure = Failure::new(format!("no harness is named `{}`", args.harness));
        return Err(failure.hint(format!("known are {}", known.join(", "))));
    };
    let mut events = EventReader::new();
    let mut stored = 0;
    loop {
        let next = events.next().map_err(|error| Failure::new(format!("stdin cannot be read: {error}")))?;
        let (line, bytes) = match next {
            Some(event) => (event.line, event.bytes),
            None if stored > 0 => return Ok(ExitCode::SUCCESS),
            None => (1, Vec::new()),
        };
        match store(named, &bytes, out) {
            Ok(None) => stored += 1,
            Ok(Some(code)) => return Ok(code),
            Err(failure) if stored > 0 => {
                let before = format!("{} before it: stored", counted(stored, "event"));
                return Err(failure.on_line(line).hint(before));
            }
            Err(failure) if line > 1 => return Err(failure.on_line(line)),
            Err(failure) => return Err(failure),
        }
    }
}

/// Stores one event; returns an exit code if no further one can be stored.
fn store(named: &'static Agent, input: &[u8], out: &mut Out) -> Result<Option<ExitCode>, Failure> {
    if let Some(missing) = missing_field(input)? {
        let failure = Failure::new(format!("the event has no `{missing}`"));
        return Err(failure.hint("it must be a text that is not empty; nothing was stored"));
    }
    let agent = agents::caller(named, input);
    let read = event::read(agent, input, None);
    // An event that is not known says nothing that we could store, and is no mistake of its sender.
    let Some(event) = read.map_err(|why| Failure::new(why.0))? else { return Ok(None) };
    let mut turn = Turn::new(event, agent);
    turn.read_settings();
    turn.problems.iter().for_each(|problem| say(format_args!("nudge record: {problem}")));
    remember::spool(&mut turn, None)
        .map_err(|problem| Failure::new(problem.message).hint_if(problem.hint))?;
    match remember::drain_or_say_damaged(database::DATABASE_TIMEOUT) {
        // What could not be brought in now is safe in the spool, and comes in with the next event.
        Ok(_) | Err(StoreError::Busy) => {}
        Err(error @ StoreError::Corrupt(_)) => {
            Failure::from(error).report();
            return Ok(Some(ExitCode::from(2)));
        }
        Err(error) => return Err(error.into()),
    }
    // Storing the event may have used up the time.
    turn.renew_budget();
    if turn.event.hook == Hook::SessionStart
        && let Some(told) = session_context::session(&turn)?
        && !told.text.is_empty()
    {
        out.line(told.text.trim_end())?;
    }
    Ok(None)
}

fn missing_field(input: &[u8]) -> Result<Option<&'static str>, Failure> {
    let event = agents::read_json(input)
        .map_err(|why| Failure::new(why.0).hint("one JSON object is expected; nothing was stored"))?;
    let filled = |name: &&str| {
        event.get(name).and_then(serde_json::Value::as_str).is_some_and(|text| !text.is_empty())
    };
    Ok(REQUIRED.into_iter().find(|name| !filled(name)))
}
