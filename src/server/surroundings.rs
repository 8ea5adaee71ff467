//! Where a client on stdio is: the server runs in its workspace, so what it leaves out can be seen from here.

use std::path::Path;

use serde_json::{Value, json};

use crate::config::repository;

/// Returns what is known of the client's surroundings; never its environment.
pub(super) fn inferred(cwd: &Path) -> Value {
    let mut inferred = json!({ "cwd": cwd.display().to_string(), "os": os() });
    if let Some(branch) = repository::branch(cwd) {
        inferred["branch"] = branch.into();
    }
    inferred
}

fn os() -> &'static str {
    if cfg!(windows) {
        "windows"
    } else if cfg!(target_os = "macos") {
        "darwin"
    } else {
        "linux"
    }
}
