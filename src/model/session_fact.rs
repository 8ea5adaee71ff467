//! A fact of a session: one thing that happened in it and that a rule asks about.

/// One thing that happened in a session and that a rule asks about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SessionFact {
    /// Says what kind of thing it is.
    pub(crate) key: u64,
    /// Milliseconds since 1970.
    pub(crate) at_ms: i64,
    /// What it was, in a few words: a path or a command.
    pub(crate) what: String,
}
