//! `nudge team init` and `nudge team upgrade`: the schema in the team's database.

use std::process::ExitCode;

use crate::api::team::{RefusedStatementJson, TeamSchemaJson, TeamUpgradeJson};
use crate::cli::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, YELLOW, counted, in_line, say};
use crate::ops::team::{self, SchemaOptions};

/// Make the schema of a team in a PostgreSQL database
///
/// Runs in one transaction, as a role that may create roles and, in that database, schemas; that role becomes the first
/// admin. Members get no permission on any table, only on functions.
#[derive(clap::Args)]
pub(crate) struct TeamInitArgs {
    /// Address: postgres://LOGIN@HOST/DATABASE
    url: String,

    /// Projects that may be shared, as `github.com/acme/*`; may be given several times
    #[arg(long, value_name = "PATTERN")]
    allow: Vec<String>,

    /// Open a new project only to those who share it
    #[arg(long)]
    closed: bool,

    /// Try every statement, take all of it back, and say what this server refuses
    #[arg(long)]
    check: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Bring the schema of the team up to this program
#[derive(clap::Args)]
pub(crate) struct TeamUpgradeArgs {
    /// Address of the server, if it is not the team you joined
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn init(args: &TeamInitArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let server = team::connect(Some(&args.url))?;
    let options = SchemaOptions { allowed: args.allow.clone(), is_closed: args.closed };
    let (refused, warnings) = if args.check { server.check()? } else { (Vec::new(), server.init(&options)?) };
    let code = if refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    let (host, database) = (server.address.server(), server.address.database.clone());
    if args.json {
        let refused = refused.into_iter();
        let refused = refused.map(|one| RefusedStatementJson { statement: one.statement, why: one.why });
        out.json(&TeamSchemaJson {
            server: host,
            database,
            made: !args.check,
            allowed: options.allowed,
            refused: refused.collect(),
            warnings,
        })?;
        return Ok(code);
    }
    let place = format!("{}, database {}", in_line(&host), in_line(&database));
    for warning in &warnings {
        say(format_args!("{YELLOW}warning:{YELLOW:#} {warning}"));
    }
    for one in &refused {
        let (statement, why) = (in_line(&one.statement), in_line(&one.why));
        out.line(format_args!("{YELLOW}refused{YELLOW:#}  {statement}  {DIM}{why}{DIM:#}"))?;
    }
    if args.check {
        match refused.len() {
            0 => out.line(format_args!(
                "{GREEN}ok{GREEN:#}  {place}: every statement works; nothing was changed"
            ))?,
            count => {
                say(format_args!("{place}: {} refused; nothing was changed", counted(count, "statement")));
            }
        }
        return Ok(code);
    }
    out.line(format_args!("{GREEN}made{GREEN:#}  {place}; you are its first admin"))?;
    match options.allowed.is_empty() {
        true => say(format_args!(
            "{CYAN}next:{CYAN:#} no project may be shared yet: {BOLD}nudge team projects --allow 'github.com/acme/*'{BOLD:#}"
        )),
        false => out.line(format_args!("allowed: {}", in_line(&options.allowed.join(", "))))?,
    }
    say(format_args!("{CYAN}next:{CYAN:#} {BOLD}nudge team grant NAME{BOLD:#} lets somebody in"));
    let url = in_line(&server.address.url());
    say(format_args!(
        "      these commands ask the team that you joined, or {BOLD}NUDGE_TEAM_URL='{url}'{BOLD:#}"
    ));
    Ok(code)
}

pub(crate) fn upgrade(args: &TeamUpgradeArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let done = team::connect(args.url.as_deref())?.upgrade()?;
    if args.json {
        out.json(&TeamUpgradeJson { from: done.from, to: done.to })?;
    } else if done.from == done.to {
        out.line(format_args!("the schema has version {} already", done.to))?;
    } else {
        out.line(format_args!("{GREEN}upgraded{GREEN:#}  from version {} to {}", done.from, done.to))?;
    }
    Ok(ExitCode::SUCCESS)
}
