//! What the commands of a team's admins say to programs.

use serde::Serialize;

/// `nudge team init --json` and `--check --json`.
#[derive(Debug, Serialize)]
pub(crate) struct TeamSchemaJson {
    pub(crate) server: String,
    pub(crate) database: String,
    /// Whether the schema was made.
    pub(crate) made: bool,
    pub(crate) allowed: Vec<String>,
    pub(crate) refused: Vec<RefusedStatementJson>,
    pub(crate) warnings: Vec<String>,
}

/// A statement that an engine refuses.
#[derive(Debug, Serialize)]
pub(crate) struct RefusedStatementJson {
    pub(crate) statement: String,
    pub(crate) why: String,
}

/// `nudge team upgrade --json`.
#[derive(Debug, Serialize)]
pub(crate) struct TeamUpgradeJson {
    pub(crate) from: i32,
    pub(crate) to: i32,
}

/// `nudge team grant --json`.
#[derive(Debug, Serialize)]
pub(crate) struct GrantedMemberJson {
    pub(crate) name: String,
    pub(crate) login: String,
    pub(crate) level: &'static str,
    pub(crate) url: String,
    /// Only if the login was made now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) password: Option<String>,
}

/// `nudge team remove --json`.
#[derive(Debug, Serialize)]
pub(crate) struct RemovedMemberJson {
    pub(crate) name: String,
    pub(crate) rows: i64,
}
