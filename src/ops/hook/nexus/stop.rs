//! The end of a turn: during a run, says what is left to do, and keeps the agent at it where a user wants that.

use super::{Said, Scene};
use crate::context::brief;
use crate::model::{ModeName, Part};

pub(super) fn answer(scene: &mut Scene<'_>) -> Said {
    if !scene.mode().is_some_and(|mode| mode.mode == ModeName::Run) {
        return Said::default();
    }
    let left = scene.task_outlines().as_ref().and_then(brief::unfinished);
    // Who goes on only because of a hook is let go, or it would never end.
    if scene.settings.block_stop && !scene.event.stop_hook_active {
        return Said { refusal: left, ..Said::default() };
    }
    Said::of(Part::Tasks, left)
}
