//! Searches notes by their words. A search result is a pointer, not a read: no access is recorded.

use super::{Listed, NoteError, list};
use crate::model::{Note, Reads};
use crate::nexus::Nexus;
use crate::notes;

/// A note that was found, and the line that shows why.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FoundNote {
    pub(crate) note: Note,
    pub(crate) reads: Option<Reads>,
    pub(crate) line: String,
}

/// Returns the notes that contain words of the query, the best first.
pub(crate) fn search(nexus: &Nexus, query: &str) -> Result<Vec<FoundNote>, NoteError> {
    let (notes, reads): (Vec<Note>, Vec<Option<Reads>>) =
        list(nexus)?.into_iter().map(|Listed { note, reads }| (note, reads)).unzip();
    let hits = notes::rank(query, &notes).into_iter().map(|hit| {
        let reads = notes.iter().position(|note| note.name == hit.note.name).and_then(|at| reads[at]);
        FoundNote { note: hit.note.clone(), reads, line: hit.line }
    });
    Ok(hits.collect())
}
