//! A session begins, goes on after its window was compacted, or ends.

use super::deed::Deed;
use super::{Said, Scene};
use crate::context::{brief, snapshot};
use crate::model::Part;

/// Makes the folders, begins the tracker, and tells what there is to read.
pub(super) fn start(scene: &mut Scene<'_>) -> Said {
    // A subagent is not a session of its own.
    if scene.event.agent_id.is_some() {
        return Said::default();
    }
    let is_new = matches!(scene.event.cause.as_deref(), None | Some("startup" | "clear"));
    scene.make(&Deed::BeginSession { keep: !is_new });
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
    scene.make(&Deed::EndSession { own_mode });
    let rotated = scene.nexus.rotate_tool_log(&scene.harness);
    scene.tell(rotated);
    let left = scene.task_outlines().as_ref().and_then(brief::unfinished);
    Said::of(Part::Tasks, left)
}
