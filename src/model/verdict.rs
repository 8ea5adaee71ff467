//! A verdict: what we answer to an event, before any agent's wire format.

/// The answer to one event.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Verdict {
    pub(crate) outcome: Outcome,
    /// A line for the user, never for the model.
    pub(crate) notice: Option<String>,
}

/// What becomes of the agent's action.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Outcome {
    /// No objection and nothing to say.
    #[default]
    Pass,
    /// The action goes on, and the model is told this.
    Guide(String),
    /// The action does not happen, and the model is told why.
    Block(String),
}
