//! The file that a tool call names: where it is, in every form that a rule's glob may mean, and what is in it.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::files;
use crate::model::Target;

/// A file larger than this is not read for an edit.
const MAX_FILE: u64 = 16 << 20;

/// Returns the file as it is written and as it is after symbolic links, each with its place in the project.
///
/// Both count, so that a link cannot carry a write past a rule.
pub(crate) fn resolve(root: &Path, cwd: &Path, written: &str, home: Option<&Path>) -> Vec<Target> {
    let lexical = normalise(&cwd.join(expand_home(written, home)));
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

/// Reads a text file as it is now; `None` if there is none, or nothing that could be edited as text.
pub(crate) fn read_text(path: &str) -> Option<String> {
    String::from_utf8(files::read_regular(Path::new(path), MAX_FILE).ok()?).ok()
}

/// Reads the last part of a file.
pub(crate) fn read_tail(path: &Path, most: u64) -> Option<String> {
    use std::io::Seek;
    let mut file = files::open_regular(path, fs::File::options().read(true)).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(std::io::SeekFrom::Start(length.saturating_sub(most))).ok()?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn target(root: &Path, path: &Path) -> Target {
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

/// The most links to files that do not exist yet that are followed one after the other: more than any kernel follows
/// (Linux 40, Windows 63, macOS 32), so a longer chain cannot be written through.
const MAX_LINKS: usize = 64;

/// Follows the links of a path; of a file that is not there yet, those of the nearest folder that is.
///
/// A link may lead to a file that is not there yet either, and writing to it makes that file.
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
