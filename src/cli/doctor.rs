//! `nudge doctor`: shows what went wrong where nobody could be told.

use std::process::ExitCode;

use serde_json::json;

use super::here;
use super::output::{BOLD, DIM, Failure, GREEN, Out, show_problem};
use crate::config::{clock, env, paths, problems, project};
use crate::model::Problem;
use crate::ops::validate;

/// Show what is off: broken rules, and problems that hooks met
///
/// Exit code 1 if a rule is off now.
#[derive(clap::Args)]
pub(crate) struct DoctorArgs {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// So many of the last problems are shown.
const RECENT: usize = 20;

pub(crate) fn run(args: &DoctorArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let root = project::root(None, &here()?);
    let (files, mut found) = validate::project(&root);
    let rules: usize = files.iter().map(|file| file.rules.len()).sum();
    found.extend(files.into_iter().flat_map(|file| file.problems));
    found.retain(|problem| problem.severity > crate::model::Severity::Note);
    let failed = found.iter().any(Problem::is_error);
    let logged = problems::recent(RECENT);
    if args.json {
        out.json(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "program": env::current_exe(),
            "project": root,
            "data": paths::data_dir(),
            "cache": paths::cache_dir(),
            "user_rules": paths::user_config_dir(),
            "rules": rules,
            "problems": found,
            "log": logged,
        }))?;
        return Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS });
    }
    out.line(format_args!("{BOLD}nudge {}{BOLD:#}", env!("CARGO_PKG_VERSION")))?;
    let show =
        |path: Option<std::path::PathBuf>| path.map_or("none".to_owned(), |path| path.display().to_string());
    out.line(format_args!("program     {}", show(env::current_exe())))?;
    out.line(format_args!("project     {}", root.display()))?;
    out.line(format_args!("your rules  {}", show(paths::user_config_dir())))?;
    out.line(format_args!("data        {}", show(paths::data_dir())))?;
    out.line(format_args!("cache       {}", show(paths::cache_dir())))?;
    if found.is_empty() {
        out.line(format_args!("rules       {GREEN}{rules} loaded, nothing off{GREEN:#}"))?;
    } else {
        out.line(format_args!("rules       {rules} loaded, {} problems:", found.len()))?;
        found.iter().try_for_each(|problem| show_problem(out, problem, None))?;
    }
    if !logged.is_empty() {
        out.line(format_args!("\n{BOLD}What hooks met lately{BOLD:#} (times ago)"))?;
        let now = clock::unix_seconds();
        for one in &logged {
            out.line(format_args!("{DIM}{:>5}{DIM:#}  {}", ago(now.saturating_sub(one.at)), one.problem))?;
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}
