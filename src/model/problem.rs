//! A problem: something that is wrong, kept as a value, so that everything else continues.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Something that went wrong without stopping the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Problem {
    pub(crate) severity: Severity,
    pub(crate) place: Option<FilePosition>,
    pub(crate) rule: Option<String>,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// Not stored: the file that a stored problem is in says where it comes from.
    #[serde(skip)]
    pub(crate) origin: Origin,
    /// What it is about; only a hook asks for it.
    #[serde(skip)]
    pub(crate) topic: Topic,
}

/// What a problem is about, which decides what it means for the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Topic {
    #[default]
    Rules,
    /// Settings that say what may be remembered: while they are not understood, nothing is.
    Privacy,
    /// Any other setting.
    Settings,
    Memory,
    /// The exchange with a team's server.
    Team,
    /// The clock of the machine, where it contradicts the memory.
    Clock,
    /// Plan and tasks of a project.
    Plan,
    /// A variable of the environment.
    Environment,
    /// The time that a hook may take.
    Time,
}

/// How a problem was found, which says where to look for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Origin {
    /// It is in a file, and `nudge validate` finds it too.
    #[default]
    File,
    /// It happened during an event, and is only in the log.
    Event,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// Interesting only for authors of rules.
    Note,
    /// It works, but perhaps not as its author thinks.
    Warning,
    /// Something does not work because of it.
    Error,
}

/// A position in a file; line and column start at 1, and 0 means the whole file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FilePosition {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Problem {
    pub(crate) fn error(message: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Error,
            place: None,
            rule: None,
            message: message.into(),
            hint: None,
            origin: Origin::File,
            topic: Topic::Rules,
        }
    }

    pub(crate) fn warning(message: impl Into<String>) -> Problem {
        Problem { severity: Severity::Warning, ..Problem::error(message) }
    }

    pub(crate) fn note(message: impl Into<String>) -> Problem {
        Problem { severity: Severity::Note, ..Problem::error(message) }
    }

    #[must_use]
    pub(crate) fn at(mut self, file: &str, line: usize, column: usize) -> Problem {
        self.place = Some(FilePosition { file: file.to_owned(), line, column });
        self
    }

    #[must_use]
    pub(crate) fn of_rule(mut self, rule: &str) -> Problem {
        self.rule = Some(rule.to_owned());
        self
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    /// Marks the problem as found during an event.
    #[must_use]
    pub(crate) fn by_event(self) -> Problem {
        Problem { origin: Origin::Event, ..self }
    }

    #[must_use]
    pub(crate) fn about(self, topic: Topic) -> Problem {
        Problem { topic, ..self }
    }

    pub(crate) fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for FilePosition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => write!(out, "{}", self.file),
            (line, 0) => write!(out, "{}:{line}", self.file),
            (line, column) => write!(out, "{}:{line}:{column}", self.file),
        }
    }
}

/// The problem in one line: place, rule, message.
impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(out, "{place}: ")?;
        }
        if let Some(rule) = &self.rule {
            write!(out, "rule `{rule}`: ")?;
        }
        write!(out, "{}", self.message)
    }
}
