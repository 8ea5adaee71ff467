//! The paths that the documents for contributors name exist.

use std::fs;
use std::path::Path;

const DOCUMENTS: [&str; 3] = ["ARCHITECTURE.md", "AGENTS.md", "CONVENTIONS.md"];

/// Returns the paths in backticks: those with a slash, without placeholders and globs.
fn named_paths(text: &str) -> Vec<&str> {
    let code = text.split('`').skip(1).step_by(2);
    let is_path = |word: &&str| {
        word.contains('/') && word.chars().all(|c| c.is_ascii_alphanumeric() || "/_-.".contains(c))
    };
    // What begins with a dot is in a project or a home folder, not here; CI's folder is.
    code.filter(is_path).filter(|word| !word.starts_with('.') || word.starts_with(".ci/")).collect()
}

/// A path starts at the root of the package, or in `src`.
fn exists(root: &Path, path: &str) -> bool {
    root.join(path).exists() || root.join("src").join(path).exists()
}

#[test]
fn every_path_in_the_documents_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = Vec::new();
    for name in DOCUMENTS {
        let text = fs::read_to_string(root.join(name)).expect("the document");
        let paths = named_paths(&text);
        assert!(!paths.is_empty(), "{name} names paths");
        missing.extend(
            paths.into_iter().filter(|path| !exists(root, path)).map(|path| format!("{name}: {path}")),
        );
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn a_path_that_does_not_exist_is_seen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text =
        "`src/lib.rs`, `rules/schema.rs`, `harness/<agent>/wire.rs`, `a | b`, `.nexus/` and `src/gone.rs`";
    let paths = named_paths(text);
    assert_eq!(paths, ["src/lib.rs", "rules/schema.rs", "src/gone.rs"]);
    assert_eq!(paths.iter().map(|path| exists(root, path)).collect::<Vec<_>>(), [true, true, false]);
}
