//! `nudge serve`: the primary and its peers, what it accepts, and what it may spend.

#[cfg(target_os = "linux")]
mod folders;
#[cfg(target_os = "linux")]
mod frozen;
mod group;
#[cfg(target_os = "linux")]
mod handover;
#[cfg(target_os = "linux")]
mod identity;
#[cfg(target_os = "linux")]
mod large;
#[cfg(target_os = "linux")]
mod limits;
mod mcp;
mod mcp_hidden;
mod mcp_protocol;
mod profiles;
#[cfg(target_os = "linux")]
pub(crate) mod relay;
mod rpc;
mod safety;
#[cfg(target_os = "linux")]
mod strangers;
