//! The viewer's page: its files, who may open it, and how it is opened.
//!
//! What the page shows is read in `view`; the HTTP around it is in `server`.

pub(crate) mod access;
pub(crate) mod act;
pub(crate) mod assets;
pub(crate) mod browser;
mod link;
pub(crate) mod report;

use crate::config::settings;

/// Returns whether the user lets pages be opened at all.
pub(crate) fn are_enabled() -> bool {
    settings::load_user().0.ui_enabled
}
