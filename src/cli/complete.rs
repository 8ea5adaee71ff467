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
use crate::ops::complete::{self, Completion};

/// What an argument is completed with.
#[derive(Clone, Copy)]
enum CompletionSource {
    Components,
    Keys,
    Rules,
    Packs,
    Sessions,
    Tasks,
    Notes,
}

/// Each argument that is looked up: the command, the argument, and where its values come from.
const LOOKED_UP: [(&str, &str, CompletionSource); 41] = [
    ("set", "component", CompletionSource::Components),
    ("set", "key", CompletionSource::Keys),
    ("get", "component", CompletionSource::Components),
    ("get", "key", CompletionSource::Keys),
    ("query", "component", CompletionSource::Components),
    ("ls", "component", CompletionSource::Components),
    ("delete", "component", CompletionSource::Components),
    ("delete", "key", CompletionSource::Keys),
    ("bump", "component", CompletionSource::Components),
    ("bump", "key", CompletionSource::Keys),
    ("export", "component", CompletionSource::Components),
    ("hint set", "component", CompletionSource::Components),
    ("hint set", "key", CompletionSource::Keys),
    ("hint get", "component", CompletionSource::Components),
    ("hint get", "key", CompletionSource::Keys),
    ("hint find", "component", CompletionSource::Components),
    ("hint ls", "component", CompletionSource::Components),
    ("hint rm", "component", CompletionSource::Components),
    ("hint rm", "key", CompletionSource::Keys),
    ("hint bump", "component", CompletionSource::Components),
    ("hint bump", "key", CompletionSource::Keys),
    ("hint export", "component", CompletionSource::Components),
    ("log", "rule", CompletionSource::Rules),
    ("rules add", "pack", CompletionSource::Packs),
    ("rules enable", "rule", CompletionSource::Rules),
    ("rules disable", "rule", CompletionSource::Rules),
    ("rules shadow", "rule", CompletionSource::Rules),
    ("rules show", "rule", CompletionSource::Rules),
    ("test", "rule", CompletionSource::Rules),
    ("sessions", "id", CompletionSource::Sessions),
    ("search", "session", CompletionSource::Sessions),
    ("why", "session", CompletionSource::Sessions),
    ("forget", "session", CompletionSource::Sessions),
    ("task start", "id", CompletionSource::Tasks),
    ("task done", "id", CompletionSource::Tasks),
    ("task update", "id", CompletionSource::Tasks),
    ("task add", "deps", CompletionSource::Tasks),
    ("nexus resume-check", "task", CompletionSource::Tasks),
    ("note show", "name", CompletionSource::Notes),
    ("note gc", "names", CompletionSource::Notes),
    ("note add", "first", CompletionSource::Notes),
];

/// Maximum number of characters of a description.
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

fn candidates(source: CompletionSource, component: &str) -> Vec<CompletionCandidate> {
    let folder = env::current_dir();
    let found = match source {
        CompletionSource::Components => complete::components(),
        CompletionSource::Keys => complete::keys(component),
        CompletionSource::Rules => complete::rules(&folder),
        CompletionSource::Packs => complete::packs(),
        CompletionSource::Sessions => complete::sessions(),
        CompletionSource::Tasks => complete::tasks(&folder),
        CompletionSource::Notes => complete::notes(&folder),
    };
    found.into_iter().filter(|(value, _)| is_plain(value)).map(candidate).collect()
}

/// Says whether a value means itself in every shell: names come from repositories and agents, and a shell puts what is
/// offered on the command line as it is.
fn is_plain(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._/@:+-".contains(c);
    !value.is_empty() && !value.starts_with('-') && value.chars().all(plain)
}

fn candidate((value, about): Completion) -> CompletionCandidate {
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
