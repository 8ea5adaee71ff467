//! Rules: loading them from files and cache, evaluating them, checking files with them, and explaining what they did.

pub(crate) mod check;
pub(crate) mod explain;
pub(crate) mod load;
pub(crate) mod try_out;
pub(crate) mod validate;
