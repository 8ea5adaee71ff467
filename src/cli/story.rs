//! One session as a story: each prompt, and below it what the agent did; looks are counted, failures stand out.

use super::output::{BOLD, CYAN, DIM, Failure, GREEN, Out, RED, YELLOW, counted};
use super::rows::{duration, one_line, told};
use crate::model::{Observation, ObservationType, SessionSummary};
use crate::ops::observations::memory::FullSession;
use crate::ops::times;

/// Maximum number of characters of a line.
const MAX_CHARS: usize = 100;

pub(crate) fn tell(story: &FullSession, out: &mut Out) -> Result<(), Failure> {
    let FullSession { summary, observations } = story;
    let project = summary.project.as_deref().unwrap_or("no project");
    out.line(format_args!("{BOLD}{}{BOLD:#}  {CYAN}{project}{CYAN:#}", summary.session_id.0))?;
    let (start, length) = (times::local_time(summary.started_at), lasted(summary));
    let counted = counts(summary).join(", ");
    let by = summary.harness.as_ref().map(|harness| format!(" by {harness}")).unwrap_or_default();
    let on = summary.branch.as_ref().map(|branch| format!(" on {branch}")).unwrap_or_default();
    let blocked = if summary.blocked > 0 { format!(", {} blocked", summary.blocked) } else { String::new() };
    out.line(format_args!("{DIM}from {start}, for {length}{by}{on}:{DIM:#} {counted}{blocked}"))?;
    let mut looks = Looks::default();
    for one in observations {
        if one.obs_type.only_looks() {
            looks.count(one.obs_type);
            continue;
        }
        looks.tell(out)?;
        out.row(line(one))?;
    }
    looks.tell(out)
}

fn line(one: &Observation) -> String {
    let text = one_line(told(&one.content, one.file_path.as_deref()), MAX_CHARS);
    let id = format!("{DIM}{}{DIM:#}", one.id.0);
    match one.obs_type {
        ObservationType::UserPrompt => format!("\n{BOLD}{CYAN}❯{CYAN:#} {BOLD}{text}{BOLD:#}  {id}"),
        ObservationType::SessionStart | ObservationType::SessionEnd => {
            format!("\n{DIM}─ {text}{DIM:#}  {id}")
        }
        ObservationType::CommandError if one.is_blocked() => {
            format!("  {YELLOW}⊘ {text}{YELLOW:#}  {id}")
        }
        ObservationType::CommandError => format!("  {RED}✗ {text}{RED:#}  {id}{}", took(one)),
        ObservationType::FileEdit | ObservationType::FileWrite => {
            format!("  {GREEN}✎{GREEN:#} {text}  {id}")
        }
        ObservationType::Command | ObservationType::McpCall => format!("  ✓ {text}  {id}{}", took(one)),
        _ => format!("  ✓ {text}  {id}"),
    }
}

/// Says how long a command took, if a person would have noticed it.
fn took(one: &Observation) -> String {
    let long = one.duration_ms().filter(|ms| *ms >= NOTICED_MS);
    long.map(|ms| format!("  {DIM}{}{DIM:#}", duration(ms))).unwrap_or_default()
}

/// A command that takes this many milliseconds makes people wait.
const NOTICED_MS: u64 = 10_000;

/// Looks in a row: they are many, and what was seen matters less than what was done.
#[derive(Default)]
struct Looks {
    reads: usize,
    searches: usize,
}

impl Looks {
    fn count(&mut self, kind: ObservationType) {
        match kind {
            ObservationType::FileRead => self.reads += 1,
            _ => self.searches += 1,
        }
    }

    fn tell(&mut self, out: &mut Out) -> Result<(), Failure> {
        let Looks { reads, searches } = std::mem::take(self);
        let words = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let said = [words(reads, "file read", "files read"), words(searches, "search", "searches")];
        let said: Vec<String> = said.into_iter().flatten().collect();
        if said.is_empty() {
            return Ok(());
        }
        out.line(format_args!("  {DIM}· {}{DIM:#}", said.join(", ")))
    }
}

/// Returns the counts of a session in words: prompts, edits, failures.
pub(crate) fn counts(session: &SessionSummary) -> [String; 3] {
    [(session.prompts, "prompt"), (session.edits, "edit"), (session.failures, "failure")]
        .map(|(count, noun)| counted(count, noun))
}

/// Says how long a session lasted.
pub(crate) fn lasted(session: &SessionSummary) -> String {
    match session.ended_at.since(session.started_at) {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3_600 => format!("{}m", seconds / 60),
        seconds @ 3_600..172_800 => format!("{}h{:02}", seconds / 3_600, seconds % 3_600 / 60),
        seconds => format!("{}d", seconds / 86_400),
    }
}
