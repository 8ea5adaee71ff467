//! Plans, tasks, history and notes in `.nexus/`: tools, commands, hooks, locks.

mod board;
mod called;
mod cli;
mod closing;
mod events;
mod gates;
mod guide;
mod history;
mod init;
#[cfg(target_os = "linux")]
mod lock;
mod merge;
mod plan;
mod proof;
mod race;
mod scene;
pub(crate) mod session;
mod stress;
mod tags;
mod task;
mod two_sessions;
mod worktrees;
