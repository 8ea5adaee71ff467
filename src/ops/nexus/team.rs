//! The roles and skills that agents are given: those that are built in.

use crate::contract::Catalogue;
use crate::model::{Problem, Team};

/// Returns the roles and skills for the files of agents.
pub(crate) fn team() -> Result<Team, Problem> {
    Ok(catalogue()?.team())
}

/// Returns all agents and skills with their bodies.
pub(crate) fn catalogue() -> Result<Catalogue, Problem> {
    Ok(Catalogue::built_in())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::contract::Catalogue;
    use crate::harness::plugin_documents;

    #[test]
    fn the_plugin_has_the_same_agents_and_skills() {
        let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin");
        for (path, text) in plugin_documents(&Catalogue::built_in().team()) {
            expect_test::expect_file![plugin.join(path)].assert_eq(&text);
        }
    }
}
