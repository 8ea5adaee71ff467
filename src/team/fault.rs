//! What goes wrong with a team's server, and what to do about it.

use std::error::Error;
use std::time::Duration;

use super::tls::TlsFailure;

/// A call that failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct TeamError {
    pub(crate) remedy: TeamRemedy,
    /// What happened, in the server's words or ours.
    pub(crate) message: String,
    /// The server's code of five letters, if it was the server that refused.
    pub(crate) code: Option<String>,
}

/// What a client does about an error. The exchange, not the error, decides how often and how soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum TeamRemedy {
    /// The server is away, busy or restarting: nothing is lost, and the next attempt goes on.
    TryLater,
    /// No more attempts until the settings change: the password or the login is wrong.
    LogIn,
    /// The server is not the one that the address names, or offers no TLS. Never continue anyway.
    Distrust,
    /// The login is not a member of the team.
    NotMember,
    /// The login is no longer a member: the copy here is deleted.
    Removed,
    /// The member's level, or the login's permissions, do not suffice.
    NotPermitted,
    /// The machine's key belongs to another member: this machine takes a new one.
    NewMachineKey,
    /// The project is closed to this member, or the server does not know it: its rows leave this machine.
    NoProject,
    /// The server refuses a record or the size of the batch: halve it until the record is found.
    Halve,
    /// The server was restored and has gone on: the project is brought again.
    BringAgain,
    /// A row of another member cannot be taken back.
    NotOurs,
    /// The member has used up what the server allows for a day.
    Tomorrow,
    /// The database has no team, or its schema is older than this program needs.
    NoSchema,
    /// Nothing that a program can do; a person has to look.
    Report,
}

impl TeamError {
    pub(super) fn new(remedy: TeamRemedy, message: impl Into<String>) -> TeamError {
        TeamError { remedy, message: message.into(), code: None }
    }

    pub(super) fn timed_out(what: &str, after: Duration) -> TeamError {
        TeamError::new(TeamRemedy::TryLater, format!("{what} after {} seconds", after.as_secs()))
    }

    /// Names the server, unless it was the server itself that refused.
    pub(super) fn at(self, server: &str) -> TeamError {
        match self.remedy {
            TeamRemedy::TryLater if self.code.is_none() => {
                TeamError { message: format!("{server} cannot be reached: {}", self.message), ..self }
            }
            _ => self,
        }
    }

    /// Returns whether the server could not be reached, which is nobody's mistake.
    pub(crate) fn is_temporary(&self) -> bool {
        matches!(self.remedy, TeamRemedy::TryLater | TeamRemedy::Tomorrow)
    }

    /// Returns what a person can do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self.remedy {
            TeamRemedy::TryLater => "nothing is lost; try again later",
            TeamRemedy::Tomorrow => "nothing is lost; the rest goes tomorrow",
            TeamRemedy::LogIn => {
                "check the user and the password: `PGPASSWORD`, `team.secret` beside your settings, or `PGPASSFILE`"
            }
            TeamRemedy::Distrust => {
                "ask the person who runs the database; `sslrootcert=FILE` in the address names a private authority"
            }
            TeamRemedy::NotMember => "an admin can run `nudge team grant NAME --login ROLE`",
            TeamRemedy::Removed => "ask an admin of the team; your own memory works as before",
            TeamRemedy::NotPermitted => "ask an admin of the team, or the person who runs the database",
            TeamRemedy::NewMachineKey => "run `nudge sync`, which takes a new key for this machine",
            TeamRemedy::NoProject => "`nudge team projects` lists the projects that you may see",
            TeamRemedy::Halve => "`nudge team status --held` lists what was refused",
            TeamRemedy::BringAgain => "run `nudge sync`, which brings the project again",
            TeamRemedy::NotOurs => "an admin can take it from everybody",
            TeamRemedy::NoSchema => "`nudge team init URL` makes one; an admin can run `nudge team upgrade`",
            TeamRemedy::Report => "see the log of the server",
        }
    }
}

/// Returns what to do about a code of the server (SQLSTATE).
pub(crate) fn remedy_of(code: &str) -> TeamRemedy {
    match code {
        "NU001" => TeamRemedy::NotMember,
        "NU002" => TeamRemedy::Removed,
        "NU003" | "42501" => TeamRemedy::NotPermitted,
        "NU004" => TeamRemedy::NewMachineKey,
        "NU005" => TeamRemedy::NoProject,
        "NU006" => TeamRemedy::Halve,
        "NU007" => TeamRemedy::BringAgain,
        "NU008" => TeamRemedy::NotOurs,
        "NU009" => TeamRemedy::Tomorrow,
        // A database, a schema, a table or a function that is not there.
        "3D000" | "3F000" | "42P01" | "42883" => TeamRemedy::NoSchema,
        // A replica, or a server that is about to become the main one.
        "25006" => TeamRemedy::TryLater,
        // A statement or a lock took too long, or somebody cancelled it.
        "55P03" | "57014" => TeamRemedy::TryLater,
        // The pool has no room, or its server is away.
        "58000" | "58030" => TeamRemedy::TryLater,
        _ => match code.get(..2) {
            Some("28") => TeamRemedy::LogIn,
            Some("22" | "23") => TeamRemedy::Halve,
            // Connection, rollback, resources, shutdown.
            Some("08" | "40" | "53" | "57") => TeamRemedy::TryLater,
            // A time-out of a session that was idle.
            Some("25") => TeamRemedy::TryLater,
            _ => TeamRemedy::Report,
        },
    }
}

impl From<tokio_postgres::Error> for TeamError {
    fn from(error: tokio_postgres::Error) -> TeamError {
        if let Some(database) = error.as_db_error() {
            let code = database.code().code();
            let message = database.message().to_owned();
            return TeamError { remedy: remedy_of(code), message, code: Some(code.to_owned()) };
        }
        let source = error.source();
        if let Some(failure) = source.and_then(|source| source.downcast_ref::<TlsFailure>()) {
            return TeamError::from(failure);
        }
        if source.is_some_and(|source| source.downcast_ref::<std::io::Error>().is_some()) || error.is_closed()
        {
            let message = source.map_or_else(|| error.to_string(), ToString::to_string);
            return TeamError::new(TeamRemedy::TryLater, message);
        }
        match error.to_string() {
            // The crate does not show which kind of error it is.
            text if text.starts_with("error performing TLS handshake") => {
                let message =
                    "the server offers no TLS, and everything that is shared would travel in the clear";
                TeamError::new(TeamRemedy::Distrust, message)
            }
            text if text.starts_with("invalid configuration") => {
                TeamError::new(TeamRemedy::LogIn, with_source(&text, source))
            }
            text if text.starts_with("error connecting") || text.starts_with("authentication") => {
                let remedy = if text.starts_with("auth") { TeamRemedy::LogIn } else { TeamRemedy::TryLater };
                TeamError::new(remedy, with_source(&text, source))
            }
            text => TeamError::new(TeamRemedy::Report, with_source(&text, source)),
        }
    }
}

fn with_source(text: &str, source: Option<&(dyn Error + 'static)>) -> String {
    source.map_or_else(|| text.to_owned(), |source| format!("{text}: {source}"))
}

impl From<&TlsFailure> for TeamError {
    fn from(failure: &TlsFailure) -> TeamError {
        match failure {
            TlsFailure::Broken(error) => TeamError::new(TeamRemedy::TryLater, error.to_string()),
            TlsFailure::Setup(why) => TeamError::new(TeamRemedy::Distrust, why.clone()),
            TlsFailure::Certificate(why) => TeamError::new(
                TeamRemedy::Distrust,
                format!("the certificate of the server is not valid: {why}"),
            ),
        }
    }
}

#[cfg(test)]
mod tests;
