//! Says which projects are one, and what they are called.

use super::memory::MemoryError;
use super::remember;
use crate::model::KnownProject;
use crate::redact::{OwnPatterns, redact};
use crate::rules::did_you_mean;
use crate::store::Store;

/// Makes one project of two; returns what became of them, or `None` if nothing was ever remembered.
pub(crate) fn merge(from: &str, into: &str) -> Result<Option<[KnownProject; 2]>, MemoryError> {
    let Some(mut store) = remember::store()? else { return Ok(None) };
    let [found, target] = store.merge_projects(from, into)?;
    Ok(Some([the_one(&store, from, found)?, the_one(&store, into, target)?]))
}

/// Gives a project another name, without secrets; returns the project as it was and its new name.
pub(crate) fn rename(word: &str, name: &str) -> Result<Option<(KnownProject, String)>, MemoryError> {
    let Some(mut store) = remember::store()? else { return Ok(None) };
    let name = redact(name.trim(), &OwnPatterns::default()).text.into_owned();
    let found = store.rename_project(word, &name)?;
    Ok(Some((the_one(&store, word, found)?, name)))
}

/// Returns the only project that a word means.
fn the_one(store: &Store, word: &str, mut found: Vec<KnownProject>) -> Result<KnownProject, MemoryError> {
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => {
            let names = store.project_names()?;
            let hint = did_you_mean(word, names.iter().map(String::as_str));
            Err(MemoryError::UnknownProject { name: word.to_owned(), hint })
        }
        _ => {
            let roots = store.places_called(word)?;
            Err(MemoryError::AmbiguousProject { word: word.to_owned(), roots })
        }
    }
}
