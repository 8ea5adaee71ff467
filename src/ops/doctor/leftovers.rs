//! What a killed setup left behind, and journals that could not be read.

use std::fs;
use std::path::{Path, PathBuf};

use crate::journal::agent_files;
use crate::journal::setup_journal as journal;
use crate::journal::setup_journal::Journal;
use crate::model::{AgentFile, Problem};

/// Reports a journal that cannot be read, journals that were set aside, and unfinished files.
pub(crate) fn problems(files: &[&AgentFile]) -> Vec<Problem> {
    let aside = |path: PathBuf| {
        let problem = Problem::warning("the journal of `nudge setup` could not be read, and was set aside");
        problem.at(&path.display().to_string(), 0, 0).hint("fix it and move it back, or delete it")
    };
    let unfinished = |path: PathBuf| {
        let problem = Problem::warning("a killed `nudge setup` left this behind");
        problem.at(&path.display().to_string(), 0, 0).hint("run `nudge doctor --fix`")
    };
    let mut all: Vec<Problem> = journal::look().1.into_iter().collect();
    all.extend(journal::broken().into_iter().map(aside));
    all.extend(unfinished_for(files).into_iter().map(unfinished));
    all
}

/// Removes unfinished files, if no setup is running.
pub(crate) fn clear(files: &[&AgentFile]) -> Vec<Result<String, Problem>> {
    if unfinished_for(files).is_empty() {
        return Vec::new();
    }
    let about = |error: &std::io::Error| {
        Problem::error(format!("what a killed setup left behind cannot be removed: {error}"))
    };
    let _journal = match Journal::take() {
        Ok(journal) => journal,
        Err(error) => return vec![Err(about(&error))],
    };
    let remove = |path: PathBuf| match fs::remove_file(&path) {
        Ok(()) => Ok(format!("`{}` was removed", path.display())),
        Err(error) => Err(about(&error).at(&path.display().to_string(), 0, 0)),
    };
    unfinished_for(files).into_iter().map(remove).collect()
}

fn unfinished_for(files: &[&AgentFile]) -> Vec<PathBuf> {
    let real: Vec<PathBuf> = files.iter().map(|file| agent_files::real(&file.path)).collect();
    let own = journal::folder().ok();
    let folders = real.iter().flat_map(|path| agent_files::folders_of(path));
    agent_files::find_unfinished(folders.chain(own.as_deref().map(Path::new)))
}
