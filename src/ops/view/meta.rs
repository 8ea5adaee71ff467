//! What there is to look at: projects, agents, and the numbers beside the pages.

use std::collections::BTreeSet;

use super::kept::{self, MemoryVersion};
use super::request::QuestionError;
use super::shown::Shown;
use super::{PageFacts, QueryStop, ViewError, ViewRequest, notes, plan, rules, walls};
use crate::api::view::{AgentView, CountsView, MetaView, ProjectView};
use crate::config::settings;
use crate::harness;
use crate::model::{KnownProject, SessionQuery};
use crate::store::Reader;
use crate::system::clock;

const HOUR: i64 = 3_600;

pub(super) fn answer(
    request: &ViewRequest,
    page: &PageFacts,
    stop: &QueryStop,
) -> Result<MetaView, ViewError> {
    let shown = Shown::new();
    let retention = settings::load_user().0.retention;
    let mut meta = MetaView {
        version: env!("CARGO_PKG_VERSION"),
        instance: page.instance.clone(),
        scope: page.scope,
        until_ms: page.until_ms,
        projects: Vec::new(),
        agents: harness::ids()
            .filter_map(harness::by_id)
            .map(|one| AgentView { id: one.id, name: one.title })
            .collect(),
        counts: CountsView::default(),
        retention_days: retention.days.iter().map(|(kind, days)| (kind.name(), *days)).collect(),
        first_ms: None,
    };
    meta.counts.notes = notes::count(request);
    meta.counts.tasks_open = plan::open_tasks(request);
    let Some(reader) = stop.memory()? else { return Ok(meta) };
    reader.ask(|reader| -> Result<(), QuestionError> {
        (meta.counts.rules, meta.counts.rules_dead) = rules::count(request, reader)?;
        let name = format!("meta {:?} {}", request.text("project"), clock::timestamp().0 / HOUR);
        let known = kept::of_memory(MemoryVersion::now().as_ref(), &name, || remembered(request, reader))?;
        meta.counts.sessions = known.sessions;
        meta.counts.walls = known.walls;
        // Before anything was seen, the agents that are known are what there is to name.
        if !known.agents.is_empty() {
            meta.agents.retain(|agent| known.agents.contains(agent.id));
        }
        meta.first_ms = known.first_at.map(|at| at * 1_000);
        meta.projects = known
            .projects
            .into_iter()
            .map(|known| ProjectView {
                name: shown.name(&known.name),
                root: known.roots.first().map(|root| shown.name(root)),
                last_ms: known.last_at.map(|at| at.0 * 1_000),
                observations: known.observations,
            })
            .collect();
        Ok(())
    })?;
    Ok(meta)
}

/// What the memory says.
#[derive(Clone)]
struct RememberedFacts {
    sessions: usize,
    walls: usize,
    agents: BTreeSet<String>,
    first_at: Option<i64>,
    projects: Vec<KnownProject>,
}

fn remembered(request: &ViewRequest, reader: &Reader) -> Result<RememberedFacts, QuestionError> {
    let query =
        SessionQuery { folders: request.project(reader)?, to: i64::MAX / 4, ..SessionQuery::default() };
    Ok(RememberedFacts {
        sessions: reader.session_count(&query)?,
        walls: walls::count(reader, request)?,
        agents: reader.seen_agents()?,
        first_at: reader.first_at()?,
        projects: reader.known_projects()?,
    })
}
