//! `nudge validate`: says whether the rules are right.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::here;
use super::output::{BOLD, DIM, Failure, Out, counted, in_line, say_problem, show_problem};
use crate::api::problem;
use crate::api::rules::{ValidatedFileJson, ValidationJson};
use crate::model::{FilePosition, Problem, Severity};
use crate::ops::here::root as root_of;
use crate::ops::rules::json_schema;
use crate::ops::rules::shown;
use crate::ops::rules::validate::{self, Validated};

/// Check rule files: keys, patterns, globs, examples
///
/// Without a file, checks all rules of this project and your own. Exit code 1 if there is an error.
#[derive(clap::Args)]
pub(crate) struct ValidateArgs {
    /// Rule file to check
    file: Option<PathBuf>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,

    /// Print the JSON Schema of rule files, for editors
    #[arg(long, exclusive = true)]
    schema: bool,
}

pub(crate) fn run(args: &ValidateArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    if args.schema {
        out.json(&json_schema())?;
        return Ok(ExitCode::SUCCESS);
    }
    let here = here()?;
    let root = root_of(&here);
    let (files, others) = match &args.file {
        Some(path) => (vec![one_file(path)?], Vec::new()),
        None => validate::project(&root),
    };
    let failed = files.iter().flat_map(|file| &file.problems).chain(&others).any(Problem::is_error);
    if args.json {
        out.json(&to_json(&files, &others, failed))?;
    } else {
        // A file that was named is named from here.
        show(&files, &others, if args.file.is_some() { &here } else { &root }, out)?;
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn one_file(path: &Path) -> Result<Validated, Failure> {
    validate::file(path).map_err(|error| {
        let failure = Failure::new(format!("`{}` cannot be read: {error}", path.display()));
        failure.hint("run `nudge validate` without a file to check all rules of this project")
    })
}

fn show(files: &[Validated], others: &[Problem], base: &Path, out: &mut Out) -> Result<(), Failure> {
    for file in files {
        let count = counted(file.rules.len(), "rule");
        out.line(format_args!("{BOLD}{}{BOLD:#}: {count} loaded", file.shown))?;
        for rule in &file.rules {
            let off =
                if rule.enabled { String::new() } else { format!(" {DIM}(off: enabled is false){DIM:#}") };
            let name = in_line(&rule.name);
            out.line(format_args!("  - {name} ({}, {}){off}", rule.hook.name(), rule.action.name()))?;
        }
    }
    for problem in files.iter().flat_map(|file| &file.problems).chain(others) {
        let source = problem.place.as_ref().and_then(|place| source(place, base));
        // The list of rules stays as the RFC shows it, whatever else is worth knowing.
        if problem.severity == Severity::Note {
            say_problem(problem, source.as_deref());
        } else {
            show_problem(out, problem, source.as_deref())?;
        }
    }
    if files.is_empty() && others.is_empty() {
        out.line(format_args!("no rule files in {}", base.display()))?;
        out.line("start with `.nudge.yaml`; `nudge demo` shows one at work")?;
    }
    Ok(())
}

/// Reads the file of a place that has a line; only such a file has been read before, and is no pipe.
fn source(place: &FilePosition, base: &Path) -> Option<String> {
    let path = (place.line > 0).then(|| base.join(&place.file))?;
    std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn to_json(files: &[Validated], others: &[Problem], failed: bool) -> ValidationJson {
    let file = |file: &Validated| ValidatedFileJson {
        file: file.shown.clone(),
        rules: file.rules.iter().map(shown::to_json).collect(),
        problems: problem::problems(&file.problems),
    };
    ValidationJson {
        ok: !failed,
        files: files.iter().map(file).collect(),
        problems: problem::problems(others),
    }
}
