//! Reads the stores of other tools, whatever is in them.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::files;
use crate::imports::{ImportTool, SourceRecord, SourceTable, ToolStore};
use crate::store::{self, StoreError};

/// A longer file is not a note, and a longer line not a record.
const MAX_FILE: u64 = 4 << 20;
const MAX_LINE: u64 = 4 << 20;
/// A folder has at most this many files that are read.
const MAX_FILES: usize = 10_000;
/// Folders are nested up to this depth.
const MAX_DEPTH: usize = 6;
/// How every SQLite database begins.
const SQLITE_HEAD: &[u8] = b"SQLite format 3\0";

#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceError {
    #[error("no store of {tool} was found: {looked}")]
    Missing { tool: &'static str, looked: String },
    #[error("`{0}` is encrypted, or not an SQLite database")]
    NotSqlite(String),
    #[error("`{path}` cannot be read: {error}")]
    Unreadable { path: String, error: std::io::Error },
    #[error("`{path}` has none of the tables of this tool")]
    OtherSchema { path: String },
    #[error("`{path}` cannot be read: {error}")]
    Database { path: String, error: StoreError },
}

/// Returns the stores that exist.
pub(super) fn existing(tool: &'static ImportTool, paths: &[PathBuf]) -> Result<Vec<PathBuf>, SourceError> {
    let is_folder =
        |path: &Path| matches!(tool.store, ToolStore::Files(_) | ToolStore::Rules(_)) && path.is_dir();
    let found: Vec<PathBuf> =
        paths.iter().filter(|path| path.is_file() || is_folder(path)).cloned().collect();
    if found.is_empty() {
        let shown: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
        let looked = match shown.as_slice() {
            [] => "name the file or folder after the tool".to_owned(),
            shown => format!("there is no {}", shown.join(" and no ")),
        };
        return Err(SourceError::Missing { tool: tool.title, looked });
    }
    Ok(found)
}

/// Reads the tables of databases.
pub(super) fn tables(paths: &[PathBuf], tables: &[SourceTable]) -> Result<Vec<SourceRecord>, SourceError> {
    let mut records = Vec::new();
    for path in paths {
        let shown = || path.display().to_string();
        let unreadable = |error| SourceError::Unreadable { path: shown(), error };
        let mut head = Vec::new();
        let file = files::open_regular(path, File::options().read(true)).map_err(unreadable)?;
        file.take(SQLITE_HEAD.len() as u64).read_to_end(&mut head).map_err(unreadable)?;
        if head != SQLITE_HEAD {
            return Err(SourceError::NotSqlite(shown()));
        }
        let mut is_known = false;
        for table in tables {
            let name = table.name;
            let each = |fields| {
                records.push(SourceRecord { name: name.to_owned(), fields, ..SourceRecord::default() });
            };
            let found = store::read_table(path, name, table.columns, each);
            is_known |= found.map_err(|error| SourceError::Database { path: shown(), error })?;
        }
        if !is_known {
            return Err(SourceError::OtherSchema { path: shown() });
        }
    }
    Ok(records)
}

/// Reads a JSON object per line; returns how many lines are not one.
pub(super) fn lines(paths: &[PathBuf]) -> Result<(Vec<SourceRecord>, usize), SourceError> {
    let (mut records, mut broken) = (Vec::new(), 0);
    for path in paths {
        let unreadable = |error| SourceError::Unreadable { path: path.display().to_string(), error };
        let file = files::open_regular(path, File::options().read(true)).map_err(unreadable)?;
        let modified_ms = modified_ms(path);
        let mut reader = BufReader::new(file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let length = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).map_err(unreadable)?;
            if length == 0 {
                break;
            }
            let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).trim_ascii();
            if text.is_empty() {
                continue;
            }
            match serde_json::from_slice(text) {
                Ok(fields) => records.push(SourceRecord { fields, modified_ms, ..SourceRecord::default() }),
                Err(_) => broken += 1,
            }
        }
    }
    Ok((records, broken))
}

/// Reads the files with this ending; links are not followed.
pub(super) fn files(paths: &[PathBuf], ending: &str) -> Result<Vec<SourceRecord>, SourceError> {
    let mut records = Vec::new();
    for path in paths {
        if path.is_file() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let unreadable = |error| SourceError::Unreadable { path: path.display().to_string(), error };
            records.push(record(path, name).map_err(unreadable)?);
        } else {
            walk(path, "", MAX_DEPTH, &mut |path, name| {
                if name.ends_with(ending) && records.len() < MAX_FILES {
                    // A file that cannot be read costs only itself.
                    records.extend(record(path, name.to_owned()));
                }
            });
        }
    }
    records.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(records)
}

fn record(path: &Path, name: String) -> std::io::Result<SourceRecord> {
    let bytes = files::read_regular(path, MAX_FILE)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(SourceRecord { name, text, modified_ms: modified_ms(path), ..SourceRecord::default() })
}

fn walk(folder: &Path, relative: &str, depth_left: usize, each: &mut dyn FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{relative}{}", entry.file_name().to_string_lossy());
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth_left > 0 {
            walk(&entry.path(), &format!("{name}/"), depth_left - 1, each);
        } else if kind.is_file() {
            each(&entry.path(), &name);
        }
    }
}

fn modified_ms(path: &Path) -> i64 {
    let modified = fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let since = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or_default()
}
