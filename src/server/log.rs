//! The server's log on stderr, which agents show and people read.

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Error,
    Warn,
    Info,
    Debug,
}

/// Where log lines go; the command line does the printing.
#[derive(Clone, Copy)]
pub(crate) struct Log {
    pub(crate) level: Level,
    pub(crate) say: fn(&str),
}

impl Level {
    pub(crate) const NAMES: [(&str, Level); 4] =
        [("error", Level::Error), ("warn", Level::Warn), ("info", Level::Info), ("debug", Level::Debug)];
}

impl Log {
    pub(super) fn line(self, level: Level, line: impl AsRef<str>) {
        if level <= self.level {
            (self.say)(line.as_ref());
        }
    }
}
