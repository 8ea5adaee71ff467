//! `nudge team grant`, `remove` and `members`: who is in the team.

use std::process::ExitCode;

use crate::api::list::ListWire;
use crate::api::team::{GrantedMemberJson, RemovedMemberJson};
use crate::cli::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, YELLOW, confirm, in_line, say};
use crate::cli::window::columns;
use crate::ops::team::{self, MemberLevel, TeamMember};

/// Let somebody into the team
///
/// Makes a login with a random password, and prints once how to join with it. `--login` takes a role that exists, for logins
/// of LDAP, certificates or a cloud. For a member, it changes the level.
#[derive(clap::Args)]
pub(crate) struct GrantArgs {
    /// Name that colleagues read
    name: String,

    /// PostgreSQL role that exists already
    #[arg(long, value_name = "ROLE")]
    login: Option<String>,

    /// What they may do: reader, member or admin
    #[arg(long, value_name = "LEVEL", default_value = "member")]
    level: LevelArg,

    /// It is a CI account: its rows are not told unasked
    #[arg(long)]
    ci: bool,

    /// Address of the server, if it is not the team you joined
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum LevelArg {
    Reader,
    Member,
    Admin,
}

/// Take somebody out of the team
///
/// It works at once. Their rows stay under their name, or go everywhere with `--purge`. What they have read, they have read.
#[derive(clap::Args)]
pub(crate) struct RemoveArgs {
    /// Name of the member
    name: String,

    /// Delete their rows on the server, and with the next sync at every member
    #[arg(long)]
    purge: bool,

    /// Do not ask before a purge
    #[arg(short, long)]
    yes: bool,

    /// Address of the server, if it is not the team you joined
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// List the members of the team
#[derive(clap::Args)]
pub(crate) struct MembersArgs {
    /// Address of the server, if it is not the team you joined
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn grant(args: &GrantArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let level = match args.level {
        LevelArg::Reader => MemberLevel::Reader,
        LevelArg::Member => MemberLevel::Member,
        LevelArg::Admin => MemberLevel::Admin,
    };
    let server = team::connect(args.url.as_deref())?;
    let granted = server.grant(&args.name, args.login.as_deref(), level, args.ci)?;
    if args.json {
        out.json(&GrantedMemberJson {
            name: args.name.clone(),
            login: granted.login,
            level: level.name(),
            url: granted.url,
            password: granted.password,
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let (name, login, url) = (in_line(&args.name), in_line(&granted.login), in_line(&granted.url));
    say(format_args!("{GREEN}{name}{GREEN:#} is a member ({}), with the login {login}", level.name()));
    match &granted.password {
        Some(password) => {
            say(format_args!(
                "{CYAN}next:{CYAN:#} this line joins; its password is shown once and kept nowhere"
            ));
            out.line(format_args!("{BOLD}PGPASSWORD={password} nudge team join '{url}'{BOLD:#}"))?;
        }
        None => out.line(format_args!("{BOLD}nudge team join '{url}'{BOLD:#}"))?,
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn remove(args: &RemoveArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let name = in_line(&args.name);
    if args.purge && !args.yes && !confirm(&format!("Delete every row of {name}, for everybody?"))? {
        say("nothing was changed");
        return Ok(ExitCode::FAILURE);
    }
    let rows = team::connect(args.url.as_deref())?.remove(&args.name, args.purge)?;
    if args.json {
        out.json(&RemovedMemberJson { name: args.name.clone(), rows })?;
        return Ok(ExitCode::SUCCESS);
    }
    out.line(format_args!("{YELLOW}removed{YELLOW:#}  {name}"))?;
    match args.purge {
        true => {
            out.line(format_args!("{rows} rows are deleted here, and at every member with the next sync"))?;
        }
        false => say("their rows stay under their name; `--purge` deletes them everywhere"),
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn list(args: &MembersArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let members = team::connect(args.url.as_deref())?.members()?;
    if args.json {
        out.json(&ListWire::<TeamMember>::whole(members))?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = members.iter().map(|member| columns(&in_line(&member.name))).max().unwrap_or_default();
    for member in &members {
        let marks = [(member.is_ci, "CI"), (member.removed, "removed")];
        let marks: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        let login = member.login.as_deref().map(in_line).unwrap_or_default();
        out.row(format_args!(
            "{BOLD}{:width$}{BOLD:#}  {:6}  {DIM}{login}{DIM:#}  {YELLOW}{}{YELLOW:#}",
            in_line(&member.name),
            member.level,
            marks.join(", ")
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
