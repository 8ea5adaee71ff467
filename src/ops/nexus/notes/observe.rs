//! Counts an agent's read of a note, when a hook has seen it succeed.

use crate::model::Event;
use crate::nexus::Nexus;
use crate::notes;
use crate::ops::nexus::change::NexusChange;
use crate::system::clock;

/// Returns the read of a note that an event reports; `None` for writes, searches and everything else.
pub(crate) fn observe(event: &Event, nexus: &Nexus) -> Option<NexusChange> {
    let note = nexus.note_at(&event.cwd.join(notes::note_read(event)?))?;
    let session = event.session.as_ref().map(|session| session.0.as_str());
    let agent = event.agent_id.as_deref().or(session).unwrap_or_default().to_owned();
    Some(NexusChange::ReadNote { note, agent, at: clock::timestamp() })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::observe;
    use crate::files;
    use crate::model::{Event, Hook, SessionId, ToolAction, ToolCall};
    use crate::nexus::{Nexus, access};
    use crate::ops::nexus::change;

    #[test]
    fn only_reads_of_notes_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let nexus = Nexus::of(&files::canonical(folder.path()).unwrap());
        for file in [".nexus/memory/a-note.md", ".nexus/context/design.md", "src/lib.rs"] {
            fs::create_dir_all(nexus.path(file).parent().unwrap()).unwrap();
            fs::write(nexus.path(file), "text").unwrap();
        }
        let see = |action: ToolAction| {
            let event = Event {
                hook: Hook::PostToolUse,
                session: Some(SessionId("session-1".into())),
                cwd: nexus.project().join("src"),
                tool: Some(ToolCall { name: "any".into(), action }),
                ..Event::default()
            };
            if let Some(read) = observe(&event, &nexus) {
                change::apply(&nexus, "gemini-cli", &read, change::LOCK_TIMEOUT).unwrap();
            }
        };
        let read = |path: &str| ToolAction::Read { path: path.into(), text: String::new() };
        see(read("lib.rs"));
        see(read("../.nexus/context/design.md"));
        see(read("../.nexus/memory/no-note.md"));
        see(ToolAction::Write { path: "../.nexus/memory/a-note.md".into(), content: String::new() });
        assert!(!nexus.path(".nexus/state").exists(), "nothing was read");
        see(read("../.nexus/memory/a-note.md"));
        see(read(nexus.path(".nexus/memory/a-note.md").to_str().unwrap()));
        assert_eq!(access::reads(&nexus)["a-note.md"].count, 2);
        let log = fs::read_to_string(nexus.path(".nexus/state/gemini-cli/memory-access.jsonl")).unwrap();
        assert!(log.ends_with("\"last_agent\":\"session-1\"}\n"), "{log}");
    }
}
