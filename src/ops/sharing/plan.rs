//! What the user has chosen: the server, and how much of which project.

use std::collections::HashMap;
use std::path::Path;

use crate::config::settings::{self, Settings, TeamSettings};
use crate::config::{env, paths};
use crate::model::{ShareLevel, Timestamp};
use crate::ops::secret_patterns;
use crate::redact::OwnPatterns;
use crate::store::{Reader, StoreError};
use crate::system::{project, repository};

/// Maximum number of the team's own patterns, and of bytes in one of them.
const MAX_PATTERNS: usize = 100;
const MAX_PATTERN_BYTES: usize = 500;

/// The server, and what is shared with it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SharePlan {
    /// Without a password, unless a job's environment has one in it.
    pub(crate) url: String,
    pub(crate) team: TeamSettings,
    /// The project that a job shares by its environment: all that the job did.
    pub(crate) job_project: Option<String>,
}

/// A folder of a project, with what may leave of it.
pub(crate) struct SharedFolder {
    pub(crate) id: i64,
    pub(crate) root: String,
    pub(crate) key: String,
    pub(crate) level: ShareLevel,
    patterns: Vec<(String, String)>,
    project_patterns: Vec<(String, String)>,
}

/// Returns what the user has chosen; `None` if no server is named, so that nothing leaves.
pub(crate) fn load() -> Option<SharePlan> {
    let (settings, _) = settings::load_user();
    // Nobody knows what settings forbid that cannot be read.
    if settings.unknown_because.is_some() {
        return None;
    }
    let job_url = env::team_url();
    let url = job_url.clone().or_else(|| settings.team.url.clone())?;
    let mut plan = SharePlan { url, team: settings.team, job_project: None };
    if let Some(level) = env::team_share() {
        let root = project::root(None, &env::current_dir());
        if let Some(key) = repository::remote_keys(&root).into_iter().next() {
            plan.team.projects.retain(|(known, _)| *known != key);
            plan.team.projects.push((key.clone(), level));
            plan.job_project = job_url.is_some().then_some(key);
        }
    }
    Some(plan)
}

impl SharePlan {
    /// Returns the keys of all projects that rows are brought of.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.team.projects.iter().map(|(key, _)| key.clone()).collect()
    }

    /// Returns the time from which rows of a project leave if it was not chosen before.
    pub(crate) fn first_since(&self, key: &str, now: Timestamp) -> Timestamp {
        if self.job_project.as_deref() == Some(key) { Timestamp(0) } else { now }
    }
}

/// Returns the folders that exist and belong to a project of the plan, with the level that applies in each.
pub(crate) fn folders(reader: &Reader, plan: &SharePlan) -> Result<Vec<SharedFolder>, StoreError> {
    let mut found = Vec::new();
    for (id, root) in reader.project_folders()? {
        let keys = repository::remote_keys(Path::new(&root));
        let chosen = keys.into_iter().find(|key| plan.team.projects.iter().any(|(known, _)| known == key));
        let Some(key) = chosen else { continue };
        let (settings, _) = settings::load(Path::new(&root));
        let level = level_in(&settings, plan.team.level(&key));
        found.push(SharedFolder {
            id,
            root,
            key,
            level,
            patterns: settings.secret_patterns.clone(),
            project_patterns: settings.project_patterns.clone(),
        });
    }
    Ok(found)
}

/// Returns how much leaves of a folder that nothing is remembered of yet.
pub(super) fn level_of_folder(root: &Path, chosen: ShareLevel) -> ShareLevel {
    level_in(&settings::load(root).0, chosen)
}

/// Returns how much leaves of a folder: its own settings can only say less.
pub(crate) fn level_in(settings: &Settings, chosen: ShareLevel) -> ShareLevel {
    let is_closed = settings.team.is_off_here || settings.is_private || !settings.remember;
    if is_closed || secret_patterns::of(settings).is_err() { ShareLevel::Off } else { chosen }
}

/// The patterns of secrets for each folder, with those of the team.
pub(crate) struct SharePatterns {
    by_root: HashMap<String, OwnPatterns>,
    pub(crate) home: Option<String>,
}

impl SharePatterns {
    /// Prepares the patterns; the error says why nothing may leave.
    pub(crate) fn new(folders: &[SharedFolder], team: &serde_json::Value) -> Result<SharePatterns, String> {
        let team = parse_team_patterns(team)?;
        let mut by_root = HashMap::new();
        for folder in folders {
            let patterns = OwnPatterns::new(&folder.patterns)?
                .with_foreign(&folder.project_patterns)?
                .with_foreign(&team)?;
            patterns.check()?;
            by_root.insert(folder.root.clone(), patterns);
        }
        let home = paths::home_dir().map(|home| home.display().to_string());
        Ok(SharePatterns { by_root, home })
    }

    pub(crate) fn of(&self, root: &str) -> Option<&OwnPatterns> {
        self.by_root.get(root)
    }
}

fn parse_team_patterns(team: &serde_json::Value) -> Result<Vec<(String, String)>, String> {
    let Some(patterns) = team.as_object() else { return Ok(Vec::new()) };
    if patterns.len() > MAX_PATTERNS {
        return Err(format!(
            "the team has {} patterns for secrets, and {MAX_PATTERNS} are the limit",
            patterns.len()
        ));
    }
    let read = |(name, pattern): (&String, &serde_json::Value)| match pattern.as_str() {
        Some(pattern) if pattern.len() <= MAX_PATTERN_BYTES => Ok((name.clone(), pattern.to_owned())),
        _ => Err(format!("the team's pattern `{name}` is not a text of up to {MAX_PATTERN_BYTES} bytes")),
    };
    patterns.iter().map(read).collect()
}

/// Returns the user's patterns, for what comes in.
pub(crate) fn own_patterns() -> Result<OwnPatterns, String> {
    secret_patterns::of(&settings::load_user().0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{level_in, parse_team_patterns};
    use crate::config::settings::Settings;
    use crate::model::ShareLevel;

    #[test]
    fn a_folder_can_only_share_less() {
        let chosen = ShareLevel::Work;
        assert_eq!(level_in(&Settings::default(), chosen), chosen);
        let changes: [fn(&mut Settings); 4] = [
            |settings| settings.team.is_off_here = true,
            |settings| settings.is_private = true,
            |settings| settings.remember = false,
            |settings| settings.project_patterns.push(("x".to_owned(), "(".to_owned())),
        ];
        for change in changes {
            let mut settings = Settings::default();
            change(&mut settings);
            assert_eq!(level_in(&settings, chosen), ShareLevel::Off);
        }
    }

    #[test]
    fn patterns_of_a_team_are_limited() {
        assert_eq!(parse_team_patterns(&json!({})), Ok(Vec::new()));
        assert_eq!(
            parse_team_patterns(&json!({"ticket": "ACME-[0-9]+"})),
            Ok(vec![("ticket".to_owned(), "ACME-[0-9]+".to_owned())])
        );
        assert!(parse_team_patterns(&json!({"x": "a".repeat(501)})).is_err());
        assert!(parse_team_patterns(&json!({"x": 1})).is_err());
        let many: serde_json::Map<_, _> = (0..101).map(|n| (format!("p{n}"), json!("a"))).collect();
        assert!(parse_team_patterns(&many.into()).is_err());
    }
}
