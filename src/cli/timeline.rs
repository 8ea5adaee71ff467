//! `nudge timeline`: what came before and after an observation.

use std::process::ExitCode;

use super::memory::{self, ObservationArg};
use super::output::{DIM, Failure, Out};
use super::rows::{self, Row};
use crate::api::memory::TimelineJson;
use crate::ops::observations::StoreError;

/// Show what came before and after an observation
///
/// Only the same session is shown.
#[derive(clap::Args)]
pub(crate) struct TimelineArgs {
    /// Number of the observation, for example `42`; `last` is the latest of this project
    #[arg(default_value = "last", value_parser = ObservationArg::parse)]
    id: ObservationArg,

    /// How many before it
    #[arg(long, value_name = "N", default_value_t = 5)]
    before: u16,

    /// How many after it
    #[arg(long, value_name = "N", default_value_t = 5)]
    after: u16,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &TimelineArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let Some(memory) = memory::open()? else {
        memory::nothing_yet(args.json, &TimelineJson::default(), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    let id = args.id.find(&memory)?;
    let found = memory.timeline(id, usize::from(args.before), usize::from(args.after));
    let timeline = found.map_err(|error| match error {
        StoreError::AnchorNotFound => Failure::new(format!("there is no observation {}", id.0))
            .hint("it was deleted, or never existed; `nudge recent` lists the latest"),
        other => other.into(),
    })?;
    if args.json {
        out.json(&TimelineJson {
            anchor: Some(timeline.anchor.into()),
            before: memory::observations_json(&timeline.before),
            after: memory::observations_json(&timeline.after),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    out.line(format_args!("{DIM}session {}{DIM:#}", timeline.anchor.session_id.0))?;
    let before = timeline.before.iter().map(Row::of_observation);
    let anchor = Row::of_observation(&timeline.anchor).marked();
    let after = timeline.after.iter().map(Row::of_observation);
    let rows: Vec<Row> = before.chain([anchor]).chain(after).collect();
    rows::print(&rows, false, out)?;
    Ok(ExitCode::SUCCESS)
}
