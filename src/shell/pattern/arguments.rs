//! The words behind a program, sorted into flags and operands as the program itself would sort them.

use crate::shell::options::{before_subcommand, contains, has_clusters, subcommand_words, takes_value};
use crate::shell::run::{Dialect, base_name};

/// The arguments of one command.
pub(super) struct CommandArguments<'w> {
    pub(super) program: &'w str,
    pub(super) dialect: Dialect,
    pub(super) flags: Vec<Flag<'w>>,
    pub(super) operands: Vec<&'w str>,
    /// How many operands name what the program does.
    pub(super) subcommand_words: usize,
    subcommand: &'w str,
}

/// An argument with a dash before it.
pub(super) struct Flag<'w> {
    pub(super) text: &'w str,
    /// The word behind it, which may be its value.
    pub(super) next: Option<&'w str>,
}

/// Returns the words that are a program's own. `find` starts here if it is told nothing else; the options of what it runs
/// are not its own, and what a negated condition leaves out is not what it looks for.
fn own_words<'w>(program: &str, words: &[&'w str]) -> Vec<&'w str> {
    if !matches!(program, "find" | "gfind") {
        return words.to_vec();
    }
    let mut own: Vec<&str> = Vec::with_capacity(words.len() + 1);
    let is_told = words.iter().find(|word| !matches!(**word, "-H" | "-L" | "-P"));
    own.extend(is_told.is_none_or(|word| word.starts_with(['-', '(', '!'])).then_some("."));
    let mut runs = false;
    let mut rest = words;
    while let Some((word, behind)) = rest.split_first() {
        rest = behind;
        match *word {
            "!" | "-not" => {
                rest = behind_condition(behind);
                continue;
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => runs = true,
            ";" | "+" => runs = false,
            option if runs && option.starts_with('-') => continue,
            _ => {}
        }
        // `-exec /bin/rm` runs `rm`.
        let is_program = matches!(own.last(), Some(&("-exec" | "-execdir" | "-ok" | "-okdir")));
        own.push(if is_program { base_name(word) } else { word });
    }
    own
}

/// Returns the words of `find` behind one condition: `-name x`, `-empty`, or a group in parentheses.
fn behind_condition<'s, 'w>(words: &'s [&'w str]) -> &'s [&'w str] {
    let Some((first, behind)) = words.split_first() else { return words };
    if *first == "(" {
        let end = behind.iter().position(|word| *word == ")");
        return end.map_or(&[], |end| &behind[end + 1..]);
    }
    // A number may have a sign, as in `-mtime -1`.
    let is_value = |word: &&str| {
        word.strip_prefix('-').map_or(!matches!(*word, "(" | ")" | "!"), |rest| {
            rest.starts_with(|letter: char| letter.is_ascii_digit())
        })
    };
    let skipped = usize::from(behind.first().is_some_and(is_value));
    &behind[skipped..]
}

impl<'w> CommandArguments<'w> {
    pub(super) fn new(program: &'w str, words: &[&'w str], dialect: Dialect) -> CommandArguments<'w> {
        let program = base_name(program);
        let mut arguments = CommandArguments {
            program,
            dialect,
            flags: Vec::new(),
            operands: Vec::new(),
            subcommand_words: if dialect == Dialect::Posix { subcommand_words(program) } else { 0 },
            subcommand: "",
        };
        let own = own_words(program, words);
        arguments.sort(&own);
        arguments
    }

    fn sort(&mut self, words: &[&'w str]) {
        let is_windows = self.dialect != Dialect::Posix;
        let before = before_subcommand(self.program);
        let mut rest = words;
        while let Some((&word, behind)) = rest.split_first() {
            rest = behind;
            let is_flag = word.len() > 1 && word.starts_with('-');
            if word == "--" && !is_windows {
                self.operands.extend(behind);
                return;
            }
            // `cargo +nightly build`
            let is_toolchain = self.operands.is_empty() && self.program == "cargo" && word.starts_with('+');
            if is_toolchain {
                continue;
            }
            if !is_flag {
                if self.operands.is_empty() {
                    self.subcommand = word;
                }
                self.operands.push(word);
                continue;
            }
            self.flags.push(Flag { text: word, next: behind.first().copied() });
            // `-Path:build` has its value with it.
            let attached = word.split_once(':').map(|(_, value)| value);
            if self.dialect == Dialect::PowerShell
                && let Some(value) = attached.filter(|value| !value.is_empty() && !value.starts_with('$'))
            {
                self.operands.push(value);
            }
            let is_global = self.operands.is_empty() && before.is_some_and(|valued| contains(valued, word));
            if !is_windows && (is_global || self.takes_next(word)) {
                rest = behind.get(1..).unwrap_or_default();
            }
        }
    }

    /// Returns whether the next word is the value of this flag.
    fn takes_next(&self, flag: &str) -> bool {
        if flag.starts_with("--") || flag.len() == 2 {
            return takes_value(self.program, self.subcommand, flag);
        }
        let letters = self.cluster(flag);
        let last = letters.chars().last();
        letters.len() + 1 == flag.len()
            && last.is_some_and(|letter| takes_value(self.program, self.subcommand, &format!("-{letter}")))
    }

    /// Returns the letters of `-abc`, up to one that has a value.
    fn cluster<'f>(&self, flag: &'f str) -> &'f str {
        let Some(letters) = flag.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else { return "" };
        for (at, letter) in letters.char_indices() {
            if !letter.is_ascii_alphanumeric() {
                return &letters[..at];
            }
            if takes_value(self.program, self.subcommand, &format!("-{letter}")) {
                return &letters[..=at];
            }
        }
        letters
    }

    /// Returns whether the flag is there as a word, or its letters in clusters.
    pub(super) fn has_letters(&self, wanted: &str) -> bool {
        if self.dialect == Dialect::PowerShell {
            return self.has_parameter(wanted);
        }
        let is_whole = |flag: &Flag<'_>| {
            let (text, _) = flag.text.split_once('=').unwrap_or((flag.text, ""));
            let text = text.strip_prefix('-').unwrap_or_default();
            text == wanted || !has_clusters(self.program) && text.strip_prefix('-') == Some(wanted)
        };
        if self.flags.iter().any(is_whole) {
            return true;
        }
        has_clusters(self.program)
            && wanted
                .chars()
                .all(|letter| self.flags.iter().any(|flag| self.cluster(flag.text).contains(letter)))
    }

    /// Returns whether a parameter of PowerShell is there, which may be abbreviated and in any case.
    fn has_parameter(&self, wanted: &str) -> bool {
        let wanted = wanted.to_lowercase();
        let is_on = |flag: &&Flag<'_>| !flag.text.to_lowercase().ends_with(":$false");
        let mut given = self.flags.iter().filter(is_on).map(|flag| {
            let name = flag.text.trim_start_matches('-').to_lowercase();
            name.split_once(':').map_or(name.clone(), |(name, _)| name.to_owned())
        });
        let names: Vec<String> = given.by_ref().filter(|name| !name.is_empty()).collect();
        names.iter().any(|name| wanted.starts_with(name.as_str()))
            || wanted.len() <= 3
                && wanted.chars().all(|letter| names.iter().any(|name| name.starts_with(letter)))
    }

    /// Returns whether a flag such as `/s` is there, alone or in `/s/q`.
    pub(super) fn has_slash(&self, wanted: &str) -> bool {
        let is_it = |part: &str| part.eq_ignore_ascii_case(wanted);
        self.operands.iter().filter(|word| word.starts_with('/')).any(|word| {
            let word = word.split_once(':').map_or(*word, |(name, _)| name);
            word.split('/').any(is_it)
        })
    }
}
