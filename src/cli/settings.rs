//! `nudge settings`: every setting, what it means, and what it is here.

use std::process::ExitCode;

use super::output::{BOLD, CYAN, DIM, Failure, Out, say, show_problem};
use crate::api::list::ListWire;
use crate::api::problem;
use crate::api::setup::{SettingJson, SettingsJson};
use crate::ops::here;
use crate::ops::settings::{self, ShownSetting};

/// List the settings, their meaning and their value here
///
/// They come from your own config.toml and from `.nudge/config.toml` of the project, which can only restrict them.
#[derive(clap::Args)]
pub(crate) struct SettingsArgs {
    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &SettingsArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let overview = settings::overview(&here::root(&here::folder_or_root()));
    if args.json {
        out.json(&SettingsJson {
            files: overview.files,
            settings: ListWire::whole(overview.settings.into_iter().map(to_json)),
            problems: problem::problems(&overview.problems),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    for ShownSetting { key, about, values } in &overview.settings {
        for (name, value) in values {
            out.line(format_args!("{BOLD}{name}{BOLD:#} = {CYAN}{value}{CYAN:#}"))?;
        }
        if values.is_empty() {
            out.line(format_args!("{BOLD}{key}{BOLD:#}  {DIM}not set{DIM:#}"))?;
        }
        out.row(format_args!("  {DIM}{about}{DIM:#}"))?;
    }
    overview.problems.iter().try_for_each(|problem| show_problem(out, problem, None))?;
    say(format_args!("read from {}", overview.files.join(" and ")));
    Ok(ExitCode::SUCCESS)
}

fn to_json(setting: ShownSetting) -> SettingJson {
    let ShownSetting { key, about, values } = setting;
    SettingJson { key, about, values: values.into_iter().collect() }
}
