//! A session begins, goes on after its window was compacted, or ends.

use std::time::Duration;

use super::{Said, Scene};
use crate::context::{brief, snapshot};
use crate::model::Part;
use crate::nexus::PATIENCE;

/// An agent gives all hooks of a session's end a second and a half.
const LAST_PATIENCE: Duration = Duration::from_millis(500);

/// Makes the folders, begins the tracker, and tells what there is to read.
pub(super) fn start(scene: &mut Scene<'_>) -> Said {
    // A subagent is not a session of its own.
    if scene.event.agent_id.is_some() {
        return Said::default();
    }
    let is_new = matches!(scene.event.cause.as_deref(), None | Some("startup" | "clear"));
    let begun = scene.nexus.lock(PATIENCE).and_then(|locked| locked.begin_tracker(&scene.harness, !is_new));
    scene.tell(begun);
    let knowledge = snapshot::knowledge(&scene.nexus.knowledge());
    if scene.event.cause.as_deref() != Some("compact") {
        return Said::of(Part::Knowledge, knowledge);
    }
    let mode = scene.mode();
    let (plan, tasks) = (scene.plan(), scene.tasks());
    let agents = scene.nexus.tracked(&scene.harness);
    let agents = scene.tell(agents).unwrap_or_default();
    Said::of_all([
        (Part::Mode, mode.as_ref().map(snapshot::mode)),
        (Part::Tasks, tasks.as_ref().and_then(snapshot::tasks)),
        (Part::Plan, plan.as_ref().map(snapshot::plan)),
        (Part::Agents, snapshot::agents(&agents)),
        (Part::Knowledge, knowledge),
    ])
}

/// Lets go what is only of this session, and says what is left to do. What is of the project stays.
pub(super) fn end(scene: &mut Scene<'_>) -> Said {
    let own_mode = scene.mode().is_some();
    let ended = scene.nexus.lock(LAST_PATIENCE).and_then(|locked| {
        locked.remove_tracker(&scene.harness)?;
        if own_mode { locked.clear_mode(&scene.harness) } else { Ok(()) }
    });
    scene.tell(ended);
    let rotated = scene.nexus.rotate_tool_log(&scene.harness);
    scene.tell(rotated);
    let left = scene.task_outlines().as_ref().and_then(brief::unfinished);
    Said::of(Part::Tasks, left)
}
