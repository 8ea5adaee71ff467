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
pub(crate) const PACKS: &[RulePack] = &[
    RulePack {
        name: "git",
        about: "history and work that git cannot bring back, and checks that are skipped",
        text: include_str!("../../assets/packs/git.yaml"),
    },
    RulePack {
        name: "files",
        about: "files and folders that are gone for good, disks and permissions",
        text: include_str!("../../assets/packs/files.yaml"),
    },
    RulePack {
        name: "secrets",
        about: "secrets that are read, printed, sent away or written into code",
        text: include_str!("../../assets/packs/secrets.yaml"),
    },
    RulePack {
        name: "self",
        about: "the rules of nudge and the settings of agents, which agents do not change",
        text: include_str!("../../assets/packs/self.yaml"),
    },
    RulePack {
        name: "databases",
        about: "tables, databases and stores that are dropped or emptied",
        text: include_str!("../../assets/packs/databases.yaml"),
    },
    RulePack {
        name: "containers",
        about: "volumes, clusters and containers with too many permissions",
        text: include_str!("../../assets/packs/containers.yaml"),
    },
    RulePack {
        name: "cloud",
        about: "infrastructure, cloud resources and repositories that are deleted",
        text: include_str!("../../assets/packs/cloud.yaml"),
    },
    RulePack {
        name: "packages",
        about: "scripts run from the network, published packages, global installs",
        text: include_str!("../../assets/packs/packages.yaml"),
    },
    RulePack {
        name: "ci",
        about: "the configuration of CI, and ways around its checks",
        text: include_str!("../../assets/packs/ci.yaml"),
    },
];

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
