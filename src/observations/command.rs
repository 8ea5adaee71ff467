//! Finds the program that a command line runs, to connect a failure with the success after it.

use crate::model::beginning;

/// Programs whose first argument is a subcommand.
const WITH_SUBCOMMANDS: [&str; 30] = [
    "cargo",
    "git",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "deno",
    "npx",
    "uv",
    "pip",
    "pip3",
    "poetry",
    "go",
    "docker",
    "podman",
    "kubectl",
    "helm",
    "terraform",
    "gh",
    "make",
    "just",
    "mvn",
    "gradle",
    "dotnet",
    "bundle",
    "rails",
    "mix",
    "brew",
    "apt",
    "apt-get",
];

/// Commands that run another program.
const WRAPPERS: [&str; 9] =
    ["sudo", "env", "time", "nohup", "command", "exec", "nice", "timeout", "xvfb-run"];

/// Returns the program of a command line with its subcommand: `cargo test` of `cd x && RUST_LOG=1 cargo test -p a`.
pub(super) fn program(line: &str) -> Option<String> {
    let segment = segments(line).find(|segment| !is_preparation(segment))?;
    let mut words = segment.split_whitespace().skip_while(|word| is_prefix(word));
    let name = words.next()?.trim_matches(['"', '\'', '(', ')', '{', '}', ';']);
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    if name.is_empty() {
        return None;
    }
    let interpreted = matches!(name, "python" | "python3" | "node" | "bash" | "sh" | "ruby" | "perl");
    let sub = if WITH_SUBCOMMANDS.contains(&name) {
        words.find(|word| !word.starts_with(['-', '+']))
    } else if interpreted {
        // For `python -m pytest` and `bash build.sh`, what they run matters.
        words.find(|word| !word.starts_with('-')).map(|word| word.rsplit('/').next().unwrap_or(word))
    } else {
        None
    };
    let program = sub.map_or_else(|| name.to_owned(), |sub| format!("{name} {sub}"));
    Some(beginning(&program, 80).to_owned())
}

fn segments(line: &str) -> impl Iterator<Item = &str> {
    line.split(['\n', ';', '|', '&']).map(str::trim).filter(|segment| !segment.is_empty())
}

/// Returns whether a part of the line only prepares the real command.
fn is_preparation(segment: &str) -> bool {
    let first = segment.split_whitespace().next().unwrap_or_default();
    matches!(first, "cd" | "export" | "set" | "source" | "." | "pushd" | "unset" | "echo" | "true" | "#")
        || segment.starts_with('#')
        || segment.split_whitespace().all(|word| word.contains('=') && !word.starts_with('-'))
}

fn is_prefix(word: &str) -> bool {
    WRAPPERS.contains(&word)
        || word.starts_with('-')
        || word.parse::<f64>().is_ok()
        || word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
}
