//! The packs of rules that come with the program, and who uses them here.

use std::path::Path;

use super::load;
use crate::rules::{PACKS, Rule, RulePack, pack_rules};

/// A pack, and where it is used.
pub(crate) struct PackUse {
    pub(crate) pack: &'static RulePack,
    pub(crate) rules: usize,
    /// The files that use it here: the user's own first.
    pub(crate) used_in: Vec<String>,
}

/// Lists all packs, as seen from a project.
pub(crate) fn list(root: &Path) -> Vec<PackUse> {
    let (rules, _) = load::all(root);
    let files = |pack: &RulePack| {
        let of_pack = rules.iter().filter(|rule| rule.pack.as_deref() == Some(pack.name));
        let mut files: Vec<String> = of_pack.map(|rule: &Rule| rule.place.file.clone()).collect();
        files.dedup();
        files
    };
    PACKS.iter().map(|pack| PackUse { pack, rules: pack_rules(pack).len(), used_in: files(pack) }).collect()
}

#[cfg(test)]
mod tests;
