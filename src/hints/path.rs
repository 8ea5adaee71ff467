//! Paths as text: of Unix and of Windows, wherever the server runs; nothing is looked up on disk.

use crate::model::HintFlaw;

/// Brings a folder into the form that globs are held against: slashes, none doubled or last, no `.` and no `..`.
pub(crate) fn normal_cwd(path: &str) -> String {
    let slashed = path.replace('\\', "/");
    let mut segments: Vec<&str> = Vec::new();
    for segment in slashed.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            name => segments.push(name),
        }
    }
    let root = if slashed.starts_with('/') { "/" } else { "" };
    format!("{root}{}", segments.join("/"))
}

/// Reads the value of a path: absolute, without `..`; returns it in normal form, with the separators it came with.
pub(super) fn absolute(path: &str) -> Result<String, HintFlaw> {
    if path.chars().any(char::is_control) {
        return Err(HintFlaw::invalid("`value.abs` must not hold control characters"));
    }
    if climbs(path) {
        return Err(HintFlaw::scope("`value.abs` must not climb with `..`"));
    }
    let Some((root, rest, separator)) = split_root(path) else {
        return Err(HintFlaw::invalid(
            "`value.abs` must be an absolute path: `/…`, `C:\\…`, `C:/…` or `\\\\server\\share`",
        ));
    };
    // On Unix a backslash may be part of a name.
    let is_separator = |c: char| c == '/' || (c == '\\' && root != "/");
    let segments = rest.split(is_separator).filter(|segment| !matches!(*segment, "" | "."));
    Ok(format!("{root}{}", segments.collect::<Vec<_>>().join(separator)))
}

/// Says whether `..` stands between separators of either kind; `a..b` is a name.
pub(super) fn climbs(path: &str) -> bool {
    path.split(['/', '\\']).any(|segment| segment == "..")
}

/// Splits an absolute path into its root, the rest, and the separator to join with.
fn split_root(path: &str) -> Option<(&str, &str, &'static str)> {
    if let Some(rest) = path.strip_prefix("\\\\") {
        // `\\.\` and `\\?\` lead to devices, not to folders.
        let server = rest.split(['/', '\\']).next();
        return server.filter(|server| !matches!(*server, "" | "." | "?")).map(|_| ("\\\\", rest, "\\"));
    }
    if let Some(rest) = path.strip_prefix('/') {
        return Some(("/", rest, "/"));
    }
    let mut chars = path.chars();
    let is_drive = chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':');
    match chars.next() {
        Some('\\') if is_drive => Some((&path[..3], &path[3..], "\\")),
        Some('/') if is_drive => Some((&path[..3], &path[3..], "/")),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
