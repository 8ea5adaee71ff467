//! `nudge hint`: the commands about hints under one noun; each is also a command of its own.

use std::process::ExitCode;

use super::output::{Failure, Out};
use super::{bump, delete, export, get, import, ls, query, set};

/// Save, find and rank hints: short facts for the next agent
///
/// A hint is a short fact about a component: how to build it, where it is, what to avoid. The hint server keeps hints;
/// agents start it, and `nudge serve` starts it by hand.
#[derive(clap::Args)]
pub(crate) struct HintArgs {
    #[command(subcommand)]
    command: HintCommand,
}

#[derive(clap::Subcommand)]
enum HintCommand {
    Set(Box<set::SetArgs>),
    Get(get::GetArgs),
    #[command(name = "find", alias = "query")]
    Find(query::QueryArgs),
    #[command(alias = "list")]
    Ls(ls::LsArgs),
    #[command(name = "rm", alias = "delete")]
    Rm(delete::DeleteArgs),
    Bump(bump::BumpArgs),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
}

pub(crate) fn run(args: &HintArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    match &args.command {
        HintCommand::Set(args) => set::run(args, port, out),
        HintCommand::Get(args) => get::run(args, port, out),
        HintCommand::Find(args) => query::run(args, port, out),
        HintCommand::Ls(args) => ls::run(args, port, out),
        HintCommand::Rm(args) => delete::run(args, port, out),
        HintCommand::Bump(args) => bump::run(args, port, out),
        HintCommand::Export(args) => export::run(args, port, out),
        HintCommand::Import(args) => import::run(args, port, out),
    }
}
