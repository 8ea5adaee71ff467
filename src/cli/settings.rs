//! `nudge settings`: every setting, what it means, and what it is here; `set` and `unset` change one.

use std::path::Path;
use std::process::ExitCode;

use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, in_line, say, show_problem};
use super::window::wrapped;
use crate::api::list::{ListWire, MapWire};
use crate::api::problem;
use crate::api::setup::{SettingEditJson, SettingJson, SettingsJson};
use crate::ops::here::{self, short_path};
use crate::ops::settings::{
    self, SetBy, SettingEditError, SettingEditReport, SettingValue, SettingsOf, ShownSetting,
};

/// List the settings, their meaning and their value here
///
/// They come from your own config.toml and from `.nudge/config.toml` of the project, which can only restrict them.
#[derive(clap::Args)]
pub(crate) struct SettingsArgs {
    #[command(subcommand)]
    command: Option<SettingsCommand>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum SettingsCommand {
    Set(SettingsSetArgs),
    Unset(SettingsUnsetArgs),
}

/// Change a setting, for you or for this project
///
/// Writes your own config.toml, which applies in all projects, or with --project the `.nudge/config.toml` of this one.
/// The value is checked first; comments and everything else in the file stay.
#[derive(clap::Args)]
struct SettingsSetArgs {
    /// Name of the setting, such as `context.rows`
    key: String,

    /// Its new value
    #[arg(allow_hyphen_values = true)]
    value: String,

    #[command(flatten)]
    edit: SettingsEditArgs,
}

/// Remove a setting, so that its default applies again
#[derive(clap::Args)]
struct SettingsUnsetArgs {
    /// Name of the setting, such as `context.rows`
    key: String,

    #[command(flatten)]
    edit: SettingsEditArgs,
}

#[derive(clap::Args)]
struct SettingsEditArgs {
    /// Change the settings of this project, which can only restrict yours
    #[arg(long)]
    project: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &SettingsArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    match &args.command {
        None => list(args.json, out),
        Some(SettingsCommand::Set(args)) => change(&args.key, Some(&args.value), &args.edit, out),
        Some(SettingsCommand::Unset(args)) => change(&args.key, None, &args.edit, out),
    }
}

/// In front of what a setting means.
const INDENT: &str = "  ";

fn list(json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    let overview = settings::overview(&here::root(&here::folder_or_root()));
    if json {
        out.json(&SettingsJson {
            files: overview.files,
            settings: ListWire::whole(overview.settings.into_iter().map(to_json)),
            problems: problem::problems(&overview.problems),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    for ShownSetting { key, about, values } in &overview.settings {
        for SettingValue { key, value, set_by } in values {
            let note = match set_by {
                SetBy::Default => "",
                SetBy::User => "  # yours",
                SetBy::Project => "  # of this project",
            };
            out.line(format_args!("{BOLD}{key}{BOLD:#} = {CYAN}{value}{CYAN:#}{DIM}{note}{DIM:#}"))?;
        }
        if values.is_empty() {
            out.line(format_args!("{BOLD}{key}{BOLD:#}  {DIM}not set{DIM:#}"))?;
        }
        for line in wrapped(about, out.width().map_or(usize::MAX, |width| width.saturating_sub(INDENT.len())))
        {
            out.line(format_args!("{INDENT}{DIM}{line}{DIM:#}"))?;
        }
    }
    overview.problems.iter().try_for_each(|problem| show_problem(out, problem, None))?;
    let files: Vec<String> = overview.files.iter().map(|file| short_path(Path::new(file))).collect();
    say(format_args!("read from {}; `nudge settings set KEY VALUE` changes one", files.join(" and ")));
    Ok(ExitCode::SUCCESS)
}

fn change(
    key: &str,
    value: Option<&str>,
    args: &SettingsEditArgs,
    out: &mut Out,
) -> Result<ExitCode, Failure> {
    let root = here::root(&super::here()?);
    let of = if args.project { SettingsOf::Project } else { SettingsOf::User };
    let report = settings::change(&root, of, key, value)?;
    let SettingEditReport { file, is_changed, applies, is_overruled, written, problems } = &report;
    if args.json {
        out.json(&SettingEditJson {
            key,
            value: written.as_deref(),
            changed: *is_changed,
            applies: applies.as_deref(),
            file: file.display().to_string(),
            problems: problem::problems(problems),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let (name, file) = (in_line(key), short_path(file));
    match (written, is_changed) {
        (Some(value), true) => {
            let value = in_line(value);
            out.line(format_args!(
                "{GREEN}set{GREEN:#}  {BOLD}{name}{BOLD:#} = {CYAN}{value}{CYAN:#}  {DIM}{file}{DIM:#}"
            ))?;
        }
        (None, true) => {
            out.line(format_args!("{GREEN}unset{GREEN:#}  {BOLD}{name}{BOLD:#}  {DIM}{file}{DIM:#}"))?;
        }
        (Some(value), false) => out.line(format_args!("{name} is {} already in {file}", in_line(value)))?,
        (None, false) => out.line(format_args!("{name} is not set in {file}"))?,
    }
    if *is_overruled {
        let applies = applies.as_deref().map_or_else(|| "nothing".to_owned(), in_line);
        say(format_args!("here {applies} applies: between you and a project the stricter value is used"));
    }
    problems.iter().try_for_each(|problem| show_problem(out, problem, None))?;
    Ok(ExitCode::SUCCESS)
}

impl From<SettingEditError> for Failure {
    fn from(error: SettingEditError) -> Failure {
        Failure::new(error.message).hint_if(error.hint)
    }
}

fn to_json(setting: ShownSetting) -> SettingJson {
    let ShownSetting { key, about, values } = setting;
    let set_by = values.iter().map(|one| (one.key.clone(), one.set_by.name())).collect();
    SettingJson {
        key,
        about,
        values: MapWire(values.into_iter().map(|one| (one.key, one.value)).collect()),
        set_by: MapWire(set_by),
    }
}
