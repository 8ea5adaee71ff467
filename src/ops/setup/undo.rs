//! Plans the undo: byte for byte if nobody else has written the file since, otherwise only without nudge's entries.

use super::{Change, Journaled, SetupPlan, record_of, refused};
use crate::journal::agent_files;
use crate::journal::setup_journal as journal;
use crate::journal::setup_journal::Record;
use crate::model::{AgentFile, Connection, Content, Problem, is_marked_document};
use crate::wiring::{self, Presence};

/// Plans how to disconnect an agent; a file without nudge's entries is left out.
pub(crate) fn plan_undo(connection: &Connection) -> Result<SetupPlan, Problem> {
    let (records, problem) = journal::look();
    let mut plan = SetupPlan::default();
    // Setup may have created the folder of the other files for the first one.
    for file in connection.files.iter().chain(&connection.formerly).rev() {
        disconnect(file, &records, &mut plan)?;
    }
    plan.notes.extend(problem.filter(|_| !plan.changes.is_empty()));
    Ok(plan)
}

fn disconnect(file: &AgentFile, records: &[Record], plan: &mut SetupPlan) -> Result<(), Problem> {
    let record = record_of(file, records);
    let Some(text) = agent_files::read(&file.path)? else {
        plan.stale.extend(record);
        return Ok(());
    };
    let note = |what: &str| Problem::warning(what).at(&file.path.display().to_string(), 0, 0);
    let is_untouched = record.as_ref().is_some_and(|record| record.after == journal::sum(&text));
    let was_made = record.as_ref().is_some_and(|record| record.backup.is_none());
    let copy = record.as_ref().and_then(|record| journal::backed_up(record.backup.as_deref()?));
    let after = if is_untouched && (was_made || copy.is_some()) {
        copy
    } else {
        let unfit = |unfit| refused(&file.path, &unfit);
        if wiring::presence(&text, &file.content).map_err(unfit)? == Presence::Absent {
            plan.stale.extend(record);
            plan.notes.extend(still_called(&text).map(note));
            let is_changed = matches!(file.content, Content::Document(_)) && is_marked_document(&text);
            plan.notes.extend(is_changed.then(|| note(CHANGED)));
            return Ok(());
        }
        let rest = wiring::back_to(copy.as_deref().unwrap_or_default(), &text, &file.content);
        let rest = rest.map_err(unfit)?;
        plan.notes.push(note(match record {
            Some(_) if is_untouched => "the copy of the original is gone; only what calls nudge is removed",
            Some(_) => "others have changed this since; only what calls nudge is removed",
            None => "there is no record of the original; only what calls nudge is removed",
        }));
        let was_made = was_made || matches!(file.content, Content::Own(_) | Content::Document(_));
        (!(was_made && wiring::is_bare(&rest, &file.content))).then_some(rest)
    };
    plan.notes.extend(after.as_deref().and_then(still_called).map(note));
    let made_folders = record.as_ref().map(|record| record.made_folders.clone()).unwrap_or_default();
    if after.as_ref() != Some(&text) {
        let forget = Journaled::Forget { made_folders };
        let path = file.path.clone();
        plan.changes.push(Change { path, before: Some(text), after, record: forget, previous: record });
    }
    Ok(())
}

const CHANGED: &str = "setup wrote this and somebody has changed it since, so it stays; delete it by hand";

/// Returns a warning if a text still calls nudge: somebody else wrote that entry.
fn still_called(text: &str) -> Option<&'static str> {
    let what = "this still has a hook that calls nudge and that setup did not write; remove it by hand";
    wiring::connects(text).then_some(what)
}
