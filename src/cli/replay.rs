//! `nudge test --replay` and `nudge validate --replay`: what the rules would have done on the calls of the past.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};

use super::here;
use super::output::{BOLD, DIM, Failure, GREEN, Out, RED, YELLOW, counted, in_line, say};
use crate::api::replay::{ReplayCountsJson, ReplayJson, ReplayedGroupJson, ReplayedRuleJson};
use crate::model::Timestamp;
use crate::ops::here::root as root_of;
use crate::ops::rules::replay::{self, ReplayRequest, Replayed, RuleChoice, stops};
use crate::ops::times;

/// What `nudge test --replay` and `nudge validate --replay` have in common.
#[derive(clap::Args)]
pub(crate) struct ReplayArgs {
    /// Try the rules on the calls of the past: since a date, or `30d`, `1w` [default: 30d]
    #[arg(long, value_name = "WHEN", num_args = 0..=1, default_missing_value = "30d", value_parser = times::parse)]
    pub(crate) replay: Option<Timestamp>,

    /// With --replay: only sessions in this project (the default)
    #[arg(long, requires = "replay", conflicts_with = "all")]
    project: bool,

    /// With --replay: sessions in all projects
    #[arg(short, long, requires = "replay")]
    all: bool,

    /// With --replay: read the transcripts in this folder, which is laid out like a home folder (`.claude`, `.codex`, …)
    #[arg(long, value_name = "DIR", requires = "replay")]
    transcripts: Option<PathBuf>,
}

impl ReplayArgs {
    /// Replays the chosen rules since a time.
    pub(crate) fn run(
        &self,
        since: Timestamp,
        choice: &RuleChoice,
    ) -> Result<(ReplayRequest, Replayed), Failure> {
        let here = here()?;
        let root = root_of(&here);
        let rules = replay::chosen_rules(&root, choice)
            .map_err(|error| Failure::new(error.message).hint(error.hint))?;
        if rules.is_empty() {
            let failure = Failure::new("there are no rules to replay");
            return Err(failure.hint("`nudge rules` lists what is loaded; --file names a rule file"));
        }
        if let Some(folder) = self.transcripts.as_ref().filter(|folder| !folder.is_dir()) {
            let failure = Failure::new(format!("`{}` is not a folder", folder.display()));
            return Err(failure.hint("name a folder with the agents' folders in it, such as a home folder"));
        }
        let request = ReplayRequest {
            rules,
            root: choice.file.is_none().then_some(root),
            since,
            only_in: (!self.all && self.transcripts.is_none()).then_some(here),
            home: self.transcripts.clone(),
            counts_successes: false,
            ..ReplayRequest::default()
        };
        let bar = ProgressBar::hidden();
        let replayed = replay::run(&request, &mut |progress| {
            if progress.read == 0 {
                show_bar(&bar, progress.total);
            }
            bar.set_position(progress.read);
        });
        bar.finish_and_clear();
        Ok((request, replayed?))
    }
}

/// Shows how far it is, where somebody looks.
pub(super) fn show_bar(bar: &ProgressBar, bytes: u64) {
    if bar.length() != Some(bytes) && io::stderr().is_terminal() {
        let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_length(bytes);
        bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
    }
}

/// Shows a replay to a person, with at most `limit` calls of each rule.
pub(crate) fn show(
    request: &ReplayRequest,
    replayed: &Replayed,
    limit: usize,
    out: &mut Out,
) -> Result<(), Failure> {
    let report = replayed.to_json(request);
    show_extent(&report, out)?;
    let mut quiet = Vec::new();
    for (number, rule) in report.rules.iter().enumerate() {
        if rule.counts.fired == 0 {
            quiet.push(in_line(&rule.rule));
            continue;
        }
        show_rule(rule, out)?;
        let firings = replayed.tally.firings.iter().filter(|firing| firing.rule == number);
        let is_alarm = request.rules.get(number).is_some_and(stops);
        let well = firings.filter(|firing| firing.outcome == replay::PastOutcome::Well && is_alarm);
        let (mut shown, mut left) = (0, 0);
        for firing in well {
            if limit > 0 && shown >= limit {
                left += 1;
                continue;
            }
            shown += 1;
            let at = times::local_time(firing.at);
            let project = firing.project.as_deref().unwrap_or("-");
            let place = firing.transcript.as_deref().or(firing.session.as_deref()).unwrap_or_default();
            out.row(format_args!(
                "    {at}  {} {project}  {}  {DIM}{}{DIM:#}",
                firing.harness,
                in_line(&firing.what),
                in_line(place)
            ))?;
        }
        if left > 0 {
            out.line(format_args!("    {DIM}and {left} more; --limit 0 shows all{DIM:#}"))?;
        }
    }
    if !quiet.is_empty() {
        out.line(format_args!("never fired: {}", quiet.join(", ")))?;
    }
    for (what, groups) in [("agent", &report.agents), ("project", &report.projects)] {
        if groups.len() > 1 {
            out.line(format_args!("{BOLD}by {what}{BOLD:#}"))?;
            groups.iter().try_for_each(|group| show_group(group, out))?;
        }
    }
    for reason in &report.not_replayed {
        say(format_args!("{YELLOW}not replayed:{YELLOW:#} {} {}", reason.count, reason.reason));
    }
    for file in report.unreadable.iter().take(10) {
        say(format_args!("{YELLOW}skipped{YELLOW:#} {}: {}", file.file, file.why));
    }
    Ok(())
}

fn show_extent(report: &ReplayJson, out: &mut Out) -> Result<(), Failure> {
    let (calls, sessions) = (counted(report.calls, "call"), counted(report.sessions, "session"));
    let mut sources = vec![counted(report.transcripts, "transcript")];
    if report.remembered > 0 {
        sources.push(format!("{} from the memory", counted(report.remembered, "call")));
    }
    let since = report.since.split('T').next().unwrap_or_default();
    out.line(format_args!("{BOLD}{calls}{BOLD:#} since {since}, in {sessions} ({})", sources.join(", ")))?;
    if report.calls == 0 {
        say("there is no history here; --all looks at all projects, a longer time at older sessions");
    }
    Ok(())
}

fn show_rule(rule: &ReplayedRuleJson, out: &mut Out) -> Result<(), Failure> {
    let name = in_line(&rule.rule);
    out.line(format_args!(
        "{BOLD}{name}{BOLD:#}  {} {DIM}{}:{}{DIM:#}",
        rule.action,
        in_line(&rule.file),
        rule.line
    ))?;
    out.line(format_args!("  fired {}: {}", times_of(rule.counts.fired), ends(&rule.counts)))
}

fn show_group(group: &ReplayedGroupJson, out: &mut Out) -> Result<(), Failure> {
    let name = group.name.as_deref().unwrap_or("no project");
    let (calls, fired) = (counted(group.calls, "call"), times_of(group.counts.fired));
    let ends = if group.counts.fired > 0 { format!(": {}", ends(&group.counts)) } else { String::new() };
    out.row(format_args!("  {}  {calls}, fired {fired}{ends}", in_line(name)))
}

fn times_of(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// Says how the calls ended that something fired on.
fn ends(counts: &ReplayCountsJson) -> String {
    let parts = [
        (counts.failed, GREEN, "failed"),
        (counts.refused, GREEN, "refused by the user"),
        (counts.went_well, RED, "went well"),
        (counts.unknown, DIM, "unknown"),
    ];
    let parts = parts.iter().filter(|(count, ..)| *count > 0);
    let parts: Vec<String> =
        parts.map(|(count, style, what)| format!("{style}{count}{style:#} {what}")).collect();
    parts.join(", ")
}
