//! `nudge forget`: removes observations for good.

use std::process::ExitCode;

#[cfg(feature = "team")]
use super::colleagues;
use super::memory;
use super::output::{self, Failure, GREEN, Out, YELLOW, counted, say};
use super::rows::{self, Row};
use crate::api::memory::{DamagedJson, ForgottenJson};
use crate::model::{Forgotten, ObservationId, PeerKind, Selection, Timestamp};
use crate::ops::here;
use crate::ops::machines;
use crate::ops::observations::forget::{self, ForgetRequest};
use crate::ops::observations::salvage;
use crate::ops::times;

/// Permanently delete observations
///
/// Shows what would be deleted and asks first. Their text is in no file afterwards. Pinned observations are deleted too.
#[derive(clap::Args)]
#[command(
    override_usage = "nudge forget <ID>...\n       nudge forget --query|--session|--project|--before|--damaged ..."
)]
#[command(group = clap::ArgGroup::new("what"))]
#[command(group = clap::ArgGroup::new("any").required(true).multiple(true).args(["ids", "query", "session", "project", "before", "damaged"]))]
pub(crate) struct ForgetArgs {
    /// Numbers of observations, for example `42`; `@17` hides a row of a colleague here
    #[arg(value_name = "ID", value_parser = ForgetArg::parse, group = "what")]
    ids: Vec<ForgetArg>,

    /// Delete what contains all of these words, in this project
    #[arg(long, value_name = "QUERY", group = "what")]
    query: Option<String>,

    /// Delete a whole session: its id, or the beginning of it
    #[arg(long, value_name = "ID", group = "what")]
    session: Option<String>,

    /// Delete everything about a project
    #[arg(long, value_name = "NAME", group = "what")]
    project: Option<String>,

    /// Delete what is older than this, in this project: a date, a time, `90d`, `P90D`, `yesterday`
    #[arg(long, value_name = "WHEN", value_parser = times::parse, group = "what")]
    before: Option<Timestamp>,

    /// Delete the copies of damaged databases, which may contain any text. What is readable was restored already
    #[arg(long)]
    damaged: bool,

    /// With `--query` or `--before`: in all projects
    #[arg(short, long, conflicts_with_all = ["ids", "session", "project"])]
    all: bool,

    /// Do not ask
    #[arg(short, long)]
    yes: bool,

    /// Only show what would be deleted
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// An observation, or a row of a colleague, as it is typed.
#[derive(Clone, Copy)]
enum ForgetArg {
    Own(ObservationId),
    Colleague(i64),
}

impl ForgetArg {
    fn parse(text: &str) -> Result<ForgetArg, String> {
        match text.starts_with('@') {
            true => memory::team_id(text).map(ForgetArg::Colleague),
            false => memory::id(text).map(ForgetArg::Own),
        }
    }
}

pub(crate) fn run(args: &ForgetArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let theirs: Vec<i64> = args
        .ids
        .iter()
        .filter_map(|id| if let ForgetArg::Colleague(id) = id { Some(*id) } else { None })
        .collect();
    if !theirs.is_empty() {
        if theirs.len() < args.ids.len() {
            return Err(Failure::new("rows of colleagues and your own are forgotten separately").usage());
        }
        #[cfg(not(feature = "team"))]
        return Err(memory::no_team());
        #[cfg(feature = "team")]
        return colleagues::hide(&theirs, args.dry_run, args.json, out);
    }
    if !args.names_observations() {
        return forget_damaged(args, out);
    }
    let Some(proposal) = forget::propose(args.wanted())? else {
        memory::nothing_yet(args.json, &ForgottenJson::new(&Forgotten::default(), false), out)?;
        return Ok(ExitCode::SUCCESS);
    };
    let would = &proposal.forgotten;
    if !args.json {
        let rows: Vec<Row> = would.sample.iter().map(Row::of_hit).collect();
        rows::print(&rows, true, out)?;
        say(words(would, args.is_here()));
    }
    if (would.count, would.copies) == (0, 0) || args.dry_run {
        if args.json {
            out.json(&ForgottenJson::new(would, false))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes && !output::confirm("Forget them for good?")? {
        say("nothing was forgotten");
        return Ok(ExitCode::FAILURE);
    }
    let forgotten = forget::forget(&proposal.selection)?;
    if args.json {
        out.json(&ForgottenJson::new(&forgotten, true))?;
    } else {
        say(format_args!("{GREEN}forgotten:{GREEN:#} {}", counted(forgotten.count, "observation")));
    }
    if args.damaged {
        let count = forget::delete_damaged()?;
        say(format_args!("{GREEN}deleted:{GREEN:#} {}", counted(count, "damaged file")));
    }
    if forgotten.told > 0 && !args.json {
        let what = if forgotten.told == 1 { "it was" } else { "some of them were" };
        say(format_args!(
            "{what} shared: the team's server and your colleagues drop it with the next sync (`nudge sync` does it now)"
        ));
        say("it stays in the server's backups and its write-ahead log until those expire");
    }
    say_rest(&forgotten);
    say_machines(&forgotten);
    Ok(ExitCode::SUCCESS)
}

/// Says how the other machines hear of it.
fn say_machines(forgotten: &Forgotten) {
    let peers = machines::peers().unwrap_or_default();
    for kind in [PeerKind::Ssh, PeerKind::File] {
        if forgotten.count > 0 && peers.iter().any(|peer| peer.kind == kind) {
            let kind = kind.name();
            say(format_args!("your other machines forget it with the next sync: `nudge sync {kind}`"));
        }
    }
}

/// Deletes the damaged files, and nothing else.
fn forget_damaged(args: &ForgetArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let files = forget::damaged_files();
    if !args.json {
        files.iter().try_for_each(|file| out.line(file.display()))?;
        say(match files.len() {
            0 => "no damaged files are kept".to_owned(),
            count => format!("to delete: {}", counted(count, "damaged file")),
        });
    }
    // A note stays when the user has deleted the file.
    let is_empty = files.is_empty() && salvage::history().is_empty();
    let is_wanted = !is_empty && !args.dry_run;
    if is_wanted && !args.yes && !output::confirm("Delete them for good?")? {
        say("nothing was deleted");
        return Ok(ExitCode::FAILURE);
    }
    let deleted = if is_wanted { forget::delete_damaged()? } else { 0 };
    if args.json {
        out.json(&DamagedJson { damaged: files, deleted })?;
    } else if is_wanted {
        say(format_args!("{GREEN}deleted:{GREEN:#} {}", counted(deleted, "damaged file")));
    }
    Ok(ExitCode::SUCCESS)
}

impl ForgetArgs {
    fn names_observations(&self) -> bool {
        let options = [&self.query, &self.session, &self.project];
        !self.ids.is_empty() || self.before.is_some() || options.into_iter().any(Option::is_some)
    }

    fn wanted(&self) -> ForgetRequest {
        let selection = match (&self.query, &self.session, &self.project, self.before) {
            (Some(query), ..) => Selection::Query(query.clone()),
            (_, Some(session), ..) => return ForgetRequest::Session(session.clone()),
            (_, _, Some(project), _) => return ForgetRequest::Project(project.clone()),
            (.., Some(before)) => Selection::Before(before),
            _ => Selection::Ids(
                self.ids
                    .iter()
                    .filter_map(|id| if let ForgetArg::Own(id) = id { Some(*id) } else { None })
                    .collect(),
            ),
        };
        match self.is_here() {
            true => ForgetRequest::Here(selection, here::folder_or_root()),
            false => ForgetRequest::Selection(selection),
        }
    }

    /// Says whether only this project is meant: a word or a date fits rows of all.
    fn is_here(&self) -> bool {
        (self.query.is_some() || self.before.is_some()) && !self.all
    }
}

fn words(would: &Forgotten, is_here: bool) -> String {
    let more = match would.count.saturating_sub(would.sample.len()) {
        0 => String::new(),
        more => format!(" ({more} more than shown)"),
    };
    let pinned = match would.pinned {
        0 => String::new(),
        pinned => format!(", {YELLOW}{pinned} of them pinned{YELLOW:#}"),
    };
    let copies = match would.copies {
        0 => String::new(),
        copies => format!(", and the {} that `nudge gc` has kept", noun(copies, "copy", "copies")),
    };
    match would.count {
        0 if would.copies == 0 && is_here => {
            "nothing to forget: no observation of this project fits; `--all` looks in all projects".to_owned()
        }
        0 if would.copies == 0 => "nothing to forget: no observation fits".to_owned(),
        count => format!("to forget: {}{more}{pinned}{copies}", counted(count, "observation")),
    }
}

fn noun(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Says where a piece of the text may still be.
fn say_rest(forgotten: &Forgotten) {
    if !forgotten.scrubbed {
        say(format_args!(
            "{YELLOW}warning:{YELLOW:#} another process is reading; its log may hold the text for a while"
        ));
        say("hint: run `nudge gc` when no agent is at work");
    }
    let damaged = forget::damaged_files();
    if !damaged.is_empty() {
        say(format_args!(
            "{YELLOW}warning:{YELLOW:#} {} may still have the text:",
            counted(damaged.len(), "damaged file")
        ));
        damaged.iter().for_each(|file| say(format_args!("  {}", file.display())));
        say("hint: `nudge forget --damaged` deletes them; what can be read of them is in the memory already");
    }
    let torn = forget::torn_lines();
    if torn > 0 {
        say(format_args!(
            "{YELLOW}warning:{YELLOW:#} torn lines lie beside the spool ({torn}); `nudge doctor` says where"
        ));
    }
}
