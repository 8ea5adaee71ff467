//! What works here: the commands with which tests, builds and checks succeed.

use std::collections::{HashMap, HashSet};

use super::plain;
use crate::model::{Observation, ObservationType, SessionId, beginning};
use crate::{observations, recall};

/// The number of commands that are named, and the length of all of them in characters, which the first may exceed.
const WORKS: usize = 5;
const MAX_WORKS: usize = 240;

/// Programs whose success is no news, however often they are run.
#[rustfmt::skip]
const EVERYDAY: [&str; 22] = [
    "git", "gh", "glab", "cp", "mv", "rm", "mkdir", "touch", "chmod", "kill", "pkill", "open", "ssh", "scp",
    "curl", "wget", "node", "python", "python3", "npx", "bd", "sqlite3",
];

/// Lists the commands with which tests, builds and checks succeed here.
pub(super) fn works(rows: &[Observation]) -> Option<String> {
    struct KnownCommand<'r> {
        sessions: HashSet<&'r SessionId>,
        summary: Option<String>,
        order: usize,
        has_tests: bool,
    }
    let mut known: HashMap<String, KnownCommand<'_>> = HashMap::new();
    for (order, row) in rows.iter().enumerate() {
        // Earlier versions stored a run without an exit code as a success, whatever it printed.
        let has_failed = || observations::is_failed_summary(row.output());
        if row.obs_type != ObservationType::Command || row.is_unfinished() || !is_work(row) || has_failed() {
            continue;
        }
        let Some(command) = one_line(recall::command(row)) else { continue };
        let tests = row.metadata.as_ref().and_then(|metadata| metadata.kind()) == Some("tests");
        let summary = row
            .content
            .lines()
            .skip(1)
            .last()
            .filter(|_| tests)
            .map(|line| plain(beginning(line.trim(), 40)));
        let entry = known.entry(command).or_insert(KnownCommand {
            sessions: HashSet::new(),
            summary: None,
            order,
            has_tests: tests,
        });
        entry.sessions.insert(&row.session_id);
        entry.has_tests |= tests;
        entry.summary = entry.summary.take().or(summary);
    }
    let mut works: Vec<(String, KnownCommand<'_>)> =
        known.into_iter().filter(|(_, known)| known.sessions.len() > 1 || known.has_tests).collect();
    works.sort_by_key(|(_, known)| (std::cmp::Reverse(known.sessions.len()), known.order));
    let named = works.into_iter().take(WORKS).map(|(command, known)| match known.summary {
        Some(summary) => format!("{} ({summary})", plain(&command)),
        None => plain(&command),
    });
    let mut length = 0;
    let works: Vec<String> = named
        .take_while(|command| {
            let is_first = length == 0;
            length += command.chars().count();
            is_first || length <= MAX_WORKS
        })
        .collect();
    (!works.is_empty()).then(|| format!("Works here: {}", works.join(" | ")))
}

/// Returns whether a command builds, tests or checks, rather than moving things about.
fn is_work(row: &Observation) -> bool {
    let name = row.program.as_deref().and_then(|program| program.split(' ').next()).unwrap_or_default();
    !name.is_empty() && !EVERYDAY.contains(&name) && !recall::only_looks(row)
}

/// Returns a command that fits into a line, without the folder it starts in and what cuts its output.
pub(super) fn one_line(command: &str) -> Option<String> {
    let mut text = command.trim();
    while let Some(rest) = text.strip_prefix("cd ").and_then(|rest| rest.split_once("&&")) {
        text = rest.1.trim();
    }
    let text = text.split(" 2>&1").next().unwrap_or(text).split(" | ").next().unwrap_or(text).trim();
    (!text.is_empty() && text.len() <= 100 && !text.contains('\n')).then(|| text.to_owned())
}
