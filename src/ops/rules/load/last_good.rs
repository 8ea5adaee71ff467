//! Uses the last good version of a rule file while the file is broken or being saved.
//!
//! Editors that save in place empty a file before they write it, and a rule that is being edited is broken for a while.
//! Neither may disable a rule silently.

use std::time::Duration;

use super::read_one;
use crate::journal::rule_cache::{SETTLED, Stage};
use crate::model::Problem;
use crate::rules::{Loaded, MissingVersion, Rule};
use crate::system::rule_files::{self, RuleFile};

/// A file that is younger than this may still be being saved; it is read again if rules are missing from it.
const SAVING_TIME: Duration = Duration::from_millis(200);
const RETRY_INTERVAL: Duration = Duration::from_millis(5);
const MAX_RETRIES: usize = 4;
/// Maximum number of rules named in one message.
const MAX_NAMED: usize = 5;

/// Reads a file; rules that were good before and cannot be read now stay as they were.
pub(super) fn read(file: &RuleFile, older: &[Rule]) -> (Loaded, Stage) {
    let older: Vec<&Rule> = older.iter().filter(|rule| rule.place.file == file.shown).collect();
    let mut loaded = read_one(file, MissingVersion::Warn).loaded;
    for _ in 0..MAX_RETRIES {
        let lacks_rules = older.iter().any(|rule| !has(&loaded.rules, &rule.name));
        if !lacks_rules || file.age() > SAVING_TIME {
            break;
        }
        std::thread::sleep(RETRY_INTERVAL);
        if let Ok(now) = rule_files::describe(&file.path, file.shown.clone()) {
            loaded = read_one(&now, MissingVersion::Warn).loaded;
        }
    }
    // A file that stays empty is meant to be empty.
    let was_emptied = loaded.rules.is_empty() && loaded.problems.is_empty() && file.age() < SETTLED;
    let kept = older.into_iter().filter(|rule| {
        !has(&loaded.rules, &rule.name) && (was_emptied || is_broken(&rule.name, &loaded.problems))
    });
    let kept: Vec<Rule> = kept.cloned().collect();
    if !kept.is_empty() {
        // First, because only a few problems are shown to the user.
        loaded.problems.insert(0, kept_rules_problem(file, &kept, was_emptied));
        loaded.rules.extend(kept);
    }
    (loaded, if was_emptied { Stage::BeingSaved } else { Stage::Saved })
}

fn has(rules: &[Rule], name: &str) -> bool {
    rules.iter().any(|rule| rule.name == name)
}

/// Returns whether an error concerns this rule, or the whole file.
fn is_broken(name: &str, problems: &[Problem]) -> bool {
    let concerns = |problem: &Problem| problem.rule.as_deref().is_none_or(|rule| rule == name);
    problems.iter().any(|problem| problem.is_error() && concerns(problem))
}

fn kept_rules_problem(file: &RuleFile, kept: &[Rule], was_emptied: bool) -> Problem {
    let mut names: Vec<String> = kept.iter().take(MAX_NAMED).map(|rule| format!("`{}`", rule.name)).collect();
    if let Some(more) = kept.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        names.push(format!("{more} more"));
    }
    let why = if was_emptied { "the file was emptied a moment ago" } else { "the file has errors" };
    let message = format!("{why}, so the last good version of {} is used", names.join(", "));
    let problem = Problem::warning(message).at(&file.shown, 0, 0);
    problem.hint("to remove a rule, delete it from a file without errors, or delete the file")
}
