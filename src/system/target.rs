//! The file that a tool call names: its path, in every form that a rule's glob may match, and its text.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::files;
use crate::model::Target;

/// Maximum size of a file that is read for an edit.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Returns the file's path as written, and with symbolic links resolved, each also relative to the project.
///
/// Both count, so that a link cannot bypass a rule.
pub(crate) fn resolve(root: &Path, cwd: &Path, written: &str, home: Option<&Path>) -> Vec<Target> {
    let lexical = lexical(cwd, written, home);
    let mut targets = vec![target(root, &lexical)];
    let canonical = canonical(&lexical);
    if let (Some(canonical), Ok(root)) = (canonical, files::canonical(root)) {
        let target = target(&root, &canonical);
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    targets
}

/// Returns the absolute path of a file as it is written, without following links.
pub(crate) fn lexical(cwd: &Path, written: &str, home: Option<&Path>) -> PathBuf {
    normalise(&cwd.join(expand_home(written, home)))
}

/// Reads a text file as it is now; `None` if it does not exist or is not text.
pub(crate) fn read_text(path: &str) -> Option<String> {
    String::from_utf8(files::read_regular(Path::new(path), MAX_FILE_BYTES).ok()?).ok()
}

/// Reads the last part of a file.
pub(crate) fn read_tail(path: &Path, max: u64) -> Option<String> {
    use std::io::Seek;
    let mut file = files::open_regular(path, fs::File::options().read(true)).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(std::io::SeekFrom::Start(length.saturating_sub(max))).ok()?;
    let mut bytes = Vec::new();
    file.take(max).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns an absolute path, also relative to the project.
pub(crate) fn target(root: &Path, path: &Path) -> Target {
    let relative = path.strip_prefix(root).ok().map(files::slashes);
    Target { absolute: files::slashes(path), relative }
}

/// Resolves `.` and `..` by the text alone.
pub(crate) fn normalise(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !result.pop() {
                    result.push("..");
                }
            }
            other => result.push(other),
        }
    }
    result
}

/// Maximum number of broken links that are followed one after the other: more than any kernel follows (Linux 40,
/// Windows 63, macOS 32), so nothing can be written through a longer chain.
const MAX_LINKS: usize = 64;

/// Follows the links of a path; for a missing file, those of the nearest existing folder.
///
/// A link may also point to a missing file, and writing to it creates that file.
fn canonical(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_owned();
    // After the last link comes the file.
    for _ in 0..=MAX_LINKS {
        let (folder, rest) = path.ancestors().find_map(|folder| {
            let canonical = files::canonical(folder).ok()?;
            Some((canonical, path.strip_prefix(folder).ok()?))
        })?;
        let mut rest = rest.components();
        let Some(first) = rest.next() else { return Some(folder) };
        let missing = folder.join(first);
        let Ok(target) = fs::read_link(&missing) else { return Some(missing.join(rest)) };
        path = normalise(&folder.join(target).join(rest));
    }
    None
}

fn expand_home(written: &str, home: Option<&Path>) -> PathBuf {
    let rest = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|home| written.strip_prefix(home));
    match (rest, home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(written),
    }
}
