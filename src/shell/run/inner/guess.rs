//! Programs of which nothing is known: the words behind them may be a command.

use super::{InnerCommand, base_name};
use crate::shell::run::CommandOrigin;
use crate::shell::run::ShellWord;
use crate::shell::tables::{INTERPRETERS, LOOKING, PREPARING, WITH_SUBCOMMANDS, WITH_TWO_SUBCOMMANDS};
use crate::shell::wrappers::{POSIX_SHELLS, WRAPPERS};

/// Programs that run nothing that their words name, beside those of the other tables. A program that is in no table may
/// be a wrapper, and the words behind it a command.
#[rustfmt::skip]
const NO_WRAPPERS: &[&str] = &[
    // Files.
    "cp", "mv", "rm", "mkdir", "rmdir", "touch", "ln", "chmod", "chown", "chgrp", "chattr", "setfacl", "install", "dd", "truncate",
    "shred", "unlink", "mktemp", "mkfifo", "rsync", "scp", "sftp", "tar", "zip", "unzip", "gzip", "gunzip", "bzip2", "xz",
    "zstd", "7z", "split", "csplit", "patch", "rename", "trash", "rclone", "ditto", "robocopy", "xcopy", "copy", "move", "del", "erase",
    "rd", "md", "ren", "attrib", "icacls", "takeown", "sponge", "iconv", "dos2unix", "unix2dos", "sync", "shasum", "sha256sum", "md5sum",
    "md5", "cksum", "b2sum", "base64", "seq", "yes", "paste", "join", "tac", "expand", "pr", "look", "apropos", "whatis", "help", "info",
    "tldr", "cheat", "history", "fc", "hash", "bind", "complete", "compgen", "typeset", "readonly", "let", "shift", "getopts", "jobs",
    "bg", "fg", "disown", "kill", "pkill", "killall", "break", "continue", "mapfile", "readarray", "dirs", "caller", "logger", "say",
    "notify-send", "osascript", "open", "xdg-open", "pbcopy", "xclip", "clip", "mail", "sendmail", "tput", "clear", "reset", "stty",
    // Editors and pagers.
    "vi", "vim", "nvim", "nano", "emacs", "code", "subl", "ed", "ex", "view", "batcat", "most", "gvim", "micro", "hx",
    // Compilers, interpreters and linkers.
    "gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "as", "ar", "nm", "objdump", "strip", "rustc", "javac", "java", "kotlinc",
    "scalac", "ghc", "ocaml", "erl", "iex", "irb", "tsc", "esbuild", "webpack", "rollup", "swc", "babel", "eslint", "prettier", "jest",
    "vitest", "mocha", "pytest", "mypy", "pyright", "black", "isort", "flake8", "pylint", "rspec", "rubocop", "phpunit", "phpstan", "ctest",
    "cmake", "ninja", "rustfmt", "clippy-driver", "gofmt", "shellcheck", "shfmt", "hadolint", "yamllint", "markdownlint", "awk", "gawk",
    "mawk", "gsed", "ggrep", "zgrep", "sqlite3", "psql", "mysql", "mariadb", "mongosh", "mongo", "redis-cli", "duckdb", "clickhouse",
    "pg_dump", "pg_restore", "mysqldump", "createdb", "dropdb", "bun", "deno", "osqueryi", "bc", "dc", "expr", "jshell", "R", "octave",
    // Network and system.
    "wget", "http", "https", "xh", "aria2c", "nc", "ncat", "socat", "telnet", "ping", "dig", "nslookup", "host", "traceroute", "ip",
    "ifconfig", "iptables", "ufw", "ssh-keygen", "ssh-add", "ssh-copy-id", "gpg", "openssl", "age", "pass", "crontab", "service", "launchctl",
    "systemctl", "mount", "umount", "mkfs", "fdisk", "parted", "lsblk", "useradd", "usermod", "userdel", "passwd", "groupadd", "shutdown",
    "reboot", "poweroff", "halt", "dmesg", "sysctl", "modprobe", "snap", "flatpak", "port", "zypper", "emerge", "choco", "scoop", "winget",
    "softwareupdate", "defaults", "diskutil", "hdiutil", "security", "codesign", "plutil", "sc", "reg", "schtasks", "taskkill", "tasklist", "net",
    "setx", "rustup", "nvm", "fnm", "volta", "pyenv", "rbenv", "asdf", "sdk", "ghcup", "direnv", "nix-env", "nix-build", "ansible",
    "ansible-playbook", "eksctl", "kubectx", "kubens", "kustomize", "k9s", "stern", "oc", "nomad", "terragrunt", "infracost",
    // Programs that are given prose.
    "aider", "goose", "llm", "ollama", "nudge", "amp", "q", "slack",
    "jira", "basecamp", "twurl", "espeak", "figlet", "cowsay", "banner", "git-commit", "cz", "commitizen", "gum", "dialog", "whiptail", "zenity",
    "expect", "ab", "wrk", "hey", "k6", "locust", "siege", "pv", "fzf", "sk", "rga", "ugrep", "semgrep", "ast-grep", "comby", "sad", "sd",
    "codespell", "typos", "vale", "jshint", "htmlq", "pup", "xmllint", "xsltproc", "csvkit", "mlr", "dasel", "miller", "cloc", "tokei", "scc",
];

/// Returns whether a program may run the words behind it, so that a command may begin at any of them.
pub(crate) fn runs_its_words(program: &str) -> bool {
    let name = base_name(program);
    POSIX_SHELLS.contains(&name)
        || matches!(name, "find" | "xargs" | "parallel" | "eval")
        || WRAPPERS.iter().any(|wrapper| wrapper.names == name)
        || may_be_wrapper(name, &name.to_ascii_lowercase())
}

pub(super) fn may_be_wrapper(name: &str, lower: &str) -> bool {
    // The cmdlets of PowerShell are verbs with nouns, and run nothing that they name.
    let is_cmdlet = name.contains('-') && name.starts_with(|c: char| c.is_ascii_uppercase());
    !is_cmdlet
        && ![&PREPARING[..], &LOOKING, &WITH_SUBCOMMANDS, &WITH_TWO_SUBCOMMANDS, &INTERPRETERS, NO_WRAPPERS]
            .iter()
            .any(|table| table.contains(&name) || table.contains(&lower))
        && !WRAPPERS.iter().any(|wrapper| wrapper.names.split(' ').next() == Some(name))
}

/// A command behind more words than this is an argument.
const MAX_GUESSES: usize = 4;

/// Returns the words behind a program of which nothing is known, from each that may name a program.
pub(super) fn guesses(arguments: &[ShellWord]) -> Vec<InnerCommand> {
    let mut found = Vec::new();
    let may_start = |word: &ShellWord| {
        word.text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '.' | '_' | '~'))
            && !word.text.contains(|c: char| c.is_whitespace() || c == '=')
    };
    for (at, word) in arguments.iter().enumerate().take(MAX_GUESSES) {
        let is_behind_dashes = at > 0 && arguments[at - 1].text == "--";
        if may_start(word) {
            found.push(InnerCommand::Words(arguments[at..].to_vec(), CommandOrigin::Guessed));
        }
        if is_behind_dashes {
            break;
        }
    }
    found
}
