//! Where a hint comes from: the agent that set it, and the project that the agent worked in.

use serde::{Deserialize, Serialize};

/// The origin of a hint that an agent set; one that the user set has none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct HintOrigin {
    /// As the client calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// The folder of the agent; unknown over HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) repo: Option<String>,
}
