//! Where a client on stdio is: the server runs in its workspace, so what it leaves out can be seen from here.

use std::path::Path;

use serde_json::{Map, Value};

use crate::config::{env, repository};

/// Returns what is known of the client's surroundings; never its environment.
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
