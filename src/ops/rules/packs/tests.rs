//! The corpus of commands (`tests/corpus/guard`), tried on the packs: dangers are stopped, harmless commands are not.
//!
//! A file has sections, `[SHELL KIND] title`, and rows, `PACK | command` or `quiet | command`; a row without a name
//! continues the command. The rows in `held` were written with the others, and no rule was changed because of them.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use crate::model::{Event, Hook, ToolAction, ToolCall};
use crate::ops::rules::try_out::{RuleTry, SessionFacts, try_on_past};
use crate::rules::{self, Book, MissingVersion, PACKS, Rule, RuleOutcome, calls};

mod teams;

/// A command, and the pack that has to stop it.
struct GuardCase {
    shell: String,
    kind: String,
    pack: Option<String>,
    command: String,
    place: String,
}

/// How the packs did on some cases.
#[derive(Default)]
struct GuardScore {
    dangers: usize,
    stopped: usize,
    harmless: usize,
    refused: usize,
    report: String,
}

#[test]
fn the_corpus_has_both_sides_and_every_shell() {
    let cases: Vec<GuardCase> = ["open", "held"].into_iter().flat_map(read).collect();
    assert!(cases.len() >= 2_000, "{}", cases.len());
    assert!(cases.iter().filter(|case| case.pack.is_none()).count() >= 800);
    for shell in ["bash", "zsh", "fish", "powershell", "cmd"] {
        assert!(cases.iter().any(|case| case.shell == shell && case.pack.is_some()), "{shell}");
        assert!(cases.iter().any(|case| case.shell == shell && case.pack.is_none()), "{shell}");
    }
}

#[test]
fn dangers_of_the_corpus_are_stopped_and_harmless_commands_are_not() {
    check("open", &POSIX, 95.0, 1.0);
}

#[test]
fn dangers_that_no_rule_was_written_for_are_stopped_too() {
    check("held", &POSIX, 95.0, 1.0);
}

#[test]
fn dangers_for_powershell_and_cmd_are_stopped_and_harmless_commands_are_not() {
    check("open", &WINDOWS, 95.0, 1.0);
}

#[test]
fn dangers_for_powershell_and_cmd_that_no_rule_was_written_for_are_stopped_too() {
    check("held", &WINDOWS, 95.0, 1.0);
}

const WINDOWS: [&str; 2] = ["powershell", "cmd"];

/// Shells that are read as POSIX shells, with their own words.
const POSIX: [&str; 3] = ["bash", "zsh", "fish"];

#[track_caller]
#[expect(clippy::print_stdout, reason = "the figures are for people")]
fn check(folder: &str, shells: &[&str], min_stopped: f64, max_refused: f64) {
    let cases = read(folder).into_iter().filter(|case| shells.contains(&case.shell.as_str()));
    let score = score(&cases.collect::<Vec<_>>());
    println!("{}", score.report);
    let stopped = percent(score.stopped, score.dangers);
    let refused = percent(score.refused, score.harmless);
    println!(
        "{folder}: {} of {} dangers stopped ({stopped:.1} %), {} of {} harmless commands refused ({refused:.2} %)",
        score.stopped, score.dangers, score.refused, score.harmless
    );
    assert!(stopped >= min_stopped && refused <= max_refused, "{}", score.report);
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand")]
fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn score(cases: &[GuardCase]) -> GuardScore {
    rules::keep_compiled();
    // Read from the disk, so that a changed rule can be tried without compiling.
    let mut all: Vec<Rule> = Vec::new();
    for pack in PACKS {
        let text = std::fs::read_to_string(format!("assets/packs/{}.yaml", pack.name)).expect("a pack");
        let loaded = rules::read(pack.name, &text, MissingVersion::Refuse);
        assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
        all.extend(loaded.rules.into_iter().map(|rule| Rule { pack: Some(pack.name.to_owned()), ..rule }));
    }
    let rules = all;
    let bytes = Book::pack(&rules, Vec::new());
    let book = Book::open(&bytes).expect("a book");
    let mut score = GuardScore::default();
    for case in cases {
        let fired = fired(&book, case);
        let (shell, kind, place) = (&case.shell, &case.kind, &case.place);
        match &case.pack {
            Some(pack) => {
                score.dangers += 1;
                if fired.iter().any(|rule| rule.pack.as_ref() == Some(pack)) {
                    score.stopped += 1;
                } else {
                    let others: Vec<&str> = fired.iter().map(|rule| rule.name.as_str()).collect();
                    let _ = writeln!(
                        score.report,
                        "{place}: MISSED {pack} ({shell} {kind}) {others:?}: {}",
                        case.command
                    );
                }
            }
            None => {
                score.harmless += 1;
                if let Some(rule) = fired.first() {
                    score.refused += 1;
                    let _ =
                        writeln!(score.report, "{place}: ALARM {} ({shell}): {}", rule.name, case.command);
                }
            }
        }
    }
    score
}

/// Returns the rules that hold a command up.
fn fired(book: &Book<'_>, case: &GuardCase) -> Vec<Arc<Rule>> {
    let name = if ["powershell", "cmd"].contains(&case.shell.as_str()) {
        case.shell.clone()
    } else {
        "Bash".to_owned()
    };
    let action = ToolAction::Command { command: case.command.clone() };
    let event = Arc::new(Event {
        hook: Hook::PreToolUse,
        cwd: "/work/project".into(),
        tool: Some(ToolCall { name, action }),
        ..Event::default()
    });
    let calls = calls(&event);
    let (root, facts) = (Path::new("/work/project"), SessionFacts::default());
    let trying = RuleTry { hook: event.hook, event: &event, calls: &calls, root, facts: &facts };
    let tried = try_on_past(book, &trying).into_iter();
    let fired =
        tried.filter(|one| matches!(one.outcome, RuleOutcome::Fired(_)) && one.rule.action.holds_up());
    fired.map(|one| one.rule).collect()
}

fn read(folder: &str) -> Vec<GuardCase> {
    let folder = format!("tests/corpus/guard/{folder}");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the corpus").map(|file| file.expect("a file").path()).collect();
    files.sort();
    files.iter().flat_map(|file| parse(file)).collect()
}

fn parse(file: &Path) -> Vec<GuardCase> {
    let text = std::fs::read_to_string(file).expect("a file of the corpus");
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let (mut shell, mut kind) = (String::new(), String::new());
    let mut cases: Vec<GuardCase> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", index + 1);
        if let Some((head, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            let (first, second) = head.split_once(' ').expect("a shell and a kind");
            (shell, kind) = (first.to_owned(), second.to_owned());
            continue;
        }
        let Some((pack, command)) = line.split_once('|') else {
            assert!(line.trim().is_empty(), "{place}: {line}");
            continue;
        };
        let command = command.strip_prefix(' ').unwrap_or(command);
        match pack.trim() {
            "" => {
                let last = cases.last_mut().expect("a command to continue");
                last.command.push('\n');
                last.command.push_str(command);
            }
            pack => cases.push(GuardCase {
                shell: shell.clone(),
                kind: kind.clone(),
                pack: (pack != "quiet").then(|| pack.to_owned()),
                command: command.to_owned(),
                place,
            }),
        }
    }
    cases
}
