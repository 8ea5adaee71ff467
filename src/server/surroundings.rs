//! Where a client on stdio works. The server runs in the client's workspace, so it can fill in what the client leaves
//! out.

use std::path::Path;

use serde_json::{Map, Value};

use crate::config::env;
use crate::system::repository;

/// An agent's name is cut to this many characters.
const MAX_NAME_CHARS: usize = 60;

/// Returns which agent changes a hint, and where that agent works if known.
pub(super) fn origin(cwd: Option<&Path>, agent: Option<String>) -> Value {
    let agent = agent.map(|name| name.chars().take(MAX_NAME_CHARS).collect::<String>());
    let facts = [
        ("agent", agent.filter(|name| !name.trim().is_empty())),
        ("cwd", cwd.map(|cwd| cwd.to_string_lossy().into_owned())),
        ("repo", cwd.map(repository::remote)),
    ];
    let known = facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
    Value::Object(known.collect::<Map<_, _>>())
}

/// Returns what is known about where the client works; never its environment variables.
pub(super) fn inferred(cwd: &Path) -> Value {
    let facts = [
        ("cwd", Some(cwd.to_string_lossy().into_owned())),
        ("repo", Some(repository::remote(cwd))),
        ("branch", repository::branch(cwd)),
        ("os", env::os().map(str::to_owned)),
    ];
    let known = facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
    Value::Object(known.collect::<Map<_, _>>())
}
