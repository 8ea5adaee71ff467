//! What a row says was done.

use crate::model::Observation;
use crate::shell::{self, Doing};

/// Returns whether a command only looks at what is there.
pub(crate) fn only_looks(row: &Observation) -> bool {
    shell::parts(command(row)).iter().all(|part| shell::doing(part) != Doing::Acting)
}

/// Returns the command of a row, or its whole content if it is no command.
pub(crate) fn command(row: &Observation) -> &str {
    row.metadata.as_ref().and_then(|metadata| metadata.command()).unwrap_or(&row.content)
}
