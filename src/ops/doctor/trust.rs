//! Whether the user trusts the hooks of nudge, in agents that run no others.

use super::agent_place::AgentPlace;
use crate::harness::{self, TrustedHooks};
use crate::journal::agent_files;
use crate::model::{Problem, counted};

/// Returns a problem if hooks of nudge are in place but the agent does not run them.
pub(super) fn problem(asked: &AgentPlace) -> Option<Problem> {
    let trust = harness::by_name(asked.name)?.trust?;
    let config = agent_files::read(asked.trust_file.as_ref()?).ok()?.unwrap_or_default();
    let command = &asked.connection.proof.command;
    let mut counts = TrustedHooks::default();
    for file in &asked.connection.files {
        let Ok(Some(text)) = agent_files::read(&file.path) else { continue };
        let names = [file.path.clone(), agent_files::real(&file.path)].map(|path| path.display().to_string());
        let found = (trust.count)(&names, &text, command, &config);
        counts.unknown += found.unknown;
        counts.changed += found.changed;
        counts.disabled += found.disabled;
    }
    let (count, why) = match counts {
        TrustedHooks { unknown: 1.., .. } => (counts.unknown, "not trusted yet"),
        TrustedHooks { changed: 1.., .. } => (counts.changed, "changed since they were trusted"),
        TrustedHooks { disabled: 1.., .. } => (counts.disabled, "disabled in its settings"),
        _ => return None,
    };
    let message = format!("{} does not run {} of nudge: {why}", asked.title, counted(count, "hook"));
    Some(Problem::warning(message).hint(trust.way_out))
}
