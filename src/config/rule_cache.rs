//! The cache of read rules: bytes that `ops` made of the rule files, kept as long as none of them changes.
//!
//! The key is everything the bytes depend on: the files with their stamps, and the program itself. A checksum tells
//! what a crash or a bad disk left of a file from what was written.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::rule_files::{RuleFile, Stamp};
use super::{clock, env, paths};
use crate::files;

/// Everything that the cached bytes depend on.
pub(crate) struct CacheKey {
    bytes: Vec<u8>,
    path: Option<PathBuf>,
    youngest_ns: u128,
}

/// A file that changed so recently may change again within one tick of its clock.
const SETTLED: Duration = Duration::from_secs(2);

pub(crate) fn key(root: &Path, files: &[RuleFile]) -> CacheKey {
    let mut bytes = Vec::new();
    let mut add = |name: &str, stamp: &Stamp| {
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(0);
        bytes.extend_from_slice(&stamp.size.to_le_bytes());
        bytes.extend_from_slice(&stamp.modified_ns.to_le_bytes());
        bytes.extend_from_slice(&stamp.changed_ns.to_le_bytes());
        bytes.extend_from_slice(&stamp.inode.to_le_bytes());
    };
    // Another build of the program may read rules differently.
    let program = env::current_exe();
    if let Some(meta) = program.as_ref().and_then(|path| fs::metadata(path).ok()) {
        add(env!("CARGO_PKG_VERSION"), &Stamp::of(&meta));
    }
    for file in files {
        add(&file.path.to_string_lossy(), &file.stamp);
    }
    let youngest_ns = files.iter().map(|file| file.stamp.modified_ns).max().unwrap_or(0);
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    let path = paths::cache_dir().map(|folder| folder.join(format!("rules-{:016x}", hasher.finish())));
    CacheKey { bytes, path, youngest_ns }
}

/// Returns the cached bytes if they were made from just these files.
pub(crate) fn load(key: &CacheKey) -> Option<Vec<u8>> {
    let mut bytes = fs::read(key.path.as_ref()?).ok()?;
    let (sum, rest) = bytes.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (made_for, kept) = rest.split_at_checked(length)?;
    let good = made_for == key.bytes && u64::from_le_bytes(*sum) == checksum(kept);
    good.then(|| bytes.split_off(16 + length))
}

/// Keeps the bytes; that this may fail only costs time.
pub(crate) fn store(key: &CacheKey, bytes: &[u8]) {
    let settled =
        clock::since_epoch(clock::now()).as_nanos().saturating_sub(key.youngest_ns) > SETTLED.as_nanos();
    if let Some(path) = key.path.as_ref().filter(|_| settled) {
        drop(write(path, &key.bytes, bytes));
    }
}

fn write(path: &Path, key: &[u8], bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    files::make_private_dir(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&checksum(bytes).to_le_bytes())?;
    file.write_all(&(key.len() as u64).to_le_bytes())?;
    file.write_all(key)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

/// Eight bytes at a time: every hook pays for this, and nobody wants to deceive it.
fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]).map(|word| u64::from_le_bytes(*word));
    words.fold(bytes.len() as u64, |sum, word| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29))
}
