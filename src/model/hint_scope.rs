//! Where a hint applies. Component, key and scope together identify a hint.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The conditions of a hint, in canonical form: lists are sorted and without duplicates; an empty field is no
/// condition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct HintScope {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) branch: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) cwd_glob: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) env_match: BTreeMap<String, Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) env_required: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) os: Vec<Os>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) repo: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Os {
    Darwin,
    Linux,
    Windows,
}

impl HintScope {
    pub(crate) fn is_empty(&self) -> bool {
        self.fields() == 0
    }

    /// Returns the name of each condition and what it allows, in the order of the JSON: `("os", "linux,darwin")`.
    pub(crate) fn conditions(&self) -> Vec<(&'static str, String)> {
        let os: Vec<&str> = self.os.iter().map(|os| os.name()).collect();
        let matches: Vec<String> =
            self.env_match.iter().map(|(name, values)| format!("{name}={}", values.join("|"))).collect();
        let conditions = [
            ("branch", self.branch.join(",")),
            ("cwd_glob", self.cwd_glob.join(",")),
            ("env_match", matches.join(",")),
            ("env_required", self.env_required.join(",")),
            ("os", os.join(",")),
            ("repo", self.repo.join(",")),
        ];
        conditions.into_iter().filter(|(_, allowed)| !allowed.is_empty()).collect()
    }

    /// Counts the conditions; each counts once, however long its list is.
    pub(crate) fn fields(&self) -> usize {
        [
            !self.branch.is_empty(),
            !self.cwd_glob.is_empty(),
            !self.env_match.is_empty(),
            !self.env_required.is_empty(),
            !self.os.is_empty(),
            !self.repo.is_empty(),
        ]
        .into_iter()
        .filter(|set| *set)
        .count()
    }
}

impl Os {
    pub(crate) const ALL: [Os; 3] = [Os::Linux, Os::Darwin, Os::Windows];

    pub(crate) fn by_name(name: &str) -> Option<Os> {
        Os::ALL.into_iter().find(|os| os.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Os::Darwin => "darwin",
            Os::Linux => "linux",
            Os::Windows => "windows",
        }
    }
}

/// Formats the scope for people: `scope os=windows, branch=dev|main`.
impl fmt::Display for HintScope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return out.write_str("no scope");
        }
        let os: Vec<String> = self.os.iter().map(|os| os.name().to_owned()).collect();
        let matched: Vec<String> =
            self.env_match.iter().map(|(name, values)| format!("env {name}={}", values.join("|"))).collect();
        let fields = [
            ("cwd=", &self.cwd_glob),
            ("repo=", &self.repo),
            ("branch=", &self.branch),
            ("os=", &os),
            ("env ", &self.env_required),
        ];
        let listed = fields.iter().filter(|(_, list)| !list.is_empty());
        let listed = listed.map(|(name, list)| format!("{name}{}", list.join("|")));
        write!(out, "scope {}", listed.chain(matched).collect::<Vec<_>>().join(", "))
    }
}
