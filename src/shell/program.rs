//! Finds what a simple command really runs, through wrappers and task runners.
//!
//! `tables.rs` has the programs.

use super::split::{SimpleCommand, is_assignment};
use super::tables::{
    INTERPRETERS, LOOKING, LOOKING_AT, OPTIONS_WITH_VALUE, PREPARING, RUNS_A_TASK, SHELLS, TARGET_OPTIONS,
    WITH_SUBCOMMANDS, WITH_TWO_SUBCOMMANDS, WRAPPERS, WRAPPING_PAIRS,
};

/// What a command does, as far as the memory cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    /// It prepares the shell: `cd`, `export`, `echo`.
    Preparing,
    /// It prints what is there and changes nothing: `ls`, `git log`, `gh run view`.
    Looking,
    /// It builds, tests, changes or sends something.
    Acting,
}

/// Maximum length of a program's name, in characters.
const MAX_NAME: usize = 80;

/// How often a wrapper may be inside another one.
const MAX_DEPTH: usize = 6;

/// Returns what a command really runs, with its subcommand or task: `cargo test` of `timeout 60 cargo +nightly test`.
pub(crate) fn program(part: &SimpleCommand) -> Option<String> {
    let name = named(&part.words, MAX_DEPTH)?;
    Some(name.chars().take(MAX_NAME).collect())
}

/// Returns what kind of thing a command does.
pub(crate) fn doing(part: &SimpleCommand) -> Doing {
    let Some(program) = program(part) else { return Doing::Preparing };
    let (name, rest) = program.split_once(' ').unwrap_or((&program, ""));
    let lower = name.to_lowercase();
    if PREPARING.contains(&lower.as_str()) || name.starts_with("$env:") {
        return Doing::Preparing;
    }
    let changes_files =
        part.words.iter().any(|word| word == "-i" || word.starts_with("-i.") || word == "--in-place");
    if is_cmdlet_that_looks(&lower) || LOOKING.contains(&name) && !(name == "sed" && changes_files) {
        return Doing::Looking;
    }
    let listed = LOOKING_AT.iter().find(|(program, _)| *program == name);
    let is_look = listed.is_some_and(|(_, looks)| {
        looks.iter().any(|look| rest == *look || rest.split(' ').next() == Some(look))
    });
    // `git tag v1` and `git branch -d x` act, `git tag -l` and `git branch --merged` look.
    let is_look = is_look && !(name == "git" && matches!(rest, "tag" | "branch") && names_a_ref(&part.words));
    let asks = |word: &String| matches!(word.as_str(), "--version" | "--help" | "-h" | "-V");
    if is_look || part.words.last().is_some_and(asks) { Doing::Looking } else { Doing::Acting }
}

/// Returns whether `git tag` or `git branch` names what it makes, moves or deletes.
fn names_a_ref(words: &[String]) -> bool {
    let is_subcommand = |word: &&String| matches!(word.as_str(), "tag" | "branch");
    let behind = words.iter().skip_while(|word| !is_subcommand(word)).skip(1);
    let lists = |word: &String| {
        matches!(word.as_str(), "-l" | "-a" | "-r" | "-v" | "-vv" | "-n")
            || [
                "--list",
                "--contains",
                "--merged",
                "--no-merged",
                "--sort",
                "--points-at",
                "--format",
                "--show",
            ]
            .iter()
            .any(|option| word.starts_with(option))
    };
    behind.clone().any(|word| !word.starts_with('-')) && !behind.clone().any(lists)
}

/// Recognises what PowerShell calls a look: `Get-Content`, `Select-Object`, `Format-Table`.
fn is_cmdlet_that_looks(lower: &str) -> bool {
    [
        "get-",
        "select-",
        "format-",
        "where-",
        "sort-",
        "measure-",
        "test-path",
        "out-",
        "tee-object",
        "convertfrom-",
        "convertto-",
    ]
    .iter()
    .any(|verb| lower.starts_with(verb))
}

fn named(words: &[String], depth: usize) -> Option<String> {
    let (first, rest) = words.split_first()?;
    if is_assignment(first) {
        return named(rest, depth);
    }
    let name = base_name(first)?;
    if depth == 0 {
        return Some(name.to_owned());
    }
    if let Some((_, skipped)) = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name) {
        return named(behind(rest, *skipped), depth - 1).or_else(|| Some(name.to_owned()));
    }
    if SHELLS.contains(&name) {
        return Some(of_shell(name, rest));
    }
    if INTERPRETERS.contains(&name) {
        return Some(of_interpreter(name, rest, depth));
    }
    let (target, rest) = without_options(rest);
    let sub = rest.first().map(String::as_str).unwrap_or_default();
    if let Some((.., skipped)) = WRAPPING_PAIRS.iter().find(|(one, two, _)| *one == name && *two == sub) {
        let run = behind(&rest[1..], *skipped);
        // `pdm run test` runs a script of that name: nobody runs a word of the shell in this way.
        if let Some(task) = run.first().filter(|word| PREPARING.contains(&word.as_str())) {
            return Some(format!("{name} {sub} {task}"));
        }
        return named(run, depth - 1).or_else(|| Some(format!("{name} {sub}")));
    }
    if name == "docker" && sub == "compose" && rest.get(1).is_some_and(|word| word == "exec" || word == "run")
    {
        return named(behind(&rest[2..], 1), depth - 1).or_else(|| Some("docker compose".to_owned()));
    }
    if name == "yarn" && sub == "workspace" && rest.len() > 2 {
        return Some(format!("yarn {} {}", rest[1], rest[2]));
    }
    let target = target.map(|target| format!("{target} ")).unwrap_or_default();
    let task = RUNS_A_TASK.iter().any(|(runner, words)| *runner == name && words.contains(&sub));
    if task {
        let (_, after) = without_options(&rest[1..]);
        return Some(match after.first() {
            Some(task) => format!("{name} {sub} {target}{task}"),
            None => format!("{name} {sub}"),
        });
    }
    let count = match name {
        _ if WITH_TWO_SUBCOMMANDS.contains(&name) => 2,
        _ if WITH_SUBCOMMANDS.contains(&name) => 1,
        _ => 0,
    };
    let subs = rest.iter().filter(|word| !word.starts_with(['-', '+', '$', '>'])).take(count);
    let subs: Vec<&str> = subs.map(String::as_str).filter(|word| !word.contains('=')).collect();
    Some(format!("{name} {target}{}", subs.join(" ")).trim_end().to_owned())
}

/// Returns the name of a program without its folder; wrappers that projects carry are named as what they wrap.
fn base_name(word: &str) -> Option<&str> {
    let name = word.trim_matches(['(', ')', '{', '}', ';', '"', '\'']);
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let ends = [".exe", ".cmd", ".bat", ".ps1"];
    let name = ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    match name {
        "" => None,
        "gradlew" => Some("gradle"),
        "mvnw" => Some("mvn"),
        "pytest-3" | "py.test" => Some("pytest"),
        name => Some(name),
    }
}

/// Returns the words behind a wrapper's own options and this many of its other words.
fn behind(words: &[String], skipped: usize) -> &[String] {
    let mut rest = words;
    let mut left = skipped;
    while let Some((first, after)) = rest.split_first() {
        let has_value =
            matches!(first.as_str(), "-u" | "-n" | "-c" | "--cwd" | "--with" | "-p" | "--package");
        if first == "--" {
            return after;
        } else if has_value && skipped == 0 && after.len() > 1 {
            rest = &after[1..];
        } else if first.starts_with('-') || is_assignment(first) || first.starts_with('{') {
            rest = after;
        } else if left > 0 {
            left -= 1;
            rest = after;
        } else {
            break;
        }
    }
    rest
}

/// Takes the options before a subcommand away, and returns which part of the project they name.
fn without_options(words: &[String]) -> (Option<&str>, &[String]) {
    let mut rest = words;
    let mut target = None;
    while let Some((first, after)) = rest.split_first() {
        if OPTIONS_WITH_VALUE.contains(&first.as_str()) && after.len() > 1 {
            if TARGET_OPTIONS.contains(&first.as_str()) {
                target = Some(after[0].as_str());
            }
            rest = &after[1..];
        } else if let Some((option, value)) = first.split_once('=').filter(|_| first.starts_with("--")) {
            if TARGET_OPTIONS.contains(&option) {
                target = Some(value);
            }
            rest = after;
        } else if first.starts_with(['-', '+']) && first.len() > 1 && !after.is_empty() {
            rest = after;
        } else {
            break;
        }
    }
    (target, rest)
}

/// Names what a shell runs: the script; `split` has replaced `bash -lc "…"` by the commands in it.
fn of_shell(name: &str, words: &[String]) -> String {
    match words.iter().find(|word| !word.starts_with('-')) {
        Some(file) => format!("{name} {}", base_name(file).unwrap_or(file)),
        None => name.to_owned(),
    }
}

fn of_interpreter(name: &str, words: &[String], depth: usize) -> String {
    match words.first().map(String::as_str) {
        Some("-m") if words.len() > 1 => named(&words[1..], depth - 1).unwrap_or_else(|| name.to_owned()),
        Some(option @ ("-e" | "-c" | "-r" | "-p")) => format!("{name} {option}"),
        _ => match words.iter().find(|word| !word.starts_with('-')) {
            Some(_) if words[0] == "--test" => format!("{name} --test"),
            // `php artisan test`, `python manage.py migrate`: the file is a program with subcommands.
            Some(file) if matches!(base_name(file), Some("artisan" | "manage.py" | "rails" | "rake")) => {
                let at = words.iter().position(|word| word == file).unwrap_or(0);
                named(&words[at..], depth - 1).unwrap_or_else(|| name.to_owned())
            }
            Some(file) => format!("{name} {}", base_name(file).unwrap_or(file)),
            None => name.to_owned(),
        },
    }
}
