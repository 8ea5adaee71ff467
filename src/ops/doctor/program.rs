//! The program itself: whether agents that look for `nudge` on the PATH find this one.

use std::path::PathBuf;
use std::time::Duration;

use crate::config::{env, paths};
use crate::files;
use crate::model::Problem;
use crate::system::programs::{self, Shell};

/// Another program of our name.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Other {
    pub(crate) path: PathBuf,
    /// What it answers to `--version`; `None` if it does not answer.
    pub(crate) version: Option<String>,
    /// It is found before this one.
    pub(crate) comes_first: bool,
}

const PATIENCE: Duration = Duration::from_secs(2);

/// Finds the other programs of our name on the PATH, each once.
pub(crate) fn others() -> Vec<Other> {
    let Some(own) = env::current_exe().and_then(|path| files::canonical(&path).ok()) else {
        return Vec::new();
    };
    let (mut seen, mut found, mut own_seen) = (vec![own.clone()], Vec::new(), false);
    for path in programs::find_all("nudge") {
        let Ok(real) = files::canonical(&path) else { continue };
        own_seen |= real == own;
        if !seen.contains(&real) {
            found.push(Other { version: version(&path), comes_first: !own_seen, path });
            seen.push(real);
        }
    }
    found
}

/// Says which of them are in the way: one of the same version does the same, wherever it lies.
pub(crate) fn problems(others: &[Other]) -> Vec<Problem> {
    let ours = env!("CARGO_PKG_VERSION");
    let is_other = |other: &&Other| other.version.as_deref() != Some(ours);
    let problem = |other: &Other| {
        let version = other.version.as_deref().map_or("that does not say its version", |version| version);
        let message = match other.comes_first {
            true => format!("the PATH leads to another nudge ({version}), and this one is {ours}"),
            false => format!("there is another nudge ({version}) on the PATH, behind this one ({ours})"),
        };
        let place = other.path.display().to_string();
        Problem::warning(message).at(&place, 0, 0).hint("remove the one that you do not want")
    };
    others.iter().filter(is_other).map(problem).collect()
}

/// Asks a program of our name for its version.
pub(super) fn version(path: &std::path::Path) -> Option<String> {
    let line = format!("'{}' --version", path.to_str()?.replace('\'', r"'\''"));
    let folder = paths::home_dir().filter(|home| home.is_dir()).unwrap_or_else(|| PathBuf::from("/"));
    let output = programs::ask(&line, Shell::Plain, "", &folder, &[], PATIENCE).ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let version = text.lines().next()?.strip_prefix("nudge ")?;
    Some(version.chars().filter(|c| !c.is_control()).take(40).collect())
}
