//! Setup and its undoing for a person: a table of what would change, one question, and all next steps at the end.

use std::collections::BTreeSet;
use std::path::Path;

use super::{SetupArgs, SetupOutcome, State, carry_out, propose_one, show_lines};
use crate::cli::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, ask, counted, say_problem};
use crate::cli::window::columns;
use crate::model::{ConfigEntry, Content, InstallScope};
use crate::ops::here;
use crate::ops::setup::{self, Agent, PreparedAgent, Workplace};
use crate::ops::trust;

/// An agent, and what setup would do with it.
struct Proposed {
    prepared: PreparedAgent,
    done: SetupOutcome,
    is_chosen: bool,
}

/// What the person answered.
enum Answer {
    All,
    None,
    Diff,
    Choose,
}

/// Shows the table, asks, and connects the agents that the person wants, or disconnects them.
pub(super) fn run(
    args: &SetupArgs,
    workplace: &Workplace,
    agents: &[&'static Agent],
    out: &mut Out,
) -> Result<Vec<SetupOutcome>, Failure> {
    let mut all = Vec::new();
    for reach in args.reaches() {
        all.extend(agents.iter().map(|agent| propose(args, workplace, agent, *reach)));
    }
    if args.undo {
        // What has nothing of ours is of interest only to a person who named it.
        let is_shown =
            |one: &Proposed| one.is_chosen || one.done.state == State::Failed || !args.agents.is_empty();
        all.retain(|one| {
            is_shown(one) || !(one.done.plan.stale.is_empty() && one.done.plan.notes.is_empty())
        });
    }
    table(args, &all, out)?;
    all.iter().flat_map(|one| &one.done.plan.notes).for_each(|note| say_problem(note, None));
    if !args.dry_run && all.iter().any(|one| one.is_chosen) {
        choose(args, &mut all, out)?;
    }
    let mut finished = Vec::new();
    for Proposed { prepared, done, is_chosen } in all {
        let is_open = !done.plan.changes.is_empty() && done.state != State::Failed;
        finished.push(if args.dry_run || (is_open && !is_chosen) {
            SetupOutcome { state: if is_open { State::Planned } else { done.state }, ..done }
        } else if done.state == State::Failed {
            done
        } else {
            carry_out(args, &prepared, done).beside(&prepared.in_project)
        });
    }
    last_words(args, &finished, out)?;
    Ok(finished)
}

fn propose(args: &SetupArgs, workplace: &Workplace, agent: &'static Agent, reach: InstallScope) -> Proposed {
    let mut prepared = workplace.prepare(agent, reach);
    let done = match prepared.obstacle.take().filter(|_| !args.undo) {
        Some(problem) => SetupOutcome::new(&prepared).failed(args, problem),
        None => propose_one(args, &prepared),
    };
    let is_chosen = done.state != State::Failed && !done.plan.changes.is_empty();
    Proposed { prepared, done, is_chosen }
}

fn table(args: &SetupArgs, all: &[Proposed], out: &mut Out) -> Result<(), Failure> {
    let (heads, rows): (&[&str], Vec<Vec<String>>) = match args.undo {
        true => (&["agent", "connected", "files"], all.iter().map(undo_row).collect()),
        false => (&["agent", "hooks", "server", "files"], all.iter().map(row).collect()),
    };
    if rows.is_empty() {
        return Ok(());
    }
    let width = |index: usize| {
        let cells = rows.iter().map(|row| columns(&row[index]));
        cells.chain([columns(heads[index])]).max().unwrap_or(0)
    };
    // The last column may be as long as it wants.
    let widths: Vec<usize> =
        (0..heads.len()).map(|index| if index + 1 < heads.len() { width(index) } else { 0 }).collect();
    let pad = |text: &str, width: usize| format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))));
    let cells = |row: &[&str]| -> Vec<String> {
        row.iter().zip(&widths).map(|(cell, width)| pad(cell, *width)).collect()
    };
    out.row(format_args!("{DIM}{}{DIM:#}", cells(heads).join("  ")))?;
    for row in &rows {
        let row: Vec<&str> = row.iter().map(String::as_str).collect();
        let cells = cells(&row);
        out.row(format_args!("{BOLD}{}{BOLD:#}  {}", cells[0], cells[1..].join("  ")))?;
    }
    Ok(())
}

fn undo_row(one: &Proposed) -> Vec<String> {
    let files = match (one.done.state, one.done.plan.changes.len()) {
        (State::Failed, _) => "cannot be disconnected".to_owned(),
        (_, 0) => "nothing of nudge".to_owned(),
        _ => files(&one.done),
    };
    vec![one.prepared.agent.title.to_owned(), one.done.reach_in_words().to_owned(), files]
}

fn row(one: &Proposed) -> Vec<String> {
    let files = match (one.done.state, one.done.plan.changes.len()) {
        (State::Failed, _) => "cannot be connected".to_owned(),
        (State::Skipped, _) => "connected in another way".to_owned(),
        (_, 0) => "connected, nothing to do".to_owned(),
        _ => files(&one.done),
    };
    let contents = || one.prepared.connection.files.iter().map(|file| &file.content);
    let entries = || {
        contents().flat_map(|content| match content {
            Content::Json(entries) => entries.as_slice(),
            _ => &[],
        })
    };
    let starts = |entry: &ConfigEntry, start: &str| match entry {
        ConfigEntry::Item { path, .. } | ConfigEntry::Key { path, .. } | ConfigEntry::Preset { path, .. } => {
            path[0].starts_with(start)
        }
    };
    let hooks = match entries().filter(|entry| starts(entry, "hooks")).count() {
        0 if contents().any(|content| matches!(content, Content::Own(_))) => "plugin".to_owned(),
        count => count.to_string(),
    };
    let has_server = entries().any(|entry| starts(entry, "mcp"))
        || contents().any(|content| matches!(content, Content::Toml { .. }));
    vec![one.prepared.agent.title.to_owned(), hooks, if has_server { "yes" } else { "no" }.to_owned(), files]
}

/// Names the files with settings, and counts those of roles and skills.
fn files(done: &SetupOutcome) -> String {
    let (documents, settings): (Vec<_>, Vec<_>) = done.plan.changes.iter().partition(|change| {
        setup::is_document(change.after.as_deref().or(change.before.as_deref()).unwrap_or_default())
    });
    let folder = here::root(&here::folder_or_root());
    let name = |path: &Path| match path.strip_prefix(&folder) {
        Ok(inside) if done.reach == InstallScope::Project => inside.display().to_string(),
        _ => here::short_path(path),
    };
    let mut words: Vec<String> = settings.iter().map(|change| name(&change.path)).collect();
    words.extend((!documents.is_empty()).then(|| format!("{} agents and skills", documents.len())));
    words.join(", ")
}

/// Asks until there is an answer; nothing is written without one.
fn choose(args: &SetupArgs, all: &mut [Proposed], out: &mut Out) -> Result<(), Failure> {
    let titles: BTreeSet<&str> =
        all.iter().filter(|one| one.is_chosen).map(|one| one.prepared.agent.title).collect();
    let deed = if args.undo { "Disconnect" } else { "Connect" };
    let question = format!("{deed} {}? [Y/n/d=diff/c=choose]", counted(titles.len(), "agent"));
    loop {
        match read(ask(&question)?.as_deref()) {
            Some(Answer::All) => return Ok(()),
            Some(Answer::None) => {
                all.iter_mut().for_each(|one| one.is_chosen = false);
                return Ok(());
            }
            Some(Answer::Diff) => {
                all.iter().filter(|one| one.is_chosen).try_for_each(|one| show_lines(&one.done, out))?;
            }
            Some(Answer::Choose) => {
                for one in all.iter_mut().filter(|one| one.is_chosen) {
                    let reach =
                        if args.undo { format!(" {}", one.done.reach_in_words()) } else { String::new() };
                    let question = format!("{deed} {}{reach}? [Y/n]", one.prepared.agent.title);
                    one.is_chosen = matches!(read(ask(&question)?.as_deref()), Some(Answer::All));
                }
                return Ok(());
            }
            None => {}
        }
    }
}

/// Reads an answer; the end of the input is a no.
fn read(answer: Option<&str>) -> Option<Answer> {
    Some(match answer {
        Some("" | "y" | "yes") => Answer::All,
        None | Some("n" | "no" | "q") => Answer::None,
        Some("d" | "diff") => Answer::Diff,
        Some("c" | "choose") => Answer::Choose,
        Some(_) => return None,
    })
}

/// Says what became of each agent, and what the person does next, all together.
fn last_words(args: &SetupArgs, all: &[SetupOutcome], out: &mut Out) -> Result<(), Failure> {
    let in_state = |state: State| all.iter().filter(move |one| one.state == state);
    for one in in_state(State::Connected) {
        let (title, reach) = (one.agent.title, one.reach_in_words());
        out.line(format_args!(
            "{BOLD}{title}{BOLD:#} {GREEN}is connected{GREEN:#} {reach}; a test event was answered"
        ))?;
    }
    for one in in_state(State::Undone) {
        let (title, how, reach) = (one.agent.title, one.undone(), one.reach_in_words());
        out.line(format_args!("{BOLD}{title}{BOLD:#} {GREEN}{how}{GREEN:#} {reach}"))?;
    }
    let mut planned: Vec<&str> = in_state(State::Planned).map(|one| one.agent.title).collect();
    planned.dedup();
    if !planned.is_empty() {
        out.line(format_args!("{DIM}nothing was written for {}{DIM:#}", planned.join(", ")))?;
        if args.dry_run {
            out.line(format_args!("{DIM}`--diff` shows every line{DIM:#}"))?;
        }
    }
    for one in in_state(State::Connected) {
        out.line(format_args!("{CYAN}next:{CYAN:#} {}: {}", one.agent.title, one.next_step))?;
    }
    if in_state(State::Connected).next().is_some() && !trust::is_required() {
        out.line(format_args!(
            "{DIM}to let the rules of a repository speak only after you have read them: `trust = \"required\"` under `[rules]` in your settings (`nudge settings`){DIM:#}"
        ))?;
    }
    if let Some(folder) = setup::backup_folder().filter(|_| in_state(State::Connected).next().is_some()) {
        let folder = here::short_path(&folder);
        out.line(format_args!(
            "{DIM}`nudge setup --undo` restores everything; copies are in {folder}{DIM:#}"
        ))?;
    }
    Ok(())
}
