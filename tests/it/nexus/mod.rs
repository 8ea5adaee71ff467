//! Plans, tasks, history and notes in `.nexus/`: tools, commands, hooks, locks.

mod cli;
mod events;
mod gates;
mod guide;
mod history;
mod init;
#[cfg(target_os = "linux")]
mod lock;
mod plan;
mod race;
mod scene;
pub(crate) mod session;
mod stress;
mod tags;
mod task;
