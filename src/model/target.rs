//! A target: the file that a tool call is about, as globs see it.

/// A file; inside the project it also has a relative path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// With `/` as the separator on every system.
    pub(crate) absolute: String,
    pub(crate) relative: Option<String>,
}
