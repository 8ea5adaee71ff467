//! A verdict: the reply to an event, independent of any agent's wire format.

/// The reply to one event.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Verdict {
    pub(crate) outcome: Outcome,
    /// A line that only the user sees, never the model.
    pub(crate) notice: Option<String>,
}

/// What happens to the agent's action.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Outcome {
    /// The action is allowed, without a message.
    #[default]
    Pass,
    /// The action is allowed, and this context is added for the model.
    Guide(String),
    /// A person is asked, who reads the reason; the context is for the model, if the person agrees.
    Ask { reason: String, context: Option<String> },
    /// The action is blocked, and the model sees the reason.
    Block(String),
}
