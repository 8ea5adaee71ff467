//! The command line: one file for each command, with its arguments and what it prints.

mod allow;
mod arguments;
mod artifact;
mod backfill;
mod bump;
mod catalog;
mod check;
#[cfg(feature = "team")]
mod colleagues;
mod complete;
mod completions;
mod context;
mod day;
mod delete;
mod demo;
mod diff;
mod doctor;
mod event_input;
mod examples;
mod export;
mod failures;
mod forget;
mod gc;
mod get;
mod hint;
mod hint_scope;
mod hint_value;
mod hints;
mod history;
mod hook;
mod import;
mod import_from;
mod init;
mod keyboard;
mod learn;
mod log;
mod ls;
mod man;
mod memory;
mod nexus;
mod nexus_command;
mod notes;
mod observations;
mod output;
mod pause;
mod picture;
mod pin;
mod plan;
mod projects;
mod query;
mod recent;
mod record;
mod replay;
mod report;
mod resume_check;
mod rows;
mod rules;
mod rules_import;
mod rules_stats;
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
mod sync;
mod task;
mod task_args;
mod task_board;
mod task_show;
#[cfg(feature = "team")]
mod team;
#[cfg(feature = "team")]
mod team_sync;
mod test;
mod timeline;
mod today;
mod topic;
mod trust;
mod ui;
mod uninstall;
mod validate;
mod vocabulary;
mod why;
mod window;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::ops;
use crate::system::signals;
use arguments::CommandLineError;
use output::{Failure, Out};

/// Memory and guard rails for coding agents
#[derive(Parser)]
#[command(name = "nudge", version, max_term_width = 100)]
pub(crate) struct NudgeArgs {
    /// Colour: auto, always or never
    #[arg(long, global = true, hide = true, value_name = "WHEN", default_value = "auto")]
    color: output::ColorArg,

    /// Port of the hint server [default: the running one, else 8765]
    #[arg(short, long, global = true, hide_short_help = true, help_heading = "Global options", value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,

    // Commands that print JSON have a flag of this name, which gets its value from here; `nudge --help` lists it once.
    /// Print JSON
    #[arg(short, long, global = true, hide = true)]
    json: bool,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Allow(allow::AllowArgs),
    Artifact(artifact::ArtifactArgs),
    Backfill(backfill::BackfillArgs),
    Bump(bump::BumpArgs),
    Check(check::CheckArgs),
    Completions(completions::CompletionsArgs),
    Context(context::ContextArgs),
    Day(day::DayArgs),
    #[command(alias = "rm")]
    Delete(delete::DeleteArgs),
    Demo(demo::DemoArgs),
    Doctor(doctor::DoctorArgs),
    /// Environment variables that nudge reads
    #[command(hide = true)]
    Environment,
    Export(export::ExportArgs),
    Failures(failures::FailuresArgs),
    Forget(forget::ForgetArgs),
    Gc(gc::GcArgs),
    Get(get::GetArgs),
    Hint(hint::HintArgs),
    History(history::HistoryArgs),
    Hook(hook::HookArgs),
    Import(import::ImportArgs),
    Init(init::InitArgs),
    Learn(learn::LearnArgs),
    Log(log::LogArgs),
    #[command(alias = "list-components")]
    Ls(ls::LsArgs),
    Man(man::ManArgs),
    Nexus(nexus_command::NexusArgs),
    Note(notes::NoteArgs),
    Observations(observations::ObservationsArgs),
    Off(pause::OffArgs),
    On(pause::OnArgs),
    Pin(pin::PinArgs),
    Plan(plan::PlanArgs),
    /// Commands that agents, packages and scripts call
    #[command(hide = true)]
    Plumbing,
    Projects(projects::ProjectsArgs),
    Query(query::QueryArgs),
    Recent(recent::RecentArgs),
    Record(record::RecordArgs),
    Report(report::ReportArgs),
    Rules(rules::RulesArgs),
    Search(search::SearchArgs),
    Serve(serve::ServeArgs),
    Sessions(sessions::SessionsArgs),
    Set(Box<set::SetArgs>),
    Settings(settings::SettingsArgs),
    Setup(setup::SetupArgs),
    Show(show::ShowArgs),
    Stats(stats::StatsArgs),
    Status(status::StatusArgs),
    Stop(stop::StopArgs),
    Sync(sync::SyncArgs),
    Task(task::TaskArgs),
    #[cfg(feature = "team")]
    Team(team::TeamArgs),
    Test(test::TestArgs),
    Timeline(timeline::TimelineArgs),
    Trust(trust::TrustArgs),
    Ui(ui::UiArgs),
    Uninstall(uninstall::UninstallArgs),
    Unpin(pin::UnpinArgs),
    Validate(validate::ValidateArgs),
    Why(why::WhyArgs),
}

/// Returns the root command, with its help and its aliases.
pub(crate) fn command() -> clap::Command {
    topic::arrange(NudgeArgs::command())
}

/// Returns the folder that the command is run in.
fn here() -> Result<PathBuf, Failure> {
    ops::here::folder().ok_or_else(|| {
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
    let line: Vec<OsString> = std::env::args_os().collect();
    if let Some(code) = complete::answer(&line) {
        return code;
    }
    let args = match arguments::parse(line.clone()) {
        Ok(args) => args,
        Err(CommandLineError::Tip(failure)) => return failure.report(),
        Err(CommandLineError::Wrong(error)) => {
            return hook::excused(&line, &error).unwrap_or_else(|| output::usage(&error));
        }
    };
    args.color.apply();
    let (port, json) = (args.port, args.json);
    let mut out = Out::new();
    let result = match args.command {
        Some(Command::Hook(args)) => return hook::run(&args),
        Some(command) => run_command(command, port, &mut out),
        None => today::run(json, &mut out),
    };
    result.unwrap_or_else(|failure| {
        if json {
            out.failed(&failure);
        }
        failure.report()
    })
}

fn run_command(command: Command, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    match command {
        Command::Hook(args) => Ok(hook::run(&args)),
        Command::Allow(args) => allow::run(&args, out),
        Command::Artifact(args) => artifact::run(args, out),
        Command::Backfill(args) => backfill::run(&args, out),
        Command::Bump(args) => bump::run(&args, port, out),
        Command::Check(args) => check::run(&args, out),
        Command::Completions(args) => completions::run(&args, out),
        Command::Context(args) => context::run(&args, out),
        Command::Day(args) => day::run(&args, out),
        Command::Delete(args) => delete::run(&args, port, out),
        Command::Demo(args) => demo::run(&args, out),
        Command::Doctor(args) => doctor::run(&args, out),
        Command::Environment => out.line(topic::environment().trim_end()).map(|()| ExitCode::SUCCESS),
        Command::Export(args) => export::run(&args, port, out),
        Command::Failures(args) => failures::run(&args, out),
        Command::Forget(args) => forget::run(&args, out),
        Command::Gc(args) => gc::run(&args, out),
        Command::Get(args) => get::run(&args, port, out),
        Command::Hint(args) => hint::run(&args, port, out),
        Command::History(args) => history::run(args, out),
        Command::Import(args) => import::run(&args, port, out),
        Command::Init(args) => init::run(&args, out),
        Command::Learn(args) => learn::run(&args, out),
        Command::Log(args) => log::run(&args, out),
        Command::Ls(args) => ls::run(&args, port, out),
        Command::Man(args) => man::run(&args, out, self::command()),
        Command::Nexus(args) => nexus_command::run(args, out),
        Command::Note(args) => notes::run(&args, out),
        Command::Observations(args) => observations::run(&args, out),
        Command::Off(args) => pause::off(&args, out),
        Command::On(args) => pause::on(&args, out),
        Command::Pin(args) => pin::pin(&args, out),
        Command::Plan(args) => plan::run(args, out),
        Command::Plumbing => {
            out.line(topic::plumbing(&NudgeArgs::command()).trim_end()).map(|()| ExitCode::SUCCESS)
        }
        Command::Projects(args) => projects::run(&args, out),
        Command::Query(args) => query::run(&args, port, out),
        Command::Recent(args) => recent::run(&args, out),
        Command::Record(args) => record::run(&args, out),
        Command::Report(args) => report::run(&args, out),
        Command::Rules(args) => rules::run(&args, out),
        Command::Search(args) => search::run(&args, out),
        Command::Serve(args) => serve::run(&args, port),
        Command::Sessions(args) => sessions::run(&args, out),
        Command::Set(args) => set::run(&args, port, out),
        Command::Settings(args) => settings::run(&args, out),
        Command::Setup(args) => setup::run(&args, out),
        Command::Show(args) => show::run(&args, out),
        Command::Stats(args) => stats::run(&args, out),
        Command::Status(args) => status::run(&args, port, out),
        Command::Stop(args) => stop::run(&args, port, out),
        Command::Sync(args) => sync::run(&args, out),
        Command::Task(args) => task::run(args, out),
        #[cfg(feature = "team")]
        Command::Team(args) => team::run(&args, out),
        Command::Test(args) => test::run(&args, out),
        Command::Trust(args) => trust::run(&args, out),
        Command::Timeline(args) => timeline::run(&args, out),
        Command::Ui(args) => ui::run(&args, port, out),
        Command::Uninstall(args) => uninstall::run(&args, out),
        Command::Unpin(args) => pin::unpin(&args, out),
        Command::Validate(args) => validate::run(&args, out),
        Command::Why(args) => why::run(&args, out),
    }
}

#[cfg(test)]
mod tests;
