//! The program itself: whether agents that search the PATH for `nudge` find this one.

use std::path::PathBuf;
use std::time::Duration;

use crate::config::{env, paths};
use crate::files;
use crate::model::Problem;
use crate::system::programs::{self, CommandShell};

/// Another program named `nudge`.
#[derive(Debug, serde::Serialize)]
pub(crate) struct OtherProgram {
    pub(crate) path: PathBuf,
    /// What it answers to `--version`; `None` if it does not answer.
    pub(crate) version: Option<String>,
    /// Whether it is found before this one.
    pub(crate) comes_first: bool,
}

const VERSION_TIMEOUT: Duration = Duration::from_secs(2);

/// Finds the other programs named `nudge` on the PATH, each once.
pub(crate) fn others() -> Vec<OtherProgram> {
    let Some(own) = env::current_exe().and_then(|path| files::canonical(&path).ok()) else {
        return Vec::new();
    };
    let (mut seen, mut found, mut own_seen) = (vec![own.clone()], Vec::new(), false);
    for path in programs::find_all("nudge") {
        let Ok(real) = files::canonical(&path) else { continue };
        own_seen |= real == own;
        if !seen.contains(&real) {
            found.push(OtherProgram { version: version(&path), comes_first: !own_seen, path });
            seen.push(real);
        }
    }
    found
}

/// Reports those of another version; one of the same version does the same, wherever it is.
pub(crate) fn problems(others: &[OtherProgram]) -> Vec<Problem> {
    let ours = env!("CARGO_PKG_VERSION");
    let is_other = |other: &&OtherProgram| other.version.as_deref() != Some(ours);
    let problem = |other: &OtherProgram| {
        let version = other.version.as_deref().map_or("unknown version", |version| version);
        let message = match other.comes_first {
            true => format!("the PATH leads to another nudge ({version}); this one is {ours}"),
            false => format!("there is another nudge ({version}) on the PATH, behind this one ({ours})"),
        };
        let place = other.path.display().to_string();
        Problem::warning(message).at(&place, 0, 0).hint("remove the one that you do not want")
    };
    others.iter().filter(is_other).map(problem).collect()
}

/// Asks a program for its version.
pub(super) fn version(path: &std::path::Path) -> Option<String> {
    let line = format!("'{}' --version", path.to_str()?.replace('\'', r"'\''"));
    let folder = paths::home_dir().filter(|home| home.is_dir()).unwrap_or_else(|| PathBuf::from("/"));
    let output = programs::ask(&line, CommandShell::Plain, "", &folder, &[], VERSION_TIMEOUT).ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let version = text.lines().next()?.strip_prefix("nudge ")?;
    Some(version.chars().filter(|c| !c.is_control()).take(40).collect())
}
