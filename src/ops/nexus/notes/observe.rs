//! Counts an agent's read of a note, when a hook has seen it succeed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::model::Event;
use crate::nexus::Nexus;
use crate::notes;
use crate::ops::nexus::change::NexusChange;
use crate::system::clock;

/// Returns the reads of notes that an event reports; none for writes, searches and everything else.
pub(crate) fn observe(event: &Event, nexus: &Nexus) -> Vec<NexusChange> {
    let session = event.session.as_ref().map(|session| session.0.as_str());
    let agent = event.agent_id.as_deref().or(session).unwrap_or_default();
    let mut notes: Vec<PathBuf> = Vec::new();
    for read in notes::files_read(event).iter().take(MAX_READS) {
        for path in named(&event.cwd.join(read)) {
            notes.extend(nexus.note_at(&path).filter(|note| !notes.contains(note)));
        }
    }
    let read = |note| NexusChange::ReadNote { note, agent: agent.to_owned(), at: clock::timestamp() };
    notes.into_iter().map(read).collect()
}

/// Maximum number of paths of one command that are looked at, and of files that a pattern stands for.
const MAX_READS: usize = 50;

/// Returns the files that a path stands for: itself, or with one `*` in its name those that match.
fn named(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some((start, end)) = name.split_once('*') else { return vec![path.to_owned()] };
    let folder = fs::read_dir(path.parent().unwrap_or(path)).into_iter().flatten().flatten();
    let matches = |entry: &fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
    };
    folder.filter(matches).take(MAX_READS).map(|entry| entry.path()).collect()
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
            for read in observe(&event, &nexus) {
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
        let print = |command: &str| see(ToolAction::Command { command: command.into() });
        print("cat ../.nexus/memory/a-note.md | head -3");
        print("cd .. && cat .nexus/memory/*.md");
        assert_eq!(access::reads(&nexus)["a-note.md"].count, 4);
        print(
            "ls ../.nexus/memory; grep -r text ../.nexus/memory/a-note.md; echo ../.nexus/memory/a-note.md",
        );
        assert_eq!(access::reads(&nexus)["a-note.md"].count, 4);
        let log = fs::read_to_string(nexus.path(".nexus/state/gemini-cli/memory-access.jsonl")).unwrap();
        assert!(log.ends_with("\"last_agent\":\"session-1\"}\n"), "{log}");
    }
}
