//! Which rules are replayed.

use std::path::{Path, PathBuf};

use crate::model::Problem;
use crate::ops::rules::explain::{Unexplained, unloaded};
use crate::ops::rules::load;
use crate::rules::{MissingVersion, Rule};

/// Which rules are wanted: those that apply here, or those of a file; all of them or one.
#[derive(Debug, Clone, Default)]
pub(crate) struct RuleChoice {
    pub(crate) name: Option<String>,
    pub(crate) file: Option<PathBuf>,
}

/// Loads the rules for a replay. A rule that is named is tried even if it is disabled: that is how one finds out whether
/// to enable it.
pub(crate) fn chosen_rules(root: &Path, choice: &RuleChoice) -> Result<Vec<Rule>, Unexplained> {
    let (mut all, problems): (Vec<Rule>, Vec<Problem>) = match &choice.file {
        Some(path) => {
            let file = load::file(path, MissingVersion::Warn).map_err(|error| Unexplained {
                message: format!("`{}` cannot be read: {error}", path.display()),
                hint: "name a rule file, or leave --file out to try the rules that apply here".to_owned(),
            })?;
            (file.loaded.rules, file.loaded.problems)
        }
        None => load::all(root),
    };
    if let Some(name) = &choice.name {
        if !all.iter().any(|rule| rule.name == *name) {
            return Err(unloaded(name, &all, &problems));
        }
        all.retain(|rule| rule.name == *name);
        all.iter_mut().for_each(|rule| rule.enabled = true);
    }
    all.retain(|rule| rule.enabled);
    Ok(all)
}
