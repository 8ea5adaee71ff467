//! What a new session would see, for `nudge context`.

use std::path::Path;

use super::hook::session_context;
use crate::config::settings::{self, Settings};
pub(crate) use crate::context::{Chosen, ContextLimits, Rendered};
use crate::store::StoreError;
use crate::system::project;

/// The context of a new session.
pub(crate) struct SessionPreview {
    pub(crate) rendered: Rendered,
    pub(crate) limits: ContextLimits,
    /// Why it is empty, if it is.
    pub(crate) why_empty: &'static str,
}

/// Composes what a session sees that starts in this folder, in this way.
pub(crate) fn preview(folder: &Path, source: &str) -> Result<SessionPreview, StoreError> {
    let (settings, _) = settings::load(&project::root(None, folder));
    let limits = session_context::limits(&settings, Some(source));
    let rendered = session_context::in_folder(folder, &limits, &settings)?.unwrap_or_default();
    Ok(SessionPreview { rendered, limits, why_empty: why_empty(&settings) })
}

fn why_empty(settings: &Settings) -> &'static str {
    if !settings.remember {
        "a session sees nothing: `observations.enabled` is false"
    } else if settings.context_budget == 0 {
        "a session sees nothing: `context.budget` is 0"
    } else {
        "a session sees nothing: nothing is remembered of this project yet"
    }
}
