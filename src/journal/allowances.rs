//! Calls that wait for a person, and the permissions that a person gave: one small private file for each.
//!
//! Using a permission takes its file away first, so that of two hooks only one can use it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::config::paths;
use crate::files;
use crate::model::{DAY, Grant, Timestamp, WaitingCall};

/// Maximum size of a file: an input of the maximum length that is shown, and some room.
const MAX_BYTES: u64 = 256 << 10;
/// Maximum number of calls that wait; the oldest are deleted.
const MAX_WAITING: usize = 50;
/// After this many seconds nobody waits for a call any more.
const MAX_AGE: i64 = DAY;

const WAITING: &str = "waiting";
const GRANTED: &str = "granted";

/// Writes down that a call waits for a person.
pub(crate) fn add_waiting(call: &WaitingCall, now: Timestamp) -> io::Result<()> {
    let folder = folder(WAITING)?;
    write(&folder, &call.id, call)?;
    for old in waiting(now).iter().skip(MAX_WAITING) {
        drop(fs::remove_file(file(&folder, &old.id)));
    }
    Ok(())
}

/// Returns the calls that wait, the latest first.
pub(crate) fn waiting(now: Timestamp) -> Vec<WaitingCall> {
    let mut calls: Vec<WaitingCall> = all(WAITING);
    calls.retain(|call| is_id(&call.id) && now.0.saturating_sub(call.at.0) < MAX_AGE);
    calls.sort_by(|one, two| two.at.cmp(&one.at).then_with(|| one.id.cmp(&two.id)));
    calls
}

/// Returns the permissions that can still be used, the latest first.
pub(crate) fn grants(now: Timestamp) -> Vec<Grant> {
    let mut grants: Vec<Grant> = all(GRANTED);
    grants.retain(|grant| is_id(&grant.call.id) && grant.is_valid_at(now));
    grants.sort_by(|one, two| two.since.cmp(&one.since).then_with(|| one.call.id.cmp(&two.call.id)));
    grants
}

/// Writes down a permission; its call does not wait any longer.
pub(crate) fn add_grant(grant: &Grant) -> io::Result<()> {
    write(&folder(GRANTED)?, &grant.call.id, grant)?;
    drop(fs::remove_file(file(&folder(WAITING)?, &grant.call.id)));
    Ok(())
}

/// Uses the permission for a call up; `None` if there is none that can be used now.
pub(crate) fn use_grant(id: &str, now: Timestamp) -> Option<Grant> {
    let folder = folder(GRANTED).ok()?;
    let path = file(&folder, id);
    // A hook nearly always ends here, after one system call.
    fs::symlink_metadata(&path).ok()?;
    let taken = folder.join(format!("{id}.{}.used", std::process::id()));
    fs::rename(&path, &taken).ok()?;
    let grant = read::<Grant>(&taken);
    drop(fs::remove_file(&taken));
    grant.filter(|grant| grant.call.id == id && grant.is_valid_at(now))
}

/// Deletes a permission, or a call that waits; returns whether there was one.
pub(crate) fn remove(id: &str) -> bool {
    let remove = |name| folder(name).is_ok_and(|folder| fs::remove_file(file(&folder, id)).is_ok());
    let (granted, waiting) = (remove(GRANTED), remove(WAITING));
    granted || waiting
}

/// Deletes all calls that wait: their text is to be forgotten.
pub(crate) fn clear_waiting() {
    let Ok(folder) = folder(WAITING) else { return };
    for path in listed(&folder) {
        drop(fs::remove_file(path));
    }
}

fn all<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let Ok(folder) = folder(name) else { return Vec::new() };
    listed(&folder).iter().filter_map(|path| read(path)).collect()
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
}

/// Reads a file that nobody but this user can have written.
fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let is_trusted = |path: &Path| fs::symlink_metadata(path).is_ok_and(|meta| files::is_ours_alone(&meta));
    if !is_trusted(path) || !is_trusted(path.parent()?) {
        return None;
    }
    serde_json::from_slice(&files::read_regular(path, MAX_BYTES).ok()?).ok()
}

fn write(folder: &Path, id: &str, value: &impl Serialize) -> io::Result<()> {
    files::make_private_dir(folder)?;
    files::replace(&file(folder, id), &[&serde_json::to_vec(value)?])
}

fn file(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.json"))
}

/// Returns whether a name is a hash, and so cannot lead out of the folder.
fn is_id(id: &str) -> bool {
    id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn folder(name: &str) -> io::Result<PathBuf> {
    let data = paths::data_dir().ok_or_else(|| io::Error::other("there is no folder for data: set HOME"))?;
    Ok(data.join("allow").join(name))
}
