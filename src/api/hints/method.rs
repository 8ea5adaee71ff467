//! The methods about hints; agents call them over MCP, other programs over JSON-RPC. Their names are in the table of tools.

/// The methods for hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HintMethod {
    SetHint,
    GetHint,
    Query,
    DeleteHint,
    ListComponents,
    Bump,
    Export,
    Import,
    /// An addition of nudge: the names of the environment variables that stored scopes need.
    EnvNames,
    /// An addition of nudge: the hints that a hook may show an agent automatically.
    Suggest,
}
