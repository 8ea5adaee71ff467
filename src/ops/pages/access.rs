//! Who may open the viewer: tickets that work once, and grants of two halves.
//!
//! A ticket is in the link that `nudge ui` prints. The page exchanges it for a grant: one half is a cookie that no
//! script can read, the other a key in the page's own storage. A request needs both, because a cookie of 127.0.0.1 is
//! sent to every port of it, and storage is not shared between ports. Only hashes of the halves are kept.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

pub(crate) use crate::model::PageScope;
use crate::model::sha256_hex;
use crate::peers::{self, Folder};
use crate::system::clock::now_ms;

/// How long a link works.
pub(crate) const TICKET_LIFETIME_MS: i64 = 60_000;
/// Links that wait to be opened; a further one replaces the oldest.
const MAX_TICKETS: usize = 8;
/// Pages that are open; a further one replaces the one that was unused for the longest time.
const MAX_GRANTS: usize = 16;
const DAY_MS: i64 = 86_400_000;
/// A page that was not used for this long is closed; so is every page after `MAX_AGE_MS`.
pub(crate) const MAX_IDLE_MS: i64 = 7 * DAY_MS;
const MAX_AGE_MS: i64 = 30 * DAY_MS;
/// After this time a page may only read again.
const EDIT_MS: i64 = 60 * 60_000;
/// After this many wrong tickets within the time, none is accepted for as long.
const MAX_WRONG: usize = 20;
const WRONG_WINDOW_MS: i64 = 60_000;

/// Why a ticket is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TicketError {
    /// It does not exist, was used, or is too old; the caller does not learn which.
    Unknown,
    /// There were too many wrong ones.
    Closed,
}

/// What a page gets for its ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewGrant {
    pub(crate) cookie: String,
    pub(crate) key: String,
    pub(crate) scope: PageScope,
    pub(crate) until_ms: i64,
}

/// What an open page may do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageGrant {
    pub(crate) scope: PageScope,
    /// When the scope, or the page, ends.
    pub(crate) until_ms: i64,
}

/// The tickets and grants of a PRIMARY.
pub(crate) struct PageAccess {
    state: Mutex<AccessState>,
    /// Where the grants are left for the next PRIMARY.
    folder: Option<Folder>,
}

#[derive(Default)]
struct AccessState {
    tickets: VecDeque<Ticket>,
    grants: Vec<StoredGrant>,
    /// When wrong tickets were shown.
    wrong: VecDeque<i64>,
    closed_until_ms: i64,
}

struct Ticket {
    hash: String,
    scope: PageScope,
    made_ms: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StoredGrant {
    cookie: String,
    key: String,
    scope: PageScope,
    made_ms: i64,
    used_ms: i64,
}

impl StoredGrant {
    fn is_over(&self, now_ms: i64) -> bool {
        // A clock that was set back must not keep a page open forever.
        let is_after = |start: i64, max: i64| now_ms - start > max || now_ms < start - DAY_MS;
        is_after(self.made_ms, MAX_AGE_MS) || is_after(self.used_ms, MAX_IDLE_MS)
    }

    fn granted(&self, now_ms: i64) -> PageGrant {
        let edit_end = self.made_ms + EDIT_MS;
        if self.scope == PageScope::Edit && now_ms < edit_end {
            return PageGrant { scope: PageScope::Edit, until_ms: edit_end };
        }
        PageGrant { scope: PageScope::Read, until_ms: (self.made_ms + MAX_AGE_MS).min(now_ms + MAX_IDLE_MS) }
    }
}

impl PageAccess {
    /// Continues with the grants that the previous PRIMARY of this session left.
    pub(crate) fn open(folder: &Folder) -> PageAccess {
        let grants = folder.pages().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let state = Mutex::new(AccessState { grants, ..AccessState::default() });
        PageAccess { state, folder: Some(folder.clone()) }
    }

    /// Returns a new ticket.
    pub(crate) fn ticket(&self, scope: PageScope) -> String {
        self.ticket_at(scope, now_ms())
    }

    fn ticket_at(&self, scope: PageScope, now_ms: i64) -> String {
        let ticket = peers::id();
        let mut state = self.lock();
        state.tickets.push_back(Ticket { hash: hash(&ticket), scope, made_ms: now_ms });
        while state.tickets.len() > MAX_TICKETS {
            state.tickets.pop_front();
        }
        ticket
    }

    /// Exchanges a ticket for a grant.
    pub(crate) fn enter(&self, ticket: &str) -> Result<NewGrant, TicketError> {
        self.enter_at(ticket, now_ms())
    }

    fn enter_at(&self, ticket: &str, now_ms: i64) -> Result<NewGrant, TicketError> {
        let mut state = self.lock();
        if now_ms < state.closed_until_ms {
            return Err(TicketError::Closed);
        }
        let is_young = |one: &Ticket| (0..=TICKET_LIFETIME_MS).contains(&(now_ms - one.made_ms));
        state.tickets.retain(is_young);
        let shown = hash(ticket);
        let found = state.tickets.iter().position(|one| peers::is_same_secret(&one.hash, &shown));
        let Some(found) = found.and_then(|at| state.tickets.remove(at)) else {
            state.note_wrong(now_ms);
            return Err(TicketError::Unknown);
        };
        let (cookie, key) = (secret(), secret());
        let stored = StoredGrant {
            cookie: hash(&cookie),
            key: hash(&key),
            scope: found.scope,
            made_ms: now_ms,
            used_ms: now_ms,
        };
        let granted = stored.granted(now_ms);
        state.grants.retain(|grant| !grant.is_over(now_ms));
        state.grants.push(stored);
        while state.grants.len() > MAX_GRANTS {
            let unused = state.grants.iter().enumerate().min_by_key(|(_, grant)| grant.used_ms);
            let Some(unused) = unused.map(|(at, _)| at) else { break };
            state.grants.remove(unused);
        }
        self.keep(&state);
        Ok(NewGrant { cookie, key, scope: granted.scope, until_ms: granted.until_ms })
    }

    /// Returns what the page with these halves may do; `None` if it is not open.
    pub(crate) fn check(&self, cookie: &str, key: &str) -> Option<PageGrant> {
        self.check_at(cookie, key, now_ms())
    }

    fn check_at(&self, cookie: &str, key: &str, now_ms: i64) -> Option<PageGrant> {
        let (cookie, key) = (hash(cookie), hash(key));
        let mut state = self.lock();
        // All grants are compared, so that the time says nothing about which one fits.
        let mut found = None;
        for (at, grant) in state.grants.iter().enumerate() {
            let fits =
                peers::is_same_secret(&grant.cookie, &cookie) & peers::is_same_secret(&grant.key, &key);
            if fits {
                found = Some(at);
            }
        }
        let grant = &mut state.grants[found?];
        if grant.is_over(now_ms) {
            return None;
        }
        grant.used_ms = grant.used_ms.max(now_ms);
        Some(grant.granted(now_ms))
    }

    /// Ends the grant of one page.
    pub(crate) fn leave(&self, cookie: &str) {
        let cookie = hash(cookie);
        let mut state = self.lock();
        state.grants.retain(|grant| grant.cookie != cookie);
        self.keep(&state);
    }

    /// Closes all pages and withdraws all tickets; returns how many pages there were.
    pub(crate) fn close_all(&self) -> usize {
        let mut state = self.lock();
        let closed = state.grants.iter().filter(|grant| !grant.is_over(now_ms())).count();
        *state = AccessState::default();
        self.keep(&state);
        closed
    }

    /// Returns how many pages are open, and how many of them may change things.
    pub(crate) fn open_pages(&self) -> (usize, usize) {
        let (state, now_ms) = (self.lock(), now_ms());
        let open = state.grants.iter().filter(|grant| !grant.is_over(now_ms));
        let edit = open.clone().filter(|grant| grant.granted(now_ms).scope == PageScope::Edit);
        (open.clone().count(), edit.count())
    }

    /// Leaves the grants for the next PRIMARY, or removes them.
    pub(crate) fn finish(&self, is_handed_over: bool) {
        if is_handed_over {
            self.keep(&self.lock());
        } else {
            self.close_all();
        }
    }

    /// Writes the grants down. If that fails, pages must be opened again after a hand-over, and nothing else happens.
    fn keep(&self, state: &AccessState) {
        let Some(folder) = &self.folder else { return };
        if state.grants.is_empty() {
            folder.remove_pages();
        } else if let Ok(bytes) = serde_json::to_vec(&state.grants) {
            drop(folder.write_pages(&bytes));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, AccessState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AccessState {
    fn note_wrong(&mut self, now_ms: i64) {
        self.wrong.push_back(now_ms);
        self.wrong.retain(|at| (0..WRONG_WINDOW_MS).contains(&(now_ms - at)));
        if self.wrong.len() >= MAX_WRONG {
            self.closed_until_ms = now_ms + WRONG_WINDOW_MS;
            self.wrong.clear();
        }
    }
}

/// Returns 256 random bits.
fn secret() -> String {
    format!("{}{}", peers::id(), peers::id())
}

fn hash(secret: &str) -> String {
    sha256_hex(secret.as_bytes())
}

#[cfg(test)]
mod tests;
