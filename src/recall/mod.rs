//! What earlier sessions teach: which failures are alike, how they were overcome, and what is still open.
//!
//! This is pure: `ops` provides the rows.

pub(crate) mod likeness;
