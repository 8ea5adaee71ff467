//! Folders in which everything may be deleted, and what "everything here" is called there.

use crate::shell::run::base_name;
use crate::shell::tables::TEMPORARY;

/// Folders of temporary files, beside those that only running the command would name.
const NAMED_TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"];

/// Folders that a build makes again, by their names.
#[rustfmt::skip]
const BUILT: [&str; 28] = [
    "build", "dist", "target", "out", "output", "node_modules", ".next", ".nuxt", ".turbo", ".cache", ".parcel-cache", "coverage",
    "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".gradle", "_build", "cmake-build-debug", "cmake-build-release",
    "bin-debug", "obj", "tmp", "temp", ".tmp", "storybook-static", ".svelte-kit", ".output",
];

/// Programs that delete what they name, or move it away.
const DELETING: [&str; 12] = [
    "rm",
    "rmdir",
    "find",
    "rimraf",
    "trash",
    "trash-put",
    "shred",
    "del",
    "remove-item",
    "mv",
    "move",
    "move-item",
];

/// Returns whether nothing in a folder is worth keeping. It is the one that a line changes to, empty if it does not.
pub(super) fn is_scratch(folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    if folder.is_empty() || folder.split('/').any(|part| part == "..") {
        return false;
    }
    let is_temporary = NAMED_TEMPORARY.iter().chain(&TEMPORARY).any(|root| {
        folder
            .strip_prefix(root)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '}', ':', ' ', ')', '`']))
    });
    is_temporary || folder.rsplit('/').next().is_some_and(|name| BUILT.contains(&name))
}

pub(super) fn deletes(program: &str) -> bool {
    let name = base_name(program);
    DELETING.iter().any(|one| one.eq_ignore_ascii_case(name))
}

/// Returns a word that means everything in the current folder with that folder before it; other words stay as they are.
pub(super) fn in_folder(folder: &str, word: &str) -> String {
    let is_here = matches!(
        word,
        "." | "./" | "*" | "./*" | "**/*" | "**" | ".*" | "./.*" | "$PWD" | "${PWD}" | "$PWD/*"
    ) || word.ends_with('*') && word.len() <= "[a-z]*".len() && !word.contains('/');
    if !is_here {
        return word.to_owned();
    }
    format!("{}/{}", folder.trim_end_matches('/'), word.trim_start_matches("./"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_folders_and_those_of_builds_are_scratch() {
        for folder in [
            "/tmp",
            "/tmp/x",
            "/var/tmp/x/",
            "$TMPDIR/x",
            "${TMPDIR:-/tmp}/x",
            "$(mktemp -d)",
            "build",
            "app/dist/",
        ] {
            assert!(is_scratch(folder), "{folder}");
        }
        for folder in [
            "",
            ".",
            "..",
            "/",
            "/tmp/..",
            "/tmp/x/../..",
            "/tmpfiles",
            "~",
            "$HOME",
            "src",
            "build/..",
            "build/src",
        ] {
            assert!(!is_scratch(folder), "{folder}");
        }
    }

    #[test]
    fn everything_here_is_named_with_its_folder() {
        let check = |word: &str, expected: &str| assert_eq!(in_folder("/tmp/x/", word), expected, "{word}");
        check("*", "/tmp/x/*");
        check(".", "/tmp/x/.");
        check("./*", "/tmp/x/*");
        check("..", "..");
        check("/", "/");
        check("~", "~");
        check("-rf", "-rf");
    }
}
