//! Where a hint applies, on the command line: each condition has a flag, each flag can be repeated.

use super::hints::{os, pair};
use super::output::Failure;
use crate::model::{HintScope, Os};
use crate::ops::here::shown_folder;

/// The conditions of a hint; all that are given must be met.
#[derive(clap::Args, Default)]
#[command(next_help_heading = "Scope")]
pub(crate) struct HintScopeArgs {
    /// Folders where it applies, as globs; `**/api*` matches those folders, `**/api*/**` also all below them
    #[arg(long, value_name = "GLOBS")]
    scope_cwd_glob: Vec<String>,

    /// It applies in the current folder and below
    #[arg(long)]
    scope_here: bool,

    /// Repositories where it applies: `git:org/repo`, `https://host/org/repo` or `file:///path`
    #[arg(long, value_name = "REPO")]
    scope_repo: Vec<String>,

    /// Branches where it applies; globs such as `hotfix/*`
    #[arg(long, value_name = "BRANCHES")]
    scope_branch: Vec<String>,

    /// Systems where it applies: linux, darwin, windows
    #[arg(long, value_name = "OS", value_delimiter = ',', value_parser = os)]
    scope_os: Vec<Os>,

    /// Variables that must be set
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    scope_env_required: Vec<String>,

    /// Variable and the value it must have; several values for one name mean any of them
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    scope_env_match: Vec<(String, String)>,
}

impl HintScopeArgs {
    /// Returns the scope, if any condition is given.
    pub(crate) fn scope(&self) -> Result<Option<HintScope>, Failure> {
        let mut scope = HintScope {
            branch: parts(&self.scope_branch),
            cwd_glob: parts(&self.scope_cwd_glob),
            env_required: self.scope_env_required.clone(),
            os: self.scope_os.clone(),
            repo: self.scope_repo.clone(),
            ..HintScope::default()
        };
        if self.scope_here {
            let here =
                shown_folder().ok_or_else(|| Failure::new("the folder that this was started in is gone"))?;
            scope.cwd_glob.extend(below(&here.to_string_lossy()));
        }
        for (name, value) in &self.scope_env_match {
            scope.env_match.entry(name.clone()).or_default().push(value.clone());
        }
        Ok(Some(scope).filter(|scope| !scope.is_empty()))
    }
}

/// Splits lists at their commas, but not within braces: `{a,b}` is one glob.
fn parts(lists: &[String]) -> Vec<String> {
    let mut parts = Vec::new();
    for list in lists {
        let (mut depth, mut part) = (0_usize, String::new());
        for c in list.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if c == ',' && depth == 0 {
                parts.push(std::mem::take(&mut part));
            } else {
                part.push(c);
            }
        }
        parts.push(part);
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// Returns the globs for a folder and all below it; what is special in a glob stands for itself.
fn below(folder: &str) -> [String; 2] {
    let literal = |c: char| if "*?[{}(".contains(c) { format!("[{c}]") } else { c.to_string() };
    let folder: String = folder.trim_end_matches(['/', '\\']).chars().map(literal).collect();
    let itself = if folder.is_empty() { "/".to_owned() } else { folder.clone() };
    [itself, format!("{folder}/**")]
}

#[cfg(test)]
mod tests;
