//! `nudge nexus vocabulary`: the words of plans, tasks and agents.

use std::process::ExitCode;

use super::output::{BOLD, CYAN, DIM, Failure, Out};
use crate::api::setup::VocabularyJson;
use crate::ops::nexus::team;
use crate::ops::nexus::vocabulary::{AGENTS, Catalogue, Vocabulary, limits, vocabulary};

/// List the terms of the contract: tags, capabilities, tiers and others
///
/// The bodies of agents and skills come from `nexus.core`, if that is set. `--json` prints everything, including what agents see when a tag occurs.
#[derive(clap::Args)]
pub(crate) struct VocabularyArgs {
    /// Print JSON: all seven parts, the agents and the skills
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &VocabularyArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let (words, catalogue) = (vocabulary(), team::catalogue()?);
    if args.json {
        out.json(&VocabularyJson { words, catalogue })?;
        return Ok(ExitCode::SUCCESS);
    }
    for (part, rows) in parts(&words, &catalogue) {
        out.line(format_args!("{BOLD}{part}{BOLD:#}"))?;
        for (id, about) in rows {
            out.line(format_args!("  {CYAN}{id}{CYAN:#}  {DIM}{about}{DIM:#}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn parts(words: &Vocabulary, catalogue: &Catalogue) -> Vec<(&'static str, Vec<(String, String)>)> {
    fn rows<T>(entries: &[T], row: impl Fn(&T) -> (&str, &str)) -> Vec<(String, String)> {
        let owned = |(id, about): (&str, &str)| (id.to_owned(), about.to_owned());
        entries.iter().map(|entry| owned(row(entry))).collect()
    }
    let agents = AGENTS.iter().map(|agent| {
        let kept_from = limits(agent.capabilities).unwrap_or_default();
        (agent.id.to_owned(), format!("{}; {kept_from}", agent.category))
    });
    vec![
        ("tags", rows(&words.tags, |one| (&one.trigger, &one.description))),
        ("agents", agents.collect()),
        ("skills", rows(&catalogue.skills, |one| (&one.id, &one.summary))),
        ("capabilities", rows(&words.capabilities, |one| (&one.id, &one.description))),
        ("categories", rows(&words.categories, |one| (&one.id, &one.description))),
        ("resume tiers", rows(&words.resume_tiers, |one| (&one.id, &one.description))),
        ("invocations", rows(&words.invocations, |one| (&one.id, &one.description))),
        ("task exceptions", rows(&words.task_exceptions, |one| (&one.id, &one.description))),
        ("memory policy", rows(&words.memory_policy.categories, |one| (&one.prefix, &one.description))),
    ]
}
