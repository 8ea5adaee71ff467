//! The sections of a manual page that clap does not write: EXAMPLES, FILES, ENVIRONMENT, EXIT STATUS and SEE ALSO.

use crate::cli::{examples, topic};
use crate::config::env;

/// Files and folders that nudge reads or writes.
const FILES: [(&str, &str); 8] = [
    (".nudge.yaml, .nudge/*.yaml", "rules of the project"),
    (".nudge/config.toml", "settings of the project; they can only restrict yours"),
    (".nexus/", "plan, tasks, history, notes and guidance of the project"),
    ("~/.config/nudge/rules.yaml", "your own rules, for all projects"),
    ("~/.config/nudge/config.toml", "your own settings"),
    ("~/.local/share/nudge/nudge.db", "the memory: observations of all projects"),
    ("~/.local/share/nudge/setup/", "copies of the agents' files from before `nudge setup`"),
    ("/tmp/nudge/", "where hint servers meet: locks, address, socket, snapshot"),
];

/// Examples on the page of nudge itself.
const OF_NUDGE: [(&str, &str); 4] = [
    ("nudge", "see what happened today"),
    ("nudge setup", "connect your coding agents"),
    ("nudge init", "create a first rule file in this project"),
    ("nudge search linker error --since 3d", "find what agents did"),
];

/// Adds our sections to a page.
pub(super) fn write(command: &clap::Command, page: &mut Vec<u8>) {
    let name = command.get_bin_name().unwrap_or("nudge").to_owned();
    let words: Vec<&str> = name.split(' ').skip(1).collect();
    let examples = match words.as_slice() {
        [] => OF_NUDGE.as_slice(),
        // The commands below a command share its examples.
        [first, ..] => examples::of(first),
    };
    let is_meant = |line: &str| words.len() < 2 || line.starts_with(&name);
    let meant: Vec<_> = examples.iter().filter(|(line, _)| is_meant(line)).copied().collect();
    section("EXAMPLES", if meant.is_empty() { examples } else { &meant }, page);
    section("FILES", &FILES, page);
    section("ENVIRONMENT", &env::VARIABLES, page);
    section("EXIT STATUS", &topic::EXIT_STATUS, page);
    let others = if words.is_empty() { "`nudge help COMMAND`, `nudge help environment`" } else { "nudge(1)" };
    page.extend(format!(".SH \"SEE ALSO\"\n{}\n", roff(others)).bytes());
}

/// Returns a page in ASCII: other characters are written as roff names them, which every troff reads.
pub(super) fn in_ascii(page: &str) -> String {
    let named = |c: char| if c.is_ascii() { c.to_string() } else { format!("\\[u{:04X}]", u32::from(c)) };
    page.chars().map(named).collect()
}

/// Writes a section of terms and their meaning.
fn section(title: &str, terms: &[(&str, &str)], page: &mut Vec<u8>) {
    page.extend(format!(".SH \"{title}\"\n").bytes());
    for (term, meaning) in terms {
        page.extend(format!(".TP\n\\fB{}\\fR\n{}\n", roff(term), roff(meaning)).bytes());
    }
}

/// Returns a text as roff prints it: its own characters are escaped, and a line does not begin with a request.
fn roff(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq").replace('`', "\\(ga");
    if text.starts_with('.') { format!("\\&{text}") } else { text }
}
