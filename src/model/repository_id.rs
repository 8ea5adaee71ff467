//! What tells a repository apart, wherever its folder is.

use serde::{Deserialize, Serialize};

/// Facts by which the folders of one project are recognised. All are free of secrets.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub(crate) struct RepositoryId {
    /// Where it was cloned from, in the spelling of `repo::canonical`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<String>,
    /// How this copy began: `initial HASH` with its first commit, or `clone HASH TIME`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) birth: Option<String>,
    /// Whether its settings say that no other folder is the same project.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_private: bool,
}

/// What a folder shows about the repository that was seen in it before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recognition {
    Same,
    /// The folder was deleted and used again for something else.
    Another,
}

impl RepositoryId {
    /// Returns the first commit, if this copy was made by it.
    pub(crate) fn first_commit(&self) -> Option<&str> {
        self.birth.as_deref().filter(|birth| birth.starts_with("initial "))
    }

    /// Returns whether a folder that had this repository still has it.
    ///
    /// A repository keeps its beginning when its address changes, and its address when it is cloned again. Where either
    /// is unknown, only a different address shows another repository.
    pub(crate) fn recognise(&self, seen: &RepositoryId) -> Recognition {
        let is_same = match (&self.origin, &seen.origin, &self.birth, &seen.birth) {
            (Some(known), Some(seen), ..) if known == seen => true,
            (.., Some(known), Some(seen)) => known == seen,
            (Some(_), Some(_), ..) => false,
            _ => true,
        };
        if is_same { Recognition::Same } else { Recognition::Another }
    }
}

#[cfg(test)]
mod tests {
    use super::{Recognition, RepositoryId};

    fn id(origin: &str, birth: &str) -> RepositoryId {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        RepositoryId { origin: some(origin), birth: some(birth), is_private: false }
    }

    #[test]
    fn a_folder_keeps_its_repository_until_both_address_and_beginning_differ() {
        for (known, seen, expected) in [
            (id("", ""), id("a", "initial 1"), Recognition::Same),
            (id("a", "initial 1"), id("", ""), Recognition::Same),
            (id("a", ""), id("a", "clone 1 2"), Recognition::Same),
            // Cloned again.
            (id("a", "clone 1 2"), id("a", "clone 3 4"), Recognition::Same),
            // The address changed, or was added, or removed.
            (id("a", "clone 1 2"), id("b", "clone 1 2"), Recognition::Same),
            (id("", "initial 1"), id("b", "initial 1"), Recognition::Same),
            (id("a", "initial 1"), id("", "initial 1"), Recognition::Same),
            // Another repository in the same folder.
            (id("a", "clone 1 2"), id("b", "clone 3 4"), Recognition::Another),
            (id("a", ""), id("b", ""), Recognition::Another),
            (id("", "initial 1"), id("", "initial 2"), Recognition::Another),
            (id("a", "initial 1"), id("", "initial 2"), Recognition::Another),
        ] {
            assert_eq!(known.recognise(&seen), expected, "{known:?} {seen:?}");
        }
    }
}
