//! The parts of a pattern: globs for programs, words and flags.

use serde::{Deserialize, Serialize};

use super::arguments::CommandArguments;
use crate::shell::options::has_clusters;
use crate::shell::run::{Dialect, base_name};
use crate::shell::wrappers::POSIX_SHELLS;

/// One place of a pattern behind the program; one of its alternatives is enough.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Element {
    pub(super) alternatives: Vec<ElementAtom>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum ElementAtom {
    Word(WordGlob),
    /// `--force`
    Long(String),
    /// `--context=prod`, which is also found as `--context prod`.
    LongValue(String, WordGlob),
    /// `-f`, `-rf`, or a flag of more letters such as `-delete`.
    Letters(String),
    /// Any other word with a dash, such as `-auto-approve`, or a glob such as `--no-*`.
    Dashed(WordGlob),
    /// `/s`, as the programs of Windows write it.
    Slash(String),
}

/// A text in which `*` stands for anything.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct WordGlob {
    /// The texts between the stars; one without a star is the whole.
    pub(super) pieces: Vec<String>,
}

/// A glob for the name of a program.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct ProgramGlob {
    pub(super) name: WordGlob,
    /// It is `sh` behind a pipe: any shell, or what else runs a text.
    pub(super) is_any_shell: bool,
}

/// What PowerShell and the command interpreter of Windows call the same program.
#[rustfmt::skip]
const ALIASES: [(&str, &[&str]); 24] = [
    ("remove-item", &["rm", "del", "erase", "rd", "ri", "rmdir"]),
    ("invoke-webrequest", &["iwr", "curl", "wget"]),
    ("invoke-restmethod", &["irm"]),
    ("invoke-expression", &["iex"]),
    ("invoke-command", &["icm"]),
    ("copy-item", &["cp", "copy", "cpi"]),
    ("move-item", &["mv", "move", "mi"]),
    ("rename-item", &["ren", "rni"]),
    ("get-childitem", &["ls", "dir", "gci"]),
    ("get-content", &["cat", "type", "gc"]),
    ("set-content", &["sc"]),
    ("add-content", &["ac"]),
    ("clear-content", &["clc"]),
    ("new-item", &["ni"]),
    ("set-item", &["si"]),
    ("set-itemproperty", &["sp"]),
    ("set-location", &["cd", "chdir", "sl"]),
    ("stop-process", &["kill", "spps"]),
    ("start-process", &["saps", "start"]),
    ("write-output", &["echo", "write"]),
    ("foreach-object", &["%", "foreach"]),
    ("where-object", &["?", "where"]),
    ("select-string", &["sls"]),
    ("out-host", &["oh"]),
];

/// Programs beside shells that run the text they are given.
const TEXT_RUNNERS: [&str; 5] = ["eval", "source", ".", "iex", "invoke-expression"];

/// Returns the one name of a program that has several on Windows.
fn canonical(name: &str) -> &str {
    let known = ALIASES.iter().find(|(cmdlet, aliases)| *cmdlet == name || aliases.contains(&name));
    known.map_or(name, |(cmdlet, _)| cmdlet)
}

/// The name of a program that is run, ready to be compared with many globs.
pub(super) struct ProgramName<'w> {
    /// Without its folder.
    name: &'w str,
    /// In small letters.
    small: String,
    /// The dialect whose conventions it has: agents on Windows send cmdlets to Bash, too.
    pub(super) dialect: Dialect,
    is_windows: bool,
}

impl<'w> ProgramName<'w> {
    pub(super) fn new(program: &'w str, dialect: Dialect) -> ProgramName<'w> {
        let name = base_name(program);
        let small = name.to_ascii_lowercase();
        let is_cmdlet = || ALIASES.iter().any(|(cmdlet, _)| *cmdlet == small);
        let dialect = if dialect == Dialect::Posix && is_cmdlet() { Dialect::PowerShell } else { dialect };
        let is_windows = dialect != Dialect::Posix
            || name.len() < program.len() && program.to_ascii_lowercase().ends_with(".exe");
        ProgramName { name, small, dialect, is_windows }
    }
}

impl ProgramGlob {
    pub(super) fn matches(&self, program: &ProgramName<'_>) -> bool {
        let ProgramName { name, small, .. } = program;
        if !program.is_windows {
            // Some file systems do not tell `GIT` from `git`.
            return self.name.matches(name, false)
                || name.bytes().all(|byte| byte.is_ascii_uppercase()) && self.name.matches(small, false)
                || self.is_any_shell && (POSIX_SHELLS.contains(name) || TEXT_RUNNERS.contains(name));
        }
        let one = canonical(small);
        let is_same = match self.name.pieces.as_slice() {
            [whole] => program.dialect != Dialect::Posix && canonical(&whole.to_ascii_lowercase()) == one,
            _ => false,
        };
        is_same
            || self.name.matches(small, true)
            || self.is_any_shell && (POSIX_SHELLS.contains(&small.as_str()) || TEXT_RUNNERS.contains(&one))
    }
}

impl Element {
    pub(super) fn has_words(&self) -> bool {
        self.alternatives.iter().any(|atom| matches!(atom, ElementAtom::Word(_)))
    }

    pub(super) fn is_word(&self, word: &str, dialect: Dialect) -> bool {
        let word = without_braces(word);
        let fold = dialect != Dialect::Posix;
        let word = if fold { with_slashes(&word).into() } else { word };
        let plain = plain_path(&word);
        self.alternatives.iter().any(|atom| match atom {
            ElementAtom::Word(glob) => {
                glob.matches(&word, fold) || plain.as_ref().is_some_and(|plain| glob.matches(plain, fold))
            }
            _ => false,
        })
    }

    /// Returns whether one of the flags is there.
    pub(super) fn is_flag_of(&self, arguments: &CommandArguments<'_>) -> bool {
        self.alternatives.iter().any(|atom| atom.is_flag_of(arguments))
    }
}

/// Returns a path without what changes nothing in it, if there is something: `/etc/` and `/./etc` are `/etc`.
fn plain_path(word: &str) -> Option<String> {
    let starts = |beginning: &str| word.starts_with(beginning);
    if !starts("/") && !starts("~") && !starts("$HOME") && !starts("../") && !starts("./") {
        return None;
    }
    let mut plain = word.to_owned();
    for (long, short) in [("//", "/"), ("/./", "/")] {
        while plain.contains(long) {
            plain = plain.replace(long, short);
        }
    }
    if plain.starts_with('/') && plain.contains("/..") {
        let mut parts: Vec<&str> = Vec::new();
        for part in plain.split('/').skip(1) {
            match part {
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        plain = format!("/{}", parts.join("/"));
    }
    // On macOS, `/etc` is a link to `/private/etc`.
    if let Some(rest) = plain.strip_prefix("/private")
        && ["/etc", "/var", "/tmp"].iter().any(|folder| rest.starts_with(folder))
    {
        plain = rest.to_owned();
    }
    let ends: &[&str] = &["/", "/."];
    while let Some(shorter) =
        ends.iter().find_map(|end| plain.strip_suffix(end)).filter(|rest| !rest.is_empty())
    {
        plain.truncate(shorter.len());
    }
    (plain != word).then_some(plain)
}

/// The home folder of Windows, as its shells write it.
const WINDOWS_HOMES: [&str; 5] = [
    "$env:HOMEDRIVE$env:HOMEPATH",
    "%HOMEDRIVE%%HOMEPATH%",
    "$env:USERPROFILE",
    "%USERPROFILE%",
    "$env:HOME",
];

/// Writes a word of a shell of Windows with slashes and `$HOME`, so that one pattern is for all shells.
fn with_slashes(word: &str) -> String {
    let starts = |home: &&&str| {
        word.get(..home.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(home))
            && word[home.len()..].chars().next().is_none_or(|next| matches!(next, '/' | '\\'))
    };
    let word = match WINDOWS_HOMES.iter().find(starts) {
        Some(home) => format!("$HOME{}", &word[home.len()..]),
        None => word.to_owned(),
    };
    word.replace('\\', "/")
}

/// Writes `${HOME}` as `$HOME`, since both are the same.
pub(super) fn without_braces(word: &str) -> std::borrow::Cow<'_, str> {
    if !word.contains("${") {
        return word.into();
    }
    let mut text = String::with_capacity(word.len());
    let mut rest = word;
    while let Some((before, after)) = rest.split_once("${") {
        text.push_str(before);
        text.push('$');
        match after.split_once('}') {
            Some((name, behind))
                if name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':')) =>
            {
                text.push_str(name);
                rest = behind;
            }
            _ => {
                text.push('{');
                rest = after;
            }
        }
    }
    (text + rest).into()
}

impl ElementAtom {
    fn is_flag_of(&self, arguments: &CommandArguments<'_>) -> bool {
        let fold = arguments.dialect != Dialect::Posix;
        match self {
            ElementAtom::Word(_) => false,
            ElementAtom::Long(name) => arguments.flags.iter().any(|flag| is_long(flag.text, name)),
            ElementAtom::LongValue(name, value) => arguments.flags.iter().any(|flag| {
                let attached = flag.text.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('='));
                let given = attached.or_else(|| flag.next.filter(|_| flag.text == name));
                given.is_some_and(|given| value.matches(&without_braces(given), fold))
            }),
            ElementAtom::Letters(letters) => arguments.has_letters(letters),
            ElementAtom::Dashed(glob) => arguments.flags.iter().any(|flag| {
                glob.matches(flag.text, fold)
                    || !has_clusters(arguments.program)
                        && flag.text.split_once('=').is_some_and(|(name, _)| glob.matches(name, fold))
                    || !has_clusters(arguments.program)
                        && flag
                            .text
                            .strip_prefix('-')
                            .is_some_and(|rest| rest.starts_with('-') && glob.matches(rest, fold))
            }),
            ElementAtom::Slash(letter) => arguments.has_slash(letter),
        }
    }
}

/// Returns whether a flag is this long option: itself, with a value, or abbreviated as git and GNU programs accept it.
fn is_long(flag: &str, name: &str) -> bool {
    let (given, _) = flag.split_once('=').unwrap_or((flag, ""));
    given == name
        || given.len() >= MIN_ABBREVIATION && name.starts_with(given) && !WHOLE_OPTIONS.contains(&given)
}

/// A shorter beginning of an option is rarely unique.
const MIN_ABBREVIATION: usize = 5;

/// Options that are the beginning of others, and so no abbreviation of them.
#[rustfmt::skip]
const WHOLE_OPTIONS: [&str; 46] = [
    "--force", "--all", "--no-verify", "--delete", "--merge", "--patch", "--sign", "--set-upstream", "--include", "--exclude",
    "--recurse", "--remote", "--branch", "--dry", "--no-edit", "--edit", "--author", "--skip", "--keep", "--hard", "--soft",
    "--prune", "--mirror", "--tags", "--tag", "--follow", "--depth", "--quiet", "--no-ff", "--ff", "--cached", "--staged",
    "--verify", "--help", "--version", "--name", "--file", "--user", "--output", "--input", "--config", "--context", "--data",
    "--no-cache", "--rm", "--volume",
];

impl WordGlob {
    /// Returns whether the glob matches the whole text.
    pub(super) fn matches(&self, text: &str, fold: bool) -> bool {
        if fold {
            let plain = |text: &str| text.to_lowercase().replace('\\', "/");
            let pieces: Vec<String> = self.pieces.iter().map(|piece| plain(piece)).collect();
            return is_match(&pieces, &plain(text));
        }
        is_match(&self.pieces, text)
    }
}

fn is_match(pieces: &[String], text: &str) -> bool {
    match pieces {
        [] => false,
        [whole] => whole == text,
        [first, middle @ .., last] => {
            let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
            for piece in middle {
                match rest.find(piece.as_str()) {
                    Some(at) => rest = &rest[at + piece.len()..],
                    None => return false,
                }
            }
            // Behind a slash there is a name: `/home/*/*` is not `/home/alice/`.
            let is_named = !last.is_empty()
                || !rest.is_empty()
                || !middle.last().unwrap_or(first).ends_with(['/', '\\']);
            is_named && rest.ends_with(last.as_str())
        }
    }
}
