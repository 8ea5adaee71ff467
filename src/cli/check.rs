//! `nudge check`: runs the rules about file contents over files.

mod formats;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::here;
use super::output::{BOLD, DIM, Failure, Out, RED, YELLOW, counted, in_line, say, say_problem, show_problem};
use crate::api::problem;
use crate::api::rules::{CheckJson, FindingJson, SkippedFileJson};
use crate::model::{Problem, Severity};
use crate::ops::here::{normalised, root as root_of};
use crate::ops::rules::Action;
use crate::ops::rules::check::{Checker, Finding, Skip, SkippedFile};

/// Check files against the rules, for CI
///
/// Runs every rule with `match: content` against every file, as if an agent were writing it now. Files ignored by git
/// or a `.ignore` file are skipped. Exit code 1 if a rule with `action: interrupt` fires, or could not be evaluated.
#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    /// Files and folders to check [default: the whole project]
    paths: Vec<PathBuf>,

    /// Format of the findings: text, json, sarif for code scanning, github for annotations in a workflow
    #[arg(long, value_name = "FORMAT", default_value = "text", conflicts_with = "json")]
    format: CheckFormat,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum CheckFormat {
    Text,
    Json,
    Sarif,
    Github,
}

pub(crate) fn run(args: &CheckArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let here = here()?;
    let root = root_of(&here);
    let paths = paths(args, &here, &root)?;
    let checker = Checker::new(&root);
    let mut report = CheckReport {
        problems: checker.problems.iter().filter(|one| one.severity > Severity::Note).cloned().collect(),
        ..CheckReport::default()
    };
    if checker.rules > 0 {
        report.check(&checker, &paths);
    }
    match args.format {
        CheckFormat::Json => out.json(&report.to_json())?,
        CheckFormat::Text if args.json => out.json(&report.to_json())?,
        CheckFormat::Sarif => out.json(&formats::sarif(&report.findings, &report.problems))?,
        CheckFormat::Text => {
            report.findings.iter().try_for_each(|finding| show(finding, out))?;
            report.problems.iter().try_for_each(|problem| show_problem(out, problem, None))?;
            report.say_rest(checker.rules);
        }
        CheckFormat::Github => {
            let lines = report.findings.iter().flat_map(formats::annotations);
            let lines = lines.chain(report.problems.iter().map(formats::problem_annotation));
            lines.into_iter().try_for_each(|line| out.line(line))?;
            report.say_rest(checker.rules);
        }
    }
    Ok(if report.failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn paths(args: &CheckArgs, here: &Path, root: &Path) -> Result<Vec<PathBuf>, Failure> {
    if let Some(missing) = args.paths.iter().find(|path| !here.join(path).exists()) {
        let failure = Failure::new(format!("`{}` does not exist", missing.display()));
        return Err(
            failure.hint("name files and folders as seen from here, or nothing to check the whole project")
        );
    }
    if args.paths.is_empty() {
        return Ok(vec![root.to_owned()]);
    }
    Ok(args.paths.iter().map(|path| normalised(&here.join(path))).collect())
}

/// What became of all files.
#[derive(Default)]
struct CheckReport {
    findings: Vec<Finding>,
    problems: Vec<Problem>,
    skipped: Vec<SkippedFile>,
    checked: usize,
}

impl CheckReport {
    fn check(&mut self, checker: &Checker, paths: &[PathBuf]) {
        let (files, skipped) = checker.files(paths);
        self.skipped = skipped;
        let progress = progress(files.len());
        for file in &files {
            let checked = checker.check(file);
            self.findings.extend(checked.findings);
            self.problems.extend(checked.problems);
            match checked.skipped {
                Some(why) => self.skipped.push(SkippedFile { file: checker.shown(file), why }),
                None => self.checked += 1,
            }
            progress.inc(1);
        }
        progress.finish_and_clear();
    }

    /// A rule that could not be asked has not been answered, so that CI must not be green.
    fn failed(&self) -> bool {
        self.findings.iter().any(|finding| finding.action == Action::Interrupt)
            || self.problems.iter().any(Problem::is_error)
    }

    fn to_json(&self) -> CheckJson {
        let finding = |finding: &Finding| FindingJson {
            file: finding.file.clone(),
            lines: finding.lines.clone(),
            rule: finding.rule.clone(),
            action: finding.action.name(),
            message: finding.message.clone(),
        };
        let skipped =
            |one: &SkippedFile| SkippedFileJson { file: one.file.clone(), reason: one.why.to_string() };
        CheckJson {
            findings: self.findings.iter().map(finding).collect(),
            checked: self.checked,
            skipped: self.skipped.iter().map(skipped).collect(),
            problems: problem::problems(&self.problems),
        }
    }

    fn say_rest(&self, rules: usize) {
        self.skipped.iter().filter(|one| one.why != Skip::Binary).for_each(say_skipped);
        say(self.summary(rules));
    }

    fn summary(&self, rules: usize) -> String {
        if rules == 0 {
            return "no file was checked: no rule here is about the content of files".to_owned();
        }
        let blocking = self.findings.iter().filter(|finding| finding.action == Action::Interrupt).count();
        let guiding = self.findings.len() - blocking;
        let binary = self.skipped.iter().filter(|one| one.why == Skip::Binary).count();
        let named = self.skipped.len() - binary;
        let binary = if binary > 0 { format!(", {binary} not text") } else { String::new() };
        let named = if named > 0 { format!(", {named} not checked") } else { String::new() };
        let (files, rules) = (counted(self.checked, "file"), counted(rules, "rule"));
        let (errors, warnings) = (counted(blocking, "error"), counted(guiding, "warning"));
        format!("{files} checked by {rules}{binary}{named}: {errors}, {warnings}")
    }
}

fn say_skipped(skipped: &SkippedFile) {
    let message = format!("not checked: {}", skipped.why);
    say_problem(&Problem::warning(message).at(&skipped.file, 0, 0), None);
}

fn show(finding: &Finding, out: &mut Out) -> Result<(), Failure> {
    let (style, word) = match finding.action {
        Action::Interrupt => (RED, "interrupt"),
        Action::Ask => (YELLOW, "ask"),
        Action::Continue => (YELLOW, "continue"),
    };
    let place = finding.lines.first().map(|line| format!(":{line}")).unwrap_or_default();
    let more = match finding.lines.len() {
        0 | 1 => String::new(),
        lines => format!(" {DIM}(and {} more){DIM:#}", counted(lines - 1, "line")),
    };
    let message = finding.message.lines().next().unwrap_or_default();
    let (file, rule) = (in_line(&finding.file), in_line(&finding.rule));
    out.line(format_args!("{BOLD}{file}{place}{BOLD:#}: {style}{word}{style:#} {rule}: {message}{more}"))
}

fn progress(files: usize) -> indicatif::ProgressBar {
    if !std::io::stderr().is_terminal() {
        return indicatif::ProgressBar::hidden();
    }
    let style = indicatif::ProgressStyle::with_template("{bar:30} {pos}/{len} files {eta}");
    indicatif::ProgressBar::new(files as u64)
        .with_style(style.unwrap_or_else(|_| indicatif::ProgressStyle::default_bar()))
}
