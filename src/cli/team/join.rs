//! `nudge team join`: shows what would be shared with whom, and asks.

use std::process::ExitCode;

use crate::api::sharing::{JoinedJson, SharedProjectJson};
use crate::cli::output::{self, BOLD, CYAN, DIM, Failure, GREEN, Out, counted, say};
use crate::cli::window::wrapped;
use crate::model::{ShareLevel, Timestamp};
use crate::ops::sharing::membership::{self, Invitation, MembershipError};
use crate::ops::times;

/// Join a team, after you have seen what would be shared
///
/// Shows who you are there, and how much of which project could be shared, and asks. Scripts say it with `--share` or
/// `--read-only`. Rows leave from now on, or from `--since` on. A password in the address is kept in `team.secret`, which
/// only you can read.
#[derive(clap::Args)]
pub(crate) struct TeamJoinArgs {
    /// Address of the team's PostgreSQL, as `nudge team grant` printed it
    #[arg(value_name = "URL")]
    url: String,

    /// Share a project at a level: `shop=fixes`; can be repeated
    #[arg(long, value_name = "PROJECT=LEVEL", value_parser = parse_share, conflicts_with = "read_only")]
    share: Vec<(String, ShareLevel)>,

    /// Share nothing, only read
    #[arg(long)]
    read_only: bool,

    /// Also share what is there already, from this time on: a date, `30d`
    #[arg(long, value_name = "WHEN", value_parser = times::parse, conflicts_with = "read_only")]
    since: Option<Timestamp>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

fn parse_share(text: &str) -> Result<(String, ShareLevel), String> {
    let (project, level) = text
        .rsplit_once('=')
        .ok_or_else(|| "write a project and a level, for example `shop=fixes`".to_owned())?;
    let level = level.parse().map_err(|levels| format!("a level is {levels}"))?;
    Ok((project.to_owned(), level))
}

pub(crate) fn run(args: &TeamJoinArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let invitation = membership::introduce(&args.url)?;
    if !args.json {
        show(&invitation, out)?;
    }
    let choices = if args.read_only {
        Vec::new()
    } else if args.share.is_empty() {
        let Some(choices) = asked(&invitation)? else {
            say("nothing was changed");
            return Ok(ExitCode::FAILURE);
        };
        choices
    } else {
        let named = args
            .share
            .iter()
            .map(|(word, level)| invitation.find(word).map(|project| (project.key.clone(), *level)));
        named.collect::<Result<Vec<_>, MembershipError>>()?
    };
    invitation.accept(&choices, args.since)?;
    let level_of =
        |key: &str| choices.iter().find(|(known, _)| known == key).map_or(ShareLevel::Off, |found| found.1);
    if args.json {
        let shared = invitation.shared().map(|project| SharedProjectJson {
            project: project.key.clone(),
            level: level_of(&project.key),
            sent: None,
        });
        out.json(&JoinedJson {
            server: invitation.server.clone(),
            member: invitation.member.clone(),
            level: invitation.level.clone(),
            projects: shared.collect(),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    say(format_args!("{GREEN}joined:{GREEN:#} {} as {}", invitation.server, invitation.member));
    for project in invitation.shared() {
        let words = match level_of(&project.key) {
            ShareLevel::Off => "only read".to_owned(),
            level => format!("shares `{level}`"),
        };
        say(format_args!("  {}  {words}", project.key));
    }
    say(format_args!(
        "{CYAN}hint:{CYAN:#} `nudge sync --dry-run --show` prints what would leave; `nudge sync` does it"
    ));
    Ok(ExitCode::SUCCESS)
}

/// Shows who the user is there, and what could be shared.
fn show(invitation: &Invitation, out: &mut Out) -> Result<(), Failure> {
    let Invitation { server, database, member, level, .. } = invitation;
    let proof = if invitation.is_encrypted() { "; its certificate is valid" } else { "" };
    out.line(format_args!(
        "{BOLD}{server}{BOLD:#}, database {database}: you are `{member}` ({level}){proof}"
    ))?;
    let allowed =
        if invitation.allowed.is_empty() { "nothing yet".to_owned() } else { invitation.allowed.join(", ") };
    out.line(format_args!("allowed here: {allowed}"))?;
    out.line("")?;
    if invitation.projects.is_empty() {
        out.line("none of your projects has a remote, so none can be shared")?;
        return Ok(());
    }
    out.line("of your projects:")?;
    let widest = |width: fn(&membership::CandidateProject) -> usize| {
        invitation.projects.iter().map(width).max().unwrap_or(0)
    };
    let (names, keys) = (widest(|project| project.name.chars().count()), widest(|project| project.key.len()));
    for project in &invitation.projects {
        let words = match (project.is_allowed, project.is_off) {
            (false, _) => format!("{DIM}not allowed by the team; stays here{DIM:#}"),
            (true, true) => format!("{DIM}its own settings say that nothing leaves{DIM:#}"),
            (true, false) => {
                format!("fixes: {} of the last 30 days could be shared", counted(project.rows, "row"))
            }
        };
        out.row(format_args!("  {:names$}  {:keys$}  {words}", project.name, project.key))?;
    }
    out.line("")?;
    for line in wrapped(SEEN_BY_COLLEAGUES, out.width().map_or(MAX_WIDTH, |width| width.min(MAX_WIDTH))) {
        out.line(line)?;
    }
    out.line("")
}

/// What a person should know before the answer.
const SEEN_BY_COLLEAGUES: &str = "\
Colleagues would see, under your name: commands that failed and the telling lines of what they printed, what was run and \
a gist of what was changed before they worked, and commits. So would the person who runs the database. They would not \
see: prompts, what agents said, whole files, other projects. `nudge sync --dry-run --show` prints every byte. Secrets, \
addresses of mail and paths of your home are removed first, but no program finds all of them: look before you share.";

/// Maximum length of a line of prose, in characters, however wide the window is.
const MAX_WIDTH: usize = 116;

/// Asks which projects to share; `None` if the person wants nothing of it.
fn asked(invitation: &Invitation) -> Result<Option<Vec<(String, ShareLevel)>>, Failure> {
    let shared: Vec<_> = invitation.shared().filter(|project| !project.is_off).collect();
    let fixes = |keys: Vec<&str>| keys.into_iter().map(|key| (key.to_owned(), ShareLevel::Fixes)).collect();
    let names: Vec<&str> = shared.iter().map(|project| project.name.as_str()).collect();
    let question = if shared.is_empty() || invitation.level == "reader" {
        "join, and only read?  [y]es / [n]o".to_owned()
    } else {
        let names = names.join(" and ");
        format!("share `fixes` of {names}, from now on?  [y]es / [c]hoose / [n]othing, only read / [q]uit")
    };
    let Some(answer) = output::ask(&question)? else {
        let failure = Failure::new("there is no terminal to ask on");
        return Err(failure.hint("add `--share PROJECT=LEVEL` for what you share, or `--read-only`"));
    };
    match answer.as_str() {
        "y" | "yes" if shared.is_empty() || invitation.level == "reader" => Ok(Some(Vec::new())),
        "y" | "yes" => Ok(Some(fixes(shared.iter().map(|project| project.key.as_str()).collect()))),
        "n" | "nothing" if !shared.is_empty() => Ok(Some(Vec::new())),
        "c" | "choose" => {
            let mut choices = Vec::new();
            for project in shared {
                let question = format!("{}: [off] / fixes / work / all", project.key);
                let level = output::ask(&question)?.unwrap_or_default();
                let level = if level.is_empty() { Ok(ShareLevel::Off) } else { level.parse() };
                let level = level.map_err(|levels: String| Failure::new(format!("a level is {levels}")))?;
                choices.push((project.key.clone(), level));
            }
            Ok(Some(choices))
        }
        _ => Ok(None),
    }
}

impl From<MembershipError> for Failure {
    fn from(error: MembershipError) -> Failure {
        Failure::new(error.to_string()).hint_if(error.hint())
    }
}
