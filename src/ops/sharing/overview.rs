//! Where the exchange with the team stands: when rows last moved each way, and why not since.

use super::exchange;
use super::plan;
use crate::config::paths;
use crate::model::{DAY, HeldRow, KnownStream, ShareLevel, TeamState};
use crate::ops::observations::remember;
use crate::store::{CopySize, Reader, StoreError, TeamReader};
use crate::system::clock;
use crate::team::TeamAddress;

/// What is known about the team here, without asking the server.
pub(crate) struct TeamOverview {
    /// The server, as people name it.
    pub(crate) server: String,
    /// `None` before the first exchange.
    pub(crate) state: Option<TeamState>,
    pub(crate) projects: Vec<ProjectShare>,
    pub(crate) waiting: usize,
    pub(crate) held: Vec<HeldRow>,
    pub(crate) copy: CopySize,
}

/// How much of a project is shared, and how much of it was.
pub(crate) struct ProjectShare {
    pub(crate) key: String,
    pub(crate) level: ShareLevel,
    pub(crate) sent: usize,
}

/// Returns the overview; `None` if no team is joined.
pub(crate) fn overview() -> Result<Option<TeamOverview>, StoreError> {
    let Some(plan) = plan::load() else { return Ok(None) };
    let reader = remember::reader()?;
    let state = reader.as_ref().map(Reader::team_state).transpose()?.flatten();
    let streams: Vec<KnownStream> = reader.as_ref().map(Reader::streams).transpose()?.unwrap_or_default();
    let sent =
        |key: &str| streams.iter().find(|stream| stream.project == key).map_or(0, |stream| stream.sent);
    let projects = plan.team.projects.iter();
    let projects =
        projects.map(|(key, level)| ProjectShare { key: key.clone(), level: *level, sent: sent(key) });
    let member = state.as_ref().and_then(|state| state.member.as_deref());
    let copy = paths::team_copy().and_then(|path| TeamReader::open(&path));
    Ok(Some(TeamOverview {
        server: TeamAddress::parse(&plan.url).map_or_else(|_| plan.url.clone(), |address| address.server()),
        projects: projects.collect(),
        waiting: reader.as_ref().map(exchange::waiting).transpose()?.unwrap_or_default(),
        held: reader.as_ref().map(Reader::held_rows).transpose()?.unwrap_or_default(),
        copy: copy.map(|copy| copy.size(member)).transpose()?.unwrap_or_default(),
        state,
    }))
}

impl TeamOverview {
    /// Returns why nothing moves, if that is so.
    pub(crate) fn trouble(&self) -> Option<String> {
        let state = self.state.as_ref();
        if let Some(why) = state.and_then(|state| state.rests.as_ref()) {
            return Some(format!("nothing is exchanged until you join again: {why}"));
        }
        if let Some(why) = state.and_then(|state| state.problem.as_ref()) {
            return Some(format!("the last attempt failed: {why}"));
        }
        let Some(tried) = state.and_then(|state| state.tried_at) else {
            return Some(
                "no rows were exchanged yet; `nudge sync` does, and so does `nudge serve`".to_owned(),
            );
        };
        (clock::timestamp().since(tried) > DAY).then(|| {
            "nobody has exchanged rows for a day; `nudge sync` does, and so does `nudge serve`".to_owned()
        })
    }
}
