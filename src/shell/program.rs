//! Finds what a simple command really runs, through wrappers and task runners.
//!
//! The tables cover the ecosystems that our users work in; each names programs by what they do with their words.

use super::split::{SimpleCommand, is_assignment, parts};

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

/// Programs that only prepare the shell or print a text.
#[rustfmt::skip]
const PREPARING: [&str; 34] = [
    "cd", "export", "set", "source", ".", "pushd", "popd", "unset", "echo", "printf", "true", "false", ":",
    "sleep", "wait", "exit", "return", "trap", "alias", "unalias", "ulimit", "umask", "read", "test", "[",
    "[[", "for", "case", "esac", "in", "local", "declare", "shopt", "setopt",
];

/// Programs that only print what is there.
#[rustfmt::skip]
const LOOKING: [&str; 66] = [
    "ls", "cat", "bat", "less", "more", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "ack", "find",
    "fd", "tree", "wc", "sort", "uniq", "cut", "awk", "sed", "jq", "yq", "which", "whereis", "type", "file",
    "stat", "du", "df", "ps", "top", "env", "printenv", "pwd", "whoami", "date", "diff", "cmp", "nl", "od",
    "xxd", "strings", "column", "tr", "hexdump", "lsof", "netstat", "ss", "uname", "hostname", "id", "man",
    "journalctl", "realpath", "readlink", "dirname", "basename", "eza", "exa", "tee", "rev", "comm",
    "pgrep", "curl",
];

/// Subcommands that only print what is there, by program.
const LOOKING_AT: [(&str, &[&str]); 17] = [
    (
        "git",
        &[
            "status",
            "log",
            "diff",
            "show",
            "blame",
            "branch",
            "remote",
            "rev-parse",
            "rev-list",
            "ls-files",
            "ls-tree",
            "ls-remote",
            "describe",
            "reflog",
            "grep",
            "shortlog",
            "cat-file",
            "config",
            "whatchanged",
            "merge-base",
            "name-rev",
            "for-each-ref",
            "check-ignore",
            "tag",
        ],
    ),
    (
        "gh",
        &[
            "run view",
            "run list",
            "run watch",
            "pr view",
            "pr list",
            "pr diff",
            "pr checks",
            "pr status",
            "issue view",
            "issue list",
            "issue status",
            "repo view",
            "repo list",
            "api",
            "auth status",
            "search",
            "release view",
            "release list",
            "workflow view",
            "workflow list",
        ],
    ),
    (
        "glab",
        &["mr view", "mr list", "mr diff", "ci view", "ci status", "ci trace", "issue view", "issue list"],
    ),
    (
        "docker",
        &["ps", "logs", "images", "inspect", "stats", "version", "info", "compose ps", "compose logs"],
    ),
    ("podman", &["ps", "logs", "images", "inspect"]),
    ("kubectl", &["get", "describe", "logs", "top", "version", "explain", "config"]),
    ("helm", &["list", "status", "get", "history"]),
    ("systemctl", &["status", "list-units", "show", "is-active"]),
    ("npm", &["ls", "list", "view", "info", "outdated", "config", "why"]),
    ("pnpm", &["ls", "list", "why", "outdated"]),
    ("yarn", &["list", "why", "info"]),
    ("cargo", &["tree", "metadata", "search"]),
    ("go", &["env", "list", "doc", "version"]),
    ("pip", &["list", "show", "freeze"]),
    ("brew", &["list", "info", "search"]),
    ("terraform", &["show", "output", "state"]),
    ("bd", &["show", "list", "ready", "blocked", "stats"]),
];

/// Commands that run the program that follows them, after their options and this many other words.
const WRAPPERS: [(&str, usize); 23] = [
    ("sudo", 0),
    ("doas", 0),
    ("env", 0),
    ("time", 0),
    ("nohup", 0),
    ("command", 0),
    ("exec", 0),
    ("nice", 0),
    ("ionice", 0),
    ("timeout", 1),
    ("gtimeout", 1),
    ("xvfb-run", 0),
    ("stdbuf", 0),
    ("setsid", 0),
    ("caffeinate", 0),
    ("unbuffer", 0),
    ("winpty", 0),
    ("xargs", 0),
    ("watch", 0),
    ("npx", 0),
    ("bunx", 0),
    ("uvx", 0),
    ("pipx", 1),
];

/// Two words that together run the program that follows, after options and this many other words.
const WRAPPING_PAIRS: [(&str, &str, usize); 27] = [
    ("uv", "run", 0),
    ("poetry", "run", 0),
    ("pipenv", "run", 0),
    ("pdm", "run", 0),
    ("hatch", "run", 0),
    ("rye", "run", 0),
    ("pixi", "run", 0),
    ("conda", "run", 0),
    ("bundle", "exec", 0),
    ("pnpm", "exec", 0),
    ("pnpm", "dlx", 0),
    ("yarn", "exec", 0),
    ("yarn", "dlx", 0),
    ("npm", "exec", 0),
    ("bun", "x", 0),
    ("mise", "exec", 0),
    ("mise", "x", 0),
    ("asdf", "exec", 0),
    ("direnv", "exec", 1),
    ("rustup", "run", 1),
    ("docker", "exec", 1),
    ("podman", "exec", 1),
    ("kubectl", "exec", 1),
    ("docker-compose", "exec", 1),
    ("op", "run", 0),
    ("doppler", "run", 0),
    ("dotenv", "run", 0),
];

/// Programs whose first word names what they do.
#[rustfmt::skip]
const WITH_SUBCOMMANDS: [&str; 92] = [
    "cargo", "git", "jj", "hg", "svn", "npm", "pnpm", "yarn", "bun", "deno", "uv", "pip", "pip3", "poetry",
    "pdm", "hatch", "conda", "go", "docker", "podman", "kubectl", "helm", "terraform", "tofu", "pulumi",
    "make", "gmake", "just", "task", "mvn", "gradle", "ant", "sbt", "lein", "bazel", "bazelisk", "buck2",
    "dotnet", "nuget", "msbuild", "bundle", "rails", "rake", "gem", "mix", "rebar3", "gleam", "brew", "apt",
    "apt-get", "dnf", "yum", "apk", "pacman", "nix", "nixos-rebuild", "swift", "xcodebuild", "pod",
    "fastlane", "flutter", "dart", "zig", "stack", "cabal", "dune", "opam", "composer", "artisan",
    "symfony", "mise", "asdf", "nx", "turbo", "lerna", "rush", "moon", "ng", "vue", "next", "vite",
    "prisma", "supabase", "vercel", "netlify", "fly", "flyctl", "heroku", "wrangler", "playwright",
    "cypress", "bd",
];

/// Programs whose first two words name what they do: `gh pr create`, `docker compose up`.
const WITH_TWO_SUBCOMMANDS: [&str; 6] = ["gh", "glab", "aws", "gcloud", "az", "linear"];

/// Words of a task runner that are followed by the name of the task: the task is what matters.
const RUNS_A_TASK: [(&str, &[&str]); 12] = [
    ("npm", &["run", "run-script"]),
    ("pnpm", &["run"]),
    ("yarn", &["run"]),
    ("bun", &["run"]),
    ("deno", &["task"]),
    ("mise", &["run", "r"]),
    ("composer", &["run", "run-script"]),
    ("turbo", &["run"]),
    ("nx", &["run"]),
    ("lerna", &["run"]),
    ("cargo", &["xtask"]),
    ("docker", &["compose"]),
];

/// Options before the subcommand that have a value of their own; `git -C DIR status` runs `git status`.
#[rustfmt::skip]
const OPTIONS_WITH_VALUE: [&str; 24] = [
    "-C", "-c", "-f", "-n", "-p", "-R", "-w", "-D", "-F", "-u", "--prefix", "--filter", "--cwd", "--dir",
    "--file", "--namespace", "--context", "--repo", "--config", "--project", "--workspace", "--directory",
    "--profile", "--manifest-path",
];

/// Options whose value says which part of a project is meant.
const TARGET_OPTIONS: [&str; 5] = ["--filter", "-F", "--workspace", "-w", "--project"];

/// Programs that run the file or module that their words name.
#[rustfmt::skip]
const INTERPRETERS: [&str; 14] = [
    "python", "python3", "python2", "node", "ruby", "perl", "php", "lua", "tsx", "ts-node", "Rscript",
    "julia", "elixir", "pwsh",
];

/// Shells, which run a text after `-c`.
const SHELLS: [&str; 6] = ["bash", "sh", "zsh", "dash", "fish", "ksh"];

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
    if PREPARING.contains(&name) {
        return Doing::Preparing;
    }
    let changes_files =
        part.words.iter().any(|word| word == "-i" || word.starts_with("-i.") || word == "--in-place");
    if LOOKING.contains(&name) && !(name == "sed" && changes_files) {
        return Doing::Looking;
    }
    let listed = LOOKING_AT.iter().find(|(program, _)| *program == name);
    let is_look = listed.is_some_and(|(_, looks)| {
        looks.iter().any(|look| rest == *look || rest.split(' ').next() == Some(look))
    });
    let asks = |word: &String| matches!(word.as_str(), "--version" | "--help" | "-h" | "-V");
    if is_look || part.words.last().is_some_and(asks) { Doing::Looking } else { Doing::Acting }
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
        return Some(of_shell(name, rest, depth));
    }
    if INTERPRETERS.contains(&name) {
        return Some(of_interpreter(name, rest, depth));
    }
    let (target, rest) = without_options(rest);
    let sub = rest.first().map(String::as_str).unwrap_or_default();
    if let Some((.., skipped)) = WRAPPING_PAIRS.iter().find(|(one, two, _)| *one == name && *two == sub) {
        return named(behind(&rest[1..], *skipped), depth - 1).or_else(|| Some(format!("{name} {sub}")));
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
    let subs = rest.iter().filter(|word| !word.starts_with(['-', '+', '$', ':', '>'])).take(count);
    let subs: Vec<&str> = subs.map(String::as_str).filter(|word| !word.contains('=')).collect();
    Some(format!("{name} {target}{}", subs.join(" ")).trim_end().to_owned())
}

/// Returns the name of a program without its folder; wrappers that projects carry are named as what they wrap.
fn base_name(word: &str) -> Option<&str> {
    let name = word.trim_matches(['(', ')', '{', '}', ';', '"', '\'']);
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let name = name.strip_suffix(".exe").or_else(|| name.strip_suffix(".cmd")).unwrap_or(name);
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

/// Names what a shell runs: the command in `bash -lc "…"`, or the script.
fn of_shell(name: &str, words: &[String], depth: usize) -> String {
    let script = words.iter().position(|word| word.starts_with('-') && word.ends_with('c'));
    if let Some(text) = script.and_then(|at| words.get(at + 1)) {
        let inner = parts(text);
        let found = inner.iter().find(|part| !is_preparation(part)).or(inner.first());
        if let Some(program) = found.and_then(|part| named(&part.words, depth - 1)) {
            return program;
        }
    }
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
            Some(file) if base_name(file) == Some("artisan") => {
                let sub = words.iter().skip_while(|word| *word != file).nth(1);
                format!("artisan {}", sub.map(String::as_str).unwrap_or_default()).trim_end().to_owned()
            }
            Some(file) => format!("{name} {}", base_name(file).unwrap_or(file)),
            None => name.to_owned(),
        },
    }
}

fn is_preparation(part: &SimpleCommand) -> bool {
    part.words.first().is_some_and(|word| PREPARING.contains(&word.as_str()))
}
