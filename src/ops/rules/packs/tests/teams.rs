//! Rules that teams write (`tests/corpus/teams`), each as a regex and as it is written now: what they stop, and what they
//! take for it.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use crate::model::{Event, Hook, Problem, Severity, ToolAction, ToolCall};
use crate::ops::rules::try_out::{RuleTry, SessionFacts, try_on_past};
use crate::rules::{self, Book, MissingVersion, RuleOutcome, calls};

/// One rule in its two forms, with calls.
#[derive(serde::Deserialize)]
struct TeamRule {
    name: String,
    was: serde_json::Value,
    now: serde_json::Value,
    /// The file that the calls write; they are commands without it.
    writes: Option<String>,
    fires: Vec<String>,
    quiet: Vec<String>,
}

#[test]
#[expect(clippy::print_stdout, reason = "the table is for people")]
fn rules_of_teams_stop_more_and_alarm_less_than_their_regexes() {
    let text = std::fs::read_to_string("tests/corpus/teams/rules.json").expect("the corpus");
    let teams: Vec<TeamRule> = serde_json::from_str(&text).expect("a list of rules");
    let mut table =
        "| rule | stopped before | stopped now | false alarms before | false alarms now |\n".to_owned();
    let mut sums = [0; 6];
    let mut missed = String::new();
    for team in &teams {
        let count = |form: &serde_json::Value, calls: &[String]| {
            calls.iter().filter(|call| fires(form, team, call)).count()
        };
        let (fires_of, quiet_of) = (team.fires.len(), team.quiet.len());
        let row = [
            count(&team.was, &team.fires),
            count(&team.now, &team.fires),
            fires_of,
            count(&team.was, &team.quiet),
            count(&team.now, &team.quiet),
            quiet_of,
        ];
        sums.iter_mut().zip(row).for_each(|(sum, one)| *sum += one);
        let _ = writeln!(
            table,
            "| {} | {}/{fires_of} | {}/{fires_of} | {}/{quiet_of} | {}/{quiet_of} |",
            team.name, row[0], row[1], row[3], row[4]
        );
        for (calls, wanted) in [(&team.fires, true), (&team.quiet, false)] {
            for call in calls.iter().filter(|call| fires(&team.now, team, call) != wanted) {
                let _ = writeln!(
                    missed,
                    "{}: should {}fire: {call}",
                    team.name,
                    if wanted { "" } else { "not " }
                );
            }
        }
    }
    let [was, now, all, was_alarms, now_alarms, all_quiet] = sums;
    println!(
        "{table}| all | {was}/{all} | {now}/{all} | {was_alarms}/{all_quiet} | {now_alarms}/{all_quiet} |\n{missed}"
    );
    assert!(now * 100 >= all * 95, "{missed}");
    assert!(now_alarms * 100 <= all_quiet * 5, "{missed}");
    assert!(now > was && now_alarms < was_alarms, "{table}");
}

fn fires(form: &serde_json::Value, team: &TeamRule, call: &str) -> bool {
    let mut rule = form.clone();
    rule["name"] = "one".into();
    rule["on"]["hook"] = "PreToolUse".into();
    if team.writes.is_none() && rule["on"].get("tool").is_none() && rule["on"].get("does").is_none() {
        rule["on"]["tool"] = "Bash".into();
    }
    rule["action"] = "interrupt".into();
    rule["message"] = "no".into();
    let text = serde_json::json!({ "version": 1, "rules": [rule] }).to_string();
    let loaded = rules::read("teams", &text, MissingVersion::Refuse);
    let is_error = |problem: &Problem| problem.severity == Severity::Error;
    assert!(!loaded.problems.iter().any(is_error), "{}: {:?}", team.name, loaded.problems);
    let bytes = Book::pack(&loaded.rules, Vec::new());
    let book = Book::open(&bytes).expect("a book");
    let (name, action) = match &team.writes {
        Some(path) => ("Write", ToolAction::Write { path: path.clone(), content: call.to_owned() }),
        None => ("Bash", ToolAction::Command { command: call.to_owned() }),
    };
    let event = Arc::new(Event {
        hook: Hook::PreToolUse,
        cwd: "/work/project".into(),
        tool: Some(ToolCall { name: name.to_owned(), action }),
        ..Event::default()
    });
    let calls = calls(&event);
    let (root, facts) = (Path::new("/work/project"), SessionFacts::default());
    let trying = RuleTry { hook: event.hook, event: &event, calls: &calls, root, facts: &facts };
    try_on_past(&book, &trying).into_iter().any(|one| matches!(one.outcome, RuleOutcome::Fired(_)))
}
