//! What a server says of itself on stderr, where agents show it as a log and people read it.

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Error,
    Warn,
    Info,
    Debug,
}

/// Where lines go; printing itself is the command line's.
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
