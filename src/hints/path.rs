//! Unix and Windows paths as text, independent of the system that the server runs on; nothing is looked up on disk.

use crate::model::HintFlaw;

/// Normalizes a folder for matching with globs: forward slashes, none doubled or at the end, no `.` and no `..`.
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

/// Parses an absolute path without `..`; returns it normalized, with its own separators.
pub(super) fn parse_absolute(path: &str) -> Result<String, HintFlaw> {
    if path.chars().any(char::is_control) {
        return Err(HintFlaw::invalid("`value.abs` must not contain control characters"));
    }
    if has_parent_segment(path) {
        return Err(HintFlaw::scope("`value.abs` must not contain `..`"));
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

/// Returns whether a segment is `..`, with separators of either kind; `a..b` is a name.
pub(super) fn has_parent_segment(path: &str) -> bool {
    path.split(['/', '\\']).any(|segment| segment == "..")
}

/// Splits an absolute path into its root, the rest, and the separator to join with.
fn split_root(path: &str) -> Option<(&str, &str, &'static str)> {
    if let Some(rest) = path.strip_prefix("\\\\") {
        // `\\.\` and `\\?\` are device paths, not folders.
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
