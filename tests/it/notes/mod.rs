//! Notes and guidance of a project: stored, found, deleted, restored.

mod gc;
mod gc_signals;
mod guidance;
mod guide;
mod mcp;
mod stored;
