//! Storing what was imported from other tools: each record once, and not what the user has forgotten or what an agent's
//! own transcript says already.

use rusqlite::{CachedStatement, Connection, OptionalExtension};

use super::forgotten::{self, minute_keys};
use super::insert::{InsertSource, Statements};
use super::{MAX_LOG_BYTES, Reader, Result, Store, row};
use crate::model::{Backfilled, NewObservation, ObservationType, Project};

impl Reader {
    /// Returns how many of these `import_foreign` would store.
    pub(crate) fn would_import(&self, batch: &[NewObservation]) -> Result<Backfilled> {
        let mut known = KnownImports::prepare(&self.connection)?;
        let mut count = Backfilled::default();
        for new in batch {
            if !known.is_known(new, &mut count)? {
                count.count_stored(new.obs_type);
            }
        }
        Ok(count)
    }

    /// Returns the project that a session was in.
    pub(crate) fn project_of_session(&self, session: &str) -> Result<Option<Project>> {
        let sql = "SELECT projects.name, projects.root FROM observations
             JOIN projects ON projects.id = observations.project_id
             WHERE session_id = ?1 ORDER BY observations.id LIMIT 1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement.query_row([session], |found| {
            Ok(Project { name: row::text(found, 0)?, root: row::optional_text(found, 1)?, repository: None })
        });
        Ok(found.optional()?)
    }
}

impl Store {
    /// Stores what is new of a batch, in one transaction.
    pub(crate) fn import_foreign(&mut self, batch: &[NewObservation]) -> Result<Backfilled> {
        if batch.is_empty() {
            return Ok(Backfilled::default());
        }
        let count = self.write(|connection| {
            let mut statements = Statements::prepare(connection)?;
            let mut known = KnownImports::prepare(connection)?;
            let mut count = Backfilled::default();
            for new in batch {
                if known.is_known(new, &mut count)? {
                    continue;
                }
                if statements.store(None, new, InsertSource::Export)? {
                    count.count_stored(new.obs_type);
                } else {
                    count.known += 1;
                }
            }
            Ok(count)
        })?;
        self.sync()?;
        self.bound_log(MAX_LOG_BYTES);
        Ok(count)
    }
}

struct KnownImports<'c> {
    by_key: CachedStatement<'c>,
    forgotten: CachedStatement<'c>,
    prompt: CachedStatement<'c>,
}

impl<'c> KnownImports<'c> {
    fn prepare(connection: &'c Connection) -> Result<KnownImports<'c>> {
        Ok(KnownImports {
            by_key: connection.prepare_cached("SELECT 1 FROM observations WHERE event_key = ?1")?,
            forgotten: connection.prepare_cached(forgotten::IS_FORGOTTEN)?,
            prompt: connection.prepare_cached(
                "SELECT 1 FROM observations WHERE session_id = ?1 AND obs_type = 'user_prompt' AND content = ?2",
            )?,
        })
    }

    /// Returns whether it is not to be stored, and counts why.
    fn is_known(&mut self, new: &NewObservation, count: &mut Backfilled) -> Result<bool> {
        let key = new.event_key.map(|key| key.0);
        let is_prompt = new.obs_type == ObservationType::UserPrompt;
        // A prompt of the same minute may be the one that a hook stored and the user has forgotten.
        let minutes = if is_prompt { minute_keys(new).to_vec() } else { Vec::new() };
        for key in key.into_iter().chain(minutes.iter().map(|key| key.0)) {
            if self.forgotten.exists([key])? {
                count.forgotten += 1;
                return Ok(true);
            }
        }
        // Hooks and transcripts know a prompt better than another tool does.
        let is_known = self.by_key.exists([key])?
            || is_prompt && self.prompt.exists((&new.session_id.0, &new.content))?;
        count.known += usize::from(is_known);
        Ok(is_known)
    }
}
