//! `nudge team share`: how much of the project in this folder is shared.

use std::process::ExitCode;

use crate::api::sharing::SharedHereJson;
use crate::cli::output::{BOLD, CYAN, Failure, Out, YELLOW, say};
use crate::model::ShareLevel;
use crate::ops::sharing::membership;

/// Show or change how much of this project you share
///
/// `off` shares nothing; `fixes` failures that were overcome, what was done about them, and commits; `work` every command,
/// failure, edit and write; `all` also prompts, searches, reads and MCP calls. What a higher level adds leaves from now on.
#[derive(clap::Args)]
pub(crate) struct TeamShareArgs {
    /// off, fixes, work or all [default: only show it]
    #[arg(value_name = "LEVEL", value_parser = |text: &str| text.parse::<ShareLevel>().map_err(|levels| format!("a level is {levels}")))]
    level: Option<ShareLevel>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &TeamShareArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let here = match args.level {
        Some(level) => membership::share_here(level)?,
        None => membership::shared_here()?,
    };
    if args.json {
        let (project, level) = (here.key, here.level);
        out.json(&SharedHereJson { project, level, off_by_project: here.is_off_here })?;
        return Ok(ExitCode::SUCCESS);
    }
    out.line(format_args!("{}  {BOLD}{}{BOLD:#}", here.key, here.level))?;
    if here.is_off_here {
        say(format_args!("{YELLOW}note:{YELLOW:#} the project's own settings say that nothing of it leaves"));
    }
    if args.level.is_some_and(|level| level > ShareLevel::Off) {
        say(format_args!("{CYAN}hint:{CYAN:#} `nudge sync --dry-run --show` prints what would leave"));
    }
    Ok(ExitCode::SUCCESS)
}
