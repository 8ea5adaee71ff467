//! Changes rule files for a person: uses a pack, enables, disables or only counts a rule.
//!
//! The file keeps its comments and its form. What a file of the user says is changed only if the person asks for that,
//! because it applies in every project.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use super::load;
use crate::config::paths;
use crate::model::Problem;
use crate::ops::trust;
use crate::rules::{
    self, EditError, ListEdit, Loaded, MissingVersion, PACKS, Rule, did_you_mean, pack_rules,
};
use crate::system::rule_files::{self, RuleFile, RuleFiles};
use crate::system::rule_levels;

/// What is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleEdit {
    /// Use a pack.
    AddPack,
    Enable,
    Disable,
    Shadow,
    Unshadow,
}

/// Whose rule file is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RulesOf {
    User,
    Project,
}

/// A change that is done.
#[derive(Debug, PartialEq)]
pub(crate) struct RuleEditReport {
    /// The files that were written; none if everything was as wanted.
    pub(crate) written: Vec<String>,
    /// The names of the rules that the change is about.
    pub(crate) rules: Vec<String>,
}

/// Why nothing was changed.
#[derive(Debug, PartialEq)]
pub(crate) struct RuleEditError {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// Changes a rule file so that it uses a pack, or enables, disables, counts or no longer only counts a rule.
pub(crate) fn change(
    root: &Path,
    edit: RuleEdit,
    name: &str,
    of: RulesOf,
) -> Result<RuleEditReport, RuleEditError> {
    let files = RuleFileSet::read(root, of)?;
    if edit == RuleEdit::AddPack {
        return files.add_pack(name);
    }
    let (rules, _) = load::all(root);
    let known: Vec<&Rule> = rules.iter().filter(|rule| rule.name == name).collect();
    if known.is_empty() {
        return Err(unknown(name, &rules));
    }
    let own: Vec<&Rule> = known.iter().copied().filter(|rule| files.has(rule)).collect();
    match edit {
        RuleEdit::AddPack => files.add_pack(name),
        RuleEdit::Enable => files.unlist(name, "disable", &known),
        RuleEdit::Unshadow => files.unlist(name, "shadow", &known),
        // The user's own `disable` also applies to the packs of projects.
        RuleEdit::Disable | RuleEdit::Shadow if own.is_empty() => {
            let is_of_packs = known.iter().all(|rule| rule.pack.is_some());
            if edit == RuleEdit::Disable && of == RulesOf::User && is_of_packs {
                return files.list(name, "disable", &[]);
            }
            Err(elsewhere(name, known[0], of))
        }
        RuleEdit::Disable => files.list(name, "disable", &own),
        RuleEdit::Shadow => files.list(name, "shadow", &own),
    }
}

/// The rule files that may be changed, with their rules before anything is switched.
struct RuleFileSet {
    of: RulesOf,
    /// Where a first file would be created.
    first: PathBuf,
    files: Vec<(RuleFile, String, Loaded)>,
}

impl RuleFileSet {
    fn read(root: &Path, of: RulesOf) -> Result<RuleFileSet, RuleEditError> {
        let (first, found) = match of {
            RulesOf::User => {
                let folder = paths::user_config_dir().ok_or_else(|| {
                    RuleEditError::new("there is no configuration folder", Some("set HOME, and try again"))
                })?;
                (folder.join(rule_files::USERS), load::user_files())
            }
            RulesOf::Project => {
                let mut levels = rule_levels::of_folder(root);
                levels.extend(rule_levels::below(root));
                (root.join(rule_files::FIRST), rule_files::discover(&levels, None))
            }
        };
        let RuleFiles { files, problems } = found;
        if let Some(problem) = problems.first() {
            return Err(RuleEditError::of(problem));
        }
        let with_rules = |file: RuleFile| {
            let text = rule_files::read(&file).map_err(|problem| RuleEditError::of(&problem))?;
            let loaded = rules::read(&file.shown, &text, MissingVersion::Warn);
            Ok((file, text, loaded))
        };
        let files = files.into_iter().map(with_rules).collect::<Result<_, _>>()?;
        Ok(RuleFileSet { of, first, files })
    }

    fn has(&self, rule: &Rule) -> bool {
        self.files.iter().any(|(file, ..)| file.shown == rule.place.file)
    }

    fn add_pack(&self, name: &str) -> Result<RuleEditReport, RuleEditError> {
        let Some(pack) = PACKS.iter().find(|pack| pack.name == name) else {
            let hint = did_you_mean(name, PACKS.iter().map(|pack| pack.name));
            return Err(RuleEditError::new(format!("no pack is named `{name}`"), Some(&hint)));
        };
        let rules = pack_rules(pack).into_iter().map(|rule| rule.name).collect();
        let uses = |loaded: &Loaded, name: Option<&str>| {
            loaded
                .rules
                .iter()
                .any(|rule| rule.pack.is_some() && (name.is_none() || rule.pack.as_deref() == name))
        };
        if self.files.iter().any(|(.., loaded)| uses(loaded, Some(name))) {
            return Ok(RuleEditReport { written: Vec::new(), rules });
        }
        let chosen = self.files.iter().find(|(.., loaded)| uses(loaded, None)).or(self.files.first());
        let written = self.edit(chosen, "packs", name, ListEdit::Add)?;
        Ok(RuleEditReport { written: vec![written], rules })
    }

    /// Adds a rule to a list, in the file that has the rule.
    fn list(&self, name: &str, key: &str, rules: &[&Rule]) -> Result<RuleEditReport, RuleEditError> {
        let is_done = |rule: &&Rule| if key == "disable" { !rule.enabled } else { rule.shadow };
        let listed = self.files.iter().any(|(.., loaded)| names(loaded, key).any(|its| its == name));
        if listed || (!rules.is_empty() && rules.iter().all(is_done)) {
            return Ok(RuleEditReport { written: Vec::new(), rules: vec![name.to_owned()] });
        }
        let place = rules.first().map(|rule| rule.place.file.as_str());
        let chosen = match place {
            Some(place) => self.files.iter().find(|(file, ..)| file.shown == place),
            None => self.files.first(),
        };
        let written = self.edit(chosen, key, name, ListEdit::Add)?;
        Ok(RuleEditReport { written: vec![written], rules: vec![name.to_owned()] })
    }

    /// Removes a rule from a list, wherever these files name it, and changes its own switch.
    fn unlist(&self, name: &str, key: &str, known: &[&Rule]) -> Result<RuleEditReport, RuleEditError> {
        let mut written = Vec::new();
        for chosen @ (file, text, loaded) in &self.files {
            if names(loaded, key).any(|its| its == name) {
                written.push(self.edit(Some(chosen), key, name, ListEdit::Remove)?);
                continue;
            }
            let (switch, value) = if key == "disable" { ("enabled", true) } else { ("shadow", false) };
            let is_wrong = |rule: &&Rule| {
                rule.pack.is_none() && rule.name == name && if value { !rule.enabled } else { rule.shadow }
            };
            let rule = loaded.rules.iter().find(is_wrong).map(|rule| &rule.place);
            let change = loaded.switches.changes.iter().find(|change| {
                change.rule == name
                    && if value { change.enabled == Some(false) } else { change.shadow == Some(true) }
            });
            if let Some(place) = rule.or(change.map(|change| &change.place)) {
                let changed = rules::set_switch(text, (place.line, place.column), switch, value);
                let changed = changed.map_err(|error| refused(file, switch, &value.to_string(), error))?;
                trust::while_writing(&file.path, || rule_files::rewrite(file, &changed))
                    .map_err(|error| unwritable(&file.shown, &error))?;
                written.push(file.shown.clone());
            }
        }
        let is_right = |rule: &&Rule| if key == "disable" { rule.enabled } else { !rule.shadow };
        if written.is_empty() && !known.iter().all(is_right) {
            let (word, option) = match self.of {
                RulesOf::Project => ("your own rule file", "add `--user` to change that"),
                RulesOf::User => ("a rule file of the project", "leave out `--user` to change that"),
            };
            return Err(RuleEditError::new(format!("`{name}` is switched in {word}"), Some(option)));
        }
        Ok(RuleEditReport { written, rules: vec![name.to_owned()] })
    }

    /// Edits a list of a file, or creates the first file.
    fn edit(
        &self,
        file: Option<&(RuleFile, String, Loaded)>,
        key: &str,
        name: &str,
        edit: ListEdit,
    ) -> Result<String, RuleEditError> {
        let Some((file, text, _)) = file else {
            let text = rules::edit_list("", key, name, edit).unwrap_or_default();
            let shown = match self.of {
                RulesOf::Project => rule_files::FIRST.to_owned(),
                RulesOf::User => self.first.display().to_string(),
            };
            trust::while_writing(&self.first, || rule_files::create(&self.first, &text))
                .map_err(|error| unwritable(&shown, &error))?;
            return Ok(shown);
        };
        let changed =
            rules::edit_list(text, key, name, edit).map_err(|error| refused(file, key, name, error))?;
        trust::while_writing(&file.path, || rule_files::rewrite(file, &changed))
            .map_err(|error| unwritable(&file.shown, &error))?;
        Ok(file.shown.clone())
    }
}

/// Returns the rules that a list of a file names.
fn names<'l>(loaded: &'l Loaded, key: &str) -> impl Iterator<Item = &'l str> {
    let list = if key == "disable" { &loaded.switches.disable } else { &loaded.switches.shadow };
    list.iter().map(|named| named.rule.as_str())
}

fn unknown(name: &str, rules: &[Rule]) -> RuleEditError {
    let of_pack = PACKS.iter().find(|pack| pack_rules(pack).iter().any(|rule| rule.name == name));
    if let Some(pack) = of_pack {
        let message = format!("`{name}` is a rule of the pack `{}`, which is not used here", pack.name);
        return RuleEditError::new(message, Some(&format!("run `nudge rules add {}`", pack.name)));
    }
    let hint = match rules.is_empty() {
        true => "there are no rules here; `nudge rules add git` adds some".to_owned(),
        false => did_you_mean(name, rules.iter().map(|rule| rule.name.as_str())),
    };
    RuleEditError::new(format!("no rule is named `{name}`"), Some(&hint))
}

fn elsewhere(name: &str, rule: &Rule, of: RulesOf) -> RuleEditError {
    let (whose, hint) = match of {
        RulesOf::Project => ("your own rule file", "add `--user` to change that file"),
        RulesOf::User => ("a rule file of the project", "leave out `--user` to change that file"),
    };
    RuleEditError::new(format!("`{name}` is in {whose}, {}", rule.place), Some(hint))
}

fn refused(file: &RuleFile, key: &str, name: &str, error: EditError) -> RuleEditError {
    match error {
        EditError::Yaml(error) => RuleEditError::new(
            format!("`{}:{}` is broken: {}", file.shown, error.line, error.message),
            Some("fix the file first; `nudge validate` shows what is wrong"),
        ),
        EditError::Form { line } => RuleEditError::new(
            format!("`{key}` in `{}:{line}` is written in a form that nudge does not change", file.shown),
            Some(&format!("edit the file by hand: `{key}` is to have, or not to have, `{name}`")),
        ),
    }
}

fn unwritable(shown: &str, error: &io::Error) -> RuleEditError {
    RuleEditError::new(format!("cannot write `{shown}`: {error}"), None)
}

impl RuleEditError {
    fn new(message: impl Display, hint: Option<&str>) -> RuleEditError {
        RuleEditError { message: message.to_string(), hint: hint.map(str::to_owned) }
    }

    fn of(problem: &Problem) -> RuleEditError {
        RuleEditError { message: problem.to_string(), hint: problem.hint.clone() }
    }
}
