//! Settings, environment variables and paths.
//!
//! Only this room reads them; it returns facts, and decides nothing.

pub(crate) mod env;
pub(crate) mod paths;
pub(crate) mod settings;
