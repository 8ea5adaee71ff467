//! Artifacts: texts that an agent leaves for other agents, kept until somebody deletes them.

use super::PlanError;
use super::cycle;
use crate::api::nexus::{ArtifactWire, ArtifactWriteRequest};
use crate::nexus::{Nexus, artifact};

/// Writes an artifact; replaces one with the same name.
pub(crate) fn write(nexus: &Nexus, request: &ArtifactWriteRequest) -> Result<ArtifactWire, PlanError> {
    // An invalid name must not create the folder.
    artifact::check_name(&request.filename)?;
    let path = cycle::lock(nexus)?.write_artifact(&request.filename, &request.content)?;
    Ok(ArtifactWire { success: true, path: path.display().to_string() })
}

/// Returns the text of an artifact; `None` if there is none of this name.
pub(crate) fn text(nexus: &Nexus, name: &str) -> Result<Option<String>, PlanError> {
    Ok(nexus.artifact(name)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the names of all artifacts.
pub(crate) fn list(nexus: &Nexus) -> Result<Vec<String>, PlanError> {
    Ok(nexus.artifacts()?)
}
