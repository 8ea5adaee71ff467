//! Decides what setup does with one agent in one place, and what the user should know before it is written.

use std::path::Path;

use super::{
    SetupPlan, apply, connected_by_others, connected_elsewhere, other_servers, plan, plan_undo, prove, revert,
};
use crate::config::env;
use crate::harness::{AGENTS, Agent, InstallPlace};
use crate::model::{Connection, InstallScope, Problem, Proof};
use crate::system::programs;

/// The user's request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SetupRequest {
    pub(crate) undo: bool,
    /// The command line names the place, so the agent is connected there even if it is connected elsewhere.
    pub(crate) names_place: bool,
}

/// What would be done.
#[derive(Debug, Default)]
pub(crate) struct SetupProposal {
    pub(crate) plan: SetupPlan,
    /// The agent is connected elsewhere already, so nothing is changed.
    pub(crate) is_skipped: bool,
}

/// Describes where agents are connected: for the user with this program, in a project with the `nudge` on the `PATH`.
pub(crate) fn place<'p>(
    reach: InstallScope,
    own_program: &'p str,
    home: &'p Path,
    project: &'p Path,
) -> InstallPlace<'p> {
    let program = if reach == InstallScope::User { own_program } else { "nudge" };
    InstallPlace { reach, program, tools: None, home, project, moved: env::folder, exists: Path::exists }
}

/// Returns the agents that are on this machine.
pub(crate) fn found(place: &InstallPlace<'_>) -> Vec<&'static Agent> {
    AGENTS.iter().copied().filter(|agent| is_here(agent, place)).collect()
}

/// Returns whether an agent has a settings folder on this machine, or is on the `PATH`.
pub(crate) fn is_here(agent: &Agent, place: &InstallPlace<'_>) -> bool {
    (agent.settings_folder)(place).is_dir() || programs::find(agent.program).is_some()
}

/// Plans how to connect an agent, or how to disconnect it.
pub(crate) fn propose(
    agent: &Agent,
    connection: &Connection,
    wish: SetupRequest,
) -> Result<SetupProposal, Problem> {
    if wish.undo {
        return Ok(SetupProposal { plan: plan_undo(connection)?, is_skipped: false });
    }
    let mut proposal = SetupProposal { plan: plan(connection)?, is_skipped: false };
    if proposal.plan.changes.is_empty() {
        return Ok(proposal);
    }
    let twice = connected_elsewhere(connection);
    if !twice.is_empty() {
        let message = format!("{} is already connected, through {}", agent.title, twice.join(" and "));
        proposal.plan.notes.push(if wish.names_place {
            Problem::warning(message).hint("every event now arrives twice; undo one of them")
        } else {
            Problem::note(message).hint("to connect it here as well, use `--user` or `--project`")
        });
    }
    if !twice.is_empty() && !wish.names_place {
        proposal.plan.changes.clear();
        proposal.is_skipped = true;
        return Ok(proposal);
    }
    let by_others = connected_by_others(connection);
    if !by_others.is_empty() {
        let message = format!("{} may call the hooks in {} as well", agent.title, by_others.join(" and "));
        let note = Problem::note(message).hint("if events arrive twice, disable that in its settings");
        proposal.plan.notes.push(note);
    }
    proposal.plan.notes.extend(other_servers(connection));
    Ok(proposal)
}

/// Carries out the plan; the new entries must answer a test event, or everything is restored.
pub(crate) fn write_and_prove(
    plan: &mut SetupPlan,
    reach: InstallScope,
    plan_again: impl Fn() -> Result<SetupPlan, Problem>,
    proof: &Proof,
) -> Result<(), Problem> {
    apply(plan, reach, plan_again)?;
    prove(proof).map_err(|why| revert(plan, reach, why))
}
