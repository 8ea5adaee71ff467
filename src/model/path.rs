//! Paths as they are written, without asking the disk.

use std::path::{Component, Path, PathBuf};

/// Takes `.` and `..` out of a path; what would climb above the top stays there.
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
