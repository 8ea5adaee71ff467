//! Opens the door to the server that the settings name, with the password from where it is kept.

use std::path::PathBuf;

use crate::config::{env, paths};
use crate::model::Timestamp;
use crate::system::clock;
use crate::team::{PasswordPlaces, TeamAddress, TeamError, TeamRemedy, TeamSession, find_password};

/// Connects and logs in.
pub(crate) fn connect(url: &str) -> Result<TeamSession, TeamError> {
    let address = TeamAddress::parse(url).map_err(|error| wrong(error.to_string()))?;
    let files = [secret_file(), env::postgres_password_file(), home_password_file()];
    let places =
        PasswordPlaces { variable: env::postgres_password(), files: files.into_iter().flatten().collect() };
    let password = find_password(&address, &places).map_err(|error| wrong(error.to_string()))?;
    TeamSession::connect(&address, password.as_deref())
}

/// Returns the file with the password that `nudge team join` keeps.
pub(crate) fn secret_file() -> Option<PathBuf> {
    paths::user_settings().map(|settings| settings.with_file_name("team.secret"))
}

fn home_password_file() -> Option<PathBuf> {
    paths::home_dir().map(|home| home.join(".pgpass"))
}

/// Returns whether the settings or the password were written after a moment.
pub(super) fn has_changed_since(moment: Option<Timestamp>) -> bool {
    let Some(moment) = moment else { return true };
    [paths::user_settings(), secret_file()].into_iter().flatten().any(|path| {
        let changed = std::fs::metadata(path).and_then(|meta| meta.modified()).ok();
        changed.is_some_and(|changed| clock::since_epoch(changed).as_secs() > moment.0.unsigned_abs())
    })
}

/// A mistake of this side: trying again does not help until the user changes something.
fn wrong(message: String) -> TeamError {
    TeamError { remedy: TeamRemedy::LogIn, message, code: None }
}
