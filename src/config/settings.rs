//! Settings: the user's `config.toml`, and the project's `.nudge/config.toml`, which can only restrict them.
//!
//! Every key has a default. An unknown key, or a value of the wrong type, is reported as a problem. If a file cannot be
//! read, nothing is remembered: nobody knows what it forbids.

mod edit;
mod read;
mod write;

use std::path::{Path, PathBuf};

pub(crate) use self::edit::{SettingsTextError, with_value, without_value};
pub(crate) use self::read::{SettingError, SettingLiteral, SettingsOwner, read_text};
pub(crate) use self::write::write_team;
use super::paths;
use crate::model::{Problem, Retention, ShareLevel, Topic};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    /// The name of the project, instead of its folder's name.
    pub(crate) project_name: Option<String>,
    /// Whether sessions of other projects and of other folders see nothing of this one.
    pub(crate) is_private: bool,
    /// Whether events are remembered at all.
    pub(crate) remember: bool,
    pub(crate) context_rows: usize,
    pub(crate) context_other_projects: usize,
    /// Maximum characters of context for a session; 0 for none.
    pub(crate) context_budget: usize,
    /// Whether an agent is warned before a command that keeps failing.
    pub(crate) warn_before_acts: bool,
    /// Edits wait until there are tasks.
    pub(crate) edit_gate: bool,
    /// A run continues until its tasks are completed and closed.
    pub(crate) block_stop: bool,
    /// The status of a task follows the agent that owns it.
    pub(crate) task_status: bool,
    /// A folder whose bodies replace those of the built-in agents and skills.
    pub(crate) nexus_core: Option<PathBuf>,
    pub(crate) retention: Retention,
    /// How many hints an agent is shown automatically, within ten minutes.
    pub(crate) hint_suggestions: usize,
    pub(crate) notes: NoteSettings,
    pub(crate) team: TeamSettings,
    /// Whether rules of a repository speak only after the user has seen them.
    pub(crate) trust_required: bool,
    /// Whether `nudge ui` may open pages in a browser.
    pub(crate) ui_enabled: bool,
    /// The projects that are not exchanged with other machines; `None` if that is not understood.
    pub(crate) sync_exclude: Option<Vec<String>>,
    /// The user's patterns for secrets, by name.
    pub(crate) secret_patterns: Vec<(String, String)>,
    /// The project's patterns, which are limited in number and size.
    pub(crate) project_patterns: Vec<(String, String)>,
    /// Why the settings are unknown: then nothing is remembered, and every text counts as secret.
    pub(crate) unknown_because: Option<String>,
}

/// When the project's notes may be deleted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NoteSettings {
    pub(crate) stale_days: u32,
    /// Whether `nudge note gc --auto` may delete at all; it requires all three signals below.
    pub(crate) auto_delete: bool,
    pub(crate) auto_days: Option<u32>,
    pub(crate) auto_cycles: Option<u32>,
    pub(crate) auto_reads: Option<u32>,
}

/// What is exchanged with a team's server; only the user's own file says so.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TeamSettings {
    /// The server, without a password; without it, nothing leaves the machine.
    pub(crate) url: Option<String>,
    /// How much is shared of each project, by its key; those of colleagues are read, whatever the level.
    pub(crate) projects: Vec<(String, ShareLevel)>,
    /// Maximum number of colleagues' rows of a project that are kept here, and of days.
    pub(crate) keep: usize,
    pub(crate) days: usize,
    /// Maximum number of rows of a project that are brought in a day.
    pub(crate) most_a_day: usize,
    /// Whether an agent is shown how colleagues overcame a failure, without asking.
    pub(crate) unasked: bool,
    /// Whether that includes what CI accounts did.
    pub(crate) unasked_ci: bool,
    /// Rows of colleagues that a new session is shown, if `unasked`.
    pub(crate) rows: usize,
    /// Whether the project says that nothing of it leaves.
    pub(crate) is_off_here: bool,
}

/// Every key with its meaning and default; the reference is generated from here.
pub(crate) const KEYS: [(&str, &str); 31] = [
    ("project.name", "Name of the project (default: the name of its repository's folder)"),
    (
        "project.private",
        "Show nothing of this project in sessions of other projects, and recognise it by its folder only, not by its `origin` (default: false)",
    ),
    ("observations.enabled", "Remember what agents do (default: true)"),
    ("context.rows", "Rows of this project that a new session sees (default: 20)"),
    ("context.other_projects", "Rows of other projects (default: 10); 0 for none"),
    ("context.budget", "Maximum characters of that text (default: 3000, up to 9000); 0 disables it"),
    (
        "context.warnings",
        "Warn an agent before a command of a shape that keeps failing here, and before an edit of a file whose last change was refused or taken back (default: true)",
    ),
    (
        "hints.suggestions",
        "Hints that an agent is shown automatically, within ten minutes (default: 5); 0 for none",
    ),
    ("nexus.edit_gate", "Refuse edits in a project with `.nexus/` while no tasks are open (default: false)"),
    (
        "nexus.block_stop",
        "After `[run]`, keep the agent from stopping while tasks are open or the cycle is not closed (default: false)",
    ),
    (
        "nexus.task_status",
        "Set a task in progress and completed when the subagent that owns it starts and stops (default: false)",
    ),
    (
        "nexus.core",
        "Folder of nexus-core whose `agents/ID/body.md` and `skills/ID/body.md` replace the built-in texts; read from your own file only (not set)",
    ),
    (
        "retention.TYPE",
        "Days for which observations of a type are kept, as in `file_read = 30`; 0 keeps them forever; read from your own file only; what `nudge why` knows is deleted after the shortest of them",
    ),
    ("notes.stale_days", "Days without a read after which `nudge note gc` proposes a note (default: 180)"),
    (
        "notes.auto_delete",
        "Let `nudge note gc --auto` delete notes (default: false); needs the three signals below, all of them true",
    ),
    ("notes.auto_days", "Signal: the last read is at least this many days ago, 1 or more (not set)"),
    (
        "notes.auto_cycles",
        "Signal: at least this many cycles, 1 or more, were closed since the last read (not set)",
    ),
    ("notes.auto_reads", "Signal: the note was read at most this many times, up to 10 (not set)"),
    (
        "sync.exclude",
        "Projects that `nudge sync ssh` and `nudge sync file` neither send nor take: a list of names, folders (`~/private`) and addresses (`github.com/acme/*`); read from your own file only (default: none)",
    ),
    (
        "team.url",
        "The PostgreSQL of your team, as `nudge team join` writes it; without it nothing leaves your machine; read from your own file only (not set)",
    ),
    (
        "team.projects.KEY",
        "How much of a project you share: `off`, `fixes`, `work` or `all`; rows of colleagues are brought for every project in this list; read from your own file only",
    ),
    (
        "team.unasked",
        "Show an agent how a colleague overcame the failure that it has just met, if you never did: commands and file names in one line (default: false); their rows answer searches either way; read from your own file only",
    ),
    ("team.unasked_ci", "With `team.unasked`, also what CI accounts did (default: false)"),
    (
        "team.rows",
        "With `team.unasked`, lines that a new session sees about what went wrong for several colleagues and never for you (default: 0, because few of them proved useful)",
    ),
    (
        "team.keep",
        "Maximum number of colleagues' rows of a project here; the oldest are deleted (default: 100000)",
    ),
    ("team.days", "Maximum age in days of colleagues' rows here (default: 90)"),
    (
        "team.most_a_day",
        "Maximum number of colleagues' rows of a project that are brought in a day; the rest stays on the server (default: 20000)",
    ),
    (
        "team.share",
        "In a project's own file, `off`: nothing of it leaves, whatever you have chosen (not set)",
    ),
    (
        "ui.enabled",
        "Let `nudge ui` show what is remembered in a browser on this machine (default: true); read from your own file only",
    ),
    (
        "rules.trust",
        "`required`: rules of a repository that you have not trusted with `nudge trust` may block, but their own texts reach no agent; read from your own file only (default: `told`, a session tells you of new and changed rules)",
    ),
    ("redact.NAME", "A regex for secrets of your own, stored as [REDACTED:NAME]"),
];

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            project_name: None,
            is_private: false,
            remember: true,
            context_rows: 20,
            context_other_projects: 10,
            context_budget: 3_000,
            warn_before_acts: true,
            hint_suggestions: 5,
            edit_gate: false,
            block_stop: false,
            task_status: false,
            nexus_core: None,
            retention: Retention::default(),
            notes: NoteSettings {
                stale_days: 180,
                auto_delete: false,
                auto_days: None,
                auto_cycles: None,
                auto_reads: None,
            },
            team: TeamSettings {
                url: None,
                projects: Vec::new(),
                keep: 100_000,
                days: 90,
                most_a_day: 20_000,
                unasked: false,
                unasked_ci: false,
                rows: 0,
                is_off_here: false,
            },
            ui_enabled: true,
            sync_exclude: Some(Vec::new()),
            trust_required: false,
            secret_patterns: Vec::new(),
            project_patterns: Vec::new(),
            unknown_because: None,
        }
    }
}

/// Reads both files; also returns the problems in them.
pub(crate) fn load(root: &Path) -> (Settings, Vec<Problem>) {
    let (mut settings, mut problems) = load_user();
    settings.read(&project_file(root), SettingsOwner::Project(root), &mut problems);
    problems.extend(settings.notes.problem());
    (settings, problems)
}

/// Reads only the user's file, for what concerns all projects.
pub(crate) fn load_user() -> (Settings, Vec<Problem>) {
    let mut settings = Settings::default();
    let mut problems = Vec::new();
    if let Some(path) = paths::user_settings() {
        settings.read(&path, SettingsOwner::User, &mut problems);
    }
    (settings, problems)
}

/// Returns the settings file of a project.
pub(crate) fn project_file(root: &Path) -> PathBuf {
    root.join(".nudge/config.toml")
}

impl TeamSettings {
    /// Returns how much of a project is shared.
    pub(crate) fn level(&self, key: &str) -> ShareLevel {
        let chosen = self.projects.iter().find(|(known, _)| known == key);
        chosen.map(|(_, level)| *level).unwrap_or_default()
    }
}

impl NoteSettings {
    /// Reports that automatic deletion is enabled without all signals: fewer than three could match by accident.
    fn problem(&self) -> Option<Problem> {
        let signals = [
            ("auto_days", self.auto_days),
            ("auto_cycles", self.auto_cycles),
            ("auto_reads", self.auto_reads),
        ];
        let missing: Vec<String> = signals
            .iter()
            .filter(|(_, signal)| signal.is_none())
            .map(|(name, _)| format!("`notes.{name}`"))
            .collect();
        (self.auto_delete && !missing.is_empty()).then(|| {
            Problem::error("`notes.auto_delete` needs three signals, and nothing is deleted with fewer")
                .hint(format!("set {} too", missing.join(" and ")))
                .about(Topic::Settings)
        })
    }
}

impl Settings {
    /// Returns the value of one setting, also of one such as `retention.file_read`.
    pub(crate) fn shown_value(&self, name: &str) -> Option<String> {
        let mut shown = KEYS.iter().flat_map(|(key, _)| self.shown(key));
        shown.find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Returns the value of a key as it is written in the file; several for a key such as `retention.TYPE`.
    pub(crate) fn shown(&self, key: &str) -> Vec<(String, String)> {
        let one = |value: String| vec![(key.to_owned(), value)];
        let optional = |value: Option<u32>| value.map(|value| one(value.to_string())).unwrap_or_default();
        match key {
            "project.name" => {
                self.project_name.as_ref().map(|name| one(format!("{name:?}"))).unwrap_or_default()
            }
            "project.private" => one(self.is_private.to_string()),
            "observations.enabled" => one(self.remember.to_string()),
            "context.rows" => one(self.context_rows.to_string()),
            "context.other_projects" => one(self.context_other_projects.to_string()),
            "context.budget" => one(self.context_budget.to_string()),
            "context.warnings" => one(self.warn_before_acts.to_string()),
            "hints.suggestions" => one(self.hint_suggestions.to_string()),
            "nexus.edit_gate" => one(self.edit_gate.to_string()),
            "nexus.block_stop" => one(self.block_stop.to_string()),
            "nexus.task_status" => one(self.task_status.to_string()),
            "nexus.core" => {
                let shown = |folder: &PathBuf| one(format!("{:?}", folder.display().to_string()));
                self.nexus_core.as_ref().map(shown).unwrap_or_default()
            }
            "retention.TYPE" => {
                let days = self.retention.days.iter();
                days.map(|(kind, days)| (format!("retention.{}", kind.name()), days.unwrap_or(0).to_string()))
                    .collect()
            }
            "notes.stale_days" => one(self.notes.stale_days.to_string()),
            "notes.auto_delete" => one(self.notes.auto_delete.to_string()),
            "notes.auto_days" => optional(self.notes.auto_days),
            "notes.auto_cycles" => optional(self.notes.auto_cycles),
            "notes.auto_reads" => optional(self.notes.auto_reads),
            "sync.exclude" => {
                self.sync_exclude.as_ref().map(|list| one(format!("{list:?}"))).unwrap_or_default()
            }
            "team.url" => self.team.url.as_ref().map(|url| one(format!("{url:?}"))).unwrap_or_default(),
            "team.projects.KEY" => {
                let levels = self.team.projects.iter();
                levels
                    .map(|(key, level)| (format!("team.projects.{key:?}"), format!("{:?}", level.name())))
                    .collect()
            }
            "team.unasked" => one(self.team.unasked.to_string()),
            "team.unasked_ci" => one(self.team.unasked_ci.to_string()),
            "team.rows" => one(self.team.rows.to_string()),
            "team.keep" => one(self.team.keep.to_string()),
            "team.days" => one(self.team.days.to_string()),
            "team.most_a_day" => one(self.team.most_a_day.to_string()),
            "team.share" if self.team.is_off_here => one("\"off\"".to_owned()),
            "ui.enabled" => one(self.ui_enabled.to_string()),
            "rules.trust" => one(format!("{:?}", if self.trust_required { "required" } else { "told" })),
            "redact.NAME" => {
                let patterns = self.secret_patterns.iter().chain(&self.project_patterns);
                patterns.map(|(name, pattern)| (format!("redact.{name}"), format!("{pattern:?}"))).collect()
            }
            _ => Vec::new(),
        }
    }
}
