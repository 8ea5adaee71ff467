//! `nudge context`: what a new session here would be told, and why.

use std::process::ExitCode;

use super::output::{BOLD, DIM, Failure, Out, counted, say};
use super::rows::{one_line, style, told};
use crate::api::memory::{ContextRowJson, SessionContextJson};
use crate::model::ObservationId;
use crate::ops::session_preview::{self, Chosen, ContextLimits, Rendered, SessionPreview};
use crate::ops::{cost, here};

/// Show what a new session here would see
///
/// This is what the memory adds; rules, the plan and hints are added to it when a session starts.
#[derive(clap::Args)]
pub(crate) struct ContextArgs {
    /// Show why each row is included, and what was left out
    #[arg(long)]
    explain: bool,

    /// Show what a session here costs in tokens
    #[arg(long, conflicts_with = "explain")]
    tokens: bool,

    /// How the session starts; after `compact` and `clear` it sees more
    #[arg(long, default_value = "startup")]
    source: StartArg,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum StartArg {
    Startup,
    Resume,
    Compact,
    Clear,
}

pub(crate) fn run(args: &ContextArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    if args.tokens {
        return tokens(args, out);
    }
    let source = match args.source {
        StartArg::Startup => "startup",
        StartArg::Resume => "resume",
        StartArg::Compact => "compact",
        StartArg::Clear => "clear",
    };
    let preview = session_preview::preview(&here::folder_or_root(), source)?;
    let SessionPreview { rendered: told, limits, project, why_empty } = preview;
    if args.json {
        out.json(&to_json(&told, project))?;
        return Ok(ExitCode::SUCCESS);
    }
    if told.text.is_empty() {
        say(why_empty);
    } else if args.explain {
        explain(&told, &limits, out)?;
    } else {
        out.bytes(told.text.as_bytes())?;
    }
    if let Some(project) = project {
        let gap = if told.text.is_empty() || told.text.ends_with('\n') { "" } else { "\n" };
        out.line(format_args!("{gap}{project}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows everything of nudge that a model reads, in tokens.
fn tokens(args: &ContextArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let cost = cost::of_session(&here::folder_or_root())?;
    if args.json {
        out.json(&cost)?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows = [
        ("session start", cost.start, ""),
        ("server instructions", cost.instructions, ""),
        ("tools", cost.tools, "in agents that send all schemas; others load them when needed"),
        ("before the first prompt", cost.at_start(), ""),
        ("each prompt", cost.prompt, "and hints or earlier work that fit it"),
        ("after compaction", cost.compaction, ""),
    ];
    for (what, count, note) in rows {
        let note = if note.is_empty() { String::new() } else { format!("  {DIM}{note}{DIM:#}") };
        out.line(format_args!("{BOLD}{what:<24}{BOLD:#}{count:>6}{note}"))?;
    }
    out.line(format_args!("{DIM}tokens of about four bytes, as a model would read it here now{DIM:#}"))?;
    Ok(ExitCode::SUCCESS)
}

fn explain(told: &Rendered, limits: &ContextLimits, out: &mut Out) -> Result<(), Failure> {
    let used = told.text.chars().count();
    out.line(format_args!("{BOLD}Told{BOLD:#} {DIM}({used} of {} characters){DIM:#}", limits.budget))?;
    told.told.iter().try_for_each(|row| out.line(reason(row, told)))?;
    told.obstacles.iter().try_for_each(|(id, text)| {
        let before = told_before(*id, told);
        let (id, text) = (id.0.to_string(), one_line(text, 60));
        out.line(format_args!("{BOLD}{id:>6}{BOLD:#}  {text}\n        {DIM}goes wrong here{before}{DIM:#}"))
    })?;
    if told.trail > 0 {
        out.line(format_args!(
            "and the last {} in their order: the window was lost",
            counted(told.trail, "action")
        ))?;
    }
    if !told.left_out.is_empty() {
        let count = told.left_out.len();
        out.line(format_args!(
            "\n{BOLD}Left out{BOLD:#} {DIM}({count}: more than {} rows, or more than the budget){DIM:#}",
            limits.rows
        ))?;
        told.left_out.iter().try_for_each(|row| out.line(reason(row, told)))?;
    }
    Ok(())
}

fn reason(row: &Chosen, rendered: &Rendered) -> String {
    let one = &row.observation;
    let (id, style) = (one.id.0.to_string(), style(one.obs_type));
    let text = one_line(told(&one.content, one.file_path.as_deref()), 60);
    format!(
        "{BOLD}{id:>6}{BOLD:#}  {style}{text}{style:#}\n        {DIM}{}{}{DIM:#}",
        row.reason.words(),
        told_before(one.id, rendered)
    )
}

/// Says how often a row was told before, and how often it concerned the session.
fn told_before(id: ObservationId, rendered: &Rendered) -> String {
    match rendered.records.get(&id) {
        Some(record) if record.told > 0 => {
            let told = counted(record.told, "session");
            format!("; told to {told} before, and concerned {} of them", record.concerned)
        }
        _ => String::new(),
    }
}

fn to_json(told: &Rendered, project: Option<String>) -> SessionContextJson {
    let rows = |rows: &[Chosen]| {
        let row = |row: &Chosen| {
            let record = told.records.get(&row.observation.id).copied().unwrap_or_default();
            ContextRowJson {
                id: row.observation.id,
                reason: row.reason.words(),
                told_before: record.told,
                concerned: record.concerned,
            }
        };
        rows.iter().map(row).collect()
    };
    let (text, left_out) = (told.text.clone(), rows(&told.left_out));
    SessionContextJson { text, project, told: rows(&told.told), left_out }
}
