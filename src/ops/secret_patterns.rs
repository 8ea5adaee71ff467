//! The patterns for secrets that the settings name, ready to use.

use crate::config::settings::Settings;
use crate::redact::OwnPatterns;

/// The patterns for secrets from the settings, or what is wrong with them.
pub(crate) type SecretPatterns<'o> = Result<&'o OwnPatterns, &'o str>;

/// Returns the patterns of the user and of the project; the error says why nothing may be stored.
pub(crate) fn of(settings: &Settings) -> Result<OwnPatterns, String> {
    if let Some(why) = &settings.unknown_because {
        return Err(why.clone());
    }
    OwnPatterns::new(&settings.secret_patterns)?.with_foreign(&settings.project_patterns)
}
