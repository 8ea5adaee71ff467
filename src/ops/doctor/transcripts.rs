//! Transcripts that an agent deletes soon and that were never read, and records that no reader knows.

use crate::config::paths;
use crate::model::{Problem, UnknownRecords, counted};
use crate::ops::observations::backfill;
use crate::ops::observations::database::DATABASE_TIMEOUT;
use crate::store::Reader;
use crate::system::clock;

/// Warns this many days before an agent deletes a transcript.
const DAYS_BEFORE: u32 = 5;

/// Returns what the user should know about transcripts.
pub(crate) fn problems() -> Vec<Problem> {
    let now = clock::timestamp();
    let expiring = backfill::survey().into_iter().filter_map(|survey| {
        let days = survey.agent.transcripts?.deleted_after_days?;
        let limit = now.minus_days(days.saturating_sub(DAYS_BEFORE));
        survey.oldest_unread.filter(|oldest| *oldest <= limit)?;
        let what = counted(survey.unread, "transcript");
        let title = survey.agent.title;
        let problem = Problem::warning(format!(
            "{what} of {title} never read, and {title} deletes what is older than {days} days"
        ));
        Some(problem.hint("`nudge backfill` remembers what is in them"))
    });
    expiring.chain(unknown()).collect()
}

/// Names the types of records that no reader knows.
fn unknown() -> Vec<Problem> {
    let reader = paths::database().and_then(|path| Reader::open(&path, DATABASE_TIMEOUT).ok()?);
    let unknown = reader.and_then(|reader| reader.unknown_records().ok()).unwrap_or_default();
    let named = unknown.into_iter().map(|UnknownRecords { harness, kind, count, agent_version }| {
        let version = agent_version.map(|version| format!(", newest {version}")).unwrap_or_default();
        let records = counted(count, "record");
        Problem::note(format!("{harness}: {records} of type {kind} in transcripts not known{version}"))
            .hint("nothing is wrong, but a newer nudge may read them")
    });
    named.collect()
}
