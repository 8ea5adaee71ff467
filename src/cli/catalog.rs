//! The catalog of commands: the group of each, what people type instead, and which of them print no JSON.
//!
//! `nudge -h`, `nudge --help`, the topics of `nudge help` and the completions come from these tables.

/// Commands that belong together in the help.
pub(crate) struct CommandGroup {
    pub(crate) title: &'static str,
    pub(crate) commands: &'static [&'static str],
}

/// Every command is in one of these groups; a test says so.
pub(crate) const GROUPS: &[CommandGroup] = &[
    CommandGroup {
        title: "Start",
        commands: &["setup", "init", "demo", "status", "settings", "doctor", "off", "on", "uninstall"],
    },
    CommandGroup {
        title: "Look",
        commands: &["ui", "day", "log", "recent", "sessions", "failures", "stats", "why", "report"],
    },
    CommandGroup { title: "Search", commands: &["search", "show", "timeline", "context"] },
    CommandGroup {
        title: "Rules",
        commands: &["rules", "trust", "learn", "allow", "test", "validate", "check"],
    },
    CommandGroup {
        title: "Hints",
        commands: &["hint", "set", "get", "query", "ls", "delete", "bump", "export", "import"],
    },
    CommandGroup { title: "Plan", commands: &["plan", "task", "note", "history", "artifact"] },
    CommandGroup {
        title: "Data",
        commands: &["backfill", "projects", "observations", "sync", "pin", "unpin", "forget", "gc"],
    },
    #[cfg(feature = "team")]
    CommandGroup { title: "Team", commands: &["team"] },
    CommandGroup {
        title: PLUMBING,
        commands: &["hook", "serve", "stop", "record", "completions", "man", "nexus"],
    },
];

/// The group of commands that agents, packages and scripts call.
pub(crate) const PLUMBING: &str = "Plumbing";

/// Commands without JSON, and why.
pub(crate) const WITHOUT_JSON: [(&str, &str); 8] = [
    ("completions", "it prints a shell script"),
    ("demo", "it shows scenes to a person"),
    ("hook", "its reply has the format of the agent"),
    ("man", "it prints manual pages"),
    ("nexus merge-history", "git calls it, and it prints nothing"),
    ("observations export", "it prints JSON Lines already"),
    ("record", "it prints the format of the agent, or nothing"),
    ("serve", "it speaks MCP"),
];

/// What a word that is not a command means.
pub(crate) enum Meant {
    /// A command, under the name that others have for it.
    Command(&'static str),
    /// The arguments in its place.
    Arguments(&'static [&'static str]),
    /// Something that there is no command for, with what to use instead.
    Tip(&'static str),
}

/// Words that people also type.
pub(crate) const ALSO_TYPED: [(&str, Meant); 26] = [
    ("notes", Meant::Command("note")),
    ("memory", Meant::Command("note")),
    ("config", Meant::Command("settings")),
    ("tasks", Meant::Command("task")),
    ("hints", Meant::Command("hint")),
    ("plans", Meant::Command("plan")),
    ("session", Meant::Command("sessions")),
    ("project", Meant::Command("projects")),
    ("rule", Meant::Command("rules")),
    ("artifacts", Meant::Command("artifact")),
    ("mcp", Meant::Command("serve")),
    ("completion", Meant::Command("completions")),
    ("version", Meant::Arguments(&["--version"])),
    ("today", Meant::Arguments(&[])),
    ("tail", Meant::Tip("`nudge log -f` follows hook calls; `nudge recent` lists the latest observations")),
    (
        "list",
        Meant::Tip(
            "`nudge recent` lists observations, `nudge hint ls` hints, `nudge note` notes, `nudge rules` rules",
        ),
    ),
    ("pause", Meant::Command("off")),
    ("resume", Meant::Command("on")),
    ("week", Meant::Arguments(&["day", "week"])),
    ("yesterday", Meant::Arguments(&["day", "yesterday"])),
    ("standup", Meant::Arguments(&["day", "yesterday"])),
    ("friction", Meant::Command("failures")),
    ("lint", Meant::Command("validate")),
    ("view", Meant::Command("ui")),
    ("viewer", Meant::Command("ui")),
    ("dashboard", Meant::Command("ui")),
];

/// Returns what a word means that is not a command.
pub(crate) fn also_typed(word: &str) -> Option<&'static Meant> {
    ALSO_TYPED.iter().find(|(typed, _)| *typed == word).map(|(_, meant)| meant)
}
