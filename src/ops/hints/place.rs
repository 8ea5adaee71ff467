//! Where a caller works: what can be found out about a folder, for callers that do not say it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::config::env;
use crate::model::{Fact, HintContext, HintOrigin, Os};
use crate::system::repository;

/// An agent's name is cut to this many characters.
const MAX_NAME_CHARS: usize = 60;

/// Returns what is known about this folder; never environment variables.
pub(crate) fn known_about(cwd: &Path) -> HintContext {
    HintContext {
        cwd: Some(Fact::said(cwd.to_string_lossy().into_owned())),
        repo: Some(Fact::said(repository::remote(cwd))),
        branch: repository::branch(cwd).map(Fact::said),
        os: os(),
        env: BTreeMap::new(),
    }
}

/// Returns which agent changes a hint, and where that agent works if known.
pub(crate) fn origin(cwd: Option<&Path>, agent: Option<String>) -> HintOrigin {
    let agent = agent.map(|name| name.chars().take(MAX_NAME_CHARS).collect::<String>());
    HintOrigin {
        agent: agent.filter(|name| !name.trim().is_empty()),
        cwd: cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
        repo: cwd.map(repository::remote),
    }
}

/// Joins the given facts with those that can be found out; `variables` are those that stored scopes need.
pub(crate) fn complete(given: HintContext, variables: Vec<(String, String)>) -> HintContext {
    let here = env::shown_dir();
    let cwd = match (&given.cwd, here) {
        (Some(cwd), Some(here)) => Some(here.join(&cwd.value)),
        (Some(cwd), None) => Some(cwd.value.as_str().into()),
        (None, here) => here,
    };
    let found = match &cwd {
        Some(cwd) => known_about(cwd),
        None => HintContext { os: os(), ..HintContext::default() },
    };
    let found = HintContext { env: variables.into_iter().collect(), ..found };
    // The folder may be given relative to the current one.
    HintContext { cwd: None, ..given }.or(found)
}

fn os() -> Option<Fact<Os>> {
    env::os().and_then(Os::by_name).map(Fact::said)
}
