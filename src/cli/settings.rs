//! `nudge settings`: every setting, what it means, and what it is here.

use std::process::ExitCode;

use super::output::{BOLD, CYAN, DIM, Failure, Out, say, show_problem};
use crate::api::list::ListWire;
use crate::api::problem;
use crate::api::setup::{SettingJson, SettingsJson};
use crate::config::settings::{self, KEYS, Settings};
use crate::config::{env, paths};
use crate::system::project;

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
    let root = project::root(None, &env::current_dir());
    let (settings, problems) = settings::load(&root);
    let files: Vec<String> = paths::user_settings()
        .into_iter()
        .chain([settings::project_file(&root)])
        .map(|path| path.display().to_string())
        .collect();
    if args.json {
        let keys = ListWire::whole(KEYS.iter().map(|key| key_json(key, &settings)));
        out.json(&SettingsJson { files, settings: keys, problems: problem::problems(&problems) })?;
        return Ok(ExitCode::SUCCESS);
    }
    for (key, about) in KEYS {
        out.line(format_args!("{BOLD}{key}{BOLD:#}  {DIM}{about}{DIM:#}"))?;
        for (name, value) in settings.shown(key) {
            out.line(format_args!("  {name} = {CYAN}{value}{CYAN:#}"))?;
        }
    }
    problems.iter().try_for_each(|problem| show_problem(out, problem, None))?;
    say(format_args!("read from {}", files.join(" and ")));
    Ok(ExitCode::SUCCESS)
}

fn key_json((key, about): &(&'static str, &'static str), settings: &Settings) -> SettingJson {
    SettingJson { key, about, values: settings.shown(key).into_iter().collect() }
}
