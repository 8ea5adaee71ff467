//! `nudge trust`: shows the rules that a repository brings, and keeps what a person has seen.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use super::output::{
    BOLD, CYAN, DIM, Failure, GREEN, Out, YELLOW, confirm, counted, in_line, say, show_problem, visible,
};
use super::rows::ago;
use super::{diff, here};
use crate::api::list::ListWire;
use crate::api::trust::{SeenRulesJson, TrustJson};
use crate::ops::allow;
use crate::ops::times;
use crate::ops::trust::{self, ProjectRules, RuleTrust};

/// Show the rules that this repository brings, and trust them
///
/// The rules of a repository apply at once, and a session tells you of new and changed ones. This shows the files that you
/// have not seen and asks you; what you trust is kept by its content, on this machine. With `trust = "required"` under
/// `[rules]` in your own settings, rules that you have not trusted may block, but their texts reach no agent. Only a person
/// at a terminal can trust: it refuses to run inside an agent.
#[derive(clap::Args)]
pub(crate) struct TrustArgs {
    /// List the rule files that you trust, of all projects, and those of this one that you do not
    #[arg(long, conflicts_with_all = ["revoke", "diff"])]
    list: bool,

    /// Show only what changed since you trusted it
    #[arg(long, conflicts_with = "revoke")]
    diff: bool,

    /// Forget that you have seen the rules of this project, or one of its files
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    revoke: Option<String>,

    /// Print JSON, with --list, --diff or --revoke
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &TrustArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let (files, problems) = trust::files(&here()?);
    if args.list {
        return list(&files, args.json, out);
    }
    if let Some(name) = &args.revoke {
        let named: Vec<ProjectRules> =
            files.into_iter().filter(|file| name.is_empty() || file.shown == *name).collect();
        if named.is_empty() && !name.is_empty() {
            let failure = Failure::new(format!("`{}` is not a rule file of this project", in_line(name)));
            return Err(failure.hint("`nudge trust --list` lists them"));
        }
        return revoke(&named, args.json, out);
    }
    let unseen: Vec<ProjectRules> =
        files.iter().filter(|file| file.state != RuleTrust::Seen).cloned().collect();
    if args.json {
        if args.diff {
            out.json(&ListWire::<TrustJson>::whole(unseen.iter().map(|file| to_json(file, true))))?;
            return Ok(ExitCode::SUCCESS);
        }
        let failure = Failure::new("a person has to answer, so there is no JSON for this").usage();
        return Err(failure.hint("`nudge trust --list --json` lists the files"));
    }
    problems.iter().try_for_each(|problem| show_problem(out, problem, None))?;
    if unseen.is_empty() {
        match files.len() {
            0 => say("this project has no rules"),
            _ => say("you trust all rules of this project"),
        }
        return Ok(ExitCode::SUCCESS);
    }
    for file in &unseen {
        show(file, args.diff, out)?;
    }
    if args.diff {
        return Ok(ExitCode::SUCCESS);
    }
    demand_person(out)?;
    let rules: usize = unseen.iter().map(|file| file.rules).sum();
    if !confirm(&format!("Trust {} in {}?", counted(rules, "rule"), counted(unseen.len(), "file")))? {
        say("nothing is trusted");
        return Ok(ExitCode::FAILURE);
    }
    trust::see(&unseen).map_err(|error| unwritable(&error))?;
    out.line(format_args!("{GREEN}trusted{GREEN:#}  {}", counted(unseen.len(), "file")))?;
    Ok(ExitCode::SUCCESS)
}

/// Trust is a person's: an agent that could give it would give it to the rules that steer it.
fn demand_person(out: &Out) -> Result<(), Failure> {
    let hint = "run `nudge trust` yourself, in a terminal of your own";
    if let Some(why) = allow::running_agent() {
        return Err(Failure::new(format!("only a person can trust rules, and {why}")).hint(hint));
    }
    if [io::stdin().is_terminal(), out.is_terminal(), io::stderr().is_terminal()].contains(&false) {
        return Err(
            Failure::new("only a person can trust rules, and nobody is at a terminal here").hint(hint)
        );
    }
    Ok(())
}

/// Shows a file as it is, or what changed in it; the text comes from a repository, so nothing in it may act on the terminal.
fn show(file: &ProjectRules, only_changes: bool, out: &mut Out) -> Result<(), Failure> {
    let (style, name) = (if file.state == RuleTrust::New { CYAN } else { YELLOW }, in_line(&file.shown));
    out.line(format_args!(
        "{BOLD}{name}{BOLD:#}  {style}{}{style:#}  {DIM}{}{DIM:#}",
        file.state.name(),
        counted(file.rules, "rule")
    ))?;
    let now = shown_text(&file.text);
    match trust::earlier_text(file).filter(|_| only_changes || file.state == RuleTrust::Changed) {
        Some(before) => diff::show(&shown_text(&before), &now, out)?,
        None => now.lines().try_for_each(|line| out.line(format_args!("  {line}")))?,
    }
    out.line("")
}

fn shown_text(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", visible(line))).collect()
}

fn list(files: &[ProjectRules], json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    let seen = trust::all_seen();
    if json {
        let seen = seen.iter().map(|file| SeenRulesJson::of(&file.path, &file.digest, file.at));
        let here = files.iter().map(|file| to_json(file, false));
        out.json(&ListWire::<TrustJson>::whole(here.chain(seen.map(TrustJson::Seen))))?;
        return Ok(ExitCode::SUCCESS);
    }
    for file in files {
        let style = if file.state == RuleTrust::Seen { GREEN } else { YELLOW };
        out.row(format_args!(
            "{style}{:8}{style:#}  {BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}",
            file.state.name(),
            in_line(&file.shown),
            counted(file.rules, "rule")
        ))?;
    }
    let is_here = |path: &std::path::Path| files.iter().any(|file| file.path == path);
    for file in seen.iter().filter(|file| !is_here(&file.path)) {
        out.row(format_args!(
            "{DIM}{:8}{DIM:#}  {}  {DIM}{}{DIM:#}",
            "elsewhere",
            in_line(&file.path.display().to_string()),
            ago(file.at, times::now())
        ))?;
    }
    if files.is_empty() && seen.is_empty() {
        out.line("no rule file is trusted, and this project has none")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn revoke(files: &[ProjectRules], json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    let count = trust::revoke(files).map_err(|error| unwritable(&error))?;
    if json {
        out.json(&crate::api::trust::RevokedRulesJson { revoked: count })?;
    } else {
        out.line(format_args!("{YELLOW}revoked{YELLOW:#}  {}", counted(count, "file")))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn unwritable(error: &io::Error) -> Failure {
    let failure = Failure::new(format!("what you trust cannot be written down: {error}"));
    failure.hint("check that the data folder is writable and has room")
}

fn to_json(file: &ProjectRules, with_text: bool) -> TrustJson {
    let earlier = with_text.then(|| trust::earlier_text(file)).flatten();
    TrustJson::Here {
        file: file.shown.clone(),
        state: file.state.name(),
        rules: file.rules,
        text: with_text.then(|| file.text.clone()),
        earlier,
    }
}
