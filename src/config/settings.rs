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
    /// Patterns that are secret here, by name.
    pub(crate) secret_patterns: Vec<(String, String)>,
}

/// Every key with its meaning and default; the reference lists them from here.
pub(crate) const KEYS: [(&str, &str); 10] = [
    ("project.name", "Name of the project (default: the name of its repository's folder)"),
    ("observations.enabled", "Remember what agents do (default: true)"),
    ("context.rows", "Rows of this project that a new session is told (default: 20)"),
    ("context.other_projects", "Rows of other projects (default: 10); 0 for none"),
    ("context.budget", "Most characters of that text (default: 6000, at most 9000); 0 switches it off"),
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
        "Days for which observations of a type are kept, as in `file_read = 30`; 0 for ever; read from your own file only",
    ),
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
            edit_gate: false,
            block_stop: false,
            task_status: false,
            retention: Retention::default(),
            secret_patterns: Vec::new(),
        }
    }
}

/// Reads both files; what is wrong in them is among the problems.
pub(crate) fn load(root: &Path) -> (Settings, Vec<Problem>) {
    let (mut settings, mut problems) = load_user();
    settings.read(&project_file(root), Whose::Project, &mut problems);
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

#[derive(Clone, Copy, PartialEq)]
enum Whose {
    User,
    Project,
}

impl Settings {
    /// Returns the value of a key as it is written in the file; several for a key that stands for several.
    pub(crate) fn shown(&self, key: &str) -> Vec<(String, String)> {
        let one = |value: String| vec![(key.to_owned(), value)];
        match key {
            "project.name" => {
                self.project_name.as_ref().map(|name| one(format!("{name:?}"))).unwrap_or_default()
            }
            "observations.enabled" => one(self.remember.to_string()),
            "context.rows" => one(self.context_rows.to_string()),
            "context.other_projects" => one(self.context_other_projects.to_string()),
            "context.budget" => one(self.context_budget.to_string()),
            "nexus.edit_gate" => one(self.edit_gate.to_string()),
            "nexus.block_stop" => one(self.block_stop.to_string()),
            "nexus.task_status" => one(self.task_status.to_string()),
            "retention.TYPE" => {
                let days = self.retention.days.iter();
                days.map(|(kind, days)| (format!("retention.{}", kind.name()), days.unwrap_or(0).to_string()))
                    .collect()
            }
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
        let switch = || value.as_bool().ok_or(Refused::Wrong("true or false"));
        match (section, key) {
            ("project", "name") => self.project_name = Some(text()?.to_owned()),
            ("observations", "enabled") => self.remember = switch()?,
            ("nexus", "edit_gate") => self.edit_gate = switch()?,
            ("nexus", "block_stop") => self.block_stop = switch()?,
            ("nexus", "task_status") => self.task_status = switch()?,
            ("context", "rows") => self.context_rows = number()?,
            ("context", "other_projects") => self.context_other_projects = number()?,
            ("context", "budget") => self.context_budget = number()?,
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
