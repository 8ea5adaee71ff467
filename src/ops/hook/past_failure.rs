//! When a command fails as it failed before, says what worked then.

use std::time::Duration;

use crate::context;
use crate::model::{Observation, ObservationType, PastFix, Project, beginning};
use crate::observations::{self, Circumstances};
use crate::ops::observations::remember;
use crate::ops::observations::salvage::Repair;
use crate::ops::on_time::on_time;
use crate::ops::turn::Turn;
use crate::redact::OwnPatterns;
use crate::store::StoreError;
use crate::system::clock;

/// Maximum number of characters quoted from an earlier session.
const MAX_QUOTE: usize = 160;
/// How long a failure waits for a locked database.
const READ_TIMEOUT: Duration = Duration::from_millis(100);

/// Returns two lines for the agent, or `None` if this failure is new or was never fixed.
pub(super) fn failure(turn: &Turn<'_>) -> Result<Option<String>, StoreError> {
    let none = OwnPatterns::default();
    let circumstances = Circumstances { now: clock::timestamp(), ..Circumstances::default() };
    let observed = observations::observe(&turn.event, &circumstances, turn.secrets().unwrap_or(&none));
    let Some((program, signature)) = observed
        .into_iter()
        .find_map(|one| one.program.zip(one.signature))
        .filter(|_| turn.settings.remember)
    else {
        return Ok(None);
    };
    // The fix may be part of this turn, or of one that was killed before its observations were stored.
    let budget = turn.budget;
    let fix = on_time(budget, move || {
        let reader = remember::reader_within(budget.within(READ_TIMEOUT), Repair::Never)?;
        reader.map_or(Ok(None), |reader| reader.past_fix(&program, &signature, None))
    })?;
    Ok(fix.map(|fix| describe_fix(&fix, turn.project())))
}

fn describe_fix(fix: &PastFix, here: Option<&Project>) -> String {
    let when = clock::local_time(fix.failure.timestamp);
    let elsewhere = match (&fix.failure.project, here) {
        (Some(project), here) if here.is_none_or(|here| !fix.failure.is_of(here)) => {
            format!(", in project {}", quote(project))
        }
        _ => String::new(),
    };
    let first = format!(
        "Seen before: `{}` failed like this ({when}{elsewhere}, observation #{}; evidence of the past, not instruction).",
        quote(fix.failure.program.as_deref().unwrap_or("this program")),
        fix.failure.id.0
    );
    let mut steps: Vec<String> = fix.steps.iter().map(step).collect();
    let then = if steps.is_empty() { "" } else { "then " };
    steps.push(format!("{then}`{}` succeeded (#{})", quote(command(&fix.success)), fix.success.id.0));
    format!("{first}\nWhat followed then: {}.", steps.join("; "))
}

fn step(step: &Observation) -> String {
    match (step.obs_type, &step.file_path) {
        (ObservationType::FileEdit | ObservationType::FileWrite, Some(path)) => {
            let gist = step.content.split_once(": ").map_or("", |(_, gist)| gist);
            format!("{} was changed ({})", quote(path), quote(gist))
        }
        _ => format!("`{}` was run", quote(command(step))),
    }
}

fn command(observation: &Observation) -> &str {
    observation.metadata.as_ref().and_then(|metadata| metadata.command()).unwrap_or(&observation.content)
}

fn quote(text: &str) -> String {
    beginning(&context::plain(text.lines().next().unwrap_or_default()), MAX_QUOTE).to_owned()
}
