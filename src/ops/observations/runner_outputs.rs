//! What the memory makes of the real outputs of many tools, in `tests/fixtures/runners`.
//!
//! Every output is played in the forms in which agents write commands: piped into `tail`, `head`, `grep` or `tee`,
//! followed by `|| true` or `; echo done`, or printed again by a command that only looks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::model::{
    Event, FailureRow, Hook, NewObservation, ObservationId, ObservationType, SessionId, Timestamp,
    ToolAction, ToolCall, ToolResult,
};
use crate::observations::{Circumstances, observe};
use crate::recall;
use crate::redact::OwnPatterns;

/// One run of a tool: what was run, what it printed, and what must be found in it.
struct RecordedRun {
    name: String,
    ecosystem: String,
    command: String,
    is_failure: bool,
    program: Option<String>,
    /// The command only looks, so a failure behind a pipe is not of interest.
    is_look: bool,
    /// The branch that is checked out.
    branch: Option<String>,
    /// What the signature must have.
    words: Vec<String>,
    /// Runs of an ecosystem with the same cause are alike; those that agree up to a `~` may be.
    cause: Option<String>,
    /// The checks that are known to fail, each with its reason.
    missed: Vec<String>,
    output: String,
}

fn runs() -> Vec<RecordedRun> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/runners");
    let list = |folder: &Path| -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let folders = list(&root).into_iter().filter(|path| path.is_dir());
    folders.flat_map(|folder| list(&folder)).map(|path| parse_run(&path)).collect()
}

fn parse_run(path: &Path) -> RecordedRun {
    let text = std::fs::read_to_string(path).unwrap();
    let (head, output) = text.split_once("\n---\n").unwrap();
    let all = |name: &str| -> Vec<String> {
        let fields = head.lines().filter_map(|line| line.split_once(": "));
        fields.filter(|(field, _)| *field == name).map(|(_, value)| value.to_owned()).collect()
    };
    let one = |name: &str| all(name).into_iter().next();
    let ecosystem = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
    RecordedRun {
        name: format!("{ecosystem}/{}", path.file_stem().unwrap().to_string_lossy()),
        ecosystem,
        command: one("command").unwrap(),
        is_failure: one("failure").unwrap() == "yes",
        program: one("program"),
        is_look: one("look").is_some(),
        branch: one("branch"),
        words: one("word").iter().flat_map(|words| words.split(" | ")).map(str::to_owned).collect(),
        cause: one("cause"),
        missed: all("missed"),
        output: output.to_owned(),
    }
}

/// Returns what is remembered of a command.
fn remembered(run: &RecordedRun, command: &str, output: &str, failed: bool) -> NewObservation {
    let event = Event {
        hook: if failed { Hook::PostToolUseFailure } else { Hook::PostToolUse },
        session: Some(SessionId("s1".to_owned())),
        tool: Some(ToolCall {
            name: "Bash".to_owned(),
            action: ToolAction::Command { command: command.to_owned() },
        }),
        result: Some(ToolResult {
            output: output.to_owned(),
            failed,
            exit_code: (!failed).then_some(0),
            ..ToolResult::default()
        }),
        ..Event::default()
    };
    let circumstances = Circumstances { branch: run.branch.clone(), ..Circumstances::default() };
    observe(&event, &circumstances, &OwnPatterns::default()).remove(0)
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

fn first_lines(text: &str, count: usize) -> String {
    text.lines().take(count).collect::<Vec<_>>().join("\n")
}

fn matching_lines(text: &str, words: &[&str]) -> String {
    let matches = |line: &&str| words.iter().any(|word| line.contains(word));
    text.lines().filter(matches).collect::<Vec<_>>().join("\n")
}

/// Returns a command in the forms that hide its exit code, each with what is printed then.
fn hiding_forms(run: &RecordedRun) -> Vec<(&'static str, String, String)> {
    let (command, output) = (&run.command, &run.output);
    let quoted = command.replace('\'', r"'\''");
    let filtered = matching_lines(output, &["error", "fail", "Error", "FAIL", "ERROR"]);
    let mut forms = vec![
        ("tail", format!("{command} 2>&1 | tail -30"), last_lines(output, 30)),
        ("tail-5", format!("cd app && {command} 2>&1 | tail -5"), last_lines(output, 5)),
        ("head", format!("{command} 2>&1 | head -50"), first_lines(output, 50)),
        ("or", format!("{command} || true"), output.clone()),
        ("then", format!("{command}; echo done"), format!("{output}done\n")),
        ("tee", format!("A=1 timeout 60 {command} 2>&1 | tee out.log"), output.clone()),
        ("shell", format!("bash -lc '{quoted} 2>&1 | tail -30'"), last_lines(output, 30)),
        ("windows", format!("{command} 2>&1 | Select-Object -Last 30"), last_lines(output, 30)),
    ];
    if !filtered.is_empty() {
        forms.push(("grep", format!("{command} 2>&1 | grep -E 'error|fail|Error|FAIL'"), filtered));
    }
    forms
}

/// Commands that print a text which others wrote.
const LOOKS: [&str; 16] = [
    "cat build.log | head -200",
    "tail -100 /tmp/build.log | grep -v DEBUG",
    "grep -rn -i 'error' logs/ | head -50",
    "rg -n 'fail' docs; echo done",
    "git log -p -3 | head -100",
    "git show HEAD~2 | head -80",
    "gh run view 123 --log-failed 2>&1 | tail -50",
    "gh pr view 12 --comments | head",
    "sed -n '1,80p' notes.md; ls",
    "docker logs api 2>&1 | tail -50",
    "kubectl logs deploy/api --tail=50 | cat",
    "journalctl -u app -n 50 | cat",
    "cd app && cat README.md | head -50",
    "for f in logs/*.log; do cat $f; done | tail -50",
    "bash -lc 'cat build.log | tail -50'",
    "Get-Content build.log | Select-Object -Last 50",
];

/// Everything that goes wrong with a run: the check and what was found.
type Misses = Vec<(String, String, String)>;

fn check_failures(runs: &[RecordedRun], misses: &mut Misses, counts: &mut BTreeMap<String, usize>) {
    let mut count = |run: &RecordedRun, check: &str| {
        *counts.entry(format!("{} {check}", run.ecosystem)).or_default() += 1;
    };
    for run in runs.iter().filter(|run| run.is_failure) {
        let mut miss = |check: &str, found: String| misses.push((run.name.clone(), check.to_owned(), found));
        let seen = remembered(run, &run.command, &run.output, true);
        let signature = seen.signature.clone().unwrap_or_default();
        count(run, "word");
        if let Some(word) = run.words.iter().find(|word| !signature.contains(*word)) {
            miss("word", format!("{word} is not in {signature:?}"));
        }
        count(run, "program");
        if seen.program.is_none() || run.program.is_some() && seen.program != run.program {
            miss("program", format!("{:?} of {}", seen.program, run.command));
        }
        for (form, command, output) in hiding_forms(run).into_iter().filter(|_| !run.is_look) {
            count(run, "hidden");
            let hidden = remembered(run, &command, &output, false);
            if hidden.obs_type != ObservationType::CommandError {
                // Five lines, or those with certain words, do not always show it.
                let check = if matches!(form, "tail-5" | "grep") {
                    format!("hidden-{form}")
                } else {
                    "hidden".to_owned()
                };
                miss(&check, format!("{form}: {}", last_lines(&output, 3)));
            } else if hidden.program != seen.program {
                miss("hidden-program", format!("{form}: {:?}, {:?}", hidden.program, seen.program));
            }
        }
        for look in LOOKS {
            count(run, "look");
            if remembered(run, look, &run.output, false).obs_type == ObservationType::CommandError {
                miss("look", look.to_owned());
            }
        }
    }
}

fn check_passes(runs: &[RecordedRun], misses: &mut Misses, counts: &mut BTreeMap<String, usize>) {
    for run in runs.iter().filter(|run| !run.is_failure) {
        for (form, command, output) in hiding_forms(run) {
            *counts.entry(format!("{} alarm", run.ecosystem)).or_default() += 1;
            let seen = remembered(run, &command, &output, false);
            if seen.obs_type == ObservationType::CommandError {
                misses.push((
                    run.name.clone(),
                    "alarm".to_owned(),
                    format!("{form}: {}", last_lines(&output, 8)),
                ));
            }
        }
    }
}

/// Compares every failure with all others, as a memory of all of them would.
fn check_likeness(runs: &[RecordedRun], misses: &mut Misses, counts: &mut BTreeMap<String, usize>) {
    let failures: Vec<&RecordedRun> = runs.iter().filter(|run| run.is_failure).collect();
    let rows: Vec<FailureRow> = failures
        .iter()
        .zip(0..)
        .filter_map(|(run, id)| {
            let seen = remembered(run, &run.command, &run.output, true);
            Some(FailureRow {
                id: ObservationId(id),
                timestamp: Timestamp(id),
                session_id: SessionId(run.name.clone()),
                program: seen.program,
                signature: seen.signature?,
            })
        })
        .collect();
    let run_of = |row: &FailureRow| failures[row.id.0 as usize];
    let mut ecosystems: Vec<&str> = rows.iter().map(|row| run_of(row).ecosystem.as_str()).collect();
    ecosystems.sort_unstable();
    ecosystems.dedup();
    // A memory of one ecosystem, and one of all.
    for ecosystem in ecosystems.into_iter().map(Some).chain([None]) {
        let is_own = |row: &&FailureRow| ecosystem.is_none_or(|name| run_of(row).ecosystem == name);
        let known: Vec<&FailureRow> = rows.iter().filter(is_own).collect();
        let corpus = recall::Corpus::new(known.iter().map(|row| row.signature.as_str()));
        for (place, row) in known.iter().enumerate() {
            let run = run_of(row);
            let others = || known.iter().copied().enumerate().filter(|(_, other)| other.id != row.id);
            let alike = recall::alike_in(&corpus, (place, row), others());
            for (_, other) in others() {
                let other_run = run_of(other);
                let likeness =
                    alike.iter().find(|(_, found)| found.id == other.id).map(|(likeness, _)| *likeness);
                // Runs of different ecosystems never need to be alike.
                if likeness.is_none() && run.ecosystem != other_run.ecosystem {
                    continue;
                }
                let same = same_cause(run, other_run);
                let place = if ecosystem.is_some() { "own" } else { "all" };
                if same == Some(true) {
                    *counts.entry(format!("{} like-{place}", run.ecosystem)).or_default() += 1;
                }
                match (same, likeness) {
                    (Some(true), None) => misses.push((
                        run.name.clone(),
                        format!("like-{place}"),
                        format!("{}: {:?} / {:?}", other_run.name, row.signature, other.signature),
                    )),
                    (Some(false), Some(likeness)) => misses.push((
                        run.name.clone(),
                        format!("unlike-{place}"),
                        format!(
                            "{likeness:.2} {}: {:?} / {:?}",
                            other_run.name, row.signature, other.signature
                        ),
                    )),
                    _ => {}
                }
            }
        }
    }
}

/// Returns whether two runs failed for the same cause; `None` if they may count as the same.
fn same_cause(one: &RecordedRun, two: &RecordedRun) -> Option<bool> {
    let (cause, other) = (one.cause.as_deref()?, two.cause.as_deref()?);
    if one.ecosystem != two.ecosystem {
        // The small projects of several ecosystems have the same tests in them.
        let shares = |one: &RecordedRun, two: &RecordedRun| {
            one.words.iter().any(|word| two.output.to_lowercase().contains(&word.to_lowercase()))
        };
        return (!shares(one, two) && !shares(two, one)).then_some(false);
    }
    let kind = |cause: &str| cause.split('~').next().unwrap_or_default().to_owned();
    match cause == other {
        true => Some(true),
        false => (kind(cause) != kind(other)).then_some(false),
    }
}

#[test]
fn real_outputs_are_understood() {
    let runs = runs();
    let (mut misses, mut counts) = (Misses::new(), BTreeMap::new());
    check_failures(&runs, &mut misses, &mut counts);
    check_passes(&runs, &mut misses, &mut counts);
    check_likeness(&runs, &mut misses, &mut counts);
    let is_known = |(name, check, _): &(String, String, String)| {
        let run = runs.iter().find(|run| run.name == *name);
        run.is_some_and(|run| run.missed.iter().any(|missed| missed.split(": ").next() == Some(check)))
    };
    let mut table: BTreeMap<String, usize> = BTreeMap::new();
    for (name, check, _) in &misses {
        *table.entry(format!("{} {check}", name.split('/').next().unwrap_or_default())).or_default() += 1;
    }
    let figures =
        counts.iter().map(|(what, count)| format!("{what}: {} of {count}", table.get(what).unwrap_or(&0)));
    let figures = figures.collect::<Vec<_>>().join("\n");
    let stale = runs.iter().flat_map(|run| {
        let checks = run.missed.iter().filter_map(|missed| missed.split(": ").next());
        checks.map(move |check| (run.name.as_str(), check))
    });
    let is_missed =
        |(name, check): &(&str, &str)| misses.iter().any(|miss| miss.0 == *name && miss.1 == *check);
    let stale: Vec<(&str, &str)> = stale.filter(|known| !is_missed(known)).collect();
    assert!(stale.is_empty(), "these checks pass now, so their `missed` lines can be deleted: {stale:?}");
    let new: Vec<String> = misses
        .iter()
        .filter(|miss| !is_known(miss))
        .map(|(name, check, found)| format!("{name} {check}: {found}"))
        .collect();
    assert!(
        new.is_empty(),
        "{} of {} runs are misunderstood:\n{}\nby ecosystem:\n{figures}",
        new.len(),
        runs.len(),
        new.join("\n")
    );
}
