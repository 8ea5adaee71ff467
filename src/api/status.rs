//! What a server reports about itself, and what `nudge status` reports about a project.

use serde::{Deserialize, Serialize, Serializer};

use super::list::{ErrorWire, IsoTime};
use super::machines::SyncPeerJson;
use super::pause::PauseWire;
use crate::model::{PageScope, SyncPeer, Timestamp};

/// The answer of `/health`: which server this is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct HealthWire {
    pub(crate) status: String,
    pub(crate) mode: String,
    pub(crate) pid: u32,
    pub(crate) port: u16,
    pub(crate) instance: String,
    pub(crate) version: String,
    pub(crate) started: String,
    pub(crate) runtime_dir: String,
    pub(crate) runtime_id: String,
    pub(crate) generation: u64,
    pub(crate) snapshot_generation: u64,
}

/// The answer of `nudge.status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ServerStatusWire {
    #[serde(flatten)]
    pub(crate) health: HealthWire,
    pub(crate) uptime_seconds: u64,
    pub(crate) clients: ClientsWire,
    /// The RAM that the server uses, where the system says so.
    pub(crate) memory_bytes: Option<u64>,
    /// `None` once the hints are handed over.
    pub(crate) hints: Option<HintCountsWire>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClientsWire {
    pub(crate) connections: usize,
    pub(crate) proxies: usize,
    pub(crate) mcp_sessions: usize,
    /// Open pages of the viewer, and how many of them may change things.
    #[serde(default)]
    pub(crate) pages: usize,
    #[serde(default)]
    pub(crate) edit_pages: usize,
}

/// The answer of `nudge.ui_ticket`, and what `nudge ui --json` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct UiTicketWire {
    /// Works once.
    pub(crate) url: String,
    pub(crate) ticket: String,
    pub(crate) scope: PageScope,
    pub(crate) valid_seconds: i64,
    /// The server that serves the page.
    pub(crate) pid: u32,
}

/// The answer of `nudge.ui_close`, and what `nudge ui --close --json` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClosedPagesWire {
    pub(crate) closed: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct HintCountsWire {
    pub(crate) components: usize,
    pub(crate) hints: u64,
    pub(crate) secrets: u64,
    pub(crate) uses: u64,
    pub(crate) top_tags: Vec<TagCountWire>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TagCountWire {
    pub(crate) tag: String,
    pub(crate) hints: u64,
    pub(crate) uses: u64,
}

/// `nudge status --json`: the server, if there is one, and this project.
#[derive(Debug, Serialize)]
pub(crate) struct StatusWire<'a> {
    #[serde(flatten)]
    pub(crate) server: Option<&'a ServerStatusWire>,
    pub(crate) here: HereWire<'a>,
    /// Why the server does not answer; that none is running is no error.
    #[serde(flatten)]
    pub(crate) error: Option<ErrorWire<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct HereWire<'a> {
    #[serde(flatten)]
    pub(crate) summary: &'a ProjectSummary,
    /// The names of the agents that call us.
    pub(crate) agents: &'a [&'a str],
}

/// The summary of a project.
#[derive(Debug, Default, Serialize)]
pub(crate) struct ProjectSummary {
    /// Why hooks do nothing here at the moment, if that is so.
    pub(crate) off: Option<PauseWire>,
    pub(crate) rules: usize,
    /// How many of them are disabled.
    pub(crate) disabled_rules: usize,
    pub(crate) rule_problems: usize,
    /// Rule files of the project that are new or changed since the user trusted them.
    pub(crate) untrusted_rule_files: usize,
    /// `None` if the memory does not answer; `nudge doctor` says why.
    pub(crate) observations: Option<usize>,
    pub(crate) observations_today: usize,
    /// What a session here costs in tokens before the first prompt; `None` if the memory does not answer.
    pub(crate) session_tokens: Option<usize>,
    /// What happened to the memory, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) damage: Vec<String>,
    /// Why nothing is remembered here, if the settings cannot be read.
    pub(crate) settings_unknown: Option<String>,
    /// Events that cannot be stored at the moment, as on a full disk.
    pub(crate) events_waiting: usize,
    pub(crate) plan: Option<String>,
    /// Files of plan, tasks and history that cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) state_problems: Vec<String>,
    pub(crate) tasks: Option<OpenTasks>,
    pub(crate) hooks: Option<LastHooks>,
    /// With whom rows are exchanged.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_peers")]
    pub(crate) machines: Vec<SyncPeer>,
    /// The team that rows are exchanged with; `None` if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) team: Option<TeamSummary>,
}

/// Where the exchange with a team stands, without asking its server.
#[derive(Debug, Serialize)]
pub(crate) struct TeamSummary {
    pub(crate) server: String,
    pub(crate) member: Option<String>,
    /// When the server last answered; `None` before the first exchange.
    pub(crate) exchanged_at: Option<IsoTime>,
    #[serde(skip)]
    pub(crate) exchanged: Option<Timestamp>,
    /// Records that the server does not have yet.
    pub(crate) waiting: usize,
    /// Rows that stay here because the server or the border refused them.
    pub(crate) held: usize,
    /// Rows of colleagues that are here.
    pub(crate) rows_here: usize,
    /// Why nothing moves, if that is so.
    pub(crate) trouble: Option<String>,
}

fn as_peers<S: Serializer>(peers: &[SyncPeer], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(peers.iter().map(SyncPeerJson::from))
}

/// The tasks of the project.
#[derive(Debug, Serialize)]
pub(crate) struct OpenTasks {
    pub(crate) open: usize,
    pub(crate) all: usize,
}

/// The latest hooks.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LastHooks {
    pub(crate) hook: &'static str,
    #[serde(serialize_with = "iso_of_milliseconds")]
    pub(crate) at: u64,
    pub(crate) p95_us: u64,
    pub(crate) timed: usize,
}

fn iso_of_milliseconds<S: Serializer>(milliseconds: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    IsoTime::of_milliseconds(*milliseconds).serialize(serializer)
}
