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
use crate::ops::rules::check::{Baseline, Checker, FileChoice, Finding, Skip, SkippedFile};

/// Check files against the rules, for CI
///
/// Runs every rule with `match: content` against every file, as if an agent were writing it now. Files ignored by git
/// or a `.ignore` file are skipped. With --changed and --staged, whole files are checked, not only their changed lines.
/// Exit code 1 if a rule with `action: interrupt` fires, or could not be evaluated.
#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    /// Files and folders to check [default: the whole project]
    paths: Vec<PathBuf>,

    /// Format of the findings: text, json, sarif for code scanning, github for annotations in a workflow
    #[arg(long, value_name = "FORMAT", default_value = "text", conflicts_with = "json")]
    format: CheckFormat,

    /// Check only what has changed since the last commit, or with =BASE since this branch left BASE; with new files
    #[arg(long, value_name = "BASE", num_args = 0..=1, require_equals = true, conflicts_with = "staged")]
    changed: Option<Option<String>>,

    /// Check what the next commit has, as it is staged: for a pre-commit hook
    #[arg(long)]
    staged: bool,

    /// Leave out the findings that this file accepts
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Accept everything that is found now, and write it to the baseline
    #[arg(long, requires = "baseline", conflicts_with_all = ["changed", "staged", "paths"])]
    update_baseline: bool,

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
    let accepted = args.baseline.as_ref().map(|file| here.join(file));
    let mut baseline = match &accepted {
        Some(file) if !args.update_baseline => read_baseline(file)?,
        _ => Baseline::default(),
    };
    if checker.rules > 0 {
        report.check(&checker, &paths, args.choice())?;
    }
    if let Some(file) = accepted.filter(|_| args.update_baseline) {
        return write_baseline(&file, &report);
    }
    report.accepted = baseline.take_from(&mut report.findings);
    // Only if everything was checked is it known that something is not found any more.
    report.outdated = if args.is_whole() { baseline.len() } else { 0 };
    match args.format {
        CheckFormat::Json => out.json(&report.to_json())?,
        CheckFormat::Text if args.json => out.json(&report.to_json())?,
        CheckFormat::Sarif => out.json(&formats::sarif(&report.findings, &report.problems))?,
        CheckFormat::Text => {
            report.findings.iter().try_for_each(|finding| show(finding, out))?;
            report.problems.iter().try_for_each(|problem| show_problem(out, problem, None))?;
            report.say_rest(checker.rules);
            say_left_out(checker.about_sessions);
        }
        CheckFormat::Github => {
            let lines = report.findings.iter().flat_map(formats::annotations);
            let lines = lines.chain(report.problems.iter().map(formats::problem_annotation));
            lines.into_iter().try_for_each(|line| out.line(line))?;
            report.say_rest(checker.rules);
            say_left_out(checker.about_sessions);
        }
    }
    Ok(if report.failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

impl CheckArgs {
    fn choice(&self) -> FileChoice<'_> {
        match &self.changed {
            _ if self.staged => FileChoice::Staged,
            Some(base) => FileChoice::Changed(base.as_deref()),
            None => FileChoice::All,
        }
    }

    fn is_whole(&self) -> bool {
        self.paths.is_empty() && matches!(self.choice(), FileChoice::All)
    }
}

fn read_baseline(file: &Path) -> Result<Baseline, Failure> {
    Baseline::read(file).map_err(|why| {
        let failure = Failure::new(format!("the baseline `{}` cannot be read: {why}", file.display()));
        failure.hint("add --update-baseline to write it: everything that is found now is then accepted")
    })
}

fn write_baseline(file: &Path, report: &CheckReport) -> Result<ExitCode, Failure> {
    if let Some(problem) = report.problems.iter().find(|problem| problem.is_error()) {
        return Err(
            Failure::new(problem.to_string()).hint("a baseline is written when all rules can be tried")
        );
    }
    let baseline = Baseline::of(&report.findings);
    let failed = |error: std::io::Error| Failure::new(format!("cannot write `{}`: {error}", file.display()));
    baseline.write(file).map_err(failed)?;
    say(format!("{} accepted in {}", counted(baseline.len(), "finding"), file.display()));
    Ok(ExitCode::SUCCESS)
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
    /// Findings that the baseline accepts, and entries of it that are not found any more.
    accepted: usize,
    outdated: usize,
}

impl CheckReport {
    fn check(&mut self, checker: &Checker, paths: &[PathBuf], choice: FileChoice<'_>) -> Result<(), Failure> {
        let (files, skipped) = checker.files(paths, choice).map_err(|error| {
            let failure = Failure::new(error.to_string());
            error.hint().into_iter().fold(failure, Failure::hint)
        })?;
        self.skipped = skipped;
        let progress = progress(files.len());
        let results = checker.check_all(&files, &|| progress.inc(1));
        progress.finish_and_clear();
        for (file, checked) in files.iter().zip(results) {
            self.findings.extend(checked.findings);
            self.problems.extend(checked.problems);
            match checked.skipped {
                Some(why) => self.skipped.push(SkippedFile { file: checker.shown(&file.path), why }),
                None => self.checked += 1,
            }
        }
        Ok(())
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
            accepted: self.accepted,
            outdated: self.outdated,
            skipped: self.skipped.iter().map(skipped).collect(),
            problems: problem::problems(&self.problems),
        }
    }

    fn say_rest(&self, rules: usize) {
        self.skipped.iter().filter(|one| one.why != Skip::Binary).for_each(say_skipped);
        say(self.summary(rules));
        if self.accepted > 0 {
            say(format!("{} accepted by the baseline", counted(self.accepted, "finding")));
        }
        if self.outdated > 0 {
            let entries = counted(self.outdated, "finding");
            say(format!(
                "{entries} of the baseline not found any more: --update-baseline removes what is fixed"
            ));
        }
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

fn say_left_out(rules: usize) {
    match rules {
        0 => {}
        1 => say("1 rule asks what happened in a session, so it is left out"),
        _ => say(format!("{rules} rules ask what happened in a session, so they are left out")),
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
