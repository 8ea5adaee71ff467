//! Tells a member of a team at the start of a session that rows have not moved for long: nobody would notice otherwise.

use std::time::Duration;

use crate::model::{DAY, Problem, TeamState, Timestamp, Topic};
use crate::ops::observations::remember;
use crate::ops::observations::salvage::Repair;
use crate::ops::on_time::on_time;
use crate::ops::turn::Turn;
use crate::store::{Reader, StoreError};
use crate::system::clock;

/// How long a new session waits for a locked database.
const READ_TIMEOUT: Duration = Duration::from_millis(100);

/// Returns why no rows are exchanged with the team, if the user should hear of it.
pub(super) fn team_trouble(turn: &Turn<'_>) -> Option<Problem> {
    turn.settings.team.url.as_ref()?;
    let budget = turn.budget;
    let state = on_time(budget, move || {
        let Some(reader) = remember::reader_within(budget.within(READ_TIMEOUT), Repair::Never)? else {
            return Ok::<_, StoreError>(None);
        };
        let state = reader.team_state()?;
        Reader::leave_open(reader);
        Ok(state)
    });
    let why = describe(&state.ok()??, clock::timestamp())?;
    Some(Problem::warning(why).hint("nothing is lost; see `nudge team status`").by_event().about(Topic::Team))
}

/// Says what has lasted for more than a day, or does not get better by itself.
fn describe(state: &TeamState, now: Timestamp) -> Option<String> {
    if let Some(why) = &state.rests {
        return Some(format!("nothing is exchanged until the settings change: {why}"));
    }
    let days = now.since(state.failing_since?) / DAY;
    let why = state.problem.as_deref().unwrap_or("no reason is known");
    match days {
        ..1 => None,
        1 => Some(format!("nothing was exchanged for a day: {why}")),
        _ => Some(format!("nothing was exchanged for {days} days: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use super::describe;
    use crate::model::{DAY, RandomId, TeamState, Timestamp};

    #[test]
    fn what_lasts_is_said_and_a_bad_hour_is_not() {
        let state = |rests: Option<&str>, failing_since: Option<i64>| TeamState {
            url: String::new(),
            machine: RandomId([0; 16]),
            epoch: None,
            member: None,
            level: None,
            version: None,
            tried_at: None,
            reached_at: None,
            sent_at: None,
            sent: 0,
            brought_at: None,
            brought: 0,
            problem: failing_since.map(|_| "refused".to_owned()),
            failing_since: failing_since.map(Timestamp),
            rests: rests.map(str::to_owned),
        };
        for (rests, failing_since, expected) in [
            (None, None, None),
            (None, Some(9 * DAY + 1), None),
            (None, Some(9 * DAY), Some("nothing was exchanged for a day: refused")),
            (None, Some(7 * DAY), Some("nothing was exchanged for 3 days: refused")),
            (Some("wrong"), Some(10 * DAY), Some("nothing is exchanged until the settings change: wrong")),
        ] {
            assert_eq!(describe(&state(rests, failing_since), Timestamp(10 * DAY)).as_deref(), expected);
        }
    }
}
