//! Plans the way back: byte for byte where nobody else has written since, otherwise without our entries.

use super::{Change, Journaled, Plan, refused};
use crate::config::agent_files;
use crate::config::setup_journal::{self as journal, Record};
use crate::model::{AgentFile, Connection, Content, Problem};
use crate::wiring::{self, Presence};

/// Plans what disconnects an agent; a file with nothing of ours is left out.
pub(crate) fn plan_undo(connection: &Connection) -> Result<Plan, Problem> {
    let mut plan = Plan::default();
    // The first file may have brought the folder of the others.
    for file in connection.files.iter().rev() {
        disconnect(file, &mut plan)?;
    }
    Ok(plan)
}

fn disconnect(file: &AgentFile, plan: &mut Plan) -> Result<(), Problem> {
    let Some(text) = agent_files::read(&file.path)? else { return Ok(()) };
    let record = journal::record(&agent_files::real(&file.path));
    let made_folders = record.as_ref().map(|record| record.made_folders.clone()).unwrap_or_default();
    let after = match record.as_ref().and_then(|record| way_back(record, &text)) {
        Some(origin) => origin,
        None => {
            let presence = wiring::presence(&text, &file.content);
            if presence.map_err(|unfit| refused(&file.path, &unfit))? == Presence::Absent {
                return Ok(());
            }
            let rest = wiring::without(&text, &file.content).map_err(|unfit| refused(&file.path, &unfit))?;
            let why = match &record {
                Some(_) => "this was changed by others since; only what calls nudge is taken out",
                None => "there is no record of what this was before; only what calls nudge is taken out",
            };
            plan.notes.push(Problem::warning(why).at(&file.path.display().to_string(), 0, 0));
            let was_made = match &file.content {
                Content::Own(_) => true,
                _ => record.as_ref().is_some_and(|record| record.backup.is_none()),
            };
            (!(was_made && wiring::is_bare(&rest, &file.content))).then_some(rest)
        }
    };
    if after.as_ref() != Some(&text) {
        let forget = Journaled::Forget { made_folders };
        let path = file.path.clone();
        plan.changes.push(Change { path, before: Some(text), after, record: forget, previous: record });
    }
    Ok(())
}

/// Returns what was there before us, if the file still is what we wrote: a text, or no file.
fn way_back(record: &Record, text: &str) -> Option<Option<String>> {
    if record.after != journal::sum(text) {
        return None;
    }
    match &record.backup {
        Some(name) => journal::backed_up(name).map(Some),
        None => Some(None),
    }
}
