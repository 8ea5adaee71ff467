//! The settings that apply in a project, where they come from, and how a person changes one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::secret_patterns;
use crate::config::paths;
use crate::config::settings::{
    self, KEYS, SettingError, SettingLiteral, Settings, SettingsOwner, SettingsTextError, with_value,
    without_value,
};
use crate::files;
use crate::model::Problem;
use crate::rules::did_you_mean;

/// Every setting with its value here.
pub(crate) struct SettingsOverview {
    /// The files that are read, whether they exist or not.
    pub(crate) files: Vec<String>,
    pub(crate) settings: Vec<ShownSetting>,
    pub(crate) problems: Vec<Problem>,
}

/// One setting; a key with a placeholder may have several values, or none.
pub(crate) struct ShownSetting {
    pub(crate) key: &'static str,
    pub(crate) about: &'static str,
    pub(crate) values: Vec<SettingValue>,
}

/// A value as it is written in TOML, and who set it.
pub(crate) struct SettingValue {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) set_by: SetBy,
}

/// Who set a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SetBy {
    Default,
    User,
    Project,
}

impl SetBy {
    pub(crate) fn name(self) -> &'static str {
        match self {
            SetBy::Default => "default",
            SetBy::User => "user",
            SetBy::Project => "project",
        }
    }
}

/// Reads the settings that apply in a project.
pub(crate) fn overview(root: &Path) -> SettingsOverview {
    let (settings, problems) = settings::load(root);
    let (of_user, _) = settings::load_user();
    let defaults = Settings::default();
    let files = paths::user_settings().into_iter().chain([settings::project_file(root)]);
    let shown = KEYS.iter().map(|(key, about)| {
        let (of_user, defaults) = (of_user.shown(key), defaults.shown(key));
        let value = |(key, value): (String, String)| {
            let is_in = |others: &[(String, String)]| others.iter().any(|(k, v)| *k == key && *v == value);
            let set_by = match () {
                () if is_in(&defaults) => SetBy::Default,
                () if is_in(&of_user) => SetBy::User,
                () => SetBy::Project,
            };
            SettingValue { key, value, set_by }
        };
        ShownSetting { key, about, values: settings.shown(key).into_iter().map(value).collect() }
    });
    let settings = shown.collect();
    SettingsOverview { files: files.map(|path| path.display().to_string()).collect(), settings, problems }
}

/// Whose settings file is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingsOf {
    User,
    Project,
}

/// A change of a setting that is done.
#[derive(Debug)]
pub(crate) struct SettingEditReport {
    pub(crate) file: PathBuf,
    pub(crate) is_changed: bool,
    /// What applies here from now on; `None` if nothing is set.
    pub(crate) applies: Option<String>,
    /// Whether something stricter than what was written applies.
    pub(crate) is_overruled: bool,
    /// The value as it was written; `None` if it was removed.
    pub(crate) written: Option<String>,
    /// What is wrong with the settings now.
    pub(crate) problems: Vec<Problem>,
}

/// Why a setting was not changed.
#[derive(Debug, PartialEq)]
pub(crate) struct SettingEditError {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// Sets a setting, or removes it from the file.
pub(crate) fn change(
    root: &Path,
    of: SettingsOf,
    name: &str,
    word: Option<&str>,
) -> Result<SettingEditReport, SettingEditError> {
    let (path, owner) = match of {
        SettingsOf::Project => (settings::project_file(root), SettingsOwner::Project(root)),
        SettingsOf::User => {
            let none =
                || SettingEditError::new("there is no configuration folder", "set HOME, and try again");
            (paths::user_settings().ok_or_else(none)?, SettingsOwner::User)
        }
    };
    let broken = |why: &str| {
        SettingEditError::new(format!("`{}` cannot be read: {why}", path.display()), "fix the file first")
    };
    let before = settings::read_text(&path, owner).map_err(|why| broken(&why))?;
    let text = before.clone().unwrap_or_default();
    let (section, key) = name.split_once('.').ok_or_else(|| unknown(name))?;
    let refused = |error| refused_text(&path, name, error);
    let (changed, written) = match word {
        Some(word) => {
            let literal = literal(section, key, word, owner)?;
            (with_value(&text, section, key, &literal.toml).map_err(refused)?, Some(literal))
        }
        None => match without_value(&text, section, key).map_err(refused)? {
            Some(rest) => (rest, None),
            None if is_known(name) => (text.clone(), None),
            None => return Err(unknown(name)),
        },
    };
    let is_changed = changed != text;
    if is_changed {
        write(&path, before.is_some(), &changed).map_err(|error| SettingEditError {
            message: format!("cannot write `{}`: {error}", path.display()),
            hint: None,
        })?;
    }
    let (settings, problems) = settings::load(root);
    let applies = settings.shown_value(name);
    // Patterns add up, so that none overrules another.
    let is_overruled =
        section != "redact" && written.as_ref().is_some_and(|written| written.shown != applies);
    let written = written.map(|literal| literal.toml);
    Ok(SettingEditReport { file: path, is_changed, applies, is_overruled, written, problems })
}

/// Returns a word as the value of a setting in TOML, if the setting takes it.
fn literal(
    section: &str,
    key: &str,
    word: &str,
    owner: SettingsOwner<'_>,
) -> Result<SettingLiteral, SettingEditError> {
    let name = format!("{section}.{key}");
    let (of_user, _) = settings::load_user();
    let literal = of_user.literal(section, key, word, owner).map_err(|error| match error {
        SettingError::Unknown => unknown(&name),
        SettingError::Wrong(wanted) => {
            SettingEditError { message: format!("`{name}` must be {wanted}, not `{word}`"), hint: None }
        }
        SettingError::NotForProjects(_) => SettingEditError::new(
            format!("`{name}` cannot be set by a project"),
            "leave out `--project` to set it for you, in all projects",
        ),
    })?;
    if section == "redact" {
        let only =
            Settings { secret_patterns: vec![(key.to_owned(), word.to_owned())], ..Settings::default() };
        let checked = secret_patterns::of(&only).and_then(|patterns| patterns.check());
        checked.map_err(|message| SettingEditError { message, hint: None })?;
    }
    Ok(literal)
}

fn is_known(name: &str) -> bool {
    names().iter().any(|known| known == name) || name.starts_with("redact.")
}

fn unknown(name: &str) -> SettingEditError {
    let names = names();
    let hint = did_you_mean(name, names.iter().map(String::as_str));
    SettingEditError { message: format!("unknown setting `{name}`"), hint: Some(hint) }
}

/// Returns the names of all settings, with the types of observations instead of a placeholder.
fn names() -> Vec<String> {
    let defaults = Settings::default();
    let names = KEYS.iter().flat_map(|(key, _)| {
        let shown = defaults.shown(key);
        match shown.is_empty() {
            true => vec![(*key).to_owned()],
            false => shown.into_iter().map(|(name, _)| name).collect(),
        }
    });
    names.collect()
}

fn refused_text(path: &Path, name: &str, error: SettingsTextError) -> SettingEditError {
    let path = path.display();
    match error {
        SettingsTextError::Malformed { line, why } => {
            SettingEditError::new(format!("`{path}:{line}` is not valid TOML: {why}"), "fix the file first")
        }
        SettingsTextError::Form => SettingEditError::new(
            format!("`{name}` in `{path}` is written in a form that nudge does not change"),
            "edit the file by hand",
        ),
    }
}

/// Writes a settings file at once, so that a hook never reads half of it.
fn write(path: &Path, exists: bool, text: &str) -> io::Result<()> {
    if exists {
        return files::rewrite(path, text);
    }
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    files::replace(path, &[text.as_bytes()])
}

impl SettingEditError {
    fn new(message: impl Into<String>, hint: &str) -> SettingEditError {
        SettingEditError { message: message.into(), hint: Some(hint.to_owned()) }
    }
}
