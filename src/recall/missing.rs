//! Which program a failure says is not installed.

use crate::shell::{self, SimpleCommand};

/// What shells and launchers say of a program that they do not find, with the program behind it: zsh, fish, `timeout`
/// and `nohup`, Go's and Node's ways to start one.
const BEHIND: [&str; 5] =
    ["command not found: ", "fish: Unknown command: ", "failed to run command ", "exec: ", "spawn "];

/// The same with the program before it: bash and `sudo`, dash, PowerShell and cmd, `xargs` and `env`.
const BEFORE: [&str; 5] = [
    ": command not found",
    ": not found",
    " is not recognized as ",
    ": executable file not found",
    ": No such file or directory",
];

/// Programs that say that another one is not there; who else says "not found" speaks of a file or a page.
const LAUNCHERS: [&str; 19] = [
    "sh", "bash", "zsh", "dash", "ash", "ksh", "fish", "env", "xargs", "sudo", "doas", "nohup", "timeout",
    "gtimeout", "nice", "time", "exec", "command", "eval",
];

/// Returns the program that is not installed, in the signature of a failure, where numbers are `#`.
pub(crate) fn missing_program(signature: &str) -> Option<&str> {
    signature.lines().find_map(in_line)
}

/// Returns whether a command line runs a program.
pub(crate) fn runs_program(line: &str, name: &str) -> bool {
    let is_it = |part: &SimpleCommand| part.words.first().is_some_and(|word| word == name);
    line.contains(name) && shell::parts(line).iter().any(is_it)
}

fn in_line(line: &str) -> Option<&str> {
    for phrase in BEHIND {
        let Some((_, behind)) = line.split_once(phrase) else { continue };
        let is_of_code = matches!(phrase, "exec: " | "spawn ");
        let says_so = behind.contains("executable file not found") || behind.contains("ENOENT");
        if !is_of_code || says_so {
            return name(behind.split([' ', ':']).next()?);
        }
    }
    for phrase in BEFORE {
        let Some((before, _)) = line.split_once(phrase) else { continue };
        let (who, what) = before.rsplit_once([' ', ':']).unwrap_or(("", before));
        let who = who.split(':').next().unwrap_or_default().trim();
        let who = who.rsplit('/').next().unwrap_or(who);
        let is_general = !matches!(phrase, ": not found" | ": No such file or directory");
        if is_general || LAUNCHERS.contains(&who) {
            return name(what);
        }
    }
    None
}

/// Returns a word if it can be the name of a program; a path names a file that is not there.
fn name(word: &str) -> Option<&str> {
    let name = word.trim_matches(['\'', '"', '`', '‘', '’', ',', '.', ';']);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    (name.contains(char::is_alphabetic) && name.chars().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::missing_program;

    #[test]
    fn what_shells_say_names_the_program() {
        for (signature, program) in [
            ("zsh:#: command not found: docker", Some("docker")),
            ("(eval):#: command not found: timeout", Some("timeout")),
            ("bash: line #: python: command not found", Some("python")),
            ("/bin/sh: rg: command not found", Some("rg")),
            ("sudo: psql: command not found", Some("psql")),
            ("sh: #: pytest: not found", Some("pytest")),
            ("/bin/sh: #: uv: not found", Some("uv")),
            ("fish: Unknown command: bat", Some("bat")),
            ("'make' is not recognized as an internal or external command,", Some("make")),
            ("The term 'gh' is not recognized as a name of a cmdlet", Some("gh")),
            ("env: ‘node’: No such file or directory", Some("node")),
            ("xargs: fd: No such file or directory", Some("fd")),
            ("timeout: failed to run command ‘mix’: No such file or directory", Some("mix")),
            ("exec: \"kubectl\": executable file not found in $PATH", Some("kubectl")),
            ("Error: spawn docker ENOENT", Some("docker")),
            // What is not there is something else.
            ("cat: notes.txt: No such file or directory", None),
            ("bash: ./run.sh: No such file or directory", None),
            ("npm error #: left-pad: not found", None),
            ("error: unknown command: frobnicate", None),
            ("fatal: repository not found", None),
            ("zsh: no matches found: *.md", None),
            ("exec: started", None),
        ] {
            assert_eq!(missing_program(signature), program, "{signature}");
        }
    }
}
