//! `nudge learn`: what goes wrong again and again, with a rule for it that proved itself on the past.

mod show;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::ProgressBar;

use super::here;
use super::memory;
use super::output::{BOLD, Failure, GREEN, Out, YELLOW, ask, counted, in_line, say, say_problem};
use super::replay::show_bar;
use crate::api::learn::WrittenJson;
use crate::model::Timestamp;
use crate::ops::allow;
use crate::ops::learn::{self, AcceptError, LearnRequest, LearnedFile, Lessons, Proposal, RuleState};
use crate::ops::times;

/// Propose rules for what goes wrong again and again
///
/// Reads what is remembered: failures that came back in several sessions and what ended them, what you took back, calls
/// that a rule blocked and that were tried again, rules that never fire, and rules that stop what works. Each proposal
/// is shown with its evidence and with what it would have done on the calls of the past. In a terminal you decide on one after
/// the other; nothing is switched on that you did not choose, and what you decline is not proposed again. An agent can only list.
#[derive(clap::Args)]
pub(crate) struct LearnArgs {
    /// Only these proposals, by their names
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Only after this: a date, a time, `90d`, `1w`
    #[arg(long, value_name = "WHEN", default_value = "90d", value_parser = times::parse)]
    since: Timestamp,

    /// Only this project (the default)
    #[arg(long, conflicts_with = "all")]
    project: bool,

    /// All projects; accepted proposals become your own rules
    #[arg(short, long)]
    all: bool,

    /// Add accepted proposals to your own rules, for all projects, instead of `.nudge/learned.yaml`
    #[arg(long)]
    user: bool,

    /// Write the proposals to a file for review, instead of asking
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,

    /// Maximum number of entries in each list; 0 shows all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    limit: usize,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &LearnArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let folder = here()?;
    let is_everywhere = args.all || !learn::has_project(&folder);
    let request =
        LearnRequest { since: args.since, folder, is_everywhere, for_user: args.user || is_everywhere };
    if let Some(file) = &args.write {
        refuse_live_file(file, &request)?;
    }
    let Some(memory) = memory::open()? else {
        memory::nothing_yet(args.json, &learn::nothing(&request), out)?;
        if !args.json {
            say("`nudge backfill` remembers earlier sessions, from the transcripts of your agents");
        }
        return Ok(ExitCode::SUCCESS);
    };
    let bar = ProgressBar::hidden();
    let lessons = learn::find(memory, &request, &mut |progress| {
        if progress.read == 0 {
            show_bar(&bar, progress.total);
        }
        bar.set_position(progress.read);
    });
    bar.finish_and_clear();
    let mut lessons = lessons?;
    lessons.problems.iter().for_each(|problem| say_problem(problem, None));
    if lessons.is_cut {
        say(format_args!(
            "{YELLOW}note:{YELLOW:#} only the newest part was looked at; a shorter --since sees all of it"
        ));
    }
    choose(&mut lessons, &args.names)?;
    if let Some(file) = &args.write {
        return write(file, &lessons, args.json, out);
    }
    if args.json {
        out.json(&lessons.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    show::extent(&lessons.json, out)?;
    let may_ask = may_ask(out);
    let proposals = std::mem::take(&mut lessons.proposals);
    if may_ask {
        decide(&proposals, &request, out)?;
    } else {
        proposals.iter().take(bound(args.limit)).try_for_each(|one| show::proposal(&one.shown, out))?;
        if !proposals.is_empty() {
            say("to switch one on, run `nudge learn` yourself, in a terminal of your own");
        }
    }
    show::rest(&lessons.json, bound(args.limit), out)?;
    Ok(ExitCode::SUCCESS)
}

fn bound(limit: usize) -> usize {
    if limit == 0 { usize::MAX } else { limit }
}

/// Only a person at a terminal decides.
fn may_ask(out: &Out) -> bool {
    let terminals = [io::stdin().is_terminal(), out.is_terminal(), io::stderr().is_terminal()];
    !terminals.contains(&false) && allow::running_agent().is_none()
}

/// An agent must not switch a rule on by the name of the file that it writes.
fn refuse_live_file(file: &std::path::Path, request: &LearnRequest) -> Result<(), Failure> {
    let Some(why) = allow::running_agent().filter(|_| learn::is_rule_file(file, request)) else {
        return Ok(());
    };
    let failure = Failure::new(format!("only a person switches rules on, and {why}"));
    Err(failure.hint("write to another file for review, such as `learned-proposals.yaml`"))
}

/// Keeps only the proposals that are named.
fn choose(lessons: &mut Lessons, names: &[String]) -> Result<(), Failure> {
    if names.is_empty() {
        return Ok(());
    }
    let unknown = names.iter().find(|name| !lessons.proposals.iter().any(|one| one.shown.name == **name));
    if let Some(name) = unknown {
        let failure = Failure::new(format!("nothing is proposed under the name `{}`", in_line(name)));
        return Err(failure.hint("`nudge learn` lists the proposals with their names"));
    }
    lessons.keep(names);
    Ok(())
}

fn write(file: &std::path::Path, lessons: &Lessons, json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    let written: Vec<String> = lessons.proposals.iter().map(|one| one.shown.name.clone()).collect();
    if !written.is_empty() {
        learn::write_review(file, &lessons.proposals)?;
    }
    let shown = file.display().to_string();
    if json {
        out.json(&WrittenJson { file: shown, written })?;
    } else if written.is_empty() {
        say("there is nothing to propose, so no file was written");
    } else {
        let count = counted(written.len(), "proposal");
        out.line(format_args!("{GREEN}wrote{GREEN:#} {count} to {}", in_line(&shown)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What a person answers.
enum ProposalAnswer {
    On,
    Shadow,
    Never,
    Edit,
    Later,
    Quit,
}

fn decide(proposals: &[Proposal], request: &LearnRequest, out: &mut Out) -> Result<(), Failure> {
    for (number, proposal) in (1..).zip(proposals) {
        out.line(format_args!("{BOLD}{number} of {}{BOLD:#}", proposals.len()))?;
        show::proposal(&proposal.shown, out)?;
        let mut text = None;
        loop {
            let state = match question()? {
                ProposalAnswer::Quit => return Ok(()),
                ProposalAnswer::Later => break,
                ProposalAnswer::Never => {
                    learn::decline(proposal)?;
                    out.line("not proposed again")?;
                    break;
                }
                ProposalAnswer::Edit => {
                    text = edit(proposal, text)?;
                    continue;
                }
                ProposalAnswer::On => RuleState::On,
                ProposalAnswer::Shadow => RuleState::Shadow,
            };
            match add(proposal, text.as_deref(), state, request) {
                Ok(file) => {
                    let how =
                        if state == RuleState::On { "switched on" } else { "counted from now on, silently" };
                    out.line(format_args!("{GREEN}{how}{GREEN:#} in {}", in_line(&file)))?;
                    break;
                }
                Err(error @ AcceptError::InvalidRule(_)) => {
                    Failure::from(error).report();
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

fn question() -> Result<ProposalAnswer, Failure> {
    loop {
        let answer = ask("Switch on? [y/n/e/s, ? for help]")?;
        return Ok(match answer.as_deref() {
            None | Some("q" | "quit") => ProposalAnswer::Quit,
            Some("y" | "yes") => ProposalAnswer::On,
            Some("n" | "no") => ProposalAnswer::Never,
            Some("e" | "edit") => ProposalAnswer::Edit,
            Some("s" | "shadow") => ProposalAnswer::Shadow,
            Some("") => ProposalAnswer::Later,
            Some(_) => {
                say(
                    "y switches it on, n never proposes it again, e edits it first, s only counts it (shadow),",
                );
                say("Enter leaves it for another time, q stops");
                continue;
            }
        });
    }
}

/// Lets the user change the rule in an editor; returns the new text, or the old one if nothing was changed.
fn edit(proposal: &Proposal, text: Option<String>) -> Result<Option<String>, Failure> {
    let before = text.unwrap_or_else(|| learn::written_text(proposal, RuleState::On));
    let after = learn::edit_text(&before).map_err(|error| {
        Failure::new(format!("the editor cannot be used: {error}"))
            .hint("set EDITOR to a program that edits a file")
    })?;
    match learn::check_rule(&after) {
        Ok(()) => say("changed; y switches it on as it is now"),
        Err(error) => say(format_args!("{YELLOW}warning:{YELLOW:#} {error}; e edits it again")),
    }
    Ok(Some(after))
}

fn add(
    proposal: &Proposal,
    text: Option<&str>,
    state: RuleState,
    request: &LearnRequest,
) -> Result<String, AcceptError> {
    let target = LearnedFile::of(request).ok_or(AcceptError::NoFolder)?;
    match text {
        Some(text) => learn::accept(&target, &learn::in_state(text, state))?,
        None => learn::accept(&target, &learn::written_text(proposal, state))?,
    };
    Ok(target.shown())
}

impl From<AcceptError> for Failure {
    fn from(error: AcceptError) -> Failure {
        let hint = error.hint();
        Failure::new(error.to_string()).hint(hint)
    }
}
