//! Programs that run a command for each of many things: `find`, `fd`, `xargs`, `parallel`.

use super::{InnerCommand, behind_options, joined, script, wrapped};
use crate::shell::run::CommandOrigin;
use crate::shell::run::ShellWord;

pub(super) fn of_find(arguments: &[ShellWord]) -> Vec<InnerCommand> {
    let mut found = Vec::new();
    let mut rest = arguments;
    while let Some(at) =
        rest.iter().position(|word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir"))
    {
        let behind = &rest[at + 1..];
        let end =
            behind.iter().position(|word| matches!(word.text.as_str(), ";" | "+")).unwrap_or(behind.len());
        found.extend(wrapped(&behind[..end]));
        rest = behind.get(end + 1..).unwrap_or_default();
    }
    found
}

pub(super) fn of_fd(arguments: &[ShellWord]) -> Option<InnerCommand> {
    let is_run = |word: &ShellWord| matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    let behind = &arguments[arguments.iter().position(is_run)? + 1..];
    let end = behind.iter().position(|word| word.text == ";").unwrap_or(behind.len());
    wrapped(&behind[..end])
}

/// Maximum number of words or lines of known input that become arguments.
const MAX_INPUT_WORDS: usize = 16;

pub(super) fn of_xargs(arguments: &[ShellWord], input: Option<&str>) -> Vec<InnerCommand> {
    const VALUED: &str = "-I -L -n -P -s -d -E -a -S -R -J --arg-file --delimiter --max-lines --max-args --max-procs \
        --max-chars --process-slot-var";
    let rest = behind_options(arguments, VALUED, false);
    let own = &arguments[..arguments.len() - rest.len()];
    let replaced = own.iter().enumerate().find_map(|(at, word)| match word.text.as_str() {
        "-I" | "-J" => own.get(at + 1).map(|word| word.text.clone()),
        "-i" | "--replace" | "--replace=" => Some("{}".to_owned()),
        text => {
            let given = ["-I", "--replace=", "-i", "-J"].iter().find_map(|option| text.strip_prefix(option));
            given.map(str::to_owned)
        }
    });
    let echoes = [ShellWord::known("echo")];
    let words = if rest.is_empty() { &echoes[..] } else { rest };
    let Some(input) = input else { return wrapped(words).into_iter().collect() };
    let is_used =
        |mark: &String| !mark.is_empty() && words.iter().any(|word| word.text.contains(mark.as_str()));
    match replaced.filter(is_used) {
        Some(mark) => {
            let line = |line: &str| {
                let fill = |word: &ShellWord| ShellWord {
                    text: word.text.replace(&mark, line.trim()),
                    ..word.clone()
                };
                InnerCommand::Words(words.iter().map(fill).collect(), CommandOrigin::Wrapped)
            };
            input.lines().take(MAX_INPUT_WORDS).map(line).collect()
        }
        None => {
            let more = input
                .split_whitespace()
                .take(MAX_INPUT_WORDS)
                .map(|word| ShellWord::known(word.trim_matches(['\'', '"'])));
            wrapped(&words.iter().cloned().chain(more).collect::<Vec<_>>()).into_iter().collect()
        }
    }
}

pub(super) fn of_parallel(arguments: &[ShellWord], input: Option<&str>) -> Vec<InnerCommand> {
    const VALUED: &str = "-j --jobs -S --sshlogin -a --arg-file -N -n -L --delay --timeout --retries --joblog --results \
        --colsep -C --tmpdir --workdir --wd -d --delimiter -I --tagstring --halt --load --memfree --block -P --max-procs";
    let rest = behind_options(arguments, VALUED, false);
    let end = rest.iter().position(|word| word.text.starts_with(":::")).unwrap_or(rest.len());
    let (command, values) = rest.split_at(end);
    let listed = values.iter().filter(|word| !word.text.starts_with(":::")).map(|word| word.text.as_str());
    let mut lines: Vec<&str> = listed.take(MAX_INPUT_WORDS).collect();
    if end == rest.len() {
        lines.extend(input.unwrap_or_default().lines().take(MAX_INPUT_WORDS));
    }
    let text = joined(command);
    if lines.is_empty() {
        return if text.is_empty() { Vec::new() } else { vec![script(&text, false)] };
    }
    let filled = lines.into_iter().map(|line| {
        // What it inserts is one word for the command; alone it is the command.
        let word = if text.is_empty() { line.to_owned() } else { quoted(line) };
        let mark = ["{}", "{1}", "{.}", "{/}"].into_iter().find(|mark| text.contains(mark));
        let line = match mark {
            Some(mark) => text.replace(mark, &word),
            None => format!("{text} {word}"),
        };
        script(line.trim(), false)
    });
    filled.collect()
}

/// Returns a text as one word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-~:@%+=,*?[]$".contains(letter);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
