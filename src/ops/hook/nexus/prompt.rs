//! A prompt: answers its tags, and says in a line each how far the plan and the tasks are.

use super::{HookReply, NexusHook, called, crew};
use crate::context::brief;
use crate::contract::{NO_NEXUS, Tag, recognise};
use crate::model::{ContextPart, Mode, ModeName};
use crate::ops::nexus::change::NexusChange;

pub(super) fn answer(hook: &mut NexusHook<'_>) -> HookReply {
    // A turn without a prompt was not started by the user.
    let Some(prompt) = &hook.event.prompt else { return HookReply::default() };
    called::stop_all(hook);
    let tagged = recognise(prompt);
    if let Some((mode, auto)) = tagged.iter().rev().find_map(|one| mode(&one.tag)) {
        set_mode(hook, mode, auto);
    }
    let (plan, tasks) = (hook.plan_outline(), hook.task_outlines());
    let skill = if tagged.is_empty() { None } else { crew::skill_beside(hook, prompt) };
    let directive = crew::directives(hook, &tagged, plan.is_some(), skill);
    HookReply::of_all([
        (ContextPart::Tags, directive),
        (ContextPart::Tasks, tasks.as_ref().and_then(brief::tasks)),
        (ContextPart::Plan, plan.as_ref().map(brief::plan)),
    ])
}

/// Answers tags in a project without `.nexus/`, in a line: what a user types is not dropped in silence.
pub(super) fn answer_without_nexus(prompt: &str) -> HookReply {
    let forms: Vec<String> = recognise(prompt).iter().map(|one| format!("`{}`", one.form())).collect();
    let text = forms.first().map(|form| format!("{form} in the user's prompt {NO_NEXUS}"));
    HookReply::of(ContextPart::Tags, text)
}

/// Returns the mode that a tag starts; most tags start none.
fn mode(tag: &Tag) -> Option<(ModeName, bool)> {
    match tag {
        Tag::Plan { auto } => Some((ModeName::Plan, *auto)),
        Tag::Run => Some((ModeName::Run, false)),
        Tag::Sync => Some((ModeName::Sync, false)),
        Tag::Decide | Tag::Remember | Tag::Tidy | Tag::Rule(_) => None,
    }
}

fn set_mode(hook: &mut NexusHook<'_>, mode: ModeName, auto: bool) {
    let session = hook.session().map(str::to_owned);
    let mode = Mode { mode, auto, set_at: hook.now(), session };
    hook.apply(&NexusChange::SetMode(mode));
}
