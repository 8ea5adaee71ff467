//! Shared by the tests of the store: a folder with a database, and short ways to create observations.

use std::path::PathBuf;
use std::time::Duration;

use super::{Reader, Store};
use crate::model::{EventKey, Metadata, NewObservation, ObservationType, Project, SessionId, Timestamp};

/// The current time in all tests.
pub(super) const NOW: Timestamp = Timestamp(1_700_000_000);

pub(super) const LOCK_TIMEOUT: Duration = Duration::from_secs(20);

pub(super) struct DataFolder(tempfile::TempDir);

impl DataFolder {
    pub(super) fn new() -> DataFolder {
        DataFolder(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self) -> PathBuf {
        self.0.path().join("data/nudge.db")
    }

    pub(super) fn store(&self) -> Store {
        Store::open(&self.path(), LOCK_TIMEOUT).unwrap()
    }

    pub(super) fn reader(&self) -> Option<Reader> {
        Reader::open(&self.path(), LOCK_TIMEOUT).unwrap()
    }

    /// Returns a store with these observations, numbered from 1.
    pub(super) fn with(&self, observations: &[NewObservation]) -> Store {
        let mut store = self.store();
        store.insert_batch(observations).unwrap();
        store
    }
}

pub(super) fn seen(obs_type: ObservationType, content: &str) -> NewObservation {
    NewObservation {
        timestamp: NOW,
        session_id: SessionId("s1".to_owned()),
        project: Some("nudge".to_owned()),
        project_root: Some("/src/nudge".to_owned()),
        repository: None,
        obs_type,
        source_event: "PostToolUse".to_owned(),
        tool_name: Some("Bash".to_owned()),
        content: content.to_owned(),
        file_path: None,
        metadata: None,
        event_key: None,
        program: None,
        signature: None,
        pinned: false,
    }
}

pub(super) fn command(content: &str) -> NewObservation {
    let program = content.split(' ').next().map(str::to_owned);
    NewObservation { program, ..seen(ObservationType::Command, content) }.fact("command", content)
}

/// A failed command; the error is its signature.
pub(super) fn failure(command_text: &str, error: &str) -> NewObservation {
    NewObservation {
        obs_type: ObservationType::CommandError,
        content: format!("{command_text}\n{error}"),
        signature: Some(error.to_owned()),
        ..command(command_text)
    }
}

pub(super) fn read(path: &str) -> NewObservation {
    seen(ObservationType::FileRead, &format!("read {path}")).path(path)
}

pub(super) fn edit(path: &str) -> NewObservation {
    seen(ObservationType::FileEdit, &format!("edit {path}")).path(path)
}

pub(super) fn prompt(text: &str) -> NewObservation {
    seen(ObservationType::UserPrompt, text)
}

pub(super) fn project(name: &str) -> Project {
    Project { name: name.to_owned(), ..Project::default() }
}

impl NewObservation {
    pub(super) fn path(self, path: &str) -> NewObservation {
        NewObservation { file_path: Some(path.to_owned()), ..self }
    }

    /// Returns the observation with a time this many seconds before now.
    pub(super) fn ago(self, seconds: i64) -> NewObservation {
        NewObservation { timestamp: Timestamp(NOW.0 - seconds), ..self }
    }

    pub(super) fn session(self, session: &str) -> NewObservation {
        NewObservation { session_id: SessionId(session.to_owned()), ..self }
    }

    pub(super) fn of(self, project: &str) -> NewObservation {
        let root = Some(format!("/src/{project}"));
        NewObservation { project: Some(project.to_owned()), project_root: root, ..self }
    }

    pub(super) fn key(self, key: &str) -> NewObservation {
        NewObservation { event_key: Some(EventKey::of([key])), ..self }
    }

    pub(super) fn fact(mut self, name: &str, value: &str) -> NewObservation {
        self.metadata.get_or_insert_with(Metadata::default).0.insert(name.to_owned(), value.into());
        self
    }
}
