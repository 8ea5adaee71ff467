//! The memory: what is stored, found, shown, forgotten and salvaged, and what it adds to a session.

mod backfill;
mod context;
mod damage;
mod ecosystems;
mod exchange;
mod facts;
mod failures;
mod flips;
mod forget;
pub(crate) mod guide;
mod health;
mod helped;
mod imports;
mod privacy;
mod privacy_derived;
mod projects;
pub(crate) mod scene;
mod search;
mod sessions;
mod show;
mod stored;
mod stress;
mod told;
