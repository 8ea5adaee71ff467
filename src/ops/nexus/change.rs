//! A change that a hook makes in `.nexus/state/`, as a value: applied at once if the lock is free, otherwise left for
//! the next hook. The agent waits for the hook, so the hook hardly waits for the lock.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::{Mode, Task, TaskStatus, Tasks, Timestamp};
use crate::nexus::access::NoteRead;
use crate::nexus::{Locked, Nexus, NexusError, Rest, Result, SessionMoment, TASKS};
use crate::ops::nexus::tracked::{complete, find, make_room, resume, spawned};
use crate::ops::nexus::{PlanError, closing};
use crate::system::clock;

/// A change to the state that hooks keep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NexusChange {
    BeginSession {
        keep: bool,
        session: Option<String>,
        at: String,
    },
    EndSession {
        session: Option<String>,
        at: String,
    },
    StartAgent {
        id: Option<String>,
        role: Option<String>,
        at: String,
        #[serde(default)]
        session: Option<String>,
    },
    StopAgent {
        id: Option<String>,
        role: Option<String>,
        at: String,
        message: Option<String>,
        files: Vec<String>,
        #[serde(default)]
        session: Option<String>,
    },
    SetMode(Mode),
    ClearMode {
        session: Option<String>,
    },
    /// The task that a new subagent works on.
    TakeTask {
        agent_id: String,
        role: Option<String>,
        at: String,
    },
    MoveTasks {
        owner: String,
        from: TaskStatus,
        to: TaskStatus,
        at: String,
    },
    ReadNote {
        note: PathBuf,
        agent: String,
        at: Timestamp,
    },
}

/// How long a hook waits for the lock. A process holds it for milliseconds; one that takes longer was stopped.
pub(crate) const LOCK_TIMEOUT: Duration = Duration::from_millis(250);

/// When a change is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Applied {
    Now,
    Later,
}

pub(crate) fn apply(
    nexus: &Nexus,
    harness: &str,
    change: &NexusChange,
    timeout: Duration,
) -> Result<Applied> {
    match nexus.lock(timeout) {
        Ok(locked) => {
            let (rest, waited) = apply_waiting(&locked, harness);
            // What came first is applied first.
            if rest == Rest::Some && nexus.defer(harness, change).is_ok() {
                return waited.map(|()| Applied::Later);
            }
            apply_one(&locked, harness, change).and(waited).map(|()| Applied::Now)
        }
        Err(NexusError::Busy { .. }) => nexus.defer(harness, change).map(|()| Applied::Later),
        Err(error) => Err(error),
    }
}

/// Applies as many of the waiting changes as one hook has time for.
pub(crate) fn apply_waiting(locked: &Locked<'_>, harness: &str) -> (Rest, Result<()>) {
    locked.make_waiting(harness, &clock::iso_now(), |changes: &[NexusChange]| {
        apply_all(locked, harness, changes)
    })
}

/// Applies changes in their order; one that fails costs only itself.
fn apply_all(locked: &Locked<'_>, harness: &str, changes: &[NexusChange]) -> Result<()> {
    let (mut applied, mut reads) = (Ok(()), Vec::new());
    for change in changes {
        match change {
            // Reads are stored in a separate file, so they can come last, all in one write.
            NexusChange::ReadNote { note, agent, at } => reads.push(NoteRead { note, agent, at: *at }),
            change => applied = applied.and(apply_one(locked, harness, change)),
        }
    }
    applied.and(locked.count_reads(harness, &reads))
}

fn apply_one(locked: &Locked<'_>, harness: &str, change: &NexusChange) -> Result<()> {
    match change {
        NexusChange::BeginSession { keep, session, at } => {
            locked.begin_tracker(harness, *keep, SessionMoment { session: session.as_deref(), at })
        }
        NexusChange::EndSession { session, at } => {
            locked.end_tracker(harness, SessionMoment { session: session.as_deref(), at })?;
            locked.clear_mode_of(harness, session.as_deref())
        }
        NexusChange::StartAgent { id, role, at, session } => {
            locked.see_agent(harness, id.as_deref(), SessionMoment { session: session.as_deref(), at })?;
            locked.change_tracker(harness, at, |agents| {
                match find(agents, id.as_deref(), None) {
                    Some(known) => resume(&mut agents[known], at),
                    None => agents.push(spawned(harness, id.clone(), role.clone(), at)),
                }
                make_room(agents);
            })
        }
        NexusChange::StopAgent { id, role, at, message, files, session } => {
            locked.see_agent(harness, id.as_deref(), SessionMoment { session: session.as_deref(), at })?;
            locked.change_tracker(harness, at, |agents| {
                // An agent that started before the tracker was reset is tracked from now on.
                let known = find(agents, id.as_deref(), role.as_deref()).unwrap_or_else(|| {
                    agents.push(spawned(harness, id.clone(), role.clone(), at));
                    agents.len() - 1
                });
                complete(&mut agents[known], at, message.clone(), files);
                make_room(agents);
            })
        }
        NexusChange::SetMode(mode) => locked.set_mode(harness, mode),
        NexusChange::ClearMode { session } => locked.clear_mode_of(harness, session.as_deref()),
        NexusChange::TakeTask { agent_id, role, at } => {
            let Some(mut tasks) = tasks_of(locked, at)? else { return Ok(()) };
            let Some(task) = tasks.taken_by(agent_id, role.as_deref()) else { return Ok(()) };
            task.status = TaskStatus::InProgress;
            task.owner_agent_id = Some(agent_id.clone());
            locked.write(TASKS, &tasks)
        }
        NexusChange::MoveTasks { owner, from, to, at } => {
            let Some(mut tasks) = tasks_of(locked, at)? else { return Ok(()) };
            let is_affected =
                |task: &Task| task.owner_agent_id.as_ref() == Some(owner) && task.status == *from;
            let mut affected = tasks.tasks.iter_mut().filter(|task| is_affected(task)).peekable();
            if affected.peek().is_none() {
                return Ok(());
            }
            affected.for_each(|task| task.status = to.clone());
            locked.write(TASKS, &tasks)
        }
        NexusChange::ReadNote { note, agent, at } => {
            locked.count_reads(harness, &[NoteRead { note, agent, at: *at }])
        }
    }
}

/// Reads the tasks, after a closing that was left unfinished is finished.
fn tasks_of(locked: &Locked<'_>, at: &str) -> Result<Option<Tasks>> {
    match closing::finish(locked) {
        Err(PlanError::Nexus(error)) => Err(error),
        _ => locked.read(TASKS, at),
    }
}

#[cfg(test)]
mod tests;
