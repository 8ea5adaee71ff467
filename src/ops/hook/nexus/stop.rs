//! The end of a turn: during a run, says what is left to do, and keeps the agent working if the user wants that.

use super::{HookReply, NexusHook, NexusRefusal, called};
use crate::context::brief;
use crate::model::{ContextPart, ModeName};

pub(super) fn answer(hook: &mut NexusHook<'_>) -> HookReply {
    called::stop_all(hook);
    if !hook.mode().is_some_and(|mode| mode.mode == ModeName::Run) {
        return HookReply::default();
    }
    let left = hook.task_outlines().as_ref().and_then(brief::unfinished);
    // An agent that continues only because of a hook may stop, or it would never end.
    if hook.turn.settings.block_stop && !hook.event.stop_hook_active {
        let by = "nexus.block_stop".to_owned();
        let refusal = left.map(|reason| NexusRefusal { reason, by });
        return HookReply { refusal, ..HookReply::default() };
    }
    HookReply::of(ContextPart::Tasks, left)
}
