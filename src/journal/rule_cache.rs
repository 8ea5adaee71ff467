//! The cache of parsed rules: bytes that `ops` makes from the rule files, kept as long as none of them changes.
//!
//! The key is everything that the bytes depend on: the files with their stamps, and the program itself. A checksum
//! detects files that a crash or a bad disk has damaged.
//!
//! The cache is used only if it is this user's regular file in a folder that no other user can write to: whoever can
//! write it could disable rules. Its content for older versions of the files is used as their last good version.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::{env, paths};
use crate::files;
use crate::system::clock;
use crate::system::rule_files::{RuleFile, Stamp};

/// Everything that the cached bytes depend on.
pub(crate) struct CacheKey {
    bytes: Vec<u8>,
    /// How many of these bytes are about the program.
    program_bytes: usize,
    path: Option<PathBuf>,
    youngest_ns: u128,
}

/// The cached bytes of a project.
pub(crate) struct CachedRules {
    pub(crate) bytes: Vec<u8>,
    /// Whether it was made from exactly these files; else from older versions of them.
    pub(crate) is_current: bool,
}

/// A file that changed more recently than this may change again within one tick of its clock.
pub(crate) const SETTLED: Duration = Duration::from_secs(2);
/// Maximum size of the cache; rules of four megabytes do not become larger.
const MAX_BYTES: u64 = 64 << 20;
/// The key for files that may still change: no files have it.
const UNSETTLED: &[u8] = b"unsettled";

/// Returns the key for these files of a project, or of the user's own folder.
pub(crate) fn key<'f>(place: &Path, files: impl Iterator<Item = &'f RuleFile>) -> CacheKey {
    let mut bytes = Vec::new();
    let add = |bytes: &mut Vec<u8>, name: &str, stamp: &Stamp| {
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(0);
        bytes.extend_from_slice(&stamp.size.to_le_bytes());
        bytes.extend_from_slice(&stamp.modified_ns.to_le_bytes());
        bytes.extend_from_slice(&stamp.changed_ns.to_le_bytes());
        bytes.extend_from_slice(&stamp.inode.to_le_bytes());
    };
    // Another build of the program may parse rules differently.
    let program = env::current_exe();
    if let Some(meta) = program.as_ref().and_then(|path| fs::metadata(path).ok()) {
        add(&mut bytes, env!("CARGO_PKG_VERSION"), &Stamp::of(&meta));
    }
    let program_bytes = bytes.len();
    let mut youngest_ns = 0;
    for file in files {
        add(&mut bytes, &file.path.to_string_lossy(), &file.stamp);
        youngest_ns = youngest_ns.max(file.stamp.modified_ns);
    }
    let mut hasher = DefaultHasher::new();
    place.hash(&mut hasher);
    let path = paths::cache_dir().map(|folder| folder.join(format!("rules-{:016x}", hasher.finish())));
    CacheKey { bytes, program_bytes, path, youngest_ns }
}

/// Returns the cached bytes, if this program made them.
pub(crate) fn load(key: &CacheKey) -> Option<CachedRules> {
    let path = key.path.as_ref()?;
    let file = files::open_regular(path, File::options().read(true)).ok()?;
    if !files::is_ours_alone(&file.metadata().ok()?) || !is_trusted(path.parent()?) {
        return None;
    }
    let mut bytes = files::read_up_to(&file, MAX_BYTES).ok()?;
    let (sum, rest) = bytes.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (made_for, kept) = rest.split_at_checked(length)?;
    let is_current = made_for == key.bytes;
    let is_good =
        made_for.starts_with(&key.bytes[..key.program_bytes]) && u64::from_le_bytes(*sum) == checksum(kept);
    is_good.then(|| CachedRules { bytes: bytes.split_off(16 + length), is_current })
}

/// Whether files may still be changing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    BeingSaved,
    Saved,
}

/// Stores the bytes; a failure only costs time.
pub(crate) fn store(key: &CacheKey, bytes: &[u8], stage: Stage) {
    let age = clock::since_epoch(clock::now()).as_nanos().saturating_sub(key.youngest_ns);
    let is_settled = stage == Stage::Saved && age > SETTLED.as_nanos();
    let made_for = if is_settled {
        key.bytes.clone()
    } else {
        // Not current for any files, but still the last good version of them.
        [&key.bytes[..key.program_bytes], UNSETTLED].concat()
    };
    if let Some(path) = &key.path {
        drop(write(path, &made_for, bytes));
    }
}

/// Returns whether only this user can put files into a folder.
fn is_trusted(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|meta| files::is_ours_alone(&meta))
}

fn write(path: &Path, key: &[u8], bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    files::make_private_dir(folder)?;
    if !is_trusted(folder) {
        return Err(std::io::ErrorKind::PermissionDenied.into());
    }
    let (sum, length) = (checksum(bytes).to_le_bytes(), (key.len() as u64).to_le_bytes());
    files::replace(path, &[&sum, &length, key, bytes])
}

/// Eight bytes at a time, because every hook pays for this. It need not resist an attacker.
fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]).map(|word| u64::from_le_bytes(*word));
    words.fold(bytes.len() as u64, |sum, word| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29))
}
