//! The patterns for secrets that the settings name, ready to use.

use crate::config::settings::Settings;
use crate::redact::OwnPatterns;

/// Returns the patterns of the user and of the project; the error says why nothing may be stored.
pub(crate) fn of(settings: &Settings) -> Result<OwnPatterns, String> {
    if let Some(why) = &settings.unknown_because {
        return Err(why.clone());
    }
    OwnPatterns::new(&settings.secret_patterns)?.with_foreign(&settings.project_patterns)
}
