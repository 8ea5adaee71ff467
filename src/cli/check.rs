//! `nudge check`: runs the rules about file contents over files.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use super::output::{BOLD, DIM, Failure, Out, RED, YELLOW, counted, say, show_problem};
use crate::config::{env, project, target};
use crate::model::{Problem, Severity};
use crate::ops::check::{Checker, Finding};
use crate::rules::Action;

/// Check files against the rules, for CI
///
/// Every file is looked at as if an agent were writing it now, by the rules that have `match: content`. Files that
/// git ignores are left out. Exit code 1 if a rule with `action: interrupt` fires.
#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    /// Files and folders to check; the whole project if there are none
    paths: Vec<PathBuf>,

    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &CheckArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let here = env::current_dir();
    let root = project::root(None, &here);
    if let Some(missing) = args.paths.iter().find(|path| !here.join(path).exists()) {
        return Err(Failure::new(format!("`{}` does not exist", missing.display())));
    }
    let mut paths: Vec<PathBuf> = args.paths.iter().map(|path| target::normalise(&here.join(path))).collect();
    if paths.is_empty() {
        paths.push(root.clone());
    }
    let checker = Checker::new(&root);
    let files = checker.files(&paths);
    let mut problems: Vec<Problem> =
        checker.problems.iter().filter(|problem| problem.severity > Severity::Note).cloned().collect();
    let mut findings = Vec::new();
    let mut skipped = 0;
    let progress = progress(files.len());
    for file in &files {
        let checked = checker.check(file);
        findings.extend(checked.findings);
        problems.extend(checked.problems);
        skipped += usize::from(checked.skipped);
        progress.inc(1);
    }
    progress.finish_and_clear();
    if args.json {
        let list: Vec<_> = findings.iter().map(finding_json).collect();
        let checked = files.len() - skipped;
        out.json(&json!({ "findings": list, "checked": checked, "skipped": skipped, "problems": problems }))?;
    } else {
        findings.iter().try_for_each(|finding| show(finding, out))?;
        problems.iter().try_for_each(|problem| show_problem(out, problem, None))?;
        say(format_args!("{}", summary(&findings, files.len() - skipped, skipped, checker.rules)));
    }
    // A rule that could not be asked has not been answered, so that CI must not be green.
    let failed = findings.iter().any(|finding| finding.action == Action::Interrupt)
        || problems.iter().any(Problem::is_error);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn show(finding: &Finding, out: &mut Out) -> Result<(), Failure> {
    let (style, word) = match finding.action {
        Action::Interrupt => (RED, "interrupt"),
        Action::Continue => (YELLOW, "continue"),
    };
    let place = finding.lines.first().map(|line| format!(":{line}")).unwrap_or_default();
    let more = match finding.lines.len() {
        0 | 1 => String::new(),
        lines => format!(" {DIM}(and {} more){DIM:#}", counted(lines - 1, "line")),
    };
    let message = finding.message.lines().next().unwrap_or_default();
    let (file, rule) = (&finding.file, &finding.rule);
    out.line(format_args!("{BOLD}{file}{place}{BOLD:#}: {style}{word}{style:#} {rule}: {message}{more}"))
}

fn finding_json(finding: &Finding) -> serde_json::Value {
    json!({
        "file": finding.file,
        "lines": finding.lines,
        "rule": finding.rule,
        "action": finding.action.name(),
        "message": finding.message,
    })
}

fn summary(findings: &[Finding], checked: usize, skipped: usize, rules: usize) -> String {
    let blocking = findings.iter().filter(|finding| finding.action == Action::Interrupt).count();
    let guiding = findings.len() - blocking;
    let left = if skipped > 0 { format!(", {skipped} not text") } else { String::new() };
    let (files, rules) = (counted(checked, "file"), counted(rules, "rule"));
    format!("{files} checked by {rules}{left}: {blocking} to interrupt, {guiding} to continue")
}

fn progress(files: usize) -> indicatif::ProgressBar {
    if !std::io::stderr().is_terminal() {
        return indicatif::ProgressBar::hidden();
    }
    let style = indicatif::ProgressStyle::with_template("{bar:30} {pos}/{len} files {eta}");
    indicatif::ProgressBar::new(files as u64)
        .with_style(style.unwrap_or_else(|_| indicatif::ProgressStyle::default_bar()))
}
