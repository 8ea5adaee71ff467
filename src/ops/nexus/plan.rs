//! The plan: starts one, shows it, changes its issues, decides them.

use serde_json::Map;

use super::PlanError;
use super::cycle;
use crate::api::nexus::{
    DecidedWire, IssueChangedWire, IssueWire, PlanChange, PlanCountsWire, PlanDecideRequest,
    PlanStartRequest, PlanStartedWire, PlanStatusWire, PlanUpdateRequest,
};
use crate::model::{History, Issue, IssueStatus, Plan};
use crate::nexus::{HISTORY, Nexus, PLAN};
use crate::system::clock;

/// The next step when all issues are decided.
const NEXT: &str = "All issues are decided. Turn the decisions into tasks with nx_task_add.";

/// Starts a plan; an open one is moved to the history first.
pub(crate) fn start(nexus: &Nexus, request: PlanStartRequest) -> Result<PlanStartedWire, PlanError> {
    let (locked, now) = (cycle::lock(nexus)?, clock::iso_now());
    let previous: Option<Plan> = locked.read(PLAN, &now)?;
    let mut history: History = locked.read(HISTORY, &now)?.unwrap_or_default();
    let previous_archived = previous.is_some();
    if let Some(previous) = previous {
        cycle::append(&mut history, &cycle::of(nexus, now.clone(), Some(previous), Vec::new()));
        locked.write(HISTORY, &history)?;
    }
    let issues = (1..).zip(request.issues).map(|(id, title)| Issue::pending(id, title)).collect();
    let plan = Plan {
        schema_version: None,
        id: history.next_plan_id(),
        topic: request.topic,
        issues,
        research_summary: Some(request.research_summary),
        created_at: Some(now),
        rest: Map::new(),
    };
    // The new plan replaces the old one in one step, so there is always a plan.
    locked.write(PLAN, &plan)?;
    Ok(PlanStartedWire {
        created: true,
        plan_id: plan.id,
        issue_count: plan.issues.len(),
        topic: plan.topic,
        previous_archived,
    })
}

pub(crate) fn status(nexus: &Nexus) -> Result<PlanStatusWire, PlanError> {
    let Some(plan) = nexus.read::<Plan>(PLAN)? else {
        return Ok(PlanStatusWire::Inactive { active: false });
    };
    let (total, decided) = (plan.issues.len(), plan.decided());
    Ok(PlanStatusWire::Active {
        active: true,
        plan_id: plan.id,
        topic: plan.topic,
        issues: plan.issues,
        research_summary: plan.research_summary,
        summary: PlanCountsWire { total, pending: total - decided, decided },
    })
}

pub(crate) fn update(nexus: &Nexus, request: PlanUpdateRequest) -> Result<IssueChangedWire, PlanError> {
    with_plan(nexus, |plan| change(plan, request.change().map_err(PlanError::Question)?))
}

pub(crate) fn decide(nexus: &Nexus, request: PlanDecideRequest) -> Result<DecidedWire, PlanError> {
    with_plan(nexus, |plan| decided(plan, request))
}

/// Changes the open plan under the lock.
fn with_plan<R>(
    nexus: &Nexus,
    change: impl FnOnce(&mut Plan) -> Result<R, PlanError>,
) -> Result<R, PlanError> {
    // A request without a plan must not create the folder.
    if !nexus.exists() {
        return Err(PlanError::NoPlan);
    }
    cycle::lock(nexus)?.read_modify_write(PLAN, &clock::iso_now(), |plan: Option<Plan>| {
        let mut plan = plan.ok_or(PlanError::NoPlan)?;
        let result = change(&mut plan)?;
        Ok((plan, result))
    })
}

fn change(plan: &mut Plan, change: PlanChange) -> Result<IssueChangedWire, PlanError> {
    Ok(match change {
        PlanChange::Add { title } => {
            let id = plan.issues.iter().map(|issue| issue.id).max().unwrap_or(0) + 1;
            let issue = Issue::pending(id, title);
            let shown = shown(&issue);
            plan.issues.push(issue);
            IssueChangedWire { added: true, issue: shown, ..IssueChangedWire::default() }
        }
        PlanChange::Remove { issue_id } => {
            let index = plan.issues.iter().position(|issue| issue.id == issue_id);
            plan.issues.remove(index.ok_or(PlanError::IssueNotFound(issue_id))?);
            let issue = IssueWire { id: issue_id, ..IssueWire::default() };
            IssueChangedWire { removed: true, issue, ..IssueChangedWire::default() }
        }
        PlanChange::Edit { issue_id, title } => {
            let issue = plan.issue(issue_id).ok_or(PlanError::IssueNotFound(issue_id))?;
            issue.title = title;
            let issue = IssueWire { status: None, ..shown(issue) };
            IssueChangedWire { edited: true, issue, ..IssueChangedWire::default() }
        }
        PlanChange::Reopen { issue_id } => {
            let issue = plan.issue(issue_id).ok_or(PlanError::IssueNotFound(issue_id))?;
            issue.status = IssueStatus::Pending;
            issue.decision = None;
            IssueChangedWire { reopened: true, issue: shown(issue), ..IssueChangedWire::default() }
        }
    })
}

fn decided(plan: &mut Plan, request: PlanDecideRequest) -> Result<DecidedWire, PlanError> {
    let issue = plan.issue(request.issue_id).ok_or(PlanError::IssueNotFound(request.issue_id))?;
    issue.status = IssueStatus::Decided;
    issue.decision = Some(request.decision);
    let (how, given) = (&mut issue.how, request.how);
    how.agents = given.agents.or(how.agents.take());
    how.summary = given.summary.or(how.summary.take());
    how.agent_ids = given.agent_ids.or(how.agent_ids.take());
    let title = issue.title.clone();
    let remaining: Vec<IssueWire> =
        plan.issues.iter().filter(|issue| !issue.is_decided()).map(shown).collect();
    let all_complete = remaining.is_empty();
    Ok(DecidedWire {
        decided: true,
        issue: title,
        all_complete,
        message: all_complete.then(|| NEXT.to_owned()),
        remaining: (!all_complete).then_some(remaining),
    })
}

fn shown(issue: &Issue) -> IssueWire {
    IssueWire { id: issue.id, title: Some(issue.title.clone()), status: Some(issue.status.clone()) }
}
