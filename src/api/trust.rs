//! What `nudge trust` says to programs.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::list::IsoTime;
use crate::model::Timestamp;

/// One rule file.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum TrustJson {
    /// A file of this project.
    Here {
        file: String,
        /// `trusted`, `new` or `changed`.
        state: &'static str,
        rules: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// The version that was trusted.
        #[serde(skip_serializing_if = "Option::is_none")]
        earlier: Option<String>,
    },
    Seen(SeenRulesJson),
}

/// A file that is trusted, of any project.
#[derive(Debug, Serialize)]
pub(crate) struct SeenRulesJson {
    path: PathBuf,
    sha256: String,
    trusted: IsoTime,
}

/// `nudge trust --revoke --json`.
#[derive(Debug, Serialize)]
pub(crate) struct RevokedRulesJson {
    pub(crate) revoked: usize,
}

impl SeenRulesJson {
    pub(crate) fn of(path: &Path, digest: &str, at: Timestamp) -> SeenRulesJson {
        SeenRulesJson { path: path.to_owned(), sha256: digest.to_owned(), trusted: at.into() }
    }
}
