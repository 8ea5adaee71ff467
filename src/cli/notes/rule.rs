//! `nudge note rule`: stores guidance for agents, or lists it.

use std::process::ExitCode;

use super::text::TextArgs;
use crate::api::list::ListWire;
use crate::api::notes::GuidanceJson;
use crate::cli::output::{BOLD, Failure, GREEN, Out, in_line, say};
use crate::cli::rows;
use crate::model::Note;
use crate::ops::here::short_path;
use crate::ops::nexus::Nexus;
use crate::ops::nexus::notes::{self, NewRule};
use crate::ops::nexus::notes::{RULES, rule_file as file};

/// Store guidance for all agents; without a text, list it
///
/// Guidance is prose in `.nexus/rules/`. Agents read it, and nothing enforces it: what must be enforced is a rule in
/// `.nudge.yaml`. If there is guidance on the same topic, it is named and not changed. Secrets are refused.
#[derive(clap::Args)]
pub(crate) struct RuleArgs {
    #[command(flatten)]
    text: TextArgs,

    /// Replace the guidance of this name
    #[arg(long)]
    overwrite: bool,

    /// Create a new file, even if another one covers the same topic
    #[arg(long)]
    new: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(super) fn run(nexus: &Nexus, args: &RuleArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    if args.text.is_empty() && !args.overwrite && !args.new {
        return list(nexus, args.json, out);
    }
    let (name, text) = args.text.name_and_text("rule")?;
    let stored =
        notes::store_rule(nexus, &NewRule { name, text, overwrite: args.overwrite, insist: args.new })?;
    let wire = notes::rule_stored_wire(stored);
    if args.json {
        out.json(&wire)?;
    } else if wire.stored == "unchanged" {
        out.line(format_args!("all of it is in {} already", wire.path))?;
    } else {
        out.line(format_args!("{GREEN}{}{GREEN:#} {}", wire.stored, wire.path))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn list(nexus: &Nexus, json: bool, out: &mut Out) -> Result<ExitCode, Failure> {
    let rules = notes::rules(nexus)?;
    if json {
        let each = |rule: Note| GuidanceJson { path: file(&rule.name), bytes: rule.bytes, text: rule.text };
        out.json(&ListWire::<GuidanceJson>::whole(rules.into_iter().map(each)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let widest = rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    for rule in &rules {
        let line = rows::one_line(first_line(&rule.text), 100);
        out.line(format_args!("{BOLD}{:widest$}{BOLD:#}  {line}", in_line(&rule.name)))?;
    }
    if rules.is_empty() {
        say(format_args!("no rules in {}", short_path(&nexus.path(RULES))));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the first line that says something.
fn first_line(text: &str) -> &str {
    let mut lines = text.lines().map(|line| line.trim_start_matches('#').trim());
    lines.find(|line| !line.is_empty() && !line.starts_with("<!--")).unwrap_or_default()
}
