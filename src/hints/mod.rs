//! Hints: what a stored fact is worth here and now.
//!
//! Pure functions over the model: nothing here reads a clock or a disk.

pub(crate) mod template;
