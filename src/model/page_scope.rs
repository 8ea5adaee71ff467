//! What a page of the viewer may do.

use serde::{Deserialize, Serialize};

/// What a page may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PageScope {
    Read,
    /// Pin, enable, disable and forget.
    Edit,
}
