//! The hook: what it reads, what it answers, and that it fails open.

mod answers;
mod bad_input;
mod input;
#[cfg(unix)]
mod notices;
mod signature;
mod wire;
