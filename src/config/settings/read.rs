//! Reads one settings file into the settings: a regular file, inside its project, of a bounded size.
//!
//! Privacy fails safe. A file that cannot be read or parsed, or whose `observations` and `redact` are not understood,
//! leaves `unknown_because` set: nothing is remembered until it is fixed. The project's file comes from whoever wrote
//! the repository, so of two values the stricter one is used, and `retention` and automatic deletion stay the user's.

use std::io;
use std::path::Path;

use toml::{Table, Value};

use super::{KEYS, Settings};
use crate::files;
use crate::model::{ObservationType, Problem, Topic};

/// The largest settings file.
const MAX_BYTES: u64 = 64 << 10;
/// The most patterns of a project; each of them costs every event.
const MAX_PROJECT_PATTERNS: usize = 32;
/// The longest name of a project, in characters.
const MAX_NAME: usize = 100;

/// What a file that fails means for the user.
const NOTHING_REMEMBERED: &str = "nothing is remembered until this is fixed";

/// Whose file it is.
#[derive(Clone, Copy)]
pub(super) enum Whose<'r> {
    User,
    /// With the root of the project, which the file must not lead out of.
    Project(&'r Path),
}

impl Whose<'_> {
    fn is_project(self) -> bool {
        matches!(self, Whose::Project(_))
    }
}

/// Why a value is not taken.
#[derive(Clone, Copy)]
enum Refusal {
    Unknown,
    Wrong(&'static str),
    /// A project may not set it.
    NotForProjects(&'static str),
}

impl Settings {
    /// Reads a file, if it is there.
    pub(super) fn read(&mut self, path: &Path, whose: Whose<'_>, problems: &mut Vec<Problem>) {
        let shown = path.display().to_string();
        let text = match text(path, whose) {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(why) => {
                let problem = Problem::error(format!("the settings cannot be read: {why}"));
                problems.push(problem.at(&shown, 0, 0).hint(NOTHING_REMEMBERED).about(Topic::Privacy));
                return self.distrust(&why);
            }
        };
        match text.parse::<Table>() {
            Ok(table) => self.apply(&table, &shown, whose, problems),
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

    fn apply(&mut self, table: &Table, file: &str, whose: Whose<'_>, problems: &mut Vec<Problem>) {
        for (section, value) in table {
            // A cloned repository must not shorten what is remembered of others.
            if section == "retention" && whose.is_project() {
                let problem = Problem::error("`retention` concerns all projects, so a project cannot set it");
                let problem = problem.at(file, 0, 0).hint("move it to your own config.toml");
                problems.push(problem.about(Topic::Settings));
                continue;
            }
            let Some(entries) = value.as_table() else {
                self.refuse(section, section, Refusal::Unknown, file, problems);
                continue;
            };
            for (key, value) in entries {
                if let Err(refusal) = self.set(section, key, value, whose) {
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
        // A later line of the file may have turned it on again.
        self.remember &= self.unknown_because.is_none();
    }

    /// Reports a value that is not taken; where it is about privacy, the safe side is taken instead.
    fn refuse(
        &mut self,
        section: &str,
        name: &str,
        refusal: Refusal,
        file: &str,
        problems: &mut Vec<Problem>,
    ) {
        let is_private = matches!(section, "observations" | "redact");
        let (problem, hint) = match refusal {
            Refusal::Unknown => {
                let known: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
                let hint = format!("known are {}", known.join(", "));
                (Problem::error(format!("unknown setting `{name}`")), hint)
            }
            Refusal::Wrong(wanted) => {
                // What a session is shown is private, too: where the limit is not understood, nothing is shown.
                let instead = match section {
                    "context" | "hints" => "0 is used until this is fixed",
                    _ => "its default is used",
                };
                (Problem::error(format!("`{name}` must be {wanted}")), instead.to_owned())
            }
            Refusal::NotForProjects(hint) => {
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

    fn set(&mut self, section: &str, key: &str, value: &Value, whose: Whose<'_>) -> Result<(), Refusal> {
        let text = || value.as_str().filter(|text| !text.is_empty()).ok_or(Refusal::Wrong("a text"));
        let yes = || value.as_bool().ok_or(Refusal::Wrong("true or false"));
        let is_project = whose.is_project();
        match (section, key) {
            ("project", "name") => self.project_name = Some(name(text()?)?.to_owned()),
            ("observations", "enabled") => self.remember = yes()? && (self.remember || !is_project),
            // Gates bind the agent, so a project may close one and not open one of the user's.
            ("nexus", "edit_gate") => self.edit_gate = yes()? || (self.edit_gate && is_project),
            ("nexus", "block_stop") => self.block_stop = yes()? || (self.block_stop && is_project),
            ("nexus", "task_status") => self.task_status = yes()?,
            ("context", "rows") => limit(&mut self.context_rows, value, whose)?,
            ("context", "other_projects") => limit(&mut self.context_other_projects, value, whose)?,
            ("context", "budget") => limit(&mut self.context_budget, value, whose)?,
            ("hints", "suggestions") => limit(&mut self.hint_suggestions, value, whose)?,
            ("retention", name) => self.set_retention(name, value)?,
            ("notes", key) => self.set_notes(key, value, whose)?,
            ("redact", name) if is_project => {
                self.project_patterns.push((name.to_owned(), text()?.to_owned()));
            }
            ("redact", name) => self.secret_patterns.push((name.to_owned(), text()?.to_owned())),
            _ => return Err(Refusal::Unknown),
        }
        Ok(())
    }

    fn set_retention(&mut self, name: &str, value: &Value) -> Result<(), Refusal> {
        let kind: ObservationType = name.parse().map_err(|()| Refusal::Unknown)?;
        let days = u32::try_from(number(value)?).map_err(|_| Refusal::Wrong("a number of days"))?;
        let days = Some(days).filter(|days| *days > 0);
        let kept = self.retention.days.iter_mut().filter(|(one, _)| *one == kind);
        kept.for_each(|(_, kept)| *kept = days);
        Ok(())
    }

    /// A cloned repository must not delete notes; it may only keep more of them than the user would.
    fn set_notes(&mut self, key: &str, value: &Value, whose: Whose<'_>) -> Result<(), Refusal> {
        const OWN: Refusal = Refusal::NotForProjects("set it in your own config.toml, if you want it");
        let yes = || value.as_bool().ok_or(Refusal::Wrong("true or false"));
        let number =
            || u32::try_from(number(value)?).map_err(|_| Refusal::Wrong("a whole number, 0 or more"));
        let notes = &mut self.notes;
        let signal = match key {
            "stale_days" => {
                notes.stale_days = number()?;
                return Ok(());
            }
            "auto_delete" if !whose.is_project() => {
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
            _ => return Err(Refusal::Unknown),
        };
        let wanted = number()?;
        *signal = match (whose, *signal) {
            (Whose::User, _) => Some(wanted),
            (Whose::Project(_), None) => return Err(OWN),
            // Fewer reads, more days and more cycles all keep more notes.
            (Whose::Project(_), Some(own)) if key == "auto_reads" => Some(own.min(wanted)),
            (Whose::Project(_), Some(own)) => Some(own.max(wanted)),
        };
        Ok(())
    }
}

/// Returns the text of a file; `None` if there is no file.
fn text(path: &Path, whose: Whose<'_>) -> Result<Option<String>, String> {
    use io::ErrorKind::{NotADirectory, NotFound};
    let is_absent = |error: &io::Error| matches!(error.kind(), NotFound | NotADirectory);
    match path.symlink_metadata() {
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error.to_string()),
        Ok(_) => {}
    }
    if let Whose::Project(root) = whose
        && !files::leads_inside(path, root).map_err(|error| error.to_string())?
    {
        return Err("the file leads out of the project".to_owned());
    }
    let bytes = files::read_regular(path, MAX_BYTES).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    // Some editors begin a file with a mark that is not part of it.
    Ok(Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)))
}

/// Sets a limit; a project can only lower it, and one that is not understood allows nothing.
fn limit(limit: &mut usize, value: &Value, whose: Whose<'_>) -> Result<(), Refusal> {
    let wanted = number(value).inspect_err(|_| *limit = 0)?;
    *limit = if whose.is_project() { wanted.min(*limit) } else { wanted };
    Ok(())
}

fn number(value: &Value) -> Result<usize, Refusal> {
    let number = value.as_integer().and_then(|number| usize::try_from(number).ok());
    number.ok_or(Refusal::Wrong("a whole number, 0 or more"))
}

/// A name is shown in headings and tables.
fn name(text: &str) -> Result<&str, Refusal> {
    let is_short = text.chars().count() <= MAX_NAME && !text.chars().any(char::is_control);
    is_short.then_some(text).ok_or(Refusal::Wrong("a name in one line, of up to 100 characters"))
}
