//! A target: the file that a tool call is about, as globs see it.

/// A file: inside the project known by its relative path, outside by its absolute one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// With `/` between the parts, whatever the system.
    pub(crate) absolute: String,
    pub(crate) relative: Option<String>,
}
