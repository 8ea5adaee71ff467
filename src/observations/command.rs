//! Finds the programs that a command line runs: they connect a failure with the success after it.

use crate::shell::{self, Doing, SimpleCommand};

/// Returns the program of a command line that succeeded: the last one that does something, `cargo test` of
/// `cd x && RUST_LOG=1 cargo test -p a 2>&1 | tail`.
pub(super) fn program(parts: &[SimpleCommand]) -> Option<String> {
    let part = last_doing(parts, Doing::Acting).or_else(|| first_doing(parts, Doing::Looking));
    shell::program(part.or(parts.first())?)
}

/// Returns all programs of a line that do something, if there are several.
pub(super) fn programs(parts: &[SimpleCommand]) -> Option<Vec<String>> {
    if parts.len() < 2 {
        return None;
    }
    let mut programs: Vec<String> =
        parts.iter().filter(|part| shell::doing(part) == Doing::Acting).filter_map(shell::program).collect();
    programs.dedup();
    (programs.len() > 1).then_some(programs)
}

/// Returns the part of a failed line that failed, as far as its output shows it.
pub(super) fn failed_program(line: &str, output: &str) -> Option<String> {
    let parts = shell::parts(line);
    let acting: Vec<&SimpleCommand> =
        parts.iter().filter(|part| shell::doing(part) == Doing::Acting).collect();
    let best = acting.iter().enumerate().max_by_key(|(at, part)| (evidence(part, output), *at));
    let part =
        best.map(|(_, part)| *part).or_else(|| first_doing(&parts, Doing::Looking)).or(parts.first())?;
    shell::program(part)
}

/// Returns how clearly an output comes from a part of the line.
fn evidence(part: &SimpleCommand, output: &str) -> u8 {
    let program = shell::program(part).unwrap_or_default();
    let mut words = program.split(' ');
    let name = words.next().unwrap_or_default();
    let last = words.next_back().unwrap_or(name);
    let begins = |text: &str| output.lines().any(|line| line.trim_start().starts_with(text));
    // `[lint] …`, `web:lint: …`: runners write the task before each line.
    let as_task = last.len() > 1 && (begins(&format!("[{last}")) || begins(&format!("{last}: ")));
    let by_name = begins(&format!("{name}: ")) || begins(&format!("{name} ERR!"));
    let by_hook =
        last == "commit" && ["husky", "[STARTED]", "pre-commit", "Pre-commit"].into_iter().any(begins);
    let by_family = match name {
        "git" if last != "commit" => begins("fatal: ") || begins("error: ") || begins("hint: "),
        "go" => begins("--- FAIL") || begins("FAIL"),
        "cargo" => begins("error[E") || begins("error: could not compile"),
        _ => false,
    };
    4 * u8::from(by_hook) + 3 * u8::from(as_task) + 2 * u8::from(by_name) + u8::from(by_family)
}

fn first_doing(parts: &[SimpleCommand], wanted: Doing) -> Option<&SimpleCommand> {
    parts.iter().find(|part| shell::doing(part) == wanted)
}

fn last_doing(parts: &[SimpleCommand], wanted: Doing) -> Option<&SimpleCommand> {
    parts.iter().rev().find(|part| shell::doing(part) == wanted)
}
