//! What a hook changes in a project, as a value: made at once where the lock is free, and left for the next one where it
//! is not. The agent waits for the hook, so the hook hardly waits for anybody.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Scene;
use super::tracked::{complete, find, make_room, resume, spawned};
use crate::model::{History, Mode, Task, TaskStatus, Tasks, Timestamp};
use crate::nexus::access::NoteRead;
use crate::nexus::{HISTORY, Locked, Nexus, NexusError, Rest, Result, TASKS};
use crate::system::clock;

/// A change of the state that hooks keep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Deed {
    BeginSession {
        keep: bool,
    },
    EndSession {
        own_mode: bool,
    },
    StartAgent {
        id: Option<String>,
        role: Option<String>,
        at: String,
    },
    StopAgent {
        id: Option<String>,
        role: Option<String>,
        at: String,
        message: Option<String>,
        files: Vec<String>,
    },
    SetMode(Mode),
    ClearMode,
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

/// Who holds the lock needs milliseconds; who needs longer was stopped, and an agent does not wait for that.
pub(crate) const PATIENCE: Duration = Duration::from_millis(250);

impl Scene<'_> {
    /// Makes a change, or leaves it for who has the lock next.
    pub(super) fn make(&mut self, deed: &Deed) {
        let made = make(&self.nexus, &self.harness, deed, self.patience);
        if matches!(made, Ok(Made::Later)) {
            // One wait is enough for one event.
            self.patience = Duration::ZERO;
        }
        self.tell(made);
    }

    /// Makes what other hooks had to leave, if nobody has the lock.
    pub(super) fn make_waiting(&mut self) {
        if !self.nexus.has_waiting(&self.harness) {
            return;
        }
        match self.nexus.lock(Duration::ZERO) {
            Ok(locked) => {
                let (_, made) = make_waiting(&locked, &self.harness);
                drop(locked);
                self.tell(made);
            }
            // It waits on.
            Err(NexusError::Busy { .. }) => {}
            Err(error) => drop(self.tell::<()>(Err(error))),
        }
    }
}

/// When a change is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Made {
    Now,
    Later,
}

pub(crate) fn make(nexus: &Nexus, harness: &str, deed: &Deed, patience: Duration) -> Result<Made> {
    match nexus.lock(patience) {
        Ok(locked) => {
            let (rest, waited) = make_waiting(&locked, harness);
            // What came first is made first.
            if rest == Rest::Some && nexus.defer(harness, deed).is_ok() {
                return waited.map(|()| Made::Later);
            }
            play(&locked, harness, deed).and(waited).map(|()| Made::Now)
        }
        Err(NexusError::Busy { .. }) => nexus.defer(harness, deed).map(|()| Made::Later),
        Err(error) => Err(error),
    }
}

/// Makes as much of what waits as one hook has time for.
fn make_waiting(locked: &Locked<'_>, harness: &str) -> (Rest, Result<()>) {
    locked.make_waiting(harness, &clock::iso_now(), |deeds: &[Deed]| play_all(locked, harness, deeds))
}

/// Makes changes in their order; one that fails costs only itself.
fn play_all(locked: &Locked<'_>, harness: &str, deeds: &[Deed]) -> Result<()> {
    let (mut made, mut reads) = (Ok(()), Vec::new());
    for deed in deeds {
        match deed {
            // Reads have a file of their own, so they may come last, all in one write.
            Deed::ReadNote { note, agent, at } => reads.push(NoteRead { note, agent, at: *at }),
            deed => made = made.and(play(locked, harness, deed)),
        }
    }
    made.and(locked.count_reads(harness, &reads))
}

fn play(locked: &Locked<'_>, harness: &str, deed: &Deed) -> Result<()> {
    match deed {
        Deed::BeginSession { keep } => locked.begin_tracker(harness, *keep),
        Deed::EndSession { own_mode } => {
            locked.remove_tracker(harness)?;
            if *own_mode { locked.clear_mode(harness) } else { Ok(()) }
        }
        Deed::StartAgent { id, role, at } => locked.change_tracker(harness, at, |agents| {
            match find(agents, id.as_deref(), None) {
                Some(known) => resume(&mut agents[known], at),
                None => agents.push(spawned(harness, id.clone(), role.clone(), at)),
            }
            make_room(agents);
        }),
        Deed::StopAgent { id, role, at, message, files } => locked.change_tracker(harness, at, |agents| {
            // One that started before the tracker was begun anew is known from now on.
            let known = find(agents, id.as_deref(), role.as_deref()).unwrap_or_else(|| {
                agents.push(spawned(harness, id.clone(), role.clone(), at));
                agents.len() - 1
            });
            complete(&mut agents[known], at, message.clone(), files);
            make_room(agents);
        }),
        Deed::SetMode(mode) => locked.set_mode(harness, mode),
        Deed::ClearMode => locked.clear_mode(harness),
        Deed::MoveTasks { owner, from, to, at } => {
            let Some(mut tasks) = locked.read::<Tasks>(TASKS, at)? else { return Ok(()) };
            let is_meant = |task: &Task| task.owner_agent_id.as_ref() == Some(owner) && task.status == *from;
            let mut meant = tasks.tasks.iter_mut().filter(|task| is_meant(task)).peekable();
            if meant.peek().is_none() {
                return Ok(());
            }
            // Nobody changes tasks while the history cannot be read.
            locked.nexus().read::<History>(HISTORY)?;
            meant.for_each(|task| task.status = to.clone());
            locked.write(TASKS, &tasks)
        }
        Deed::ReadNote { note, agent, at } => {
            locked.count_reads(harness, &[NoteRead { note, agent, at: *at }])
        }
    }
}

#[cfg(test)]
mod tests;
