//! Rows of colleagues in `nudge search` and `nudge forget`.

use std::process::ExitCode;

use super::output::{CYAN, Failure, GREEN, Out, YELLOW, counted, say};
use crate::api::sharing::HiddenJson;
use crate::model::{ColleagueHit, Project, Search};
use crate::ops::sharing::{colleagues, membership};

/// Searches the rows that are here, and those of the server if that is wanted; what fails costs only itself.
pub(super) fn found(search: &Search, project: Option<&Project>, asks_server: bool) -> Vec<ColleagueHit> {
    let mut found = colleagues::search(search, project).unwrap_or_else(|error| {
        say(format_args!("{YELLOW}warning:{YELLOW:#} the rows of colleagues could not be searched: {error}"));
        Vec::new()
    });
    if asks_server {
        match colleagues::search_server(search, project) {
            Ok(more) => {
                let known = |hit: &ColleagueHit, found: &[ColleagueHit]| {
                    found.iter().any(|one| one.author.event_key == hit.author.event_key)
                };
                let room = search.limit.saturating_sub(found.len());
                let more: Vec<ColleagueHit> =
                    more.into_iter().filter(|hit| !known(hit, &found)).take(room).collect();
                found.extend(more);
            }
            Err(error) => {
                say(format_args!("{YELLOW}warning:{YELLOW:#} the team's server was not asked: {error}"));
                say(format_args!("{CYAN}hint:{CYAN:#} {}", error.hint()));
            }
        }
    }
    found
}

/// Hides rows here; their authors and everybody else keep them.
pub(super) fn hide(numbers: &[i64], is_dry: bool, json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    let hidden = if is_dry { 0 } else { numbers.len() };
    if !is_dry {
        numbers.iter().try_for_each(|number| membership::hide_row(*number))?;
    }
    if json {
        out.json(&HiddenJson { hidden })?;
    } else if is_dry {
        say(format_args!("to hide: {} of colleagues", counted(numbers.len(), "row")));
    } else {
        say(format_args!(
            "{GREEN}hidden:{GREEN:#} {} of colleagues, on this machine",
            counted(hidden, "row")
        ));
    }
    Ok(ExitCode::SUCCESS)
}
