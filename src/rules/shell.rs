//! Stub.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ShellWrite {
    pub(crate) path: String,
    pub(crate) content: Option<String>,
}
pub(crate) fn writes(_command: &str) -> Vec<ShellWrite> {
    Vec::new()
}
