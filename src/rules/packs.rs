//! Packs: rule files inside the program, which a rule file uses by their names.
//!
//! A pack is an ordinary rule file in `assets/packs`; `nudge validate` accepts it, and tests run its examples. Here are
//! only their texts; `read` parses them.

/// A rule file inside the program.
pub(crate) struct RulePack {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) text: &'static str,
}

/// All packs, in the order in which they are listed.
pub(crate) const PACKS: &[RulePack] = &[RulePack {
    name: "self",
    about: "the rule files of nudge, which agents do not edit",
    text: include_str!("../../assets/packs/self.yaml"),
}];

/// Returns the pack with this name.
pub(crate) fn pack(name: &str) -> Option<&'static RulePack> {
    PACKS.iter().find(|pack| pack.name == name)
}

impl RulePack {
    /// Returns whether a rule of the pack has this name, without parsing the pack.
    pub(super) fn names(&self, rule: &str) -> bool {
        self.text.lines().any(|line| line.strip_prefix("  - name: ").is_some_and(|name| name == rule))
    }
}

#[cfg(test)]
mod tests;
