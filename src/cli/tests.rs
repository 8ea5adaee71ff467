//! What all commands have in common: each is in a group, and a flag means the same thing everywhere.

use std::collections::BTreeMap;

use clap::{Arg, Command};

use super::catalog::{ALSO_TYPED, GROUPS, Meant, WITHOUT_JSON};
use super::{command, examples, topic};

/// One short letter, one flag.
const SHORT: [(char, &str); 9] = [
    ('a', "all"),
    ('f', "follow"),
    ('h', "help"),
    ('j', "json"),
    ('n', "limit"),
    ('o', "output"),
    ('p', "port"),
    ('V', "version"),
    ('y', "yes"),
];

/// Names that other programs have for a flag of ours.
const SYNONYMS: [(&str, &[&str]); 7] = [
    ("limit", &["last", "max", "count", "number", "max-count"]),
    ("output", &["out", "to", "outfile"]),
    ("yes", &["force", "assume-yes", "confirm"]),
    ("json", &["as-json"]),
    ("since", &["from", "start"]),
    ("until", &["end"]),
    ("dry-run", &["plan", "simulate", "check"]),
];

/// Calls `look` for every command with its words, as in `note add`; the hidden topics are not commands.
fn walk(command: &Command, words: &str, look: &mut impl FnMut(&str, &Command)) {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        let words = format!("{words} {}", inner.get_name()).trim_start().to_owned();
        look(&words, inner);
        walk(inner, &words, look);
    }
}

fn flags(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set())
}

#[test]
fn every_command_is_in_one_group() {
    let command = command();
    let mut listed: Vec<&str> = GROUPS.iter().flat_map(|group| group.commands).copied().collect();
    let mut known: Vec<&str> =
        command.get_subcommands().filter(|inner| !inner.is_hide_set()).map(Command::get_name).collect();
    listed.sort_unstable();
    known.sort_unstable();
    assert_eq!(listed, known);
}

#[test]
fn a_description_is_one_line() {
    walk(&command(), "", &mut |words, inner| {
        let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
        let is_root = !words.contains(' ');
        assert!(!about.is_empty(), "`nudge {words}` is not described");
        assert!(!is_root || about.chars().count() <= 63, "`nudge {words}`: {about}");
    });
}

#[test]
fn a_short_letter_means_one_thing() {
    let mut wrong = Vec::new();
    let root = Command::new("all").subcommand(command());
    walk(&root, "", &mut |words, inner| {
        for arg in inner.get_arguments().filter(|arg| !arg.is_positional()) {
            let long = arg.get_long().unwrap_or_default();
            let by_name = SHORT.iter().find(|(_, name)| *name == long).map(|(letter, _)| *letter);
            if arg.get_short() != by_name {
                wrong.push(format!("nudge {words}: --{long} is {:?}", arg.get_short()));
            }
        }
    });
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_thing_has_one_name() {
    let mut wrong = Vec::new();
    walk(&command(), "", &mut |words, inner| {
        // `import --from TOOL` names whose store it is; no time is meant.
        let is_source = |long: &str| long == "from" && words.ends_with("import");
        // `report --force` replaces a file, and answers no question; `team init --check` tries every statement on the server.
        let is_special = |long: &str| matches!((words, long), ("report", "force") | ("team init", "check"));
        let is_own = |long: &str| is_source(long) || is_special(long);
        for arg in flags(inner) {
            let long = arg.get_long().filter(|long| !is_own(long)).unwrap_or_default();
            if let Some((name, _)) = SYNONYMS.iter().find(|(_, others)| others.contains(&long)) {
                wrong.push(format!("nudge {words}: --{long} should be --{name}"));
            }
        }
    });
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_flag_takes_the_same_kind_of_value_everywhere() {
    // These words mean what their command is about: what an observation, a value or a file is limited to.
    let own =
        ["before", "type", "project", "tier", "policy", "format", "tags", "agent", "source", "keys", "close"];
    let mut kinds: BTreeMap<String, (String, String)> = BTreeMap::new();
    let mut wrong = Vec::new();
    walk(&command(), "", &mut |words, inner| {
        for arg in flags(inner).filter(|arg| !own.contains(&arg.get_long().unwrap_or_default())) {
            let long = arg.get_long().unwrap_or_default().to_owned();
            let takes_value = arg.get_action().takes_values();
            let kind = format!("{takes_value}");
            let (first, known) = kinds.entry(long.clone()).or_insert((words.to_owned(), kind.clone()));
            if *known != kind {
                wrong.push(format!("--{long} of `{first}` and `{words}`"));
            }
        }
    });
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_command_prints_json_or_says_why_not() {
    let mut wrong = Vec::new();
    walk(&command(), "", &mut |words, inner| {
        let runs = inner.get_subcommands().next().is_none();
        // A parent hands its own flag down.
        let parent = words.split(' ').next().and_then(|first| command().find_subcommand(first).cloned());
        let own = |inner: &Command| inner.get_arguments().any(|arg| arg.get_id() == "json");
        let has_json = own(inner) || parent.is_some_and(|parent| own(&parent));
        let is_excused = WITHOUT_JSON.iter().any(|(name, _)| *name == words);
        if runs && has_json == is_excused {
            wrong.push(words.to_owned());
        }
    });
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn what_people_also_type_is_not_a_command_and_means_one() {
    let command = command();
    let named = |name: &str| command.get_subcommands().any(|inner| inner.get_name() == name);
    for (word, meant) in &ALSO_TYPED {
        assert!(!named(word), "`{word}` is a command");
        if let Meant::Command(name) = meant {
            assert!(named(name), "`{word}` means `{name}`, which is not a command");
        }
    }
}

#[test]
fn every_command_has_examples_that_it_understands() {
    let command = command();
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        let name = inner.get_name();
        assert!(!examples::of(name).is_empty(), "`nudge {name}` has no example");
        for (line, _) in examples::of(name) {
            let parsed = command.clone().try_get_matches_from(words(line));
            assert!(parsed.is_ok(), "{line}: {parsed:?}");
            assert!(line.starts_with(&format!("nudge {name}")), "{line}");
        }
    }
}

/// Splits an example as a shell does, up to the first pipe or redirection.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for c in format!("{line} ").chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.into_iter().take_while(|word| word != "|" && word != ">").collect()
}

#[test]
fn the_short_help_fits_one_screen() {
    let page = topic::one_screen();
    let page = anstream::adapter::strip_str(&page).to_string();
    assert!(page.lines().count() <= 24, "{page}");
    page.lines().for_each(|line| assert!(line.chars().count() <= 80, "{line}"));
}

#[test]
fn the_long_help_fits_the_usual_window() {
    let page = topic::everything(&command());
    let page = anstream::adapter::strip_str(&page).to_string();
    page.lines().for_each(|line| assert!(line.chars().count() <= 80, "{line}"));
}
