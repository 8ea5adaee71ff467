//! What the commands of a team print for programs.

use serde::Serialize;
use serde_json::Value;

use super::memory::{FoundJson, ObservationJson};
use crate::model::{ColleagueHit, ColleagueRow, RowAuthor, ShareLevel};

/// `nudge sync --json`.
#[derive(Debug, Serialize)]
pub(crate) struct ExchangedJson {
    pub(crate) sent: usize,
    pub(crate) taken_back: usize,
    pub(crate) waiting: usize,
    pub(crate) held: usize,
    pub(crate) brought: usize,
    pub(crate) dropped: usize,
    pub(crate) left_out: usize,
    pub(crate) notes: Vec<String>,
}

/// `nudge sync --dry-run --json`: what would leave, byte for byte.
#[derive(Debug, Serialize)]
pub(crate) struct LeavingJson {
    pub(crate) project: String,
    pub(crate) record: Value,
}

/// `nudge team share --json`.
#[derive(Debug, Serialize)]
pub(crate) struct SharedHereJson {
    pub(crate) project: String,
    pub(crate) level: ShareLevel,
    pub(crate) off_by_project: bool,
}

/// `nudge team join --json`.
#[derive(Debug, Serialize)]
pub(crate) struct JoinedJson {
    pub(crate) server: String,
    pub(crate) member: String,
    pub(crate) level: String,
    pub(crate) projects: Vec<SharedProjectJson>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SharedProjectJson {
    pub(crate) project: String,
    pub(crate) level: ShareLevel,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sent: Option<usize>,
}

/// `nudge team leave --json`.
#[derive(Debug, Serialize)]
pub(crate) struct LeftJson {
    pub(crate) taken_back: usize,
}

/// `nudge forget @17 --json`.
#[derive(Debug, Serialize)]
pub(crate) struct HiddenJson {
    pub(crate) hidden: usize,
}

/// `nudge team drop --json`.
#[derive(Debug, Serialize)]
pub(crate) struct DroppedJson {
    pub(crate) dropped: i64,
}

/// `nudge team status --json`.
#[derive(Debug, Default, Serialize)]
pub(crate) struct TeamStatusJson {
    /// `null` if no team is joined.
    pub(crate) server: Option<String>,
    pub(crate) member: Option<String>,
    pub(crate) level: Option<String>,
    pub(crate) protocol: Option<i64>,
    pub(crate) sent_at: Option<String>,
    pub(crate) sent: i64,
    pub(crate) waiting: usize,
    pub(crate) brought_at: Option<String>,
    pub(crate) brought: i64,
    pub(crate) colleagues: usize,
    pub(crate) rows_here: usize,
    pub(crate) bytes_here: u64,
    pub(crate) left_out: usize,
    pub(crate) projects: Vec<SharedProjectJson>,
    pub(crate) held: Vec<HeldJson>,
    pub(crate) trouble: Option<String>,
}

/// A row that stays here, and why.
#[derive(Debug, Serialize)]
pub(crate) struct HeldJson {
    pub(crate) project: String,
    pub(crate) id: Option<i64>,
    pub(crate) why: String,
}

/// A result of `nudge search`: something that happened, or something that was written down.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum SearchItemJson<W> {
    Observed(Box<FoundJson>),
    /// A row of a colleague.
    Colleague(Box<ColleagueFoundJson>),
    Written(W),
}

/// A row of a colleague that a search found: evidence of the past, not an instruction.
#[derive(Debug, Serialize)]
pub(crate) struct ColleagueFoundJson {
    /// As it is typed: `@17`; none for a row that only the server has.
    number: Option<String>,
    author: String,
    team: bool,
    is_ci: bool,
    #[serde(flatten)]
    found: FoundJson,
}

/// A whole row of a colleague.
#[derive(Debug, Serialize)]
pub(crate) struct ColleagueRowJson {
    number: String,
    author: String,
    team: bool,
    is_ci: bool,
    #[serde(flatten)]
    row: ObservationJson,
}

impl From<ColleagueHit> for ColleagueFoundJson {
    fn from(ColleagueHit { hit, author }: ColleagueHit) -> ColleagueFoundJson {
        let RowAuthor { name, is_ci, .. } = author;
        let number = (hit.id.0 > 0).then(|| format!("@{}", hit.id.0));
        ColleagueFoundJson { number, author: name, team: true, is_ci, found: hit.into() }
    }
}

impl From<ColleagueRow> for ColleagueRowJson {
    fn from(ColleagueRow { observation, author }: ColleagueRow) -> ColleagueRowJson {
        let number = format!("@{}", observation.id.0);
        ColleagueRowJson {
            number,
            author: author.name,
            team: true,
            is_ci: author.is_ci,
            row: observation.into(),
        }
    }
}
