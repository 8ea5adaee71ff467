//! Reads one settings file: a regular file of a limited size, inside its project.
//!
//! Privacy fails safe. If a file cannot be read or parsed, or its `observations` or `redact` are not understood,
//! `unknown_because` is set: nothing is remembered until it is fixed. The author of the repository wrote the project's
//! file, so the stricter of two values is used, and only the user can set `retention` and automatic deletion.

use std::io;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{KEYS, Settings};
use crate::config::paths;
use crate::files;
use crate::model::{ObservationType, Problem, ShareLevel, Topic};

/// Maximum size of a settings file.
const MAX_BYTES: u64 = 64 << 10;
/// Maximum number of a project's patterns; each of them costs time at every event.
const MAX_PROJECT_PATTERNS: usize = 32;
/// Maximum length of a project's name, in characters.
const MAX_NAME_CHARS: usize = 100;

/// What a broken file means for the user.
const NOTHING_REMEMBERED: &str = "nothing is remembered until this is fixed";

/// Who owns a settings file.
#[derive(Clone, Copy)]
pub(crate) enum SettingsOwner<'r> {
    User,
    /// With the root of the project; the file must be inside it.
    Project(&'r Path),
}

impl SettingsOwner<'_> {
    fn is_project(self) -> bool {
        matches!(self, SettingsOwner::Project(_))
    }
}

/// Maximum value of `notes.auto_reads`: a note that was read more often is in use, whatever the other signals say.
const MAX_AUTO_READS: u32 = 10;
const FEW_READS: &str = "a whole number from 0 to 10";

const LEVELS: &str = "a table of projects, each `off`, `fixes`, `work` or `all`";

/// Why a value is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingError {
    Unknown,
    Wrong(&'static str),
    /// A project may not set it.
    NotForProjects(&'static str),
}

/// A value that a setting takes.
pub(crate) struct SettingLiteral {
    pub(crate) toml: String,
    /// As it is listed if nothing else restricts it.
    pub(crate) shown: Option<String>,
}

impl Settings {
    /// Returns a word of a command line as TOML, in the type that the setting has.
    pub(crate) fn literal(
        &self,
        section: &str,
        key: &str,
        word: &str,
        owner: SettingsOwner<'_>,
    ) -> Result<SettingLiteral, SettingError> {
        if section == "retention" && owner.is_project() {
            return Err(SettingError::NotForProjects("it concerns all projects"));
        }
        // A name or a pattern is taken as it is written, whatever it would be as TOML.
        let text = Value::String(word.to_owned());
        let (value, toml) = match self.clone().set(section, key, &text, owner) {
            Ok(()) => (text, quoted(word)),
            Err(refused) => {
                let parsed = format!("value = {word}").parse::<Table>().ok();
                let value = parsed.and_then(|mut all| all.remove("value")).ok_or(refused)?;
                self.clone().set(section, key, &value, owner)?;
                (value, word.trim().to_owned())
            }
        };
        let mut alone = Settings::default();
        alone.set(section, key, &value, SettingsOwner::User)?;
        Ok(SettingLiteral { toml, shown: alone.shown_value(&format!("{section}.{key}")) })
    }

    /// Reads a file, if it exists.
    pub(super) fn read(&mut self, path: &Path, owner: SettingsOwner<'_>, problems: &mut Vec<Problem>) {
        let shown = path.display().to_string();
        let text = match read_text(path, owner) {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(why) => {
                let problem = Problem::error(format!("the settings cannot be read: {why}"));
                problems.push(problem.at(&shown, 0, 0).hint(NOTHING_REMEMBERED).about(Topic::Privacy));
                return self.distrust(&why);
            }
        };
        match text.parse::<Table>() {
            Ok(table) => self.apply(&table, &shown, owner, problems),
            Err(error) => {
                let start = error.span().map(|span| span.start.min(text.len()));
                let line = start.map_or(0, |start| text[..start].matches('\n').count() + 1);
                let problem = Problem::error(format!("not valid TOML: {}", error.message()));
                problems.push(problem.at(&shown, line, 0).hint(NOTHING_REMEMBERED).about(Topic::Privacy));
                self.distrust("the settings are not valid TOML");
            }
        }
    }

    /// Remembers nothing, since nobody knows what the settings forbid.
    fn distrust(&mut self, why: &str) {
        self.remember = false;
        self.unknown_because.get_or_insert_with(|| why.to_owned());
    }

    fn apply(&mut self, table: &Table, file: &str, owner: SettingsOwner<'_>, problems: &mut Vec<Problem>) {
        for (section, value) in table {
            // A cloned repository must not shorten how long other projects are remembered.
            if section == "retention" && owner.is_project() {
                let problem = Problem::error("`retention` concerns all projects, so a project cannot set it");
                let problem = problem.at(file, 0, 0).hint("move it to your own config.toml");
                problems.push(problem.about(Topic::Settings));
                continue;
            }
            let Some(entries) = value.as_table() else {
                self.refuse(section, section, SettingError::Unknown, file, problems);
                continue;
            };
            for (key, value) in entries {
                if let Err(refusal) = self.set(section, key, value, owner) {
                    self.refuse(section, &format!("{section}.{key}"), refusal, file, problems);
                }
            }
        }
        if self.project_patterns.len() > MAX_PROJECT_PATTERNS {
            let count = self.project_patterns.len();
            let message = format!(
                "{count} patterns under `redact` are too many: a project has up to {MAX_PROJECT_PATTERNS}"
            );
            self.distrust(&message);
            self.project_patterns.clear();
            let problem = Problem::error(message).at(file, 0, 0).hint(NOTHING_REMEMBERED);
            problems.push(problem.about(Topic::Privacy));
        }
        // A later line of the file may have enabled it again.
        self.remember &= self.unknown_because.is_none();
    }

    /// Reports a refused value; if it concerns privacy, the safe choice is used instead.
    fn refuse(
        &mut self,
        section: &str,
        name: &str,
        refusal: SettingError,
        file: &str,
        problems: &mut Vec<Problem>,
    ) {
        let is_private = matches!(section, "observations" | "redact");
        let (problem, hint) = match refusal {
            SettingError::Unknown => {
                let known: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
                let hint = format!("known are {}", known.join(", "));
                (Problem::error(format!("unknown setting `{name}`")), hint)
            }
            SettingError::Wrong(wanted) => {
                // What a session is shown is private too: if the limit is not understood, nothing is shown.
                let instead = match section {
                    "context" | "hints" => "0 is used until this is fixed",
                    "rules" => "`required` is used until this is fixed",
                    "sync" => "nothing is exchanged with other machines until this is fixed",
                    "team" if name == "team.projects" => "nothing of the project leaves until this is fixed",
                    "ui" => "no page is opened until this is fixed",
                    _ => "its default is used",
                };
                (Problem::error(format!("`{name}` must be {wanted}")), instead.to_owned())
            }
            SettingError::NotForProjects(hint) => {
                (Problem::error(format!("`{name}` cannot be set by a project")), hint.to_owned())
            }
        };
        let (hint, topic) = if is_private {
            (NOTHING_REMEMBERED.to_owned(), Topic::Privacy)
        } else {
            (hint, Topic::Settings)
        };
        problems.push(problem.at(file, 0, 0).hint(hint).about(topic));
        if is_private {
            self.distrust(&format!("`{name}` is not understood"));
        }
    }

    fn set(
        &mut self,
        section: &str,
        key: &str,
        value: &Value,
        owner: SettingsOwner<'_>,
    ) -> Result<(), SettingError> {
        let text = || value.as_str().filter(|text| !text.is_empty()).ok_or(SettingError::Wrong("a text"));
        let yes = || value.as_bool().ok_or(SettingError::Wrong("true or false"));
        let is_project = owner.is_project();
        match (section, key) {
            ("project", "name") => self.project_name = Some(parse_name(text()?)?.to_owned()),
            ("project", "private") => {
                // If the value is not understood, the stricter one is used.
                let was_private = std::mem::replace(&mut self.is_private, true);
                self.is_private = yes()? || (was_private && is_project);
            }
            ("observations", "enabled") => self.remember = yes()? && (self.remember || !is_project),
            // Gates restrict the agent, so a project may enable one, but not disable one of the user's.
            ("nexus", "edit_gate") => self.edit_gate = yes()? || (self.edit_gate && is_project),
            ("nexus", "block_stop") => self.block_stop = yes()? || (self.block_stop && is_project),
            ("nexus", "task_status") => self.task_status = yes()?,
            // What agents are told in all projects is not for one project to say.
            ("nexus", "core") if is_project => {
                return Err(SettingError::NotForProjects("set it in your own config.toml, if you want it"));
            }
            ("nexus", "core") => self.nexus_core = Some(parse_folder(text()?)?),
            // A repository does not say how much it is trusted.
            ("rules", "trust") if is_project => {
                return Err(SettingError::NotForProjects("set it in your own config.toml, if you want it"));
            }
            ("rules", "trust") => {
                // If the value is not understood, the stricter one is used.
                self.trust_required = true;
                self.trust_required = match text()? {
                    "required" => true,
                    "told" => false,
                    _ => return Err(SettingError::Wrong("`required` or `told`")),
                };
            }
            ("context", "rows") => set_limit(&mut self.context_rows, value, owner)?,
            ("context", "other_projects") => set_limit(&mut self.context_other_projects, value, owner)?,
            ("context", "budget") => set_limit(&mut self.context_budget, value, owner)?,
            ("context", "warnings") => {
                self.warn_before_acts = yes()? && (self.warn_before_acts || !is_project);
            }
            ("hints", "suggestions") => set_limit(&mut self.hint_suggestions, value, owner)?,
            // A page shows all projects, so it is not for one of them to say.
            ("ui", "enabled") if is_project => {
                return Err(SettingError::NotForProjects("set it in your own config.toml, if you want it"));
            }
            ("ui", "enabled") => {
                // If the value is not understood, no page is opened.
                self.ui_enabled = false;
                self.ui_enabled = yes()?;
            }
            // What leaves the machine is not for a project to say.
            ("sync", "exclude") if is_project => {
                return Err(SettingError::NotForProjects("set it in your own config.toml, if you want it"));
            }
            ("sync", "exclude") => {
                // If the list is not understood, nothing is exchanged.
                self.sync_exclude = None;
                let entries = value.as_array().and_then(|entries| {
                    let text =
                        |entry: &Value| entry.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
                    entries.iter().map(text).collect()
                });
                self.sync_exclude = Some(entries.ok_or(SettingError::Wrong("a list of texts"))?);
            }
            ("team", key) => self.set_team(key, value, owner)?,
            ("retention", name) => self.set_retention(name, value)?,
            ("notes", key) => self.set_notes(key, value, owner)?,
            ("redact", name) if is_project => {
                self.project_patterns.push((name.to_owned(), text()?.to_owned()));
            }
            ("redact", name) => self.secret_patterns.push((name.to_owned(), text()?.to_owned())),
            _ => return Err(SettingError::Unknown),
        }
        Ok(())
    }

    /// A cloned repository must not choose a server, nor share more; it may only say that nothing of it leaves.
    fn set_team(&mut self, key: &str, value: &Value, owner: SettingsOwner<'_>) -> Result<(), SettingError> {
        let text = || value.as_str().filter(|text| !text.is_empty()).ok_or(SettingError::Wrong("a text"));
        let yes = || value.as_bool().ok_or(SettingError::Wrong("true or false"));
        if owner.is_project() {
            // Whatever else it says, it says something about sharing, so nothing leaves until that is understood.
            self.team.is_off_here = true;
            return match (key, value.as_str()) {
                ("share", Some("off")) => Ok(()),
                _ => Err(SettingError::NotForProjects(
                    "a project can only say `team.share = \"off\"`; until this is fixed, nothing of it leaves",
                )),
            };
        }
        match key {
            "url" => self.team.url = Some(text()?.to_owned()),
            "projects" => {
                let projects = value.as_table().ok_or(SettingError::Wrong("a table of projects"))?;
                // A level that is not understood shares nothing.
                self.team.projects = projects
                    .iter()
                    .map(|(key, level)| {
                        (key.clone(), level.as_str().and_then(|level| level.parse().ok()).unwrap_or_default())
                    })
                    .collect();
                let is_level =
                    |level: &Value| level.as_str().is_some_and(|level| level.parse::<ShareLevel>().is_ok());
                if !projects.values().all(is_level) {
                    return Err(SettingError::Wrong(LEVELS));
                }
            }
            "unasked" => self.team.unasked = yes()?,
            "unasked_ci" => self.team.unasked_ci = yes()?,
            "rows" => self.team.rows = parse_number(value)?,
            "keep" => self.team.keep = parse_number(value)?,
            "days" => self.team.days = parse_number(value)?,
            "most_a_day" => self.team.most_a_day = parse_number(value)?,
            _ => return Err(SettingError::Unknown),
        }
        Ok(())
    }

    fn set_retention(&mut self, name: &str, value: &Value) -> Result<(), SettingError> {
        let kind: ObservationType = name.parse().map_err(|()| SettingError::Unknown)?;
        let days =
            u32::try_from(parse_number(value)?).map_err(|_| SettingError::Wrong("a number of days"))?;
        let days = Some(days).filter(|days| *days > 0);
        let kept = self.retention.days.iter_mut().filter(|(one, _)| *one == kind);
        kept.for_each(|(_, kept)| *kept = days);
        Ok(())
    }

    /// A cloned repository must not delete notes; it may only keep more of them than the user would.
    fn set_notes(&mut self, key: &str, value: &Value, owner: SettingsOwner<'_>) -> Result<(), SettingError> {
        const OWN: SettingError =
            SettingError::NotForProjects("set it in your own config.toml, if you want it");
        let yes = || value.as_bool().ok_or(SettingError::Wrong("true or false"));
        let number = || {
            u32::try_from(parse_number(value)?).map_err(|_| SettingError::Wrong("a whole number, 0 or more"))
        };
        let notes = &mut self.notes;
        let signal = match key {
            "stale_days" => {
                notes.stale_days = number()?;
                return Ok(());
            }
            "auto_delete" if !owner.is_project() => {
                notes.auto_delete = yes()?;
                return Ok(());
            }
            "auto_delete" => {
                if yes()? && !notes.auto_delete {
                    return Err(OWN);
                }
                notes.auto_delete &= yes()?;
                return Ok(());
            }
            "auto_days" => &mut notes.auto_days,
            "auto_cycles" => &mut notes.auto_cycles,
            "auto_reads" => &mut notes.auto_reads,
            _ => return Err(SettingError::Unknown),
        };
        let wanted = number()?;
        // A signal that is always true is no signal, and three have to agree.
        match key {
            "auto_reads" if wanted > MAX_AUTO_READS => return Err(SettingError::Wrong(FEW_READS)),
            "auto_days" | "auto_cycles" if wanted == 0 => return Err(SettingError::Wrong("1 or more")),
            _ => {}
        }
        *signal = match (owner, *signal) {
            (SettingsOwner::User, _) => Some(wanted),
            (SettingsOwner::Project(_), None) => return Err(OWN),
            // Fewer reads, more days and more cycles all keep more notes.
            (SettingsOwner::Project(_), Some(own)) if key == "auto_reads" => Some(own.min(wanted)),
            (SettingsOwner::Project(_), Some(own)) => Some(own.max(wanted)),
        };
        Ok(())
    }
}

/// Writes a text as TOML; a pattern with backslashes stays readable.
fn quoted(text: &str) -> String {
    let is_literal = !text.contains('\'') && !text.chars().any(char::is_control);
    match text.contains(['\\', '"']) && is_literal {
        true => format!("'{text}'"),
        // A text is written in TOML as it is in JSON.
        false => serde_json::Value::from(text).to_string(),
    }
}

/// Parses the path of a folder; settings apply wherever an agent is, so it does not depend on the current folder.
fn parse_folder(text: &str) -> Result<PathBuf, SettingError> {
    let folder = match text.strip_prefix("~/") {
        Some(rest) => paths::home_dir().map(|home| home.join(rest)),
        None => Some(PathBuf::from(text)),
    };
    let wrong = SettingError::Wrong("an absolute path, or one that begins with `~/`");
    folder.filter(|folder| folder.is_absolute()).ok_or(wrong)
}

/// Returns the text of a file, without a byte order mark; `None` if there is no file.
pub(crate) fn read_text(path: &Path, owner: SettingsOwner<'_>) -> Result<Option<String>, String> {
    use io::ErrorKind::{NotADirectory, NotFound};
    let is_absent = |error: &io::Error| matches!(error.kind(), NotFound | NotADirectory);
    match path.symlink_metadata() {
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error.to_string()),
        Ok(_) => {}
    }
    if let SettingsOwner::Project(root) = owner
        && !files::leads_inside(path, root).map_err(|error| error.to_string())?
    {
        return Err("the file points outside the project".to_owned());
    }
    let bytes = files::read_regular(path, MAX_BYTES).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    // Some editors start a file with a byte order mark.
    Ok(Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)))
}

/// Sets a limit; a project can only lower it. A value that is not understood sets it to 0.
fn set_limit(limit: &mut usize, value: &Value, owner: SettingsOwner<'_>) -> Result<(), SettingError> {
    let wanted = parse_number(value).inspect_err(|_| *limit = 0)?;
    *limit = if owner.is_project() { wanted.min(*limit) } else { wanted };
    Ok(())
}

fn parse_number(value: &Value) -> Result<usize, SettingError> {
    let number = value.as_integer().and_then(|number| usize::try_from(number).ok());
    number.ok_or(SettingError::Wrong("a whole number, 0 or more"))
}

/// Parses a name, which is shown in headings and tables.
fn parse_name(text: &str) -> Result<&str, SettingError> {
    let is_short = text.chars().count() <= MAX_NAME_CHARS && !text.chars().any(char::is_control);
    is_short.then_some(text).ok_or(SettingError::Wrong("a name in one line, of up to 100 characters"))
}
