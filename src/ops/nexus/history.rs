//! Merges histories: for git, as its merge driver, and for a person whose merge has left a conflict.

use std::fs;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{LOCK_TIMEOUT, PlanError};
use crate::config::env;
use crate::contract::{join_extensions, join_histories, parse_conflict};
use crate::files::read_regular;
use crate::model::{History, HistoryExtension};
use crate::nexus::merge_driver::{self, DriverState, MERGED};
use crate::nexus::{Nexus, NexusError};

/// Maximum size of a version of the history.
const MAX_BYTES: u64 = 64 << 20;

/// Merges three versions as git's driver: the result replaces `ours`. An error leaves the file as it was.
pub(crate) fn merge_files(base: &Path, ours: &Path, theirs: &Path) -> io::Result<()> {
    let read = |path: &Path| read_regular(path, MAX_BYTES);
    let (base, our_bytes, their_bytes) = (read(base)?, read(ours)?, read(theirs)?);
    let merged = join_bytes(Some(&base), &our_bytes, &their_bytes)?;
    fs::write(ours, merged)
}

/// Joins two versions of either file, whichever it is.
fn join_bytes(base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> io::Result<Vec<u8>> {
    let is_extension = |bytes: &[u8]| {
        parse::<serde_json::Value>(bytes).is_ok_and(|value| value.get("cycle_extensions").is_some())
    };
    if is_extension(ours) || is_extension(theirs) {
        let base = base.map(parse_or_empty::<HistoryExtension>).transpose()?;
        let (ours, theirs) = (parse_or_empty(ours)?, parse_or_empty(theirs)?);
        return printed(&join_extensions(base.as_ref(), &ours, &theirs));
    }
    let base = base.map(parse_or_empty::<History>).transpose()?;
    let (ours, theirs) = (parse_or_empty(ours)?, parse_or_empty(theirs)?);
    printed(&join_histories(base.as_ref(), &ours, &theirs))
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes))
}

/// Parses a version; git gives an empty file for one that did not exist.
fn parse_or_empty<T: DeserializeOwned + Default>(bytes: &[u8]) -> io::Result<T> {
    if bytes.trim_ascii().is_empty() { Ok(T::default()) } else { Ok(parse(bytes)?) }
}

fn printed(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Returns the files of the history that have a conflict in them.
pub(crate) fn conflicted(nexus: &Nexus) -> Vec<&'static str> {
    let has_conflict = |name: &&&str| {
        let bytes = nexus.bytes(name).ok().flatten().unwrap_or_default();
        parse_conflict(&String::from_utf8_lossy(&bytes)).is_some()
    };
    MERGED.iter().filter(has_conflict).copied().collect()
}

/// Joins both sides of every conflict in the history; returns the files that are whole again.
pub(crate) fn fix(nexus: &Nexus) -> Result<Vec<&'static str>, PlanError> {
    let locked = nexus.lock(LOCK_TIMEOUT)?;
    let mut fixed = Vec::new();
    for name in conflicted(nexus) {
        let bytes = nexus.bytes(name)?.unwrap_or_default();
        let joined = joined(nexus, name, &bytes).map_err(|error| NexusError::Malformed {
            file: name.to_owned(),
            reason: format!("neither side of the conflict is whole: {error}"),
            aside: None,
        })?;
        let value: serde_json::Value = parse(&joined).unwrap_or_default();
        locked.write(name, &value)?;
        fixed.push(name);
    }
    Ok(fixed)
}

/// Joins the sides that the marks separate, or else those that git's index has.
fn joined(nexus: &Nexus, name: &str, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let text = String::from_utf8_lossy(bytes);
    let Some((ours, theirs)) = parse_conflict(&text) else { return Ok(bytes.to_vec()) };
    join_bytes(None, ours.as_bytes(), theirs.as_bytes()).or_else(|error| {
        let (ours, theirs) = merge_driver::conflict_sides(nexus.project(), name).ok_or(error)?;
        join_bytes(None, &ours, &theirs)
    })
}

/// What git knows about merging the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct MergeSetup {
    /// The attributes in `.nexus/` name the driver.
    pub(crate) attributes: bool,
    /// The repository's configuration has it; absent outside of git.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) driver: Option<bool>,
}

pub(crate) fn merge_setup(nexus: &Nexus) -> MergeSetup {
    let driver = merge_driver::driver_state(nexus.project()).ok().flatten();
    MergeSetup {
        attributes: nexus.has_merge_attributes(),
        driver: driver.map(|state| state == DriverState::Set),
    }
}

/// Sets attributes and driver; returns what was missing, for people. What git refuses is no failure.
pub(crate) fn set_up_merging(nexus: &Nexus) -> Result<Vec<&'static str>, PlanError> {
    let mut made = Vec::new();
    if nexus.lock(LOCK_TIMEOUT)?.add_merge_attributes()? {
        made.push(merge_driver::ATTRIBUTES);
    }
    if set_driver(nexus) {
        made.push(DRIVER_NAME);
    }
    Ok(made)
}

/// The name of the setting, as people find it.
pub(crate) const DRIVER_NAME: &str = "git config merge.nudge-history";

/// Sets the driver of this clone; returns whether it was missing.
pub(crate) fn set_driver(nexus: &Nexus) -> bool {
    let program = env::current_exe();
    program.is_some_and(|program| merge_driver::set_driver(nexus.project(), &program).unwrap_or(false))
}

/// Removes attributes and driver; returns what was there.
pub(crate) fn undo_merging(nexus: &Nexus) -> Result<Vec<&'static str>, PlanError> {
    let mut removed = Vec::new();
    if nexus.exists() && nexus.lock(LOCK_TIMEOUT)?.remove_merge_attributes()? {
        removed.push(merge_driver::ATTRIBUTES);
    }
    if merge_driver::remove_driver(nexus.project()).unwrap_or(false) {
        removed.push(DRIVER_NAME);
    }
    Ok(removed)
}
