//! Paths as text, without access to the disk.

use std::path::{Component, Path, PathBuf};

/// Removes `.` and `..` from a path; `..` at the root stays at the root.
pub(crate) fn without_dots(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}
