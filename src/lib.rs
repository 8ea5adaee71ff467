//! Nudge: the memory and the guard rails of a coding agent, on the developer's own machine.
//!
//! `ARCHITECTURE.md` has the map of these modules; `tests/it/tidy.rs` holds the directions between them.
#![cfg_attr(
    not(feature = "team"),
    allow(
        dead_code,
        unused_imports,
        unused_variables,
        reason = "a program without teams keeps the data they are made of"
    )
)]

// Layer 0: data.
mod model;

// Layer 1: decisions.
mod context;
mod contract;
mod harness;
mod hints;
mod imports;
mod learn;
mod notes;
mod observations;
mod recall;
mod redact;
mod rules;
mod shell;
mod wiring;

// Layer 2: state.
mod config;
mod files;
mod journal;
mod nexus;
mod peers;
mod store;
mod system;
#[cfg(feature = "team")]
mod team;

// Layer 3: actions.
mod api;
mod ops;

// Layer 4: edges.
mod cli;
mod server;

/// The inner doors for fuzz targets; no part of the product.
#[cfg(feature = "inside")]
pub mod inside;

/// Runs the command line of this process and returns its exit code.
#[must_use]
pub fn run() -> std::process::ExitCode {
    cli::run()
}
