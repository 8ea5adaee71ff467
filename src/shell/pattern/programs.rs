//! The programs that patterns begin with: a line that runs none of them needs no further look.

use serde::{Deserialize, Serialize};

use super::CommandPatterns;
use super::element::{ProgramGlob, ProgramName};
use crate::shell::run::ShellRun;

/// Programs of which one must be run, before one of the patterns can match.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct CommandPrograms {
    globs: Vec<ProgramGlob>,
}

impl CommandPatterns {
    /// Returns the programs that the patterns begin with.
    pub(crate) fn programs(&self) -> CommandPrograms {
        let mut globs: Vec<ProgramGlob> = Vec::new();
        for stage in self.patterns.iter().filter_map(|pattern| pattern.stages.first()) {
            for glob in &stage.programs {
                if !globs.contains(glob) {
                    globs.push(glob.clone());
                }
            }
        }
        CommandPrograms { globs }
    }
}

/// What a line runs, ready to be compared with many lists of programs.
pub(crate) struct RunPrograms<'r> {
    names: Vec<ProgramName<'r>>,
    /// The line could not be read, so that it may run anything.
    is_unread: bool,
}

impl ShellRun {
    /// Returns the programs that the line runs.
    pub(crate) fn programs(&self) -> RunPrograms<'_> {
        let firsts =
            self.commands.iter().filter_map(|command| Some((command.words.first()?, command.dialect)));
        let names = firsts.map(|(first, dialect)| ProgramName::new(&first.text, dialect));
        RunPrograms { names: names.collect(), is_unread: self.unread.is_some() }
    }
}

impl RunPrograms<'_> {
    /// Returns whether one of the programs may be among them.
    pub(crate) fn may_include(&self, programs: &CommandPrograms) -> bool {
        let is_one = |name: &ProgramName<'_>| programs.globs.iter().any(|glob| glob.matches(name));
        self.is_unread || self.names.iter().any(is_one)
    }
}
