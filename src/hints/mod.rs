//! Hints are small facts with a scope that says where they apply. This parses, matches, ranks and explains them.
//!
//! All of it is pure: the caller passes `now`, and `ops::hints`, which owns the hints, decides when to write them to
//! disk.

mod explain;
mod fields;
mod gate;
mod glob;
mod guard;
mod import;
mod meta;
mod name;
mod origin;
mod path;
mod payload;
mod rank;
mod scope;
mod search;
mod suggest;
mod table;
mod ttl;
mod value;

pub(crate) use explain::{candidates, explain, missing, outranked};
pub(crate) use fields::near_name;
pub(crate) use import::{Stages, import};
pub(crate) use name::name;
pub(crate) use origin::{Origins, identities};
pub(crate) use path::normal_cwd;
pub(crate) use payload::payload;
pub(crate) use rank::{best, weighed};
pub(crate) use scope::scope;
pub(crate) use search::{HintQuery, search};
pub(crate) use suggest::{Occasion, PushedHints, Text, suggest};
pub(crate) use table::{Draft, HintFile, HintLimits, HintName, HintTable, PutOptions, StoredHint};
pub(crate) use ttl::Ttl;
