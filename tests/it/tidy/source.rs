//! The source tree as text.

use std::fs;
use std::path::Path;

/// One file, with its path from the package's root.
pub(super) struct Source {
    pub(super) path: String,
    pub(super) text: String,
}

impl Source {
    pub(super) fn new(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    /// Returns the module that the file belongs to: `rules` for `src/rules/glob.rs`.
    pub(super) fn module(&self) -> Option<&str> {
        let path = self.path.strip_prefix("src/")?;
        Some(path.split('/').next().unwrap_or(path).trim_end_matches(".rs"))
    }

    /// Returns the lines that are code, with their numbers; what follows `//` is not.
    pub(super) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, without_comment(line)))
            .filter(|(_, line)| !line.trim().is_empty())
    }
}

/// Returns every Rust file of the package.
pub(super) fn tree() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "tests", "benches"] {
        collect(root, &root.join(folder), &mut files);
    }
    assert!(files.iter().any(|file| file.path == "src/lib.rs"), "the tree is read from the package's root");
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<Source>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.expect("an entry of the tree").path()) {
        if path.is_dir() {
            collect(root, &path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let shown = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
            files.push(Source { path: shown, text: fs::read_to_string(&path).expect("UTF-8") });
        }
    }
}

/// A `//` inside a text would be cut too early; no such line of nudge opens a door after it.
fn without_comment(line: &str) -> &str {
    match line.find("//") {
        Some(at) if line[..at].matches('"').count().is_multiple_of(2) => &line[..at],
        _ => line,
    }
}
