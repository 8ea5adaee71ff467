//! `nudge rules import`: rules of other tools as rules of ours, tried on the calls of the past before anybody uses them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValue, PossibleValuesParser};

use super::output::{DIM, Failure, Out, counted, say_problem};
use super::{here, import_from};
use crate::api::problem;
use crate::api::rules::ImportedRulesJson;
use crate::ops::observations::import::{self, ImportTool, ToolImport, ToolImportRequest, ToolStore};
use crate::ops::rules::replay::{self, ReplayRequest, RuleChoice};
use crate::ops::rules::validate;
use crate::ops::times;

/// Turn the rules of another tool into rules for nudge
///
/// Reads a rule of hookify, permissions of Claude Code (`settings.json`), rules of Codex (`*.rules`) or rules of
/// cc-safety-net, and writes `imported.nudge.yaml` into the project. Nothing uses that file yet: read it, then move it to
/// `.nudge.yaml` or `.nudge/`. The rules come in with `shadow: true`, so that they only count until you remove that line.
/// What could not be carried over is listed, and the rules are tried on the calls of the last 30 days.
#[derive(clap::Args)]
pub(crate) struct RulesImportArgs {
    /// The file, or the folder with such files
    file: PathBuf,

    /// The tool that it belongs to, if the file does not tell
    #[arg(long, value_name = "TOOL", value_parser = tool_names())]
    from: Option<String>,

    /// Only show what would be written
    #[arg(long)]
    dry_run: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// How far back the rules are tried.
const REPLAYED: &str = "30d";
/// More than any such file has.
const MAX_BYTES: u64 = 4 << 20;

fn tool_names() -> PossibleValuesParser {
    let tools = import::TOOLS.iter().filter(|tool| matches!(tool.store, ToolStore::Rules(_)));
    PossibleValuesParser::new(tools.map(|tool| PossibleValue::new(tool.id).help(tool.title)))
}

pub(crate) fn run(args: &RulesImportArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let path = here()?.join(&args.file);
    let tool = match &args.from {
        Some(name) => import::tool(name),
        None => tool_of(&path)?,
    };
    let Some(tool) = tool else {
        let failure = Failure::new(format!("`{}` has no rules of a tool that is known", args.file.display()));
        return Err(
            failure.hint("say which tool it belongs to with --from; `nudge rules import --help` lists them")
        );
    };
    let request =
        ToolImportRequest { tool, path: Some(path), all: false, as_notes: false, is_dry: args.dry_run };
    let imported = import::run(&request).map_err(import_from::failure)?;
    let tried = match &imported.rules {
        Some((file, _)) if !args.dry_run => Some(try_out(file)?),
        _ => None,
    };
    if args.json {
        let (problems, calls, counts) = match tried {
            Some(tried) => (problem::problems(&tried.problems), tried.calls, Some(tried.counts)),
            None => (Vec::new(), 0, None),
        };
        let import = import_from::to_json(&imported, &request);
        out.json(&ImportedRulesJson { import, problems, calls, counts })?;
    } else {
        show(&imported, &request, tried.as_ref(), out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn tool_of(path: &Path) -> Result<Option<&'static ImportTool>, Failure> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if path.is_dir() {
        // Folders are read as a whole, by the tool that keeps its rules there.
        return Ok(import::tool(match name.as_str() {
            ".claude" => "hookify",
            "rules" | "policy" => "codex-rules",
            _ => return Ok(None),
        }));
    }
    let text = import::read_text(path, MAX_BYTES).map_err(|error| {
        Failure::new(format!("`{}` cannot be read: {error}", path.display())).hint("name a file that exists")
    })?;
    Ok(import::rule_tool_of(&name, &text))
}

/// What the new rules would have done.
struct TriedImport {
    problems: Vec<crate::model::Problem>,
    calls: usize,
    counts: crate::api::replay::ReplayCountsJson,
}

fn try_out(file: &Path) -> Result<TriedImport, Failure> {
    let unreadable = |error| Failure::new(format!("`{}` cannot be read again: {error}", file.display()));
    let problems = validate::file(file).map_err(unreadable)?.problems;
    let choice = RuleChoice { name: None, file: Some(file.to_owned()) };
    let rules =
        replay::chosen_rules(file, &choice).map_err(|error| Failure::new(error.message).hint(error.hint))?;
    let since = times::parse(REPLAYED).map_err(Failure::new)?;
    let request = ReplayRequest { rules, since, ..ReplayRequest::default() };
    let report = replay::run(&request, &mut |_| {})?.to_json(&request);
    Ok(TriedImport { problems, calls: report.calls, counts: report.counts })
}

fn show(
    imported: &ToolImport,
    request: &ToolImportRequest,
    tried: Option<&TriedImport>,
    out: &mut Out,
) -> Result<(), Failure> {
    import_from::show(imported, request, out)?;
    let Some(TriedImport { problems, calls, counts }) = tried else { return Ok(()) };
    let fired = counted(counts.fired, "time");
    out.line(format_args!(
        "    on {} of the last {REPLAYED} they would have fired {fired}: {} failed, {} you refused, {} went well",
        counted(*calls, "call"),
        counts.failed,
        counts.refused,
        counts.went_well
    ))?;
    if counts.fired > 0 {
        out.line(format_args!(
            "    {DIM}`nudge test --replay {REPLAYED} --all --file imported.nudge.yaml` names them{DIM:#}"
        ))?;
    }
    problems.iter().for_each(|problem| say_problem(problem, None));
    Ok(())
}
