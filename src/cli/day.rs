//! `nudge day`: what happened on a day or in a week, for a person or as Markdown.

use std::process::ExitCode;

use super::here;
use super::output::{Failure, Out, counted};
use super::rows::one_line;
use super::today::{counts, show};
use crate::api::today::TodayWire;
use crate::ops::agents;
use crate::ops::here::root as root_of;
use crate::ops::times;
use crate::ops::today::{self, Period};

/// Sum up a day or a week: sessions, failures, rules, open tasks
///
/// Sessions and failures come from the memory. Rules and hook calls come from the trace, which keeps at least the last
/// thousand calls: for an older day they may be missing.
#[derive(clap::Args)]
pub(crate) struct DayArgs {
    /// `today`, `yesterday`, `week` (the last seven days), or a date
    #[arg(value_name = "DAY", default_value = "today", value_parser = Period::parse)]
    period: Period,

    /// Print Markdown, for a stand-up or a report
    #[arg(long, visible_alias = "markdown", conflicts_with = "json")]
    md: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

/// Maximum number of characters of a text in Markdown.
const MAX_TEXT: usize = 120;

pub(crate) fn run(args: &DayArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let folder = here()?;
    let day = today::look(&folder, &args.period, &today::MANY)?;
    if args.json {
        out.json(&day)?;
    } else if args.md {
        markdown(&day).iter().try_for_each(|line| out.line(line))?;
    } else {
        show(&day, &heading(&day), &root_of(&folder), out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn heading(day: &TodayWire) -> String {
    if day.days == 1 { day.date.clone() } else { format!("{} days from {}", day.days, day.date) }
}

fn markdown(day: &TodayWire) -> Vec<String> {
    let mut lines = vec![format!("# {}", heading(day)), String::new()];
    let sessions = &day.sessions;
    let sums = counts(sessions.prompts, sessions.edits, sessions.failures);
    lines.push(match (&day.memory_problem, sessions.total) {
        (Some(problem), _) => format!("The memory cannot be read: {}", escaped(problem)),
        (None, 0) => "No sessions.".to_owned(),
        (None, total) => format!("{}: {sums}.", counted(total, "session")),
    });
    let mut part = |title: &str, items: Vec<String>| {
        if !items.is_empty() {
            lines.extend([String::new(), format!("## {title}"), String::new()]);
            lines.extend(items.into_iter().map(|item| format!("- {item}")));
        }
    };
    let session = sessions.items.iter().map(|one| {
        let agent = one.harness.as_deref().map(|id| agents::by_id(id).map_or(id, |agent| agent.title));
        let place = [one.project.as_deref(), agent].into_iter().flatten().map(escaped).collect::<Vec<_>>();
        let blocked = if one.blocked > 0 { format!(", {} blocked", one.blocked) } else { String::new() };
        let prompt = one.first_prompt.as_deref().unwrap_or("(no prompt)");
        format!(
            "{} **{}** ({}{blocked})",
            escaped(prompt),
            place.join(", "),
            counts(one.prompts, one.edits, one.failures)
        )
    });
    part("Sessions", session.collect());
    let failure = day.failures.iter().map(|one| {
        let project = one.project.as_deref().map(|project| format!("**{}** ", escaped(project)));
        format!("{}{} ({})", project.unwrap_or_default(), escaped(&one.content), local(&one.at))
    });
    part("Failures", failure.collect());
    let rule = day.rules.iter().map(|one| {
        let (blocked, guided) = (one.blocked, one.guided);
        format!("{}: {blocked} blocked, {guided} with context added", escaped(&one.rule))
    });
    part("Rules", rule.collect());
    let tasks = day.tasks.iter().flat_map(|tasks| &tasks.items);
    part("Open tasks", tasks.map(|task| format!("{} {}", task.id, escaped(&task.title))).collect());
    let problem = day.problems.iter().map(|one| format!("{} ({})", escaped(&one.message), local(&one.at)));
    part("Problems of hooks", problem.collect());
    lines
}

fn local(at: &str) -> String {
    times::from_iso(at).map(times::local_time).unwrap_or_default()
}

/// Makes one line of a text, without anything that Markdown would read as more than text.
fn escaped(text: &str) -> String {
    let mut line = String::new();
    for c in one_line(text, MAX_TEXT).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '<' | '[' | ']' | '#' | '|' | '~') {
            line.push('\\');
        }
        line.push(c);
    }
    line
}
