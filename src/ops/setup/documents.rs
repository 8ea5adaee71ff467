//! The files of roles and skills: which of them are there, and which belong to somebody else.

use std::path::PathBuf;

use crate::harness::{Agent, InstallPlace};
use crate::journal::agent_files;
use crate::model::{AgentFile, Content, Problem, Team, is_marked_document, is_pristine_document};

/// Which files of roles and skills an agent has in one place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Installed {
    /// As this version writes them.
    pub(crate) current: usize,
    /// As another version wrote them, and unchanged.
    pub(crate) outdated: Vec<PathBuf>,
    /// Written or changed by somebody else.
    pub(crate) foreign: Vec<PathBuf>,
    pub(crate) missing: usize,
}

/// Looks which files of roles and skills an agent has in a place; `None` if it has no such files at all.
pub(crate) fn installed(agent: &Agent, place: &InstallPlace<'_>, team: &Team) -> Option<Installed> {
    let mut found = Installed::default();
    for file in agent.team?.files(place, team) {
        let Content::Document(wanted) = &file.content else { continue };
        match agent_files::read(&file.path) {
            Ok(Some(text)) if text == *wanted => found.current += 1,
            Ok(Some(text)) if is_pristine_document(&text) => found.outdated.push(file.path),
            Ok(None) => found.missing += 1,
            Ok(Some(_)) | Err(_) => found.foreign.push(file.path),
        }
    }
    Some(found)
}

/// Returns whether a text is the file of a role or a skill, which is listed rather than shown.
pub(crate) fn is_document(text: &str) -> bool {
    is_marked_document(text)
}

/// Returns whether a document is not nudge's, or not any more.
pub(super) fn is_foreign(file: &AgentFile, text: Option<&str>) -> bool {
    matches!(file.content, Content::Document(_)) && text.is_some_and(|text| !is_pristine_document(text))
}

/// Says which documents stay as somebody else wrote or changed them.
pub(super) fn note(files: &[AgentFile]) -> Option<Problem> {
    let is_theirs = |file: &&AgentFile| {
        let text = agent_files::read(&file.path).ok().flatten();
        let is_wanted = matches!(&file.content, Content::Document(wanted) if text.as_deref() == Some(wanted));
        !is_wanted && is_foreign(file, text.as_deref())
    };
    let theirs: Vec<String> =
        files.iter().filter(is_theirs).map(|file| format!("`{}`", file.path.display())).collect();
    let are =
        if theirs.len() == 1 { "is yours and stays as it is" } else { "are yours and stay as they are" };
    (!theirs.is_empty()).then(|| {
        Problem::note(format!("{} {are}", theirs.join(", ")))
            .hint("delete or rename a file, and run this again, to have nudge's")
    })
}
