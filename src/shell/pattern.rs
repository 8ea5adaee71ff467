//! Patterns for commands: the words of one simple command, or of several that are joined by pipes.
//!
//! `git push --force` is a program, a word and a flag. Words come in this order with anything between them, flags may be
//! anywhere behind the program. `*` and `{a,b}` are globs within a word, and `|` joins commands of one pipeline.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::run::{Dialect, RunCommand, ShellRun, join, runs_its_words};
use arguments::CommandArguments;
use element::{Element, ProgramGlob, ProgramName};

mod arguments;
mod element;
mod parse;
mod programs;
mod scratch;

pub(crate) use programs::{CommandPrograms, RunPrograms};

/// A pattern, parsed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CommandPattern {
    stages: Vec<StagePattern>,
}

/// The part of a pattern that one simple command must match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StagePattern {
    /// One of these is enough.
    programs: Vec<ProgramGlob>,
    elements: Vec<Element>,
}

/// Patterns of which one is enough.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct CommandPatterns {
    pub(crate) patterns: Vec<CommandPattern>,
}

/// Where a pattern matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandMatch {
    /// The numbers of the simple commands, one for each part of the pattern; empty if only the raw words match.
    pub(crate) simple: Vec<usize>,
    /// The command as it is written.
    pub(crate) written: String,
}

/// Maximum number of places in a text that could not be read at which a pattern is tried.
const MAX_RAW_TRIES: usize = 2_000;

/// Maximum number of words behind such a place.
const MAX_RAW_WORDS: usize = 200;

impl ShellRun {
    /// Returns the run with each deletion a second time, under other names for what it deletes; `None` if `name` knows
    /// no other. It is given paths relative to the folder in which the line starts.
    pub(crate) fn with_other_names(&self, name: impl Fn(&str) -> Option<String>) -> Option<ShellRun> {
        let other = |command: &RunCommand, word: &str| {
            let path = join(&command.folder, word).filter(|_| !word.starts_with('-'))?;
            name(&path).filter(|other| other != word)
        };
        let renamed = self.commands.iter().filter_map(|command| {
            let (first, rest) = command.words.split_first()?;
            if !scratch::deletes(&first.text) || rest.iter().all(|word| other(command, &word.text).is_none())
            {
                return None;
            }
            let mut renamed = command.clone();
            for word in renamed.words.iter_mut().skip(1) {
                word.text = other(command, &word.text).unwrap_or_else(|| word.text.clone());
            }
            Some(renamed)
        });
        let renamed: Vec<RunCommand> = renamed.collect();
        (!renamed.is_empty()).then(|| {
            let mut run = self.clone();
            run.commands.extend(renamed);
            run
        })
    }
}

impl CommandPatterns {
    /// Returns the commands that one of the patterns matches.
    pub(crate) fn find(&self, run: &ShellRun) -> Vec<CommandMatch> {
        let mut found: Vec<CommandMatch> = Vec::new();
        for pattern in &self.patterns {
            for one in pattern.find(run) {
                if !found.contains(&one) {
                    found.push(one);
                }
            }
        }
        found
    }
}

impl CommandPattern {
    fn find(&self, run: &ShellRun) -> Vec<CommandMatch> {
        let found = match self.stages.as_slice() {
            [only] => {
                let matching = run.commands.iter().filter(|command| only.matches(command));
                matching.map(|command| matched(&[command])).collect()
            }
            _ => self.find_pipelines(run),
        };
        if found.is_empty() && run.unread.is_some() {
            return self.find_raw(&run.raw).into_iter().collect();
        }
        found
    }

    /// Finds commands of one pipeline that match the parts of the pattern in their order.
    fn find_pipelines(&self, run: &ShellRun) -> Vec<CommandMatch> {
        // For each pipeline, how far it is at the earliest with the commands that matched so far.
        let mut reached: HashMap<usize, (usize, Vec<&RunCommand>)> = HashMap::new();
        for (index, stage) in self.stages.iter().enumerate() {
            let mut next: HashMap<usize, (usize, Vec<&RunCommand>)> = HashMap::new();
            for command in run.commands.iter().filter(|command| stage.matches(command)) {
                for &(pipeline, place) in &command.stages {
                    let mut before = match reached.get(&pipeline) {
                        _ if index == 0 => Vec::new(),
                        Some((earlier, commands)) if *earlier < place => commands.clone(),
                        _ => continue,
                    };
                    before.push(command);
                    let is_earlier = next.get(&pipeline).is_none_or(|(known, _)| place < *known);
                    if is_earlier {
                        next.insert(pipeline, (place, before));
                    }
                }
            }
            reached = next;
        }
        let mut found: Vec<CommandMatch> = reached.values().map(|(_, commands)| matched(commands)).collect();
        found.sort_by(|one, two| one.simple.cmp(&two.simple));
        found.dedup();
        found
    }

    /// Finds the words of the pattern in a text that could not be read.
    fn find_raw(&self, parts: &[Vec<String>]) -> Option<CommandMatch> {
        let mut from = 0;
        let mut written = Vec::new();
        for stage in &self.stages {
            let (at, words) = stage.find_raw(parts.get(from..)?)?;
            written.push(words.join(" "));
            from += at + 1;
        }
        Some(CommandMatch { simple: Vec::new(), written: written.join(" | ") })
    }
}

impl StagePattern {
    fn matches(&self, command: &RunCommand) -> bool {
        let Some((first, rest)) = command.words.split_first() else { return false };
        let name = ProgramName::new(&first.text, command.dialect);
        if !self.is_for(&name) {
            return false;
        }
        if scratch::is_scratch(&command.folder) && scratch::deletes(&first.text) {
            // What means everything here is written with the folder that it means.
            let words: Vec<String> =
                rest.iter().map(|word| scratch::in_folder(&command.folder, &word.text)).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            return self.matches_words(&first.text, &words, name.dialect);
        }
        let words: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
        self.matches_words(&first.text, &words, name.dialect)
    }

    fn is_for(&self, program: &ProgramName<'_>) -> bool {
        self.programs.iter().any(|glob| glob.matches(program))
    }

    fn matches_words(&self, program: &str, words: &[&str], dialect: Dialect) -> bool {
        self.elements.is_empty() || self.matches_arguments(&CommandArguments::new(program, words, dialect))
    }

    /// Matches words in their order, and flags wherever they are.
    fn matches_arguments(&self, arguments: &CommandArguments<'_>) -> bool {
        let mut from = 0;
        let mut words = 0;
        for element in &self.elements {
            if element.is_flag_of(arguments) {
                continue;
            }
            if !element.has_words() {
                return false;
            }
            // The first words name what a program does, so nothing may stand before them.
            let is_subcommand = words < arguments.subcommand_words;
            let operands = arguments.operands.get(from..).unwrap_or_default();
            let operands = if is_subcommand { operands.get(..1).unwrap_or_default() } else { operands };
            match operands.iter().position(|operand| element.is_word(operand, arguments.dialect)) {
                Some(at) => from += at + 1,
                None => return false,
            }
            words += 1;
        }
        true
    }

    /// Returns the first part of the text in which the pattern's words are, and these words.
    fn find_raw<'w>(&self, parts: &'w [Vec<String>]) -> Option<(usize, Vec<&'w str>)> {
        let mut tries = 0;
        for (number, words) in parts.iter().enumerate() {
            // Behind a program that runs nothing, the words are data: `echo "git push --force` never ends.
            let may_run = words.first().is_none_or(|first| runs_its_words(first));
            let places = if may_run { words.len() } else { 1 };
            for (at, program) in words.iter().enumerate().take(places) {
                let name = ProgramName::new(program, Dialect::Posix);
                if !self.is_for(&name) {
                    continue;
                }
                tries += 1;
                let behind: Vec<&str> =
                    words[at + 1..].iter().take(MAX_RAW_WORDS).map(String::as_str).collect();
                if self.matches_words(program, &behind, name.dialect) {
                    return Some((number, [&[program.as_str()][..], &behind].concat()));
                }
                if tries >= MAX_RAW_TRIES {
                    return None;
                }
            }
        }
        None
    }
}

fn matched(commands: &[&RunCommand]) -> CommandMatch {
    let mut written: Vec<&str> = commands.iter().map(|command| command.written.as_str()).collect();
    written.dedup();
    CommandMatch {
        simple: commands.iter().map(|command| command.simple).collect(),
        written: written.join(" | "),
    }
}

#[cfg(test)]
mod tests;
