//! `nudge setup`, `nudge doctor`, and what agents get from them.

pub(crate) mod connect;
mod doctor;
mod doctor_entries;
mod faults;
mod harnesses;
mod opencode_plugin;
mod plugin;
mod team;
mod tools;
mod uninstall;
