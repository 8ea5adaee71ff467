//! Cursor's transcripts and the database of its editor, according to version 1.0.32 of its SDK and to other people's
//! readers: no real file was at hand.
//!
//! A transcript has neither ids nor results nor exact times, so what hooks or the database know about a conversation
//! counts more.

mod composer;
mod lines;

use std::path::{Path, PathBuf};

use crate::harness::place::InstallPlace;
use crate::harness::transcript::{FolderHint, TranscriptFolder, TranscriptForm, Transcripts, path_identity};
use crate::model::SourceRank;

pub(super) static TRANSCRIPTS: Transcripts = Transcripts {
    version: 1,
    folders,
    is_transcript: |path: &Path| is_database(path) || is_lines(path),
    identity: path_identity,
    rank: |path: &Path| if is_database(path) { SourceRank::Whole } else { SourceRank::Partial },
    form: |path: &Path| {
        if is_database(path) { TranscriptForm::CursorDatabase } else { TranscriptForm::Lines }
    },
    reader: |path: &Path| {
        if is_database(path) {
            Box::new(composer::ComposerReader::default())
        } else {
            Box::new(lines::CursorReader::new(path))
        }
    },
    folder_hint: Some(&FolderHint {
        root_file: |_| None,
        described_session: |path: &Path| {
            let is_description = path.file_name().is_some_and(|name| name == "meta.json");
            path.parent().filter(|_| is_description).and_then(name_of)
        },
        session: |path: &Path| lines::session_of(path).map(|(session, _)| session),
        is_named_after: |path: &Path, root: &Path| {
            let project = path.ancestors().find(|folder| folder.ends_with("agent-transcripts"));
            project.and_then(Path::parent).and_then(name_of).is_some_and(|name| name == slug(root))
        },
    }),
    deleted_after_days: None,
    is_by_documentation: true,
};

fn folders(place: &InstallPlace<'_>) -> Vec<TranscriptFolder> {
    let home = (place.moved)("CURSOR_CONFIG_DIR").unwrap_or_else(|| super::install::settings_folder(place));
    vec![
        TranscriptFolder::whole(home.join("projects")),
        // Only for the descriptions of sessions.
        TranscriptFolder { path: home.join("chats"), depth: 2 },
        TranscriptFolder::flat(editor_folder(place).join("globalStorage")),
    ]
}

/// Returns the folder of the editor's own data.
fn editor_folder(place: &InstallPlace<'_>) -> PathBuf {
    let data = if cfg!(target_os = "macos") {
        place.home.join("Library/Application Support")
    } else if cfg!(windows) {
        (place.moved)("APPDATA").unwrap_or_else(|| place.home.join("AppData/Roaming"))
    } else {
        (place.moved)("XDG_CONFIG_HOME").unwrap_or_else(|| place.home.join(".config"))
    };
    data.join("Cursor/User")
}

fn is_database(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "state.vscdb")
}

fn is_lines(path: &Path) -> bool {
    let in_folder = path.iter().any(|part| part == "agent-transcripts");
    in_folder && path.extension().is_some_and(|ending| ending == "jsonl")
}

fn name_of(path: &Path) -> Option<String> {
    path.file_name().and_then(|name| name.to_str()).map(str::to_owned)
}

/// Returns the name that Cursor gives to the folder of a project: letters and digits, and a dash for the rest.
fn slug(root: &Path) -> String {
    let root = root.to_string_lossy();
    let words = root.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests;
