//! `nudge doctor`: shows what went wrong where nobody could be told.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::here;
use super::output::{BOLD, DIM, Failure, GREEN, Out, counted, problem_json, problems_json, show_problem};
use crate::config::{clock, env, paths, problems, project};
use crate::model::Problem;
use crate::ops::validate;

/// Show what is off: broken rules, and problems that hooks met
///
/// Exit code 1 if anything of it is an error now; what hooks met lately does not count.
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
    found.extend(env::problems());
    found.extend(unwritable());
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
            "user_rules": user_rules(),
            "rules": rules,
            "problems": problems_json(&found),
            "log": logged.iter().map(logged_json).collect::<Vec<_>>(),
        }))?;
        return Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS });
    }
    out.line(format_args!("{BOLD}nudge {}{BOLD:#}", env!("CARGO_PKG_VERSION")))?;
    let show = |path: Option<PathBuf>| path.map_or("none".to_owned(), |path| path.display().to_string());
    out.line(format_args!("program     {}", show(env::current_exe())))?;
    out.line(format_args!("project     {}", root.display()))?;
    out.line(format_args!("your rules  {}", show(user_rules())))?;
    out.line(format_args!("data        {}", show(paths::data_dir())))?;
    out.line(format_args!("cache       {}", show(paths::cache_dir())))?;
    if found.is_empty() {
        out.line(format_args!("rules       {GREEN}{rules} loaded, nothing off{GREEN:#}"))?;
    } else {
        out.line(format_args!("rules       {rules} loaded, {}:", counted(found.len(), "problem")))?;
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

/// The user's own rules, whether there are any or not.
fn user_rules() -> Option<PathBuf> {
    Some(paths::user_config_dir()?.join("rules.yaml"))
}

/// Without its folder the program repeats itself, and nobody hears of what hooks meet.
fn unwritable() -> Option<Problem> {
    let Some(folder) = paths::data_dir() else {
        let problem = Problem::error("there is no folder to keep anything in");
        return Some(problem.hint("set HOME to an absolute path"));
    };
    let error = paths::try_writing(&folder).err()?;
    let problem = Problem::error(format!("this folder cannot be written to: {error}"));
    let hint =
        "give it to yourself, or set XDG_DATA_HOME; until then problems are not kept, and `once` repeats";
    Some(problem.at(&folder.display().to_string(), 0, 0).hint(hint))
}

fn logged_json(logged: &problems::Logged) -> Value {
    let mut value = json!({ "at": logged.at });
    if let (Value::Object(all), Value::Object(problem)) = (&mut value, problem_json(&logged.problem)) {
        all.extend(problem);
    }
    value
}

fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}
