//! The knowledge of a project: the names of its notes, documents and rules in `.nexus/`.

/// A worktree with this file does not share its board with the others.
pub(crate) const OWN_BOARD: &str = ".nexus/own-board";

/// Names of files, each list in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Knowledge {
    pub(crate) memory: Vec<String>,
    pub(crate) context: Vec<String>,
    pub(crate) rules: Vec<String>,
}

impl Knowledge {
    /// Returns each folder's name with its files.
    pub(crate) fn folders(&self) -> [(&'static str, &[String]); 3] {
        [("memory", &self.memory), ("context", &self.context), ("rules", &self.rules)]
    }
}
