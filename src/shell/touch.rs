//! The files that the commands of a line name, and what these commands do to them: read, change or delete.
//!
//! A program that is in no table may do anything to a file that it names, apart from deleting it.

use super::run::{CommandOrigin, RunCommand, ShellRun, base_name};
use super::tables::{INTERPRETERS, LOOKING};

/// A path that a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellTouch {
    /// As written, relative to the folder in which the line starts; the wildcards of a glob are filled in.
    pub(crate) path: String,
    pub(crate) deeds: FileDeeds,
}

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FileDeeds {
    pub(crate) reads: bool,
    /// A deletion is a change, too.
    pub(crate) changes: bool,
    pub(crate) deletes: bool,
}

impl FileDeeds {
    pub(crate) const NOTHING: FileDeeds = FileDeeds { reads: false, changes: false, deletes: false };
    pub(crate) const READS: FileDeeds = FileDeeds { reads: true, changes: false, deletes: false };
    pub(crate) const CHANGES: FileDeeds = FileDeeds { reads: false, changes: true, deletes: false };
    pub(crate) const DELETES: FileDeeds = FileDeeds { reads: false, changes: true, deletes: true };
    pub(crate) const ANY: FileDeeds = FileDeeds { reads: true, changes: true, deletes: false };
    /// Read, and gone afterwards.
    const MOVES: FileDeeds = FileDeeds { reads: true, changes: true, deletes: true };
}

/// Maximum number of paths of one line.
const MAX_TOUCHES: usize = 200;

/// Returns the paths that the commands of a line name.
pub(crate) fn touches(run: &ShellRun) -> Vec<ShellTouch> {
    let mut found: Vec<ShellTouch> = Vec::new();
    for command in run.commands.iter().filter(|command| command.origin != CommandOrigin::Guessed) {
        for (path, deeds) in of_command(command) {
            let path = path.strip_prefix('@').unwrap_or(&path);
            let is_path = !path.is_empty() && path.len() < 4096 && !path.contains(['\n', '\0']);
            if deeds == FileDeeds::NOTHING || !is_path || found.len() >= MAX_TOUCHES {
                continue;
            }
            let path = within(&command.folder, &path.replace(['*', '?'], "x"));
            let touch = ShellTouch { path, deeds };
            if !found.contains(&touch) {
                found.push(touch);
            }
        }
    }
    for write in &run.writes {
        found.push(ShellTouch { path: write.path.clone(), deeds: FileDeeds::CHANGES });
    }
    found.truncate(MAX_TOUCHES);
    found
}

fn within(folder: &str, path: &str) -> String {
    let here = ["$PWD/", "${PWD}/"].iter().find_map(|here| path.strip_prefix(here));
    let path = here.unwrap_or(path);
    let is_absolute = path.starts_with(['/', '~', '$']) || path.as_bytes().get(1) == Some(&b':');
    if folder.is_empty() || is_absolute {
        path.to_owned()
    } else {
        format!("{}/{path}", folder.trim_end_matches('/'))
    }
}

fn of_command(command: &RunCommand) -> Vec<(String, FileDeeds)> {
    let mut found: Vec<(String, FileDeeds)> = Vec::new();
    for redirected in &command.redirected {
        let deeds = if redirected.is_written { FileDeeds::CHANGES } else { FileDeeds::READS };
        found.push((redirected.file.text.clone(), deeds));
    }
    let Some((first, rest)) = command.words.split_first() else { return found };
    let name = base_name(&first.text).to_ascii_lowercase();
    let words: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    let is_interpreter = INTERPRETERS.contains(&name.as_str())
        || matches!(name.as_str(), "deno" | "bun" | "osascript" | "awk" | "gawk");
    let words = if is_interpreter {
        found.extend(of_script(&words, command.input.as_deref()));
        let is_behind_code = |at: usize| at > 0 && is_code(words[at - 1]);
        (0..words.len()).filter(|at| !is_behind_code(*at)).map(|at| words[at]).collect()
    } else {
        words
    };
    let operands = operands(&words);
    match name.as_str() {
        "mv" | "move" | "mi" | "move-item" | "rename" | "ren" => {
            let last = operands.len().saturating_sub(1);
            found.extend(operands.iter().enumerate().map(|(at, path)| {
                ((*path).to_owned(), if at == last { FileDeeds::CHANGES } else { FileDeeds::MOVES })
            }));
            found.extend(inside(&operands));
        }
        "cp" | "copy" | "cpi" | "copy-item" | "install" | "ln" | "rsync" | "scp" | "ditto" | "xcopy"
        | "robocopy" => {
            let last = operands.len().saturating_sub(1);
            found.extend(operands.iter().enumerate().map(|(at, path)| {
                (
                    (*path).to_owned(),
                    if at == last && last > 0 { FileDeeds::CHANGES } else { FileDeeds::READS },
                )
            }));
            found.extend(inside(&operands));
        }
        "dd" => found.extend(words.iter().filter_map(|word| {
            let of = word.strip_prefix("of=").map(|path| (path.to_owned(), FileDeeds::CHANGES));
            of.or_else(|| word.strip_prefix("if=").map(|path| (path.to_owned(), FileDeeds::READS)))
        })),
        "find" | "gfind" | "fd" => {
            let deletes = words.contains(&"-delete");
            let runs = words.iter().any(|word| {
                matches!(*word, "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec")
            });
            let deeds = if deletes {
                FileDeeds::DELETES
            } else if runs {
                FileDeeds::ANY
            } else {
                FileDeeds::NOTHING
            };
            let folders = words.iter().take_while(|word| !word.starts_with(['-', '(', '!']));
            found.extend(folders.map(|path| ((*path).to_owned(), deeds)));
        }
        "git" => found.extend(of_git(&words)),
        "sed" | "gsed" | "perl" | "ruby" | "yq" | "sponge" => {
            let changes = words.iter().any(|word| {
                word.starts_with("-i")
                    || *word == "--in-place"
                    || name == "perl" && word.starts_with('-') && word.contains('i')
            }) || name == "sponge";
            let deeds = if changes { FileDeeds::ANY } else { FileDeeds::READS };
            found.extend(operands.iter().map(|path| ((*path).to_owned(), deeds)));
        }
        "tar" | "unzip" | "7z" | "bsdtar" => {
            let extracts = words
                .iter()
                .take(2)
                .any(|word| word.trim_start_matches('-').starts_with('x') || *word == "--extract");
            let deeds = if extracts || name == "unzip" { FileDeeds::ANY } else { FileDeeds::READS };
            found.extend(operands.iter().map(|path| ((*path).to_owned(), deeds)));
        }
        "set-content" | "sc" | "add-content" | "ac" | "out-file" | "new-item" | "ni" => {
            // What is written is no path.
            let is_value = |at: usize| at > 0 && words[at - 1].eq_ignore_ascii_case("-value");
            let own: Vec<&str> = (0..words.len()).filter(|at| !is_value(*at)).map(|at| words[at]).collect();
            let named = self::operands(&own);
            found.extend(named.iter().map(|path| ((*path).to_owned(), FileDeeds::CHANGES)));
        }
        name => {
            let deeds = deeds_of(name, &words);
            // What a program that reads is told to write is not among what it reads.
            let outputs: Vec<&str> = if deeds == FileDeeds::READS { outputs(&words) } else { Vec::new() };
            let others = operands.iter().filter(|path| !outputs.contains(path));
            found.extend(others.map(|path| ((*path).to_owned(), deeds)));
            found.extend(outputs.iter().map(|path| ((*path).to_owned(), FileDeeds::CHANGES)));
        }
    }
    found
}

/// Returns the files that copies get in the folder they go to.
fn inside(operands: &[&str]) -> Vec<(String, FileDeeds)> {
    let Some((to, from)) = operands.split_last() else { return Vec::new() };
    // A name with an extension is a file.
    if to.rsplit('/').next().is_some_and(|name| name.trim_start_matches('.').contains('.')) {
        return Vec::new();
    }
    let named = from.iter().filter_map(|path| path.trim_end_matches('/').rsplit('/').next());
    named.map(|name| (format!("{}/{name}", to.trim_end_matches('/')), FileDeeds::CHANGES)).collect()
}

/// Returns the words that may be paths: operands, and the values of options.
fn operands<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut found = Vec::new();
    let mut is_behind_dashes = false;
    for word in words {
        match word.strip_prefix('-').filter(|_| !is_behind_dashes) {
            Some("-") => is_behind_dashes = true,
            Some(option) => {
                found
                    .extend(option.split_once('=').map(|(_, value)| value).filter(|value| !value.is_empty()));
            }
            None => found.push(word),
        }
    }
    found
}

/// Returns the files that options name as the output: `curl -o FILE`, `sort --output=FILE`.
fn outputs<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let is_output =
        |word: &str| matches!(word, "-o" | "-O" | "--output" | "--output-document" | "--out" | "--outfile");
    let behind =
        words.windows(2).filter(|pair| is_output(pair[0]) && !pair[1].starts_with('-')).map(|pair| pair[1]);
    let attached = words.iter().filter_map(|word| word.split_once('=').filter(|(name, _)| is_output(name)));
    behind.chain(attached.map(|(_, path)| path)).collect()
}

/// Programs that only delete what they name.
#[rustfmt::skip]
const REMOVERS: &[&str] = &[
    "rm", "rmdir", "unlink", "shred", "trash", "trash-put", "rip", "del", "erase", "rd", "ri", "remove-item", "srm",
];

/// Programs that change what they name without reading it.
#[rustfmt::skip]
const WRITERS: &[&str] = &[
    "touch", "mkdir", "truncate", "chmod", "chown", "chgrp", "chattr", "setfacl", "tee", "mktemp", "mkfifo", "set-content", "sc",
    "add-content", "ac", "out-file", "new-item", "ni", "clear-content", "clc", "fallocate", "attrib", "icacls", "xattr", "mkfs",
];

/// Programs that only read what they name, beside those that only print: tests, linters, compilers, archivers, viewers.
#[rustfmt::skip]
const READERS: &[&str] = &[
    "get-content", "gc", "type", "select-string", "sls", "tac", "rev", "paste", "join", "split", "csplit", "cksum", "md5sum", "md5", "shasum",
    "sha1sum", "sha256sum", "sha512sum", "b2sum", "base64", "xxd", "iconv", "zip", "gpg", "age", "source", ".", "vi", "view", "batcat",
    "bat", "open", "xdg-open", "pbcopy", "xclip", "curl", "wget", "http", "nc", "scp", "sftp", "mail", "pytest", "jest", "vitest",
    "mocha", "rspec", "phpunit", "ctest", "tsc", "eslint", "stylelint", "mypy", "pyright", "flake8", "pylint", "shellcheck", "hadolint", "yamllint",
    "gcc", "g++", "cc", "clang", "clang++", "rustc", "javac", "java", "ghc", "go", "cargo", "node", "python", "python3", "ruby", "php", "bash", "sh",
    "zsh", "dash", "make", "ninja", "cmake", "docker", "podman", "kubectl", "helm", "terraform", "psql", "sqlite3", "mysql", "jq", "gron",
    "xmllint", "tokei", "cloc", "scc", "semgrep", "ast-grep", "hexyl", "ripgrep", "ugrep", "ack", "zgrep", "zcat", "strings", "nm", "objdump", "ldd",
    "time", "timeout", "env", "sudo", "nice", "nohup", "xargs", "watch", "npm", "pnpm", "yarn", "npx", "bun", "deno", "uv", "poetry", "pip",
    "gh", "glab", "nudge", "ssh", "ssh-add", "ssh-copy-id", "ssh-keyscan", "sshfs", "mosh", "autossh", "prettier", "code", "cmp", "diff", "colordiff", "delta", "vimdiff", "comm", "aws", "gcloud", "az", "rclone",
];

/// Programs that look at names, or are given prose, and touch no file by it.
#[rustfmt::skip]
const NAMERS: &[&str] = &[
    "ls", "dir", "gci", "get-childitem", "tree", "eza", "exa", "echo", "printf", "write-output", "write-host", "cd", "pushd", "popd", "test", "[",
    "stat", "file", "du", "df", "which", "type", "basename", "dirname", "realpath", "readlink", "test-path", "true", "false", ":", "export", "set",
    "kill", "pkill", "sleep", "date", "set-location", "resolve-path", "exit", "return", "alias", "unset", "read", "local", "declare", "wait", "ps",
    "lsof", "man", "history", "say", "notify-send", "command", "builtin", "hash", "for", "mount", "seq", "expr", "yes", "id", "whoami", "pgrep",
];

fn deeds_of(name: &str, words: &[&str]) -> FileDeeds {
    let fixes = || {
        words.iter().any(|word| {
            matches!(
                *word,
                "--fix" | "--write" | "-w" | "--in-place" | "--inplace" | "-i" | "--fix-only" | "--autofix"
            )
        })
    };
    let listed = |table: &[&str]| table.contains(&name);
    match () {
        () if listed(REMOVERS) => FileDeeds::DELETES,
        () if listed(WRITERS) => FileDeeds::CHANGES,
        () if listed(NAMERS) => FileDeeds::NOTHING,
        () if listed(READERS) && fixes() && matches!(name, "eslint" | "stylelint" | "jq" | "prettier") => {
            FileDeeds::ANY
        }
        () if listed(READERS) || LOOKING.contains(&name) => FileDeeds::READS,
        () => FileDeeds::ANY,
    }
}

/// Returns what git does to the paths that it names.
fn of_git(words: &[&str]) -> Vec<(String, FileDeeds)> {
    let mut rest = words;
    let mut folder = "";
    while let [first, behind @ ..] = rest {
        match *first {
            "-C" => {
                folder = behind.first().copied().unwrap_or_default();
                rest = behind.get(1..).unwrap_or_default();
            }
            "-c" | "--git-dir" | "--work-tree" => rest = behind.get(1..).unwrap_or_default(),
            option if option.starts_with('-') => rest = behind,
            _ => break,
        }
    }
    let Some((subcommand, arguments)) = rest.split_first() else { return Vec::new() };
    let dry = arguments
        .iter()
        .any(|word| matches!(*word, "--dry-run" | "--check" | "--stat" | "--cached" | "--staged" | "--help"))
        || *subcommand == "clean" && has_letter(arguments, 'n')
        || *subcommand == "restore" && has_letter(arguments, 'S') && !has_letter(arguments, 'W');
    let deeds = match *subcommand {
        "rm" | "clean" if !dry => FileDeeds::DELETES,
        "checkout" | "restore" | "apply" | "am" | "reset" | "stash" | "merge" | "rebase" | "cherry-pick"
        | "revert"
            if !dry || arguments.contains(&"--worktree") =>
        {
            FileDeeds::CHANGES
        }
        "mv" => FileDeeds::MOVES,
        "show" | "diff" | "blame" | "grep" | "cat-file" | "archive" | "add" => FileDeeds::READS,
        _ => FileDeeds::NOTHING,
    };
    let mut paths: Vec<(String, FileDeeds)> =
        operands(arguments).into_iter().map(|path| (within(folder, path), deeds)).collect();
    // Without a path these are about everything in the folder.
    let is_whole = match *subcommand {
        "clean" => operands(arguments).is_empty(),
        "reset" => arguments.contains(&"--hard"),
        _ => false,
    };
    if is_whole && !dry {
        paths.push((if folder.is_empty() { ".".to_owned() } else { folder.to_owned() }, deeds));
    }
    // The contents of a revision: `git show HEAD:.env`.
    paths.extend(
        arguments
            .iter()
            .filter_map(|word| word.split_once(':'))
            .map(|(_, path)| (within(folder, path), deeds)),
    );
    paths
}

/// Returns whether a letter is among the short options.
fn has_letter(arguments: &[&str], letter: char) -> bool {
    let is_short = |word: &&&str| word.starts_with('-') && !word.starts_with("--");
    arguments.iter().filter(is_short).any(|word| word.contains(letter))
}

/// Returns the quoted paths of an inline script.
fn of_script(words: &[&str], input: Option<&str>) -> Vec<(String, FileDeeds)> {
    let mut found = Vec::new();
    let inline = words.windows(2).filter(|pair| is_code(pair[0])).map(|pair| pair[1]);
    for code in inline.chain(input) {
        let deletes = ["unlink", "remove(", "rmtree", "rmSync", "rmdir", "File.delete", "rm_rf", "rm("]
            .iter()
            .any(|call| code.contains(call));
        let changes = || CHANGING_CALLS.iter().any(|call| code.contains(call));
        let deeds = match () {
            () if deletes => FileDeeds::MOVES,
            () if changes() => FileDeeds::ANY,
            () => FileDeeds::READS,
        };
        found.extend(quoted(code).into_iter().map(|path| (path, deeds)));
    }
    found
}

/// What is in a script that changes files; one without any of it only reads.
#[rustfmt::skip]
const CHANGING_CALLS: [&str; 34] = [
    "'w", "\"w", "'a'", "\"a\"", "'a+", "'r+", "\"r+", "'x'", "\"x\"", "write", "Write", "dump", "rename", "truncate", "copy", "Copy", "move",
    "Move", "save", "put_contents", "chmod", "chown", "symlink", "link", "touch", "mkdir", "makedirs", "append", "Append", "replace(", "spew",
    "system", "exec", "spawn",
];

/// Returns whether the next word is a program in the interpreter's language.
fn is_code(option: &str) -> bool {
    matches!(option, "-c" | "-e" | "-E" | "-r" | "-p" | "-pe" | "-ne" | "-n" | "--eval" | "--print" | "eval")
}

/// Maximum number of quoted texts of one script.
const MAX_QUOTED: usize = 100;

/// Returns the texts between quotation marks that may be paths.
fn quoted(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['\'', '"', '`']) {
        let mark = rest.as_bytes()[at] as char;
        let inside = &rest[at + 1..];
        let Some(end) = inside.find([mark, '\n']) else { break };
        let text = &inside[..end];
        let is_path = !text.is_empty()
            && text.len() < 300
            && !text.contains(|c: char| c.is_whitespace() || "(){}<>;|&".contains(c));
        if is_path && found.len() < MAX_QUOTED {
            found.push(text.to_owned());
        }
        // A quotation mark of another kind inside may begin a text of its own, so only a path is passed over.
        rest = if is_path { &inside[end + 1..] } else { inside };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{Dialect, follow};

    /// Returns the paths of a line, with `r`, `c` and `d` for what is done to them.
    fn touched(line: &str) -> Vec<String> {
        let letters = |deeds: FileDeeds| {
            let letter = |is: bool, letter: &'static str| if is { letter } else { "" };
            [letter(deeds.reads, "r"), letter(deeds.changes, "c"), letter(deeds.deletes, "d")].concat()
        };
        let found = touches(&follow(line, Dialect::Posix));
        let mut found: Vec<String> =
            found.iter().map(|touch| format!("{} {}", touch.path, letters(touch.deeds))).collect();
        found.sort();
        found.dedup();
        found
    }

    #[test]
    fn what_commands_do_to_the_files_they_name() {
        let check = |line: &str, expected: &[&str]| assert_eq!(touched(line), expected, "{line}");
        check("cat a", &["a r"]);
        check("rm -rf a b", &["a cd", "b cd"]);
        check("cd d && rm a", &["d/a cd"]);
        check("echo x > a", &["a c"]);
        check("sort < a > b", &["a r", "b c"]);
        check("mv a b", &["a rcd", "b c", "b/a c"]);
        check("cp a b", &["a r", "b c", "b/a c"]);
        check("sed -i s/x/y/ a", &["a c", "a rc", "s/x/y/ rc"]);
        check("sed -n 1p a", &["1p r", "a r"]);
        check("ls a; echo a; test -f a; cd a", &[]);
        check("git clean -fdn; git clean -n; git clean --help; git restore -S .", &[]);
        check("git clean -fd; git restore -SW .", &[". c", ". cd"]);
        check("git checkout -- a", &["a c"]);
        check("git rm a; git -C d mv b c", &["a cd", "d/b rcd", "d/c rcd"]);
        check("git add a; git commit -m a; git push o a", &["a r"]);
        check("git show HEAD:a", &["HEAD:a r", "a r"]);
        check("unknown a", &["a rc"]);
        check("dd if=a of=b", &["a r", "b c"]);
        check("find a -name x -delete", &["a cd"]);
        check("find a -name x", &[]);
        check("rm a/*.ts", &["a/x.ts cd"]);
        check("python3 -c \"open('a/b','w').write('x y')\"", &["a/b rc", "w rc"]);
        check("python3 - <<E\nimport os\nos.remove('a/b')\nE", &["a/b rcd"]);
        check("sudo tee a", &["a c", "a r", "tee r"]);
        check("curl -o a --data=@b x", &["a c", "b r", "x r"]);
        check("tool --out=a", &["a rc"]);
        check("prettier --check a; ssh -i b host", &["a r", "b r", "host r"]);
        check("prettier --write a", &["a rc"]);
        check("Set-Content -Path a -Value b/c", &["a c"]);
    }
}
