//! A repository is a stranger, and so is a crate.

#[cfg(unix)]
mod clone;
#[cfg(unix)]
mod paths;
#[cfg(unix)]
mod supply_chain;
