//! Tests of the built program: its stdin, stdout, stderr, exit code and files.

mod cli;
#[cfg(target_os = "linux")]
mod faults;
mod guide;
mod hints;
mod hook;
mod mcp_client;
mod memory;
mod nexus;
mod notes;
#[cfg(unix)]
mod packaging;
mod payload;
#[cfg(unix)]
mod person;
#[cfg(all(unix, feature = "team"))]
mod postgres;
mod repository;
mod rules;
mod sandbox;
mod server;
mod servers;
mod setup;
mod stranger;
#[cfg(unix)]
mod sync;
#[cfg(all(unix, feature = "team"))]
mod team;
mod tidy;
mod ui;
