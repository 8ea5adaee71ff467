//! What an event means for the plan, the tasks and the agents of a project; one file for each of its moments.
//!
//! Only a project that has a `.nexus/` is concerned. Whatever goes wrong is a problem, and the agent goes on.

pub(crate) mod deed;
mod prompt;
mod session;
mod stop;
mod subagent;
mod tool;
mod tracked;

use std::path::Path;
use std::time::Duration;

use super::Own;
use crate::config::settings::Settings;
use crate::config::{env, paths};
use crate::files;
use crate::model::{
    Event, Hook, Mode, Outcome, Part, Plan, PlanOutline, Problem, TaskOutlines, Tasks, Topic, without_dots,
};
use crate::nexus::root::{self, Named};
use crate::nexus::{self, Nexus, NexusError, PLAN, TASKS};
use crate::system::budget::Budget;
use crate::system::clock;

/// What the agent is answered.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// Why its action does not happen.
    pub(crate) refusal: Option<String>,
    /// What it is told, the most important first.
    pub(crate) parts: Vec<(Part, String)>,
}

impl Said {
    /// Tells this, if there is something to tell.
    fn of(part: Part, text: Option<String>) -> Said {
        Said::of_all([(part, text)])
    }

    fn of_all<const N: usize>(parts: [(Part, Option<String>); N]) -> Said {
        let parts = parts.into_iter().filter_map(|(part, text)| Some((part, text?)));
        Said { parts: parts.collect(), ..Said::default() }
    }
}

/// Does what an event asks for, and returns what is said to it.
pub(crate) fn answer(
    event: &Event,
    settings: &Settings,
    own: Own<'_>,
    by_rules: &Outcome,
    budget: Budget,
    found: &mut Vec<Problem>,
) -> Said {
    let Some(mut scene) = Scene::of(event, settings, own, budget) else { return Said::default() };
    found.extend(env::harness_problem().map(Problem::by_event));
    scene.make_waiting();
    let is_blocked = matches!(by_rules, Outcome::Block(_));
    let said = match event.hook {
        Hook::SessionStart => session::start(&mut scene),
        Hook::SessionEnd => session::end(&mut scene),
        Hook::UserPromptSubmit if !is_blocked => prompt::answer(&mut scene),
        Hook::PreToolUse if !is_blocked => tool::before(&scene),
        Hook::PostToolUse | Hook::PostToolUseFailure => tool::after(&mut scene),
        Hook::SubagentStart => subagent::start(&mut scene),
        Hook::SubagentStop => subagent::stop(&mut scene),
        Hook::Stop => stop::answer(&mut scene),
        Hook::UserPromptSubmit | Hook::PreToolUse | Hook::Other => Said::default(),
    };
    found.append(&mut scene.problems);
    said
}

/// An event in a project that has a `.nexus/`.
struct Scene<'e> {
    event: &'e Event,
    settings: &'e Settings,
    own: Own<'e>,
    nexus: Nexus,
    /// The name of the agent's own folder in `.nexus/state/`.
    harness: String,
    /// How long this event may still wait for the lock.
    patience: Duration,
    problems: Vec<Problem>,
}

impl<'e> Scene<'e> {
    fn of(event: &'e Event, settings: &'e Settings, own: Own<'e>, budget: Budget) -> Option<Scene<'e>> {
        let named = Named {
            project_root: env::nexus_project_root(),
            agent_dir: event.project.clone(),
            // Where there is none yet, nothing is made here.
            rules_dir: event.cwd.clone(),
            home: paths::home_dir(),
        };
        let nexus = Nexus::of(&root::find(&named, &event.cwd));
        if !nexus.exists() {
            return None;
        }
        let harness = env::nexus_harness_id().unwrap_or_else(|| event.harness.to_owned());
        let patience = budget.within(deed::PATIENCE);
        Some(Scene { event, settings, own, nexus, harness, patience, problems: Vec::new() })
    }

    /// Keeps what went wrong for later.
    fn tell<T>(&mut self, result: nexus::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.problems.push(problem(&error));
                None
            }
        }
    }

    /// Returns the plan as it is at this moment.
    fn plan(&mut self) -> Option<Plan> {
        let plan = self.nexus.read(PLAN);
        self.tell(plan).flatten()
    }

    /// Returns the plan without what was decided, for a line about it.
    fn plan_outline(&mut self) -> Option<Plan> {
        let outline = self.nexus.read::<PlanOutline>(PLAN);
        self.tell(outline).flatten().map(Plan::from)
    }

    fn tasks(&mut self) -> Option<Tasks> {
        let tasks = self.nexus.read(TASKS);
        self.tell(tasks).flatten()
    }

    /// Returns the tasks without their texts, to be counted.
    fn task_outlines(&mut self) -> Option<Tasks> {
        let outlines = self.nexus.read::<TaskOutlines>(TASKS);
        self.tell(outlines).flatten().map(Tasks::from)
    }

    /// Returns the mode, if this session has set it.
    fn mode(&mut self) -> Option<Mode> {
        let mode = self.nexus.mode(&self.harness);
        let session = self.event.session.as_ref().map(|session| session.0.as_str());
        let is_own = |mode: &Mode| mode.session.as_deref().is_none_or(|own| Some(own) == session);
        self.tell(mode).flatten().filter(is_own)
    }

    /// Returns a path from the project's root, or whole where it lies elsewhere.
    fn within_project(&self, path: &str) -> String {
        let path = without_dots(&self.event.cwd.join(path));
        let project = self.nexus.project();
        let within = path.strip_prefix(project).map(Path::to_owned).or_else(|_| {
            // One of the two may be named by way of a link.
            let folder = files::canonical(path.parent().unwrap_or(&path)).unwrap_or_default();
            let file = folder.join(path.file_name().unwrap_or_default());
            let root = files::canonical(project).unwrap_or_default();
            file.strip_prefix(root).map(Path::to_owned)
        });
        within.unwrap_or(path).to_string_lossy().replace('\\', "/")
    }

    fn now(&self) -> String {
        clock::iso_now()
    }
}

fn problem(error: &NexusError) -> Problem {
    Problem::error(format!("the project's plan and tasks: {error}")).by_event().about(Topic::Plan)
}
