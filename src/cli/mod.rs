//! The command line: one file for each command, with its arguments and what it prints.

mod artifact;
mod bump;
mod check;
mod completions;
mod context;
mod delete;
mod demo;
mod diff;
mod doctor;
mod event_input;
mod export;
mod forget;
mod gc;
mod get;
mod hint_scope;
mod hint_value;
mod hints;
mod history;
mod hook;
mod import;
mod init;
mod ls;
mod man;
mod memory;
mod nexus;
mod notes;
mod observations;
mod output;
mod picture;
mod pin;
mod plan;
mod query;
mod recent;
mod record;
mod resume_check;
mod rows;
mod rules;
mod search;
mod serve;
mod sessions;
mod set;
mod settings;
mod setup;
mod show;
mod stats;
mod status;
mod stop;
mod story;
mod task;
mod task_board;
mod test;
mod timeline;
mod validate;
mod vocabulary;
mod why;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::config::env;
use crate::system::signals;
use output::{Failure, Out};

/// The memory and the guard rails of a coding agent, on your own machine
///
/// Nudge is called from the hooks of coding agents. Rules in `.nudge.yaml` block or guide their tool calls;
/// what they do is remembered, found again, and told to the next session. Nothing leaves this machine.
#[derive(Parser)]
#[command(name = "nudge", version, max_term_width = 100, after_help = after_help())]
pub(crate) struct NudgeArgs {
    /// When to use colour
    #[arg(long, global = true, help_heading = "Global options", value_name = "WHEN", default_value = "auto")]
    color: output::ColorArg,

    /// Port of the server of your runtime folder (default: as it wrote down, else 8765); others are refused
    #[arg(short, long, global = true, help_heading = "Global options", value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,

    #[command(subcommand)]
    command: Command,
}

fn after_help() -> String {
    let mut text = String::from(
        "\
Start here:
  nudge demo        see what it does, without any agent
  nudge setup       connect the coding agents of this machine
  nudge init        set a project up
  nudge validate    look at the rules of this project
  nudge recent      look at what agents did here
  nudge get http-proxy build    look up a hint, while `nudge serve` runs
  nudge task        look at what is to be done here
  nudge test --tool Write --file a.ts --content 'console.log(1)'

Exit codes: 0 done, 1 something was found or failed, 2 the command line is wrong.

Environment:
",
    );
    for (name, about) in env::VARIABLES {
        text.push_str(&format!("  {name}  {about}\n"));
    }
    text
}

#[derive(Subcommand)]
enum Command {
    Artifact(artifact::ArtifactArgs),
    Bump(bump::BumpArgs),
    Check(check::CheckArgs),
    Completions(completions::CompletionsArgs),
    Context(context::ContextArgs),
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArgs),
    Demo(demo::DemoArgs),
    Doctor(doctor::DoctorArgs),
    Export(export::ExportArgs),
    Forget(forget::ForgetArgs),
    Gc(gc::GcArgs),
    Get(get::GetArgs),
    History(history::HistoryArgs),
    Hook(hook::HookArgs),
    Import(import::ImportArgs),
    Init(init::InitArgs),
    #[command(visible_alias = "list-components")]
    Ls(ls::LsArgs),
    Man(man::ManArgs),
    Memory(notes::MemoryArgs),
    Nexus(nexus::NexusArgs),
    Observations(observations::ObservationsArgs),
    Pin(pin::PinArgs),
    Plan(plan::PlanArgs),
    Query(query::QueryArgs),
    Recent(recent::RecentArgs),
    Record(record::RecordArgs),
    Rules(rules::RulesArgs),
    Search(search::SearchArgs),
    Serve(serve::ServeArgs),
    Sessions(sessions::SessionsArgs),
    Set(set::SetArgs),
    Settings(settings::SettingsArgs),
    Setup(setup::SetupArgs),
    Show(show::ShowArgs),
    Stats(stats::StatsArgs),
    Status(status::StatusArgs),
    Stop(stop::StopArgs),
    Task(task::TaskArgs),
    Test(test::TestArgs),
    Timeline(timeline::TimelineArgs),
    Unpin(pin::UnpinArgs),
    Validate(validate::ValidateArgs),
    Why(why::WhyArgs),
}

/// Returns the folder that the command is run in.
fn here() -> Result<PathBuf, Failure> {
    env::working_dir().ok_or_else(|| {
        let failure = Failure::new("the folder that this was started in is gone");
        failure.hint("change to one that exists, and try again")
    })
}

/// Runs this process's command line.
pub(crate) fn run() -> ExitCode {
    // The hook comes first: it is started for every event of an agent, and reading all commands takes time.
    if let Some(args) = hook::HookArgs::from_usual_line(std::env::args_os()) {
        return hook::run(&args);
    }
    signals::survive_file_limit();
    let args = match NudgeArgs::try_parse() {
        Ok(args) => args,
        Err(error) => {
            return hook::excused(std::env::args_os(), &error).unwrap_or_else(|| output::usage(&error));
        }
    };
    args.color.apply();
    let port = args.port;
    let mut out = Out::new();
    let result = match args.command {
        Command::Hook(args) => return hook::run(&args),
        Command::Artifact(args) => artifact::run(args, &mut out),
        Command::Bump(args) => bump::run(&args, port, &mut out),
        Command::Check(args) => check::run(&args, &mut out),
        Command::Completions(args) => completions::run(&args, &mut out, &mut NudgeArgs::command()),
        Command::Context(args) => context::run(&args, &mut out),
        Command::Delete(args) => delete::run(&args, port, &mut out),
        Command::Demo(args) => demo::run(&args, &mut out),
        Command::Doctor(args) => doctor::run(&args, &mut out),
        Command::Export(args) => export::run(&args, port, &mut out),
        Command::Forget(args) => forget::run(&args, &mut out),
        Command::Gc(args) => gc::run(&args, &mut out),
        Command::Get(args) => get::run(&args, port, &mut out),
        Command::History(args) => history::run(args, &mut out),
        Command::Import(args) => import::run(&args, port, &mut out),
        Command::Init(args) => init::run(&args, &mut out),
        Command::Ls(args) => ls::run(&args, port, &mut out),
        Command::Man(args) => man::run(&args, &mut out, NudgeArgs::command()),
        Command::Memory(args) => notes::run(&args, &mut out),
        Command::Nexus(args) => nexus::run(args, &mut out),
        Command::Observations(args) => observations::run(&args, &mut out),
        Command::Pin(args) => pin::pin(&args, &mut out),
        Command::Plan(args) => plan::run(args, &mut out),
        Command::Query(args) => query::run(&args, port, &mut out),
        Command::Recent(args) => recent::run(&args, &mut out),
        Command::Record(args) => record::run(&args, &mut out),
        Command::Rules(args) => rules::run(&args, &mut out),
        Command::Search(args) => search::run(&args, &mut out),
        Command::Serve(args) => serve::run(&args, port),
        Command::Sessions(args) => sessions::run(&args, &mut out),
        Command::Set(args) => set::run(&args, port, &mut out),
        Command::Settings(args) => settings::run(&args, &mut out),
        Command::Setup(args) => setup::run(&args, &mut out),
        Command::Show(args) => show::run(&args, &mut out),
        Command::Stats(args) => stats::run(&args, &mut out),
        Command::Status(args) => status::run(&args, port, &mut out),
        Command::Stop(args) => stop::run(&args, port, &mut out),
        Command::Task(args) => task::run(args, &mut out),
        Command::Test(args) => test::run(&args, &mut out),
        Command::Timeline(args) => timeline::run(&args, &mut out),
        Command::Unpin(args) => pin::unpin(&args, &mut out),
        Command::Validate(args) => validate::run(&args, &mut out),
        Command::Why(args) => why::run(&args, &mut out),
    };
    match result {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
