//! The events of earlier sessions as they were, whole and in their order, for whatever is tried on them.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use super::find::ToRead;
use super::read::{SETTLED_SECONDS, reader_of};
use super::records::read_records;
use super::{BackfillRequest, Known, find, find_all, to_read};
use crate::config::env;
use crate::harness::{AGENTS, Agent, InstallPlace, PastEvent, RecordOutcome};
use crate::model::{InstallScope, SourceRank, Timestamp};
use crate::ops::here;

/// A transcript of earlier sessions.
#[derive(Debug, Clone)]
pub(crate) struct PastSource(ToRead);

/// Which transcripts are wanted.
#[derive(Debug, Clone, Default)]
pub(crate) struct PastRequest {
    pub(crate) since: Timestamp,
    /// Only sessions that began in the project of this folder.
    pub(crate) only_in: Option<PathBuf>,
    /// A folder that has the agents' folders in it, instead of the user's home.
    pub(crate) home: Option<PathBuf>,
    /// The folders of projects that are known: some agents name a session's folder only by a hash of its path.
    pub(crate) roots: Vec<PathBuf>,
}

/// Returns the transcripts that may have something, those that know most first.
pub(crate) fn sources(request: &PastRequest) -> Vec<PastSource> {
    let here = env::current_dir();
    let mut roots = vec![here::root(&here), here.clone()];
    roots.extend(request.roots.iter().cloned());
    let known = Known { sources: &HashMap::new(), roots: &roots };
    let wanted = BackfillRequest { only_in: request.only_in.clone(), ..BackfillRequest::default() };
    let found = AGENTS.iter().flat_map(|agent| match &request.home {
        Some(home) => find_in(agent, home, &here),
        None => find_all(agent),
    });
    let mut sources = to_read(found.collect(), &known, request.since, &wanted);
    sources.sort_by_cached_key(|one| (one.found.rank(), one.first_ms, one.found.path.clone()));
    sources.into_iter().map(PastSource).collect()
}

/// Finds transcripts in a folder that is laid out as a home folder, whatever the environment says.
fn find_in(agent: &'static Agent, home: &Path, here: &Path) -> Vec<find::FoundTranscript> {
    let place = InstallPlace {
        reach: InstallScope::User,
        program: "nudge",
        tools: None,
        home,
        project: here,
        moved: |_| None,
        exists: Path::exists,
    };
    find::find(agent, &place)
}

impl PastSource {
    pub(crate) fn agent(&self) -> &'static Agent {
        self.0.found.agent
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0.found.path
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.0.found.bytes()
    }

    pub(crate) fn rank(&self) -> SourceRank {
        self.0.found.rank()
    }

    /// Returns the folder that the session began in, if the transcript names it.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.0.folder.as_deref()
    }

    /// Passes on the events of the transcript; returns how many records could not be read.
    pub(crate) fn read(&self, now: Timestamp, each: &mut dyn FnMut(PastEvent)) -> io::Result<usize> {
        let found = &self.0.found;
        let mut reader = reader_of(&self.0);
        reader.keep_files();
        let age = now.since(found.modified_at());
        let (mut events, mut unreadable) = (Vec::new(), 0);
        let end = read_records(found, 0, age, &mut |record| {
            if !record.bytes.is_empty()
                && reader.read(record.bytes, record.start, &mut events) == RecordOutcome::Unreadable
            {
                unreadable += 1;
            }
            events.drain(..).for_each(&mut *each);
            true
        })?;
        reader.finish(age >= SETTLED_SECONDS, &mut events);
        events.drain(..).for_each(each);
        Ok(unreadable + end.too_long)
    }
}
