//! A search over observations: the request, and a hit.

use std::ops::Range;

use super::{ObservationId, ObservationType, Project, SessionId, Timestamp};

/// A search request.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Search {
    /// What the user or the agent typed.
    pub(crate) text: String,
    pub(crate) filter: Filter,
    pub(crate) order: Order,
    pub(crate) limit: usize,
    pub(crate) offset: usize,
    /// Whether hits contain the matching excerpt.
    pub(crate) excerpts: bool,
}

/// Which observations to search; an empty field does not filter.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Filter {
    pub(crate) project: Option<Project>,
    pub(crate) types: Vec<ObservationType>,
    pub(crate) session: Option<SessionId>,
    /// The id of the agent that was observed.
    pub(crate) harness: Option<String>,
    /// Inclusive.
    pub(crate) since: Option<Timestamp>,
    /// Exclusive.
    pub(crate) until: Option<Timestamp>,
}

/// The order of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Order {
    #[default]
    Relevance,
    /// Relevance, with some weight on recent observations.
    Blended,
}

/// The hits of a search, and what was looked at for them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SearchPage {
    pub(crate) hits: Vec<SearchHit>,
    /// If more rows match than can be ranked: the oldest time that was looked at.
    pub(crate) ranked_since: Option<Timestamp>,
    /// No row has the words, and these rows have words that begin with them.
    pub(crate) is_widened: bool,
}

/// An observation that a search found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SearchHit {
    pub(crate) id: ObservationId,
    pub(crate) timestamp: Timestamp,
    pub(crate) obs_type: ObservationType,
    /// 120 characters: around the match if a word was searched, else the first.
    pub(crate) content_preview: String,
    pub(crate) file_path: Option<String>,
    pub(crate) session_id: SessionId,
    pub(crate) project: Option<String>,
    pub(crate) pinned: bool,
    /// Higher is better; comparable only within one search.
    pub(crate) score: f64,
    /// How many equal rows it stands for; it is the newest of them.
    pub(crate) times: usize,
    /// Of how many sessions they are.
    pub(crate) sessions: usize,
    pub(crate) excerpt: Option<Excerpt>,
    pub(crate) facts: HitFacts,
}

/// What a hit says about itself besides its text.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct HitFacts {
    /// The id of the agent.
    pub(crate) harness: Option<String>,
    pub(crate) branch: Option<String>,
    /// The name of a linked git worktree.
    pub(crate) worktree: Option<String>,
    pub(crate) exit_code: Option<i64>,
    pub(crate) duration_ms: Option<i64>,
    /// The rule that blocked it or added guidance to it.
    pub(crate) rule: Option<String>,
    /// The finer kind: `git_commit`, `rule`, `agent` and so on.
    pub(crate) kind: Option<String>,
}

/// The matching part of a text, and the positions of the matches in it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Excerpt {
    pub(crate) text: String,
    pub(crate) marks: Vec<Range<usize>>,
}
