//! Nudge: the memory and the guard rails of a coding agent, on the developer's own machine.
//!
//! `ARCHITECTURE.md` has the map of these modules; `tests/it/tidy.rs` holds the directions between them.

// Layer 0: words.
mod model;

// Layer 1: thought.
mod context;
mod harness;
mod hints;
mod observations;
mod redact;
mod retention;
mod rules;
mod vocabulary;
mod wiring;

// Layer 2: state.
mod config;
mod files;
mod nexus;
mod runtime;
mod store;

// Layer 3: deeds.
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
