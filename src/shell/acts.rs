//! What the simple commands of a line do to files by name: which they print, which they remove, and the calls of one
//! program with its arguments. Folders that the line changes to are followed; expansions are not.

use super::run::{CommandOrigin, Dialect, base_name, follow};

/// A simple command of a line, without what wraps it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PlainCommand {
    /// The folder it runs in, relative to the one that the line starts in; empty at the start.
    folder: String,
    name: String,
    arguments: Vec<String>,
}

/// Programs that print the files they name. Searching in a file does not read it.
const PRINTERS: [&str; 10] = ["cat", "bat", "batcat", "less", "more", "head", "tail", "nl", "tac", "view"];

/// Programs that delete the files they name.
const REMOVERS: [&str; 5] = ["rm", "rmdir", "unlink", "shred", "trash"];

/// Subcommands of git that change files of the working tree, whichever they name.
#[rustfmt::skip]
const CHANGING_GIT: [&str; 14] = [
    "apply", "am", "checkout", "cherry-pick", "clean", "merge", "mv", "pull", "rebase", "reset", "restore",
    "revert", "rm", "stash",
];

/// Returns the files that a line prints, relative to the folder it starts in.
pub(crate) fn printed_files(line: &str) -> Vec<String> {
    let commands = commands(line);
    let printing = commands.iter().filter(|command| {
        // `sed -n` prints a part of a file; with `-i` it changes the file instead.
        let is_sed = command.name == "sed" && !command.arguments.iter().any(|word| word.starts_with("-i"));
        is_sed || PRINTERS.contains(&command.name.as_str())
    });
    printing.flat_map(PlainCommand::operands).collect()
}

/// Returns the files that a line deletes, and what git changes in the working tree as a whole.
pub(crate) fn removed_files(line: &str) -> Vec<String> {
    let mut removed = Vec::new();
    for command in commands(line) {
        if REMOVERS.contains(&command.name.as_str()) {
            removed.extend(command.operands());
        } else if command.name == "git" && changes_with_git(&command.arguments) {
            removed.push(if command.folder.is_empty() { ".".to_owned() } else { command.folder });
        }
    }
    removed
}

/// Returns the files whose changes a line takes back: `git checkout -- FILE`, `git restore FILE`; `.` stands for all.
pub(crate) fn restored_files(line: &str) -> Vec<String> {
    if !line.contains("git") {
        return Vec::new();
    }
    let restoring = commands(line).into_iter().filter(|command| command.name == "git");
    restoring.flat_map(|command| restored_by_git(&command)).collect()
}

fn restored_by_git(command: &PlainCommand) -> Vec<String> {
    let words: Vec<&str> = command.arguments.iter().map(String::as_str).collect();
    let has = |option: &str| words.contains(&option);
    let at = |subcommand: &str| words.iter().position(|word| *word == subcommand).map(|at| &words[at + 1..]);
    let within = |names: &[&str]| -> Vec<String> {
        let named = names.iter().filter(|word| !word.starts_with('-') && !word.contains('$'));
        named.map(|word| within(&command.folder, word)).collect()
    };
    if let Some(rest) = at("restore") {
        // With `--staged` alone the files stay as they are.
        return if has("--staged") && !has("--worktree") { Vec::new() } else { within(rest) };
    }
    if let Some(rest) = at("checkout") {
        // Without `--` the word may be a branch.
        let names = rest.iter().position(|word| *word == "--").map(|at| &rest[at + 1..]);
        return names.map(within).unwrap_or_else(|| if rest == ["."] { within(rest) } else { Vec::new() });
    }
    if at("reset").is_some_and(|rest| rest == ["--hard"] || rest == ["--hard", "HEAD"]) {
        return within(&["."]);
    }
    Vec::new()
}

/// Returns whether git changes the working tree; `git stash list` and `git apply --check` only look.
fn changes_with_git(arguments: &[String]) -> bool {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-C" | "-c" | "--git-dir" | "--work-tree" => drop(rest.next()),
            option if option.starts_with('-') => {}
            subcommand => {
                let looks = |word: &String| {
                    matches!(word.as_str(), "list" | "show" | "--check" | "--dry-run" | "-n" | "--stat")
                };
                return CHANGING_GIT.contains(&subcommand) && !rest.any(looks);
            }
        }
    }
    false
}

/// Returns the arguments of every call of a program, by its name without a folder.
pub(crate) fn calls_of(program: &str, line: &str) -> Vec<Vec<String>> {
    let called = commands(line).into_iter().filter(|command| command.name == program);
    called.map(|command| command.arguments).collect()
}

/// Returns the message of a `git commit` in a line, also if a here-document has it.
pub(crate) fn commit_message(line: &str) -> Option<String> {
    if !line.contains("commit") {
        return None;
    }
    calls_of("git", line).iter().find_map(|words| {
        let at = words.iter().position(|word| word == "commit")?;
        let only_tries = words.iter().any(|word| word == "--dry-run");
        let message = message_among(&words[at + 1..]).filter(|_| !only_tries)?;
        // What a command prints is known only if the line has it.
        Some(message).filter(|message| !message.starts_with("$("))
    })
}

fn message_among(words: &[String]) -> Option<String> {
    let mut words = words.iter();
    let message = loop {
        let word = words.next()?;
        // `-m`, `-am` and the like: short options of which the last takes a value.
        let is_short = word.starts_with('-') && !word.starts_with("--") && word.ends_with('m');
        match word.strip_prefix("--message=") {
            Some(message) => break message,
            None if is_short || word == "--message" => break words.next()?.as_str(),
            None => {}
        }
    };
    Some(message.to_owned())
}

/// Returns every command of a line, also those in substitutions and behind what wraps them.
fn commands(line: &str) -> Vec<PlainCommand> {
    let found = follow(line, Dialect::Posix).commands.into_iter();
    let real = found.filter(|command| command.origin != CommandOrigin::Guessed);
    let plain = real.filter_map(|command| {
        let (first, arguments) = command.words.split_first()?;
        let name = base_name(&first.text).to_owned();
        let arguments = arguments.iter().map(|word| word.text.clone()).collect();
        Some(PlainCommand { folder: command.folder, name, arguments })
    });
    plain.filter(|command| !matches!(command.name.as_str(), "cd" | "pushd")).collect()
}

impl PlainCommand {
    /// Returns the arguments that are no options, as paths from the start of the line.
    fn operands(&self) -> impl Iterator<Item = String> {
        let operands = self.arguments.iter().filter(|word| !word.starts_with('-') && !word.contains('$'));
        operands.map(|word| within(&self.folder, word))
    }
}

fn within(folder: &str, path: &str) -> String {
    match folder.is_empty() || path.starts_with(['/', '~']) {
        true => path.to_owned(),
        false => format!("{}/{path}", folder.trim_end_matches('/')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_printed_are_found() {
        let check = |line: &str, files: &[&str]| assert_eq!(printed_files(line), files, "{line}");
        check("cat a.md", &["a.md"]);
        check("cd docs && cat -n a.md ../b.md | head -5", &["docs/a.md", "docs/../b.md"]);
        check("sudo head -n 3 /x/a.md", &["3", "/x/a.md"]);
        check("bash -lc 'cat a.md'", &["a.md"]);
        check("sed -n 1,5p a.md", &["1,5p", "a.md"]);
        check("sed -i s/a/b/ a.md; grep -r x .; ls a.md; echo 'cat a.md'; cat $F", &[]);
    }

    #[test]
    fn files_that_are_removed_are_found() {
        let check = |line: &str, files: &[&str]| assert_eq!(removed_files(line), files, "{line}");
        check("rm -rf src/a.rs 'b c'", &["src/a.rs", "b c"]);
        check("cd src; rm a.rs", &["src/a.rs"]);
        check("git rm a.rs", &["."]);
        check("git -C sub checkout -- a.rs", &["."]);
        check("git apply fix.patch && git stash", &[".", "."]);
        check("git status; git log -- rm; git diff; git stash list; git apply --check x; ls rm", &[]);
    }

    #[test]
    fn files_whose_changes_are_taken_back_are_found() {
        let check = |line: &str, files: &[&str]| assert_eq!(restored_files(line), files, "{line}");
        check("git checkout -- src/a.rs b.rs", &["src/a.rs", "b.rs"]);
        check("cd app && git restore a.ts 2>&1 | tail -1", &["app/a.ts"]);
        check("git -C sub checkout HEAD -- a.rs", &["a.rs"]);
        check("git checkout . && git reset --hard HEAD", &[".", "."]);
        check("git checkout main; git restore --staged a.rs; git reset --hard origin/main; git stash", &[]);
    }

    #[test]
    fn calls_of_a_program_are_found_behind_what_wraps_them() {
        let check = |line: &str, calls: &[&[&str]]| assert_eq!(calls_of("nudge", line), calls, "{line}");
        check("nudge task add x", &[&["task", "add", "x"]]);
        check("cd a && A=1 timeout 5 /usr/bin/nudge task done 3 | cat", &[&["task", "done", "3"]]);
        check("sh -c \"nudge plan\"; eval nudge task", &[&["plan"], &["task"]]);
        check("echo nudge task add x; ls nudge", &[]);
    }
}
