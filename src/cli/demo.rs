//! `nudge demo`: placeholder until the hook works.

use std::process::ExitCode;

use super::output::{Failure, Out};

/// See what nudge does, in a short recorded session
#[derive(clap::Args)]
pub(crate) struct DemoArgs {}

pub(crate) fn run(_: &DemoArgs, _: &mut Out) -> Result<ExitCode, Failure> {
    Err(Failure::new("no demo yet"))
}
