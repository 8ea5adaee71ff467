//! Completion at the shell's prompt: the shell calls the program with `NUDGE_COMPLETE` and the words so far.
//!
//! Nothing is written and nothing fails: what cannot be looked up is not offered.

use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;

use clap::Command;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::Shells;

use super::arguments::command_at;
use super::output::{self, in_line};
use super::rows::one_line;
use crate::config::env;
use crate::ops::complete::{self, Candidate};

/// What an argument is completed with.
#[derive(Clone, Copy)]
enum Source {
    Components,
    Keys,
    Rules,
    Sessions,
    Tasks,
    Notes,
}

/// Each argument that is looked up: the command, the argument, and where its values come from.
const LOOKED_UP: [(&str, &str, Source); 35] = [
    ("set", "component", Source::Components),
    ("set", "key", Source::Keys),
    ("get", "component", Source::Components),
    ("get", "key", Source::Keys),
    ("query", "component", Source::Components),
    ("ls", "component", Source::Components),
    ("delete", "component", Source::Components),
    ("delete", "key", Source::Keys),
    ("bump", "component", Source::Components),
    ("bump", "key", Source::Keys),
    ("export", "component", Source::Components),
    ("hint set", "component", Source::Components),
    ("hint set", "key", Source::Keys),
    ("hint get", "component", Source::Components),
    ("hint get", "key", Source::Keys),
    ("hint find", "component", Source::Components),
    ("hint ls", "component", Source::Components),
    ("hint rm", "component", Source::Components),
    ("hint rm", "key", Source::Keys),
    ("hint bump", "component", Source::Components),
    ("hint bump", "key", Source::Keys),
    ("hint export", "component", Source::Components),
    ("test", "rule", Source::Rules),
    ("sessions", "id", Source::Sessions),
    ("search", "session", Source::Sessions),
    ("why", "session", Source::Sessions),
    ("forget", "session", Source::Sessions),
    ("task start", "id", Source::Tasks),
    ("task done", "id", Source::Tasks),
    ("task update", "id", Source::Tasks),
    ("task add", "deps", Source::Tasks),
    ("nexus resume-check", "task", Source::Tasks),
    ("note show", "name", Source::Notes),
    ("note gc", "names", Source::Notes),
    ("note add", "first", Source::Notes),
];

/// The most characters of a description.
const MAX_ABOUT: usize = 50;

/// Answers a shell that completes a command line; `None` if no shell asks.
///
/// The scripts call `nudge -- WORDS`. Any other line is a command, even if the variable is set: a hook must answer its
/// agent in every environment.
pub(crate) fn answer(line: &[OsString]) -> Option<ExitCode> {
    let shell = env::completing_shell()?;
    let words = line.get(1..)?.strip_prefix(&[OsString::from("--")])?;
    panic::set_hook(Box::new(|_| {}));
    let offered = panic::catch_unwind(|| offer(&shell, words)).ok().flatten();
    drop(output::reply(&offered.unwrap_or_default()));
    Some(ExitCode::SUCCESS)
}

fn offer(shell: &str, words: &[OsString]) -> Option<Vec<u8>> {
    let mut offered = Vec::new();
    let mut command = with_candidates(super::command(), words);
    command.build();
    let folder = env::working_dir();
    let completer = Shells::builtins();
    completer
        .completer(shell)?
        .write_complete(&mut command, words.to_vec(), folder.as_deref(), &mut offered)
        .ok()?;
    Some(offered)
}

/// Gives the arguments of the table their candidates.
fn with_candidates(command: Command, words: &[OsString]) -> Command {
    LOOKED_UP.iter().fold(command, |command, (path, arg, source)| {
        let component = component(words).unwrap_or_default();
        let candidates = ArgValueCandidates::new({
            let source = *source;
            move || candidates(source, &component)
        });
        let inner = |command: Command| command.mut_arg(arg, |arg| arg.add(candidates));
        match path.split_once(' ') {
            Some((outer, name)) => {
                command.mut_subcommand(outer, |command| command.mut_subcommand(name, inner))
            }
            None => command.mut_subcommand(path, inner),
        }
    })
}

/// Returns the component whose keys are completed: the word behind the command.
fn component(words: &[OsString]) -> Option<String> {
    let at = command_at(words)?;
    let is_noun = words[at] == "hint" || words[at] == "hints";
    let behind = words.get(at + 1 + usize::from(is_noun)..)?;
    let component = behind.iter().find(|word| !word.to_string_lossy().starts_with('-'))?;
    Some(component.to_string_lossy().into_owned())
}

fn candidates(source: Source, component: &str) -> Vec<CompletionCandidate> {
    let folder = env::current_dir();
    let found = match source {
        Source::Components => complete::components(),
        Source::Keys => complete::keys(component),
        Source::Rules => complete::rules(&folder),
        Source::Sessions => complete::sessions(),
        Source::Tasks => complete::tasks(&folder),
        Source::Notes => complete::notes(&folder),
    };
    found.into_iter().filter(|(value, _)| is_plain(value)).map(candidate).collect()
}

/// Says whether a value means itself in every shell: names come from repositories and agents, and a shell puts what is
/// offered on the command line as it is.
fn is_plain(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._/@:+-".contains(c);
    !value.is_empty() && !value.starts_with('-') && value.chars().all(plain)
}

fn candidate((value, about): Candidate) -> CompletionCandidate {
    let about = one_line(&in_line(&about), MAX_ABOUT);
    let about = (!about.is_empty()).then(|| about.into());
    CompletionCandidate::new(value).help(about)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{component, is_plain, with_candidates};

    #[test]
    fn every_argument_of_the_table_exists() {
        // `mut_arg` panics where it does not.
        with_candidates(crate::cli::command(), &[]).debug_assert();
    }

    #[test]
    fn only_what_means_itself_in_a_shell_is_offered() {
        for value in ["http-proxy", "a.b/c_d", "0198-ab", "3"] {
            assert!(is_plain(value), "{value}");
        }
        for value in ["", "-rf", "a b", "$(touch x)", "`x`", "a;b", "a\nb", "a'b", "ä", "a|b", "~/a", "*"] {
            assert!(!is_plain(value), "{value}");
        }
    }

    #[test]
    fn keys_are_those_of_the_component_that_was_typed() {
        let check = |line: &str, expected: Option<&str>| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(component(&words).as_deref(), expected, "{line}");
        };
        check("nudge get web b", Some("web"));
        check("nudge --json hint get web b", Some("web"));
        check("nudge hint get --json web b", Some("web"));
        check("nudge get", None);
    }
}
