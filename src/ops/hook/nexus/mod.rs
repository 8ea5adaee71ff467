//! What an event means for the plan, the tasks and the agents of a project; one file per kind of event.
//!
//! Only projects that have a `.nexus/` are concerned. Whatever goes wrong becomes a problem, and the agent continues.

mod called;
mod changes;
mod crew;
mod prompt;
mod session;
mod stop;
mod subagent;
mod tool;

use std::path::Path;
use std::time::Duration;

use crate::config::env;
use crate::files;
use crate::model::{
    ContextPart, Event, Hook, Mode, Outcome, Plan, PlanOutline, Problem, TaskOutlines, Tasks, Topic,
    without_dots,
};
use crate::nexus::{self, Nexus, NexusError, PLAN, TASKS};
use crate::ops::nexus::{change, of_place};
use crate::ops::turn::Turn;
use crate::system::{clock, project};

/// Why an action is refused, and what refuses it.
#[derive(Debug, PartialEq)]
pub(super) struct NexusRefusal {
    pub(super) reason: String,
    /// A role or a setting, for the signature.
    pub(super) by: String,
}

/// The answer to the agent.
#[derive(Debug, Default)]
pub(super) struct HookReply {
    /// Why its action is refused.
    pub(super) refusal: Option<NexusRefusal>,
    /// Context for it, the most important part first.
    pub(super) parts: Vec<(ContextPart, String)>,
}

impl HookReply {
    /// Makes a reply of this part, if there is a text.
    fn of(part: ContextPart, text: Option<String>) -> HookReply {
        HookReply::of_all([(part, text)])
    }

    fn of_all<const N: usize>(parts: [(ContextPart, Option<String>); N]) -> HookReply {
        let parts = parts.into_iter().filter_map(|(part, text)| Some((part, text?)));
        HookReply { parts: parts.collect(), ..HookReply::default() }
    }
}

/// Does what the event asks for, and returns the reply to it.
pub(super) fn answer(turn: &mut Turn<'_>, by_rules: &Outcome) -> HookReply {
    let is_blocked = matches!(by_rules, Outcome::Block(_));
    let Some(mut hook) = NexusHook::of(turn) else {
        let prompt = turn.event.prompt.as_deref().filter(|_| !is_blocked);
        return prompt.map(prompt::answer_without_nexus).unwrap_or_default();
    };
    hook.problems.extend(env::harness_problem().map(Problem::by_event));
    hook.apply_waiting();
    let reply = match turn.event.hook {
        Hook::SessionStart => session::start(&mut hook),
        Hook::SessionEnd => session::end(&mut hook),
        Hook::UserPromptSubmit if !is_blocked => prompt::answer(&mut hook),
        Hook::PreToolUse if !is_blocked => tool::before(&mut hook),
        Hook::PostToolUse | Hook::PostToolUseFailure => tool::after(&mut hook),
        Hook::SubagentStart => subagent::start(&mut hook),
        Hook::SubagentStop => subagent::stop(&mut hook),
        Hook::Stop => stop::answer(&mut hook),
        Hook::UserPromptSubmit | Hook::PreToolUse | Hook::PostCompact | Hook::Other => HookReply::default(),
    };
    let problems = hook.problems;
    turn.problems.extend(problems);
    reply
}

/// An event in a project that has a `.nexus/`.
struct NexusHook<'e> {
    turn: &'e Turn<'e>,
    event: &'e Event,
    nexus: Nexus,
    /// The name of the agent's folder in `.nexus/state/`.
    harness: String,
    /// How long this event may still wait for the lock.
    lock_timeout: Duration,
    problems: Vec<Problem>,
}

impl<'e> NexusHook<'e> {
    fn of(turn: &'e Turn<'e>) -> Option<NexusHook<'e>> {
        let nexus = of_place(&turn.place);
        // Hooks do not create a missing `.nexus/`.
        if !nexus.exists() {
            return None;
        }
        let harness = env::nexus_harness_id().unwrap_or_else(|| turn.event.harness.to_owned());
        let lock_timeout = turn.budget.within(change::LOCK_TIMEOUT);
        Some(NexusHook { turn, event: &turn.event, nexus, harness, lock_timeout, problems: Vec::new() })
    }

    /// Unwraps a result; an error is added to the problems.
    fn report<T>(&mut self, result: nexus::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.problems.push(problem(&error));
                None
            }
        }
    }

    /// Returns the plan as it is now.
    fn plan(&mut self) -> Option<Plan> {
        let plan = self.nexus.read(PLAN);
        self.report(plan).flatten()
    }

    /// Returns the plan without the decisions, for a line about it.
    fn plan_outline(&mut self) -> Option<Plan> {
        let outline = self.nexus.read::<PlanOutline>(PLAN);
        self.report(outline).flatten().map(Plan::from)
    }

    fn tasks(&mut self) -> Option<Tasks> {
        let tasks = self.nexus.read(TASKS);
        self.report(tasks).flatten()
    }

    /// Returns the tasks without their texts, to be counted.
    fn task_outlines(&mut self) -> Option<Tasks> {
        let outlines = self.nexus.read::<TaskOutlines>(TASKS);
        self.report(outlines).flatten().map(Tasks::from)
    }

    /// Returns the mode of this session.
    fn mode(&mut self) -> Option<Mode> {
        let mode = self.nexus.mode(&self.harness, self.session());
        self.report(mode).flatten()
    }

    fn session(&self) -> Option<&'e str> {
        self.event.session.as_ref().map(|session| session.0.as_str())
    }

    /// Returns a path relative to the root of its worktree, or the absolute path if it is in another project.
    fn within_project(&self, path: &str) -> String {
        let path = without_dots(&self.event.cwd.join(path));
        let project = self.nexus.project();
        if let Some(within) = project::in_other_worktree(&path, project) {
            return files::slashes(&within);
        }
        let within = path.strip_prefix(project).map(Path::to_owned).or_else(|_| {
            // One of the two paths may go through a link.
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
