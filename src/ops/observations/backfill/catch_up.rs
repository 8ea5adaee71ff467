//! Reads what is new of one project while a session in it begins, in the background of the server.

use std::path::Path;
use std::time::Duration;

use super::{BackfillError, BackfillRequest, known_sources, run};
use crate::config::{paths, settings};
use crate::files;
use crate::ops::project;

/// Reads what is new of the project of this folder.
///
/// Reading transcripts is offered, not imposed: nothing is read until the user has run `nudge backfill` once. Agents start
/// several servers at once; one of them reads.
pub(crate) fn catch_up(cwd: &Path) -> Result<(), BackfillError> {
    let has_root = project::of_folder(cwd).is_some_and(|project| project.root.is_some());
    if !has_root || !settings::load(cwd).0.remember || known_sources()?.is_empty() {
        return Ok(());
    }
    let Some(path) = paths::backfill_lock() else { return Ok(()) };
    let mut options = files::private_file();
    options.read(true).write(true).create(true);
    let Ok(_lock) = files::lock(&path, &options, Duration::ZERO) else { return Ok(()) };
    let request = BackfillRequest {
        only_in: Some(cwd.to_owned()),
        is_in_background: true,
        ..BackfillRequest::default()
    };
    run(&request, &mut |_| {}).map(drop)
}
