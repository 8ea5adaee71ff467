//! Which projects stay on this machine: those that `sync.exclude` names.

use std::path::Path;

use crate::model::{NewObservation, repo};

/// The projects that are neither sent nor taken.
#[derive(Debug, Clone, Default)]
pub(super) struct Exclusion {
    names: Vec<String>,
    folders: Vec<String>,
    origins: Vec<String>,
}

impl Exclusion {
    /// Reads entries: a path is a folder and what is below it, what has another slash in it an address, the rest a name.
    pub(super) fn new(entries: &[String], home: Option<&Path>) -> Exclusion {
        let mut exclusion = Exclusion::default();
        for entry in entries {
            let entry = entry.trim_end_matches('/');
            let home = home.map(|home| home.to_string_lossy().into_owned());
            if let (Some(rest), Some(home)) = (entry.strip_prefix('~'), home) {
                exclusion.folders.push(format!("{home}{rest}"));
            } else if Path::new(entry).is_absolute() || entry.starts_with('/') {
                exclusion.folders.push(entry.to_owned());
            } else if entry.contains('/') {
                exclusion.origins.push(repo::canonical(entry).unwrap_or_else(|| entry.to_owned()));
            } else {
                exclusion.names.push(entry.to_owned());
            }
        }
        exclusion
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.folders.is_empty() && self.origins.is_empty()
    }

    /// Returns a number that changes with what is excluded.
    pub(super) fn hash(&self) -> Option<u64> {
        let text = format!("{self:?}");
        (!self.is_empty()).then(|| crate::model::fnv1a(text.bytes()))
    }

    /// Returns whether a row stays out; `title` is the name that the user gave its project.
    pub(super) fn covers(&self, row: &NewObservation, title: Option<&str>) -> bool {
        let is_named = |name: &String| row.project.as_deref() == Some(name) || title == Some(name);
        let is_below = |folder: &String| {
            let rest = row.project_root.as_deref().and_then(|root| root.strip_prefix(folder.as_str()));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
        };
        let origin = row.repository.as_ref().and_then(|repository| repository.origin.as_deref());
        let is_from = |wanted: &String| match wanted.strip_suffix('*') {
            Some(start) => origin.is_some_and(|origin| origin.starts_with(start)),
            None => origin == Some(wanted),
        };
        self.names.iter().any(is_named)
            || self.folders.iter().any(is_below)
            || self.origins.iter().any(is_from)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Exclusion;
    use crate::model::{NewObservation, ObservationType, RepositoryId, SessionId, Timestamp};

    fn row(project: &str, root: &str, origin: &str) -> NewObservation {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        NewObservation {
            timestamp: Timestamp(0),
            session_id: SessionId("s".to_owned()),
            project: some(project),
            project_root: some(root),
            repository: Some(RepositoryId { origin: some(origin), ..RepositoryId::default() }),
            obs_type: ObservationType::Command,
            source_event: String::new(),
            tool_name: None,
            content: String::new(),
            file_path: None,
            metadata: None,
            event_key: None,
            program: None,
            signature: None,
            pinned: false,
        }
    }

    #[test]
    fn a_project_is_excluded_by_name_folder_or_address() {
        let shop = row("shop", "/home/me/work/shop", "github.com/acme/shop");
        for (entry, title, expected) in [
            ("shop", None, true),
            ("Shop", None, false),
            ("store", Some("store"), true),
            ("/home/me/work/shop", None, true),
            ("/home/me/work/", None, true),
            ("~/work", None, true),
            ("~", None, true),
            ("/home/me/wor", None, false),
            ("~/other", None, false),
            ("github.com/acme/shop", None, true),
            ("git@github.com:acme/shop.git", None, true),
            ("https://github.com/acme/shop", None, true),
            ("github.com/acme/*", None, true),
            ("github.com/acme", None, false),
            ("github.com/ac/*", None, false),
        ] {
            let exclusion = Exclusion::new(&[entry.to_owned()], Some(Path::new("/home/me")));
            assert_eq!(exclusion.covers(&shop, title), expected, "{entry}");
            assert!(!exclusion.covers(&row("", "", ""), None), "{entry}: a row without a project");
        }
        assert!(Exclusion::new(&[], None).is_empty());
        assert_eq!(Exclusion::new(&[], None).hash(), None);
    }
}
