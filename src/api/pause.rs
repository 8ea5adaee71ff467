//! What `nudge off`, `nudge on` and `nudge status` say about pauses.

use std::path::PathBuf;

use serde::Serialize;

use super::list::IsoTime;

/// A pause of nudge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PauseWire {
    /// `user` for `nudge off`, or `NUDGE_OFF`.
    pub(crate) by: &'static str,
    /// The folder of the paused project; `null` means everywhere.
    pub(crate) project: Option<PathBuf>,
    /// `null` means until `nudge on`.
    pub(crate) until: Option<IsoTime>,
}

/// `nudge on --json`: the pauses that it ended, and what still pauses nudge in this project.
#[derive(Debug, Serialize)]
pub(crate) struct UnpausedWire {
    pub(crate) ended: Vec<PauseWire>,
    pub(crate) still_off: Option<PauseWire>,
}
