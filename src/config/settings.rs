//! Settings: `config.toml` of the user, and `.nudge/config.toml` of the project, which wins.
//!
//! Every key has a default. A key that is not known, or has a value of the wrong kind, is a problem and never silence.

use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::paths;
use crate::model::{ObservationType, Problem, Retention};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    /// The name of the project, instead of its folder's.
    pub(crate) project_name: Option<String>,
    /// Whether events are remembered at all.
    pub(crate) remember: bool,
    pub(crate) context_rows: usize,
    pub(crate) context_other_projects: usize,
    /// The most characters that a session is told; 0 for none.
    pub(crate) context_budget: usize,
    /// Edits wait until there are tasks.
    pub(crate) edit_gate: bool,
    /// A run goes on until its tasks are completed and closed.
    pub(crate) block_stop: bool,
    /// The status of a task follows the agent that owns it.
    pub(crate) task_status: bool,
    pub(crate) retention: Retention,
    /// How many hints are put before an agent unasked, within ten minutes.
    pub(crate) hint_suggestions: usize,
    pub(crate) notes: NoteSettings,
    /// Patterns that are secret here, by name.
    pub(crate) secret_patterns: Vec<(String, String)>,
}

/// When notes of the project's memory may go.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NoteSettings {
    pub(crate) stale_days: u32,
    /// Whether `nudge memory gc --auto` may delete at all; it takes all three signals below.
    pub(crate) auto_delete: bool,
    pub(crate) auto_days: Option<u32>,
    pub(crate) auto_cycles: Option<u32>,
    pub(crate) auto_reads: Option<u32>,
}

/// Every key with its meaning and default; the reference lists them from here.
pub(crate) const KEYS: [(&str, &str); 16] = [
    ("project.name", "Name of the project (default: the name of its repository's folder)"),
    ("observations.enabled", "Remember what agents do (default: true)"),
    ("context.rows", "Rows of this project that a new session is told (default: 20)"),
    ("context.other_projects", "Rows of other projects (default: 10); 0 for none"),
    ("context.budget", "Most characters of that text (default: 6000, at most 9000); 0 switches it off"),
    ("hints.suggestions", "Hints that an agent is told unasked, within ten minutes (default: 5); 0 for none"),
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
        "retention.TYPE",
        "Days for which observations of a type are kept, as in `file_read = 30`; 0 for ever; read from your own file only; what `nudge why` knows goes after the shortest of them",
    ),
    ("notes.stale_days", "Days without a read after which `nudge memory gc` proposes a note (default: 180)"),
    (
        "notes.auto_delete",
        "Let `nudge memory gc --auto` delete notes (default: false); needs the three signals below, all of them true",
    ),
    ("notes.auto_days", "Signal: the last read is at least so many days ago (not set)"),
    ("notes.auto_cycles", "Signal: at least so many cycles were closed since the last read (not set)"),
    ("notes.auto_reads", "Signal: at most so many reads were ever seen (not set)"),
    ("redact.NAME", "A regex for secrets of your own, stored as [REDACTED:NAME]"),
];

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            project_name: None,
            remember: true,
            context_rows: 20,
            context_other_projects: 10,
            context_budget: 6_000,
            hint_suggestions: 5,
            edit_gate: false,
            block_stop: false,
            task_status: false,
            retention: Retention::default(),
            notes: NoteSettings {
                stale_days: 180,
                auto_delete: false,
                auto_days: None,
                auto_cycles: None,
                auto_reads: None,
            },
            secret_patterns: Vec::new(),
        }
    }
}

/// Reads both files; what is wrong in them is among the problems.
pub(crate) fn load(root: &Path) -> (Settings, Vec<Problem>) {
    let (mut settings, mut problems) = load_user();
    settings.read(&project_file(root), Whose::Project, &mut problems);
    problems.extend(settings.notes.problem());
    (settings, problems)
}

/// Reads the user's file alone, for what concerns all projects.
pub(crate) fn load_user() -> (Settings, Vec<Problem>) {
    let mut settings = Settings::default();
    let mut problems = Vec::new();
    if let Some(path) = paths::user_settings() {
        settings.read(&path, Whose::User, &mut problems);
    }
    (settings, problems)
}

/// Returns the settings file of a project.
pub(crate) fn project_file(root: &Path) -> PathBuf {
    root.join(".nudge/config.toml")
}

impl NoteSettings {
    /// Says that automatic deletion is on and cannot be: one signal or two are an accident.
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
        })
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Whose {
    User,
    Project,
}

impl Settings {
    /// Returns the value of a key as it is written in the file; several for a key that stands for several.
    pub(crate) fn shown(&self, key: &str) -> Vec<(String, String)> {
        let one = |value: String| vec![(key.to_owned(), value)];
        let optional = |value: Option<u32>| value.map(|value| one(value.to_string())).unwrap_or_default();
        match key {
            "project.name" => {
                self.project_name.as_ref().map(|name| one(format!("{name:?}"))).unwrap_or_default()
            }
            "observations.enabled" => one(self.remember.to_string()),
            "context.rows" => one(self.context_rows.to_string()),
            "context.other_projects" => one(self.context_other_projects.to_string()),
            "context.budget" => one(self.context_budget.to_string()),
            "hints.suggestions" => one(self.hint_suggestions.to_string()),
            "nexus.edit_gate" => one(self.edit_gate.to_string()),
            "nexus.block_stop" => one(self.block_stop.to_string()),
            "nexus.task_status" => one(self.task_status.to_string()),
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
            "redact.NAME" => {
                let patterns = self.secret_patterns.iter();
                patterns.map(|(name, pattern)| (format!("redact.{name}"), format!("{pattern:?}"))).collect()
            }
            _ => Vec::new(),
        }
    }

    fn read(&mut self, path: &Path, whose: Whose, problems: &mut Vec<Problem>) {
        let Ok(text) = fs::read_to_string(path) else { return };
        let shown = path.display().to_string();
        match text.parse::<Table>() {
            Ok(table) => self.apply(&table, &shown, whose, problems),
            Err(error) => {
                let line = error
                    .span()
                    .map_or(0, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
                let problem = Problem::error(format!("not valid TOML: {}", error.message()));
                problems.push(problem.at(&shown, line, 0).hint("the whole file is off"));
            }
        }
    }

    fn apply(&mut self, table: &Table, file: &str, whose: Whose, problems: &mut Vec<Problem>) {
        for (section, value) in table {
            // Who clones a repository must not lose what is remembered of others.
            if section == "retention" && whose == Whose::Project {
                let problem = Problem::error("`retention` concerns all projects, so a project cannot set it");
                problems.push(problem.at(file, 0, 0).hint("move it to your own config.toml"));
                continue;
            }
            let Some(entries) = value.as_table() else {
                problems.push(unknown(file, section));
                continue;
            };
            for (key, value) in entries {
                let name = format!("{section}.{key}");
                match self.set(section, key, value) {
                    Ok(()) => {}
                    Err(Refused::Unknown) => problems.push(unknown(file, &name)),
                    Err(Refused::Wrong(wanted)) => {
                        let problem = Problem::error(format!("`{name}` must be {wanted}")).at(file, 0, 0);
                        problems.push(problem.hint("its default is used"));
                    }
                }
            }
        }
    }

    fn set(&mut self, section: &str, key: &str, value: &Value) -> Result<(), Refused> {
        let number = || {
            let number = value.as_integer().and_then(|number| usize::try_from(number).ok());
            number.ok_or(Refused::Wrong("a whole number, 0 or more"))
        };
        let text = || value.as_str().filter(|text| !text.is_empty()).ok_or(Refused::Wrong("a text"));
        let small = || u32::try_from(number()?).map_err(|_| Refused::Wrong("a whole number, 0 or more"));
        let yes = || value.as_bool().ok_or(Refused::Wrong("true or false"));
        match (section, key) {
            ("project", "name") => self.project_name = Some(text()?.to_owned()),
            ("observations", "enabled") => self.remember = yes()?,
            ("nexus", "edit_gate") => self.edit_gate = yes()?,
            ("nexus", "block_stop") => self.block_stop = yes()?,
            ("nexus", "task_status") => self.task_status = yes()?,
            ("context", "rows") => self.context_rows = number()?,
            ("context", "other_projects") => self.context_other_projects = number()?,
            ("context", "budget") => self.context_budget = number()?,
            ("hints", "suggestions") => self.hint_suggestions = number()?,
            ("retention", name) => {
                let kind: ObservationType = name.parse().map_err(|()| Refused::Unknown)?;
                let days = u32::try_from(number()?).map_err(|_| Refused::Wrong("a number of days"))?;
                let days = Some(days).filter(|days| *days > 0);
                self.retention
                    .days
                    .iter_mut()
                    .filter(|(one, _)| *one == kind)
                    .for_each(|(_, kept)| *kept = days);
            }
            ("notes", "stale_days") => self.notes.stale_days = small()?,
            ("notes", "auto_delete") => self.notes.auto_delete = yes()?,
            ("notes", "auto_days") => self.notes.auto_days = Some(small()?),
            ("notes", "auto_cycles") => self.notes.auto_cycles = Some(small()?),
            ("notes", "auto_reads") => self.notes.auto_reads = Some(small()?),
            ("redact", name) => self.secret_patterns.push((name.to_owned(), text()?.to_owned())),
            _ => return Err(Refused::Unknown),
        }
        Ok(())
    }
}

enum Refused {
    Unknown,
    Wrong(&'static str),
}

fn unknown(file: &str, name: &str) -> Problem {
    let known: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
    Problem::error(format!("unknown setting `{name}`"))
        .at(file, 0, 0)
        .hint(format!("known are {}", known.join(", ")))
}
