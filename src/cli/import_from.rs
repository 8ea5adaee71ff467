//! `nudge import --from`: what another tool remembers.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};

use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, confirm, counted, in_line, say};
use crate::api::backfill::{RuleFileJson, ToolImportJson};
use crate::api::list::MapWire;
use crate::ops::observations::import::{self, ImportTool, ToolImport, ToolImportError, ToolImportRequest};

/// What only `--from` understands.
#[derive(clap::Args)]
pub(crate) struct ImportFromArgs {
    /// With `--from`: also what is personal or finished
    #[arg(short, long, requires = "from")]
    all: bool,

    /// With `--from`: write texts about a topic as notes to `.nexus/memory`
    #[arg(long, requires = "from")]
    as_notes: bool,

    /// With `--from`: only show what would come in
    #[arg(long, requires = "from")]
    dry_run: bool,

    /// With `--from`: do not ask
    #[arg(long, short, requires = "from")]
    yes: bool,
}

/// An example is shown up to this many characters.
const MAX_EXAMPLE: usize = 100;

/// Returns the names that can be given after `--from`.
pub(crate) fn tool_names() -> PossibleValuesParser {
    PossibleValuesParser::new(import::TOOLS.iter().map(|tool| PossibleValue::new(tool.id).help(tool.title)))
}

pub(crate) fn tool(name: &str) -> Option<&'static ImportTool> {
    import::tool(name)
}

pub(crate) fn run(
    tool: &'static ImportTool,
    path: Option<PathBuf>,
    args: &ImportFromArgs,
    json: bool,
    out: &mut Out,
) -> Result<ExitCode, Failure> {
    let mut request = ToolImportRequest { tool, path, all: args.all, as_notes: args.as_notes, is_dry: true };
    if args.dry_run || !args.yes {
        let found = import::run(&request).map_err(failure)?;
        if json {
            out.json(&to_json(&found, &request))?;
        } else {
            show(&found, &request, out)?;
        }
        if args.dry_run {
            return Ok(ExitCode::SUCCESS);
        }
        if found.count.stored == 0 && found.notes.is_empty() && found.rules.is_none() {
            return Ok(ExitCode::SUCCESS);
        }
        out.finish()?;
        let is_person = io::stdin().is_terminal() && io::stderr().is_terminal() && !json;
        if !is_person || !confirm("Import this?")? {
            say(format_args!("{CYAN}hint:{CYAN:#} nothing was imported; `--yes` does it"));
            return Ok(ExitCode::SUCCESS);
        }
    }
    request.is_dry = false;
    let imported = import::run(&request).map_err(failure)?;
    if json {
        out.json(&to_json(&imported, &request))?;
    } else {
        show(&imported, &request, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn failure(error: ToolImportError) -> Failure {
    match error {
        ToolImportError::Store(error) => error.into(),
        ToolImportError::NoNexus(_) => Failure::new(error.to_string()).hint("`nudge init` creates it"),
        ToolImportError::RulesExist(_) => Failure::new(error.to_string()).hint("move it away first"),
        other => Failure::new(other.to_string()),
    }
}

pub(super) fn show(import: &ToolImport, request: &ToolImportRequest, out: &mut Out) -> Result<(), Failure> {
    let ToolImport { sources, count, expired, left_out, notes, rules, changes, examples } = import;
    let is_dry = request.is_dry;
    for source in sources {
        out.line(format_args!("{BOLD}{}{BOLD:#}: {}", request.tool.title, source.display()))?;
    }
    if let Some((file, number)) = rules {
        let verb = if is_dry { "would be written" } else { "written" };
        out.line(format_args!(
            "  {GREEN}✔{GREEN:#} {} {verb} to {}",
            counted(*number, "rule"),
            file.display()
        ))?;
        out.line(format_args!("    read them, try them with `nudge test`, then move them to `.nudge.yaml`"))?;
    } else {
        let verb = if is_dry { "would be stored" } else { "stored" };
        let others = [
            (count.known, "known already"),
            (count.forgotten, "forgotten on request"),
            (*expired, "older than what is kept"),
        ];
        let others = others.iter().filter(|(count, _)| *count > 0);
        let others: String = others.map(|(count, what)| format!(", {count} {what}")).collect();
        out.line(format_args!(
            "  {GREEN}✔{GREEN:#} {} {verb}{others}",
            counted(count.stored, "observation")
        ))?;
        let types: Vec<String> =
            count.types.iter().map(|(kind, count)| format!("{} {count}", kind.name())).collect();
        if !types.is_empty() {
            out.row(format_args!("    {DIM}{}{DIM:#}", types.join(", ")))?;
        }
    }
    if !notes.is_empty() {
        let verb = if is_dry { "would be written" } else { "written" };
        out.line(format_args!(
            "  {GREEN}✔{GREEN:#} {} {verb}: {}",
            counted(notes.len(), "note"),
            notes.join(", ")
        ))?;
    }
    for example in examples.iter().filter(|_| is_dry) {
        let shown: String = in_line(example).chars().take(MAX_EXAMPLE).collect();
        out.row(format_args!("    {DIM}{shown}{DIM:#}"))?;
    }
    say(format_args!("not carried over: {}", request.tool.not_carried));
    for (what, count) in left_out {
        say(format_args!("left out: {count} × {}", in_line(what)));
    }
    changes.iter().for_each(|change| say(format_args!("note: {change}")));
    Ok(())
}

pub(super) fn to_json(import: &ToolImport, request: &ToolImportRequest) -> ToolImportJson {
    ToolImportJson {
        dry_run: request.is_dry,
        tool: request.tool.id,
        sources: import.sources.clone(),
        count: (&import.count).into(),
        expired: import.expired,
        left_out: MapWire(import.left_out.iter().map(|(what, count)| (what.clone(), *count)).collect()),
        not_carried: request.tool.not_carried,
        notes: import.notes.clone(),
        rules: import.rules.clone().map(|(file, rules)| RuleFileJson { file, rules }),
        changes: import.changes.clone(),
    }
}
