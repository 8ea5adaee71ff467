//! What agents did: storing it, finding it, forgetting it, moving it, and repairing it.

pub(crate) mod backfill;
pub(crate) mod browse;
pub(crate) mod careful_reader;
pub(crate) mod clean_up;
pub(crate) mod exchange;
pub(crate) mod forget;
pub(crate) mod gc;
pub(crate) mod look_up;
pub(crate) mod remember;
pub(crate) mod salvage;
