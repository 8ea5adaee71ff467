//! A prompt: its tags are answered, and where plan and tasks stand is said in a line each.

use super::deed::Deed;
use super::{Said, Scene};
use crate::context::brief;
use crate::contract::{Tag, directives, recognise};
use crate::model::{Mode, ModeName, Part};

pub(super) fn answer(scene: &mut Scene<'_>) -> Said {
    // What a machine put in says nothing in the user's name.
    let Some(prompt) = &scene.event.prompt else { return Said::default() };
    let tagged = recognise(prompt);
    if let Some((mode, auto)) = tagged.iter().rev().find_map(|one| mode(&one.tag)) {
        set_mode(scene, mode, auto);
    }
    let (plan, tasks) = (scene.plan_outline(), scene.task_outlines());
    Said::of_all([
        (Part::Tags, directives(&tagged, plan.is_some())),
        (Part::Tasks, tasks.as_ref().and_then(brief::tasks)),
        (Part::Plan, plan.as_ref().map(brief::plan)),
    ])
}

/// Returns the mode that a tag begins; most are done at once and begin none.
fn mode(tag: &Tag) -> Option<(ModeName, bool)> {
    match tag {
        Tag::Plan { auto } => Some((ModeName::Plan, *auto)),
        Tag::Run => Some((ModeName::Run, false)),
        Tag::Sync => Some((ModeName::Sync, false)),
        Tag::Decide | Tag::Remember | Tag::Tidy | Tag::Rule(_) => None,
    }
}

fn set_mode(scene: &mut Scene<'_>, mode: ModeName, auto: bool) {
    let session = scene.event.session.as_ref().map(|session| session.0.clone());
    let mode = Mode { mode, auto, set_at: scene.now(), session };
    scene.make(&Deed::SetMode(mode));
}
