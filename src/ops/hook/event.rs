//! Reads an event and completes it from the environment and from the agent's transcript.

use crate::config::env;
use crate::harness::{Agent, Unreadable};
use crate::model::{Event, Hook, ToolAction};
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
    add_shell_folder(&mut event, input);
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

/// Arguments of shell tools that name the folder in which the command runs.
const SHELL_FOLDERS: [&str; 5] =
    ["workdir", "dir_path", "directory", "working_directory", "workingDirectory"];

/// Puts the folder that a shell tool names before its command, so that all who read the command see where it runs.
fn add_shell_folder(event: &mut Event, input: &[u8]) {
    let Some(ToolAction::Command { command }) = event.tool.as_mut().map(|tool| &mut tool.action) else {
        return;
    };
    if !SHELL_FOLDERS.iter().any(|name| memchr::memmem::find(input, name.as_bytes()).is_some()) {
        return;
    }
    let Ok(payload) = serde_json::from_slice::<serde_json::Value>(input) else { return };
    let arguments = ["tool_input", "args", "toolArgs"].iter().find_map(|key| payload.get(key));
    let named = SHELL_FOLDERS.iter().find_map(|name| arguments?.get(name)?.as_str());
    // Some agents always name one, mostly the folder of the session.
    if let Some(folder) = named.filter(|folder| !folder.is_empty() && event.cwd.join(folder) != event.cwd) {
        let is_plain = folder.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
        let quoted =
            if is_plain { folder.to_owned() } else { format!("'{}'", folder.replace('\'', r"'\''")) };
        *command = format!("cd {quoted} && {command}");
    }
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
