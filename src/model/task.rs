//! Tasks: what has to be done, in which order, and its status.
//!
//! Unknown fields are preserved, so that tasks of a newer version survive a change by an older program.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The tasks of the open cycle, as stored in `tasks.json`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Tasks {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) schema_version: Option<String>,
    #[serde(default)]
    pub(crate) goal: String,
    #[serde(default)]
    pub(crate) decisions: Vec<String>,
    #[serde(default)]
    pub(crate) tasks: Vec<Task>,
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) id: u64,
    pub(crate) title: String,
    pub(crate) context: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) approach: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) acceptance: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) risk: Option<String>,
    pub(crate) status: TaskStatus,
    #[serde(default)]
    pub(crate) deps: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan_issue: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner_agent_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner_reuse_policy: Option<ReusePolicy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) created_at: Option<String>,
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TaskStatus {
    Pending,
    InProgress,
    Completed,
    /// A value of a newer version.
    #[serde(untagged)]
    Other(String),
}

/// Whether the agent that worked on a task before is used again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReusePolicy {
    Fresh,
    ResumeIfSameArtifact,
    Resume,
    /// A value of a newer version.
    #[serde(untagged)]
    Other(String),
}

/// The parts of tasks that a line about them needs; long texts are skipped, since every prompt waits for this.
#[derive(Debug, Deserialize)]
pub(crate) struct TaskOutlines {
    #[serde(default)]
    tasks: Vec<TaskOutline>,
}

#[derive(Debug, Deserialize)]
struct TaskOutline {
    id: u64,
    #[serde(default)]
    title: String,
    status: OutlineStatus,
    #[serde(default)]
    deps: Vec<u64>,
}

/// Faster to parse than `TaskStatus`, because it does not preserve unknown values.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OutlineStatus {
    Pending,
    InProgress,
    Completed,
    #[serde(other)]
    Other,
}

impl From<TaskOutlines> for Tasks {
    fn from(outlines: TaskOutlines) -> Tasks {
        let task = |outline: TaskOutline| Task {
            id: outline.id,
            title: outline.title,
            context: String::new(),
            approach: None,
            acceptance: None,
            risk: None,
            status: match outline.status {
                OutlineStatus::Pending => TaskStatus::Pending,
                OutlineStatus::InProgress => TaskStatus::InProgress,
                OutlineStatus::Completed => TaskStatus::Completed,
                OutlineStatus::Other => TaskStatus::Other(String::new()),
            },
            deps: outline.deps,
            plan_issue: None,
            owner: None,
            owner_agent_id: None,
            owner_reuse_policy: None,
            created_at: None,
            rest: Map::new(),
        };
        Tasks { tasks: outlines.tasks.into_iter().map(task).collect(), ..Tasks::default() }
    }
}

impl Tasks {
    pub(crate) fn count(&self, status: &TaskStatus) -> usize {
        self.tasks.iter().filter(|task| task.status == *status).count()
    }

    /// Returns the pending tasks whose dependencies are all completed, in the order of the file.
    pub(crate) fn ready(&self) -> Vec<u64> {
        let completed = self.tasks.iter().filter(|task| task.status == TaskStatus::Completed);
        let completed: HashSet<u64> = completed.map(|task| task.id).collect();
        let ready = |task: &&Task| {
            task.status == TaskStatus::Pending && task.deps.iter().all(|id| completed.contains(id))
        };
        self.tasks.iter().filter(ready).map(|task| task.id).collect()
    }

    /// Returns the tasks that an agent has not completed: those assigned to its id, and those of its role in progress.
    ///
    /// A pending task of a role may be meant for another agent with that role.
    pub(crate) fn left_by(&self, agent_id: &str, role: Option<&str>) -> impl Iterator<Item = &Task> {
        self.tasks.iter().filter(move |task| match task.owner_agent_id.as_deref() {
            Some(owner) => owner == agent_id && task.status != TaskStatus::Completed,
            None => role.is_some() && task.owner.as_deref() == role && task.status == TaskStatus::InProgress,
        })
    }

    /// Returns the task that a new agent works on: the one that names it, or else the only one that its role could begin.
    ///
    /// If there are several, nobody can tell which is meant.
    pub(crate) fn taken_by(&mut self, agent_id: &str, role: Option<&str>) -> Option<&mut Task> {
        let ready: HashSet<u64> = self.ready().into_iter().collect();
        let is_open = |task: &Task| ready.contains(&task.id) || task.status == TaskStatus::InProgress;
        let is_named = |task: &Task| task.owner_agent_id.as_deref() == Some(agent_id);
        let is_of_role = |task: &Task| {
            role.is_some() && task.owner.as_deref() == role && task.owner_agent_id.is_none() && is_open(task)
        };
        let named = self.tasks.iter().position(|task| is_named(task) && task.status == TaskStatus::Pending);
        let mut of_role =
            self.tasks.iter().enumerate().filter(|(_, task)| is_of_role(task)).map(|(at, _)| at);
        let only = of_role.next().filter(|_| of_role.next().is_none());
        // An agent that has a task already does not take another.
        let is_busy = self.tasks.iter().any(is_named);
        let at = named.or_else(|| only.filter(|_| !is_busy))?;
        self.tasks.get_mut(at)
    }

    /// Returns the tasks of this role that can begin, and are not assigned to a particular agent.
    pub(crate) fn pending_for(&self, role: Option<&str>) -> impl Iterator<Item = &Task> {
        let ready = self.ready();
        self.tasks.iter().filter(move |task| ready.contains(&task.id)).filter(move |task| {
            let is_of_role = role.is_some() && task.owner.as_deref() == role;
            is_of_role && task.owner_agent_id.is_none() && task.status == TaskStatus::Pending
        })
    }

    /// Returns the dependencies that are not completed; a missing task never is.
    pub(crate) fn waits_for(&self, task: &Task) -> Vec<u64> {
        let is_done = |id: &u64| {
            self.tasks.iter().any(|other| other.id == *id && other.status == TaskStatus::Completed)
        };
        task.deps.iter().filter(|id| !is_done(id)).copied().collect()
    }
}
