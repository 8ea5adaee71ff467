//! `nudge validate`: says whether the rules are right.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::here;
use super::output::{BOLD, DIM, Failure, Out, counted, in_line, say_problem, show_problem};
use super::replay::{self, ReplayArgs};
use crate::api::problem;
use crate::api::rules::{ValidatedFileJson, ValidationJson};
use crate::model::{FilePosition, Problem, Severity};
use crate::ops::here::root as root_of;
use crate::ops::here::short_path;
use crate::ops::rules::json_schema;
use crate::ops::rules::replay::RuleChoice;
use crate::ops::rules::shown;
use crate::ops::rules::validate::{self, Validated};

/// Maximum number of calls of each rule that are shown after a replay.
const MAX_SHOWN: usize = 10;

/// Check rule files: keys, patterns, globs, examples
///
/// Without a file, checks all rules of this project and your own. Exit code 1 if there is an error. With --replay, also
/// tries the rules on the calls of the past.
#[derive(clap::Args)]
pub(crate) struct ValidateArgs {
    /// Rule file to check
    file: Option<PathBuf>,

    #[command(flatten)]
    replay: ReplayArgs,

    /// With --replay: exit code 1 if rules would have stopped more than this many calls that went well
    #[arg(long, value_name = "N", requires = "replay", default_value_t = 0)]
    max_false_alarms: usize,

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
    let tried = match args.replay.replay {
        Some(since) => {
            let choice = RuleChoice { name: None, file: args.file.clone() };
            Some(args.replay.run(since, &choice)?)
        }
        None => None,
    };
    let alarms = tried.as_ref().map_or(0, |(request, replayed)| replayed.count_false_alarms(&request.rules));
    let failed = alarms > args.max_false_alarms
        || files.iter().flat_map(|file| &file.problems).chain(&others).any(Problem::is_error);
    if args.json {
        let replay = tried.as_ref().map(|(request, replayed)| replayed.to_json(request));
        out.json(&ValidationJson { replay, ..to_json(&files, &others, failed) })?;
    } else {
        // A file that was named is named from here.
        show(&files, &others, if args.file.is_some() { &here } else { &root }, out)?;
        if let Some((request, replayed)) = &tried {
            replay::show(request, replayed, MAX_SHOWN, out)?;
            let most = args.max_false_alarms;
            let verdict = if alarms > most { "more than" } else { "at most" };
            out.line(format_args!("{}, {verdict} {most}", counted(alarms, "false alarm")))?;
        }
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
        for rule in file.rules.iter().filter(|rule| rule.pack.is_none()) {
            let state = match (rule.enabled, rule.shadow) {
                (false, _) => format!(" {DIM}(disabled){DIM:#}"),
                (true, true) => format!(" {DIM}(shadow: only counted){DIM:#}"),
                (true, false) => String::new(),
            };
            let name = in_line(&rule.name);
            out.line(format_args!("  - {name} ({}, {}){state}", rule.hook.name(), rule.action.name()))?;
        }
        for of_pack in file.rules.chunk_by(|one, next| one.pack == next.pack) {
            let Some(pack) = &of_pack[0].pack else { continue };
            let disabled = of_pack.iter().filter(|rule| !rule.enabled).count();
            let but = if disabled > 0 { format!(", {disabled} disabled") } else { String::new() };
            out.line(format_args!("  - pack {pack} ({}{but})", counted(of_pack.len(), "rule")))?;
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
        out.line(format_args!("no rule files in {}", short_path(base)))?;
        out.line("`nudge init` makes one; `nudge demo` shows rules at work")?;
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
        replay: None,
    }
}
