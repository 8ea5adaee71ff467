//! Hints: from the command line, over MCP, pushed by a hook, moved elsewhere and back.

mod carry;
mod cli;
mod guide;
mod hostile;
mod kept;
mod mcp;
mod place;
mod push;
pub(crate) mod scene;
mod values;
