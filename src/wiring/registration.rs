//! An entry in an agent's configuration that calls nudge.

/// An entry that calls nudge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Registration {
    pub(crate) line: usize,
    pub(crate) call: EntryCall,
}

/// What an entry calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EntryCall {
    /// Our hook, called by a shell line; for this event, if it is for a single one.
    Hook { command: String, event: Option<String> },
    /// Our server, started by a program and its arguments.
    Server(Vec<String>),
    /// Our hook, called by the plugin that is enabled here.
    Plugin,
}
