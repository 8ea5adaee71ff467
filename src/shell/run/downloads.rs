//! A file that a line downloads and then runs: `curl -o x.sh URL && sh x.sh` is `curl URL | sh` with a file between them.

use super::found::join;
use super::inner::base_name;
use super::{CommandOrigin, RunCommand, ShellWord};
use crate::shell::tables::INTERPRETERS;
use crate::shell::wrappers::{POSIX_SHELLS, POWERSHELLS};

/// Maximum number of downloads of one line that are joined to what runs them.
const MAX_JOINED: usize = 64;

/// Joins each download to the commands that run its file, as if there were a pipe.
pub(super) fn join_downloads(commands: &mut Vec<RunCommand>) {
    let mut files: Vec<(String, usize)> = Vec::new();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (at, command) in commands.iter().enumerate() {
        let run = files_run(command);
        let is_run = |file: &&(String, usize)| run.contains(&file.0);
        let room = MAX_JOINED.saturating_sub(joined.len());
        joined.extend(files.iter().filter(is_run).take(room).map(|(_, download)| (*download, at)));
        let room = MAX_JOINED.saturating_sub(files.len());
        files.extend(downloaded(command).into_iter().take(room).map(|file| (file, at)));
    }
    let first =
        commands.iter().flat_map(|one| &one.stages).map(|(pipeline, _)| pipeline + 1).max().unwrap_or(0);
    for (pipeline, (download, at)) in (first..).zip(joined) {
        commands[download].stages.push((pipeline, 0));
        if is_interpreter(&commands[at]) {
            commands[at].stages.push((pipeline, 1));
        } else {
            // The file itself is the command, and its first line says who reads it.
            let mut shell = commands[at].clone();
            shell.words.insert(0, ShellWord::known("sh"));
            shell.stages.push((pipeline, 1));
            shell.origin = CommandOrigin::Wrapped;
            commands.push(shell);
        }
    }
}

fn name_of(command: &RunCommand) -> String {
    command.words.first().map(|first| base_name(&first.text).to_ascii_lowercase()).unwrap_or_default()
}

fn is_interpreter(command: &RunCommand) -> bool {
    let name = name_of(command);
    let name = name.as_str();
    POSIX_SHELLS.contains(&name)
        || POWERSHELLS.contains(&name)
        || INTERPRETERS.contains(&name)
        || matches!(name, "source" | "." | "deno" | "bun" | "py")
}

/// Returns a path as it is seen from where the line starts.
fn place(command: &RunCommand, path: &str) -> Option<String> {
    join(&command.folder, path.trim_start_matches("./")).filter(|path| !path.is_empty() && path != "-")
}

/// Returns the files that a command runs: itself, or the first that an interpreter is given.
fn files_run(command: &RunCommand) -> Vec<String> {
    let Some((first, rest)) = command.words.split_first() else { return Vec::new() };
    let named = if is_interpreter(command) {
        rest.iter().find(|word| !word.text.starts_with('-') && !matches!(word.text.as_str(), "run"))
    } else {
        Some(first).filter(|first| first.text.contains(['/', '\\']))
    };
    named.and_then(|word| place(command, &word.text)).into_iter().collect()
}

/// Returns the files that a command downloads to.
fn downloaded(command: &RunCommand) -> Vec<String> {
    let name = name_of(command);
    let is_wget = name == "wget";
    let is_known = matches!(
        name.as_str(),
        "curl"
            | "wget"
            | "fetch"
            | "http"
            | "https"
            | "xh"
            | "aria2c"
            | "iwr"
            | "irm"
            | "invoke-webrequest"
            | "invoke-restmethod"
    );
    if !is_known || command.origin == CommandOrigin::Guessed {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    let written = command.redirected.iter().filter(|one| one.is_written);
    found.extend(written.map(|one| one.file.text.clone()));
    let words: Vec<&str> = command.words.iter().skip(1).map(|word| word.text.as_str()).collect();
    let mut is_named_by_url = is_wget;
    for (at, word) in words.iter().enumerate() {
        let option = word.to_ascii_lowercase();
        let is_long = matches!(option.as_str(), "--output" | "--output-document" | "--out" | "-outfile");
        let cluster = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
        let letter = if is_wget { 'O' } else { 'o' };
        if is_long || cluster.ends_with(letter) {
            found.extend(words.get(at + 1).map(|file| (*file).to_owned()));
        } else if let Some((_, file)) = word.split_once('=').filter(|(name, _)| name.starts_with("--output"))
        {
            found.push(file.to_owned());
        } else if let Some(file) = cluster.strip_prefix(letter) {
            found.push(file.to_owned());
        }
        is_named_by_url |= option == "--remote-name" || !is_wget && cluster.contains('O');
    }
    if is_named_by_url && found.is_empty() {
        let urls = words.iter().filter(|word| !word.starts_with('-') && word.contains('/'));
        found.extend(urls.filter_map(|url| {
            let path = url.split(['?', '#']).next().unwrap_or(url);
            path.rsplit('/').next().map(str::to_owned)
        }));
    }
    found.iter().filter_map(|file| place(command, file)).collect()
}
