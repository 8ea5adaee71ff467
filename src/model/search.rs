//! A search over observations: what is asked, and a hit.

use std::ops::Range;

use super::{ObservationId, ObservationType, Project, SessionId, Timestamp};

/// A question to the memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Search {
    /// What the user or the agent typed.
    pub(crate) text: String,
    pub(crate) filter: Filter,
    pub(crate) order: Order,
    pub(crate) limit: usize,
    pub(crate) offset: usize,
    /// Whether hits show where they match.
    pub(crate) excerpts: bool,
}

/// Which observations count; what is empty does not filter.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Filter {
    pub(crate) project: Option<Project>,
    pub(crate) types: Vec<ObservationType>,
    pub(crate) session: Option<SessionId>,
    /// The first moment that counts.
    pub(crate) since: Option<Timestamp>,
    /// The first moment that does not count any more.
    pub(crate) until: Option<Timestamp>,
}

/// What comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Order {
    #[default]
    Relevance,
    /// Relevance with some weight on what is recent.
    Blended,
}

/// An observation that a search found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SearchHit {
    pub(crate) id: ObservationId,
    pub(crate) timestamp: Timestamp,
    pub(crate) obs_type: ObservationType,
    /// The first 120 characters.
    pub(crate) content_preview: String,
    pub(crate) file_path: Option<String>,
    pub(crate) session_id: SessionId,
    pub(crate) project: Option<String>,
    pub(crate) pinned: bool,
    /// Higher is better; comparable within one search only.
    pub(crate) score: f64,
    pub(crate) excerpt: Option<Excerpt>,
}

/// The part of a text that matches, and where in it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Excerpt {
    pub(crate) text: String,
    pub(crate) marks: Vec<Range<usize>>,
}
