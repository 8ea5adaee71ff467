//! The plan: starts one, shows it, changes its issues, decides them.

use serde_json::Map;

use super::PlanError;
use super::closing::TasksAfter;
use super::cycle::{self, Archive};
use crate::api::nexus::{
    DecidedWire, IssueChangedWire, IssueWire, PlanChange, PlanCountsWire, PlanDecideRequest,
    PlanStartRequest, PlanStartedWire, PlanStatusWire, PlanUpdateRequest, PreviousPlanChoice,
    PreviousPlanWire,
};
use crate::model::{History, Issue, IssueStatus, Plan, counted};
use crate::nexus::{HISTORY, Nexus, PLAN};
use crate::system::clock;

/// The next step when all issues are decided.
const NEXT: &str = "All issues are decided. Turn the decisions into tasks with nx_task_add.";

/// Starts a plan; an open one is moved to the history first, unless it is the same one again.
pub(crate) fn start(nexus: &Nexus, request: PlanStartRequest) -> Result<PlanStartedWire, PlanError> {
    let (locked, now) = (cycle::lock(nexus)?, clock::iso_now());
    let open: Option<Plan> = locked.read(PLAN, &now)?;
    if let Some(open) = open.as_ref().filter(|open| is_repeated(&request, open)) {
        let message = format!("plan {} is open already, and was left as it is", open.id);
        return Ok(started(open, None, Some(message)));
    }
    let history: History = locked.read(HISTORY, &now)?.unwrap_or_default();
    let mut next_id = history.next_plan_id();
    let previous = open.as_ref().map(|open| {
        let (all, decided) = (open.issues.len(), open.decided());
        PreviousPlanWire { plan_id: open.id, topic: open.topic.clone(), decided, pending: all - decided }
    });
    if let Some(open) = open {
        if request.previous == PreviousPlanChoice::Refuse {
            let pending = open.issues.len() - open.decided();
            return Err(PlanError::PlanOpen { id: open.id, topic: open.topic, pending });
        }
        let archive =
            Archive { plan: Some(open), tasks: Vec::new(), after: TasksAfter::Keep, extension: None };
        let (cycle, ..) = archive.write(&locked, history, now.clone())?;
        next_id = next_id.max(cycle.plan.map_or(0, |plan| plan.id) + 1);
    }
    let issues = (1..).zip(request.issues).map(|(id, title)| Issue::pending(id, title)).collect();
    let plan = Plan {
        schema_version: None,
        id: next_id,
        topic: request.topic,
        issues,
        research_summary: Some(request.research_summary),
        created_at: Some(now),
        rest: Map::new(),
    };
    locked.write(PLAN, &plan)?;
    let message = previous.as_ref().map(|before| {
        format!(
            "plan {} `{}` was open, with {} to decide, and went to the history; tell the user",
            before.plan_id,
            before.topic,
            counted(before.pending, "issue")
        )
    });
    Ok(started(&plan, previous, message))
}

/// Returns whether a request names the plan that is open: a model that is unsure calls a tool twice.
fn is_repeated(request: &PlanStartRequest, open: &Plan) -> bool {
    let is_there = |title: &String| open.issues.iter().any(|issue| issue.title == *title);
    request.topic == open.topic && request.issues.iter().all(is_there)
}

fn started(plan: &Plan, previous: Option<PreviousPlanWire>, message: Option<String>) -> PlanStartedWire {
    PlanStartedWire {
        created: true,
        plan_id: plan.id,
        issue_count: plan.issues.len(),
        topic: plan.topic.clone(),
        previous_archived: previous.is_some(),
        previous,
        message,
    }
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
    with_plan(nexus, |plan| match request.plan_id {
        Some(meant) if meant != plan.id => Err(PlanError::OtherPlan { open: plan.id, meant }),
        _ => decided(plan, request),
    })
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
