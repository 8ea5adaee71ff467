//! Reads an event and completes it from the environment and from the agent's transcript.

use crate::config::env;
use crate::harness::{Agent, Unreadable};
use crate::model::{Event, Hook};
use crate::system::target;

/// Maximum number of bytes at the end of a transcript that are searched.
const MAX_TRANSCRIPT_END: u64 = 256 << 10;

/// Reads a payload of this agent; `None` for an unknown event, which is not an error.
///
/// `event_name` comes from the command line, for payloads that do not name their event.
pub(crate) fn read(
    agent: &Agent,
    input: &[u8],
    event_name: Option<&str>,
) -> Result<Option<Event>, Unreadable> {
    let Some(mut event) = (agent.parse)(input, event_name)? else { return Ok(None) };
    event.harness = agent.id;
    event.project = agent.project_variable.and_then(env::folder);
    if event.cwd.as_os_str().is_empty() {
        event.cwd = env::current_dir();
    }
    if event.tool_use_id.is_none() {
        event.fingerprint = fingerprint(input);
    }
    if (agent.needs_transcript)(&event)
        && let Some(end) = transcript_end(&event)
    {
        (agent.complete)(&mut event, &end);
    }
    Ok(Some(event))
}

/// Adds the model's last message to a `Stop` event, for agents that keep it only in the transcript.
///
/// Only rules use it and it costs a large read, so `read` leaves it to the caller, which knows whether there are rules.
pub(super) fn add_closing_message(agent: &Agent, event: &mut Event) {
    if event.hook == Hook::Stop && event.closing_message.is_none() {
        event.closing_message = transcript_end(event).and_then(|end| agent.last_message(&end));
    }
}

fn transcript_end(event: &Event) -> Option<String> {
    target::read_tail(event.transcript.as_deref()?, MAX_TRANSCRIPT_END)
}

/// Returns a hash that distinguishes events that have no id.
fn fingerprint(input: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    std::hash::Hasher::write(&mut hasher, input);
    std::hash::Hasher::finish(&hasher)
}
