//! What was worked out from the memory, kept until the memory changes.
//!
//! A server answers the same questions again and again while little changes. Two things are kept: what follows from the
//! whole memory, for as long as its files are the same, and what follows from one session, for as long as its counts
//! are. Everything is bounded, and nothing is written down.

use std::any::Any;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::config::paths;
use crate::system::clock;
use crate::system::rule_files::Stamp;

/// A file that was changed this recently, in nanoseconds, may change again without a new time: clocks of file systems
/// tick every few milliseconds.
const FRESH_NS: u128 = 50_000_000;
/// Things that are kept of the whole memory; a page asks for a few in each project.
const MAX_KEPT: usize = 64;
/// Sessions of which something is kept; the files of one take a few KB.
const MAX_SESSIONS: usize = 1_000;

/// The state of the memory, to recognise that it is unchanged: size, time and identity of its files. When they were
/// made private is no part of it, which is done whenever they are opened.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MemoryVersion(Vec<Option<(u64, u128, u64)>>);

impl MemoryVersion {
    /// Looks at the files; `None` while they are changing.
    pub(super) fn now() -> Option<MemoryVersion> {
        let database = paths::database()?;
        let mut log = database.clone().into_os_string();
        log.push("-wal");
        let stamps: Vec<Option<Stamp>> =
            [database, PathBuf::from(log)].iter().map(|path| Stamp::at(path)).collect();
        let now = u128::try_from(clock::now_ms()).unwrap_or(0) * 1_000_000;
        let is_fresh = |stamp: &Stamp| stamp.modified_ns + FRESH_NS > now;
        if stamps.iter().flatten().any(is_fresh) {
            return None;
        }
        let state = |stamp: Stamp| (stamp.size, stamp.modified_ns, stamp.inode);
        Some(MemoryVersion(stamps.into_iter().map(|stamp| stamp.map(state)).collect()))
    }
}

type AnyValue = Arc<dyn Any + Send + Sync>;

/// By name: the state that it follows from, and the value.
static OF_MEMORY: Mutex<BTreeMap<String, (MemoryVersion, AnyValue)>> = Mutex::new(BTreeMap::new());
static OF_SESSIONS: Mutex<KeptSessions> =
    Mutex::new(KeptSessions { database: None, uses: 0, entries: BTreeMap::new() });

struct KeptSessions {
    /// The file that the sessions are in; another one may number its rows in another way.
    database: Option<(u64, Option<SystemTime>)>,
    uses: u64,
    entries: BTreeMap<(&'static str, String), SessionEntry>,
}

struct SessionEntry {
    /// The counts that the value follows from.
    counts: String,
    last_use: u64,
    value: AnyValue,
}

/// Forgets all sessions if another database is in the place of the last one.
pub(super) fn notice_database() {
    let meta = paths::database().and_then(|path| std::fs::metadata(path).ok());
    let database = meta.map(|meta| (Stamp::of(&meta).inode, meta.created().ok()));
    let mut all = OF_SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
    if all.database != database {
        all.entries.clear();
        all.database = database;
    }
}

/// Returns what follows from the memory in this state, and works it out if it is not known.
pub(super) fn of_memory<T: Clone + Send + Sync + 'static, E>(
    version: Option<&MemoryVersion>,
    name: &str,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let Some(version) = version else { return work() };
    let known = {
        let all = OF_MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(name).filter(|(of, _)| of == version).map(|(_, value)| Arc::clone(value))
    };
    if let Some(value) = known.as_deref().and_then(|value| value.downcast_ref::<T>()) {
        return Ok(value.clone());
    }
    let value = work()?;
    let mut all = OF_MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() >= MAX_KEPT {
        all.clear();
    }
    all.insert(name.to_owned(), (version.clone(), Arc::new(value.clone())));
    Ok(value)
}

/// Returns what follows from a session with these counts, and works it out if it is not known.
pub(super) fn of_session<T: Send + Sync + 'static, E>(
    kind: &'static str,
    (session, counts): (&str, String),
    work: impl FnOnce() -> Result<T, E>,
) -> Result<Arc<T>, E> {
    let key = (kind, session.to_owned());
    let known = {
        let mut all = OF_SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
        all.uses += 1;
        let uses = all.uses;
        all.entries.get_mut(&key).filter(|entry| entry.counts == counts).map(|entry| {
            entry.last_use = uses;
            Arc::clone(&entry.value)
        })
    };
    if let Some(Ok(value)) = known.map(Arc::downcast::<T>) {
        return Ok(value);
    }
    let value = Arc::new(work()?);
    let mut all = OF_SESSIONS.lock().unwrap_or_else(PoisonError::into_inner);
    if all.entries.len() >= MAX_SESSIONS {
        // Keeps the half that was used last.
        let mut uses: Vec<u64> = all.entries.values().map(|entry| entry.last_use).collect();
        uses.sort_unstable();
        let middle = uses[uses.len() / 2];
        all.entries.retain(|_, entry| entry.last_use > middle);
    }
    let last_use = all.uses;
    all.entries.insert(key, SessionEntry { counts, last_use, value: Arc::<T>::clone(&value) });
    Ok(value)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn version(modified_ns: u128) -> MemoryVersion {
        MemoryVersion(vec![Some((1, modified_ns, 1)), None])
    }

    #[test]
    fn what_follows_from_the_memory_is_worked_out_once_for_each_state() {
        let ask = |version: Option<&MemoryVersion>, value: u32| {
            of_memory(version, "test: once", || Ok::<_, Infallible>(value)).unwrap_or_default()
        };
        let (first, second) = (version(1), version(2));
        assert_eq!([ask(Some(&first), 1), ask(Some(&first), 2), ask(Some(&second), 3)], [1, 1, 3]);
        // While the files change, nothing is kept and nothing kept is used.
        assert_eq!([ask(None, 4), ask(Some(&second), 5)], [4, 3]);
        let failed: Result<u32, &str> = of_memory(Some(&version(3)), "test: once", || Err("no"));
        assert_eq!((failed, ask(Some(&version(3)), 6)), (Err("no"), 6));
    }

    #[test]
    fn a_session_with_other_counts_is_read_again_and_few_are_kept() {
        let ask = |session: &str, counts: &str, value: u32| {
            let known = of_session("test", (session, counts.to_owned()), || Ok::<_, Infallible>(value));
            known.map(|value| *value).unwrap_or_default()
        };
        assert_eq!(
            [ask("a", "1.2", 1), ask("a", "1.2", 2), ask("a", "1.3", 3), ask("a", "1.3", 4)],
            [1, 1, 3, 3]
        );
        for n in 0..2 * MAX_SESSIONS {
            ask(&n.to_string(), "1", 0);
        }
        let kept = OF_SESSIONS.lock().unwrap_or_else(PoisonError::into_inner).entries.len();
        assert!(kept <= MAX_SESSIONS, "{kept}");
        assert_eq!(ask("1999", "1", 7), 0, "the last ones are there");
    }
}
