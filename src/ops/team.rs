//! What admins do with a team's server: making and upgrading the schema, members, projects.
//!
//! What members share and bring here is `sharing`.

use std::path::PathBuf;

use crate::config::{env, paths, settings};
use crate::ops::sharing::door;
use crate::peers;
use crate::team::{AddressError, NewMember, OpenPasswordFile, PasswordPlaces, TeamSession, find_password};
pub(crate) use crate::team::{
    ListedProject, MemberLevel, RefusedStatement, SchemaOptions, SchemaUpgrade, TeamAddress, TeamError,
    TeamMember, TeamProjectChange,
};

/// Why a command about a team failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TeamFailure {
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    OpenPasswords(#[from] OpenPasswordFile),
    #[error("no team is named")]
    NoTeam,
    #[error(transparent)]
    Server(#[from] TeamError),
    #[error("the login `{0}` exists already")]
    LoginExists(String),
    #[error("`{0}` is not a name for a member")]
    BadName(String),
}

impl TeamFailure {
    pub(crate) fn hint(&self) -> String {
        match self {
            TeamFailure::Address(error) => error.hint().to_owned(),
            TeamFailure::OpenPasswords(OpenPasswordFile(path)) => format!("chmod 600 '{}'", path.display()),
            TeamFailure::NoTeam => {
                "name it with `--url postgres://LOGIN@HOST/DATABASE` or `NUDGE_TEAM_URL`, or join it first"
                    .to_owned()
            }
            TeamFailure::Server(error) => error.hint().to_owned(),
            TeamFailure::LoginExists(login) => {
                format!("`--login {login}` lets that login in, with the password that it has")
            }
            TeamFailure::BadName(_) => {
                "up to 63 letters, digits, `.`, `_`, `@`, `+` and `-`, starting with a letter or a digit"
                    .to_owned()
            }
        }
    }

    /// Returns whether the server could not be reached: nothing is wrong, and the next attempt may succeed.
    pub(crate) fn is_temporary(&self) -> bool {
        matches!(self, TeamFailure::Server(error) if error.is_temporary())
    }
}

/// A team's server, connected to as an admin or a member.
pub(crate) struct TeamServer {
    pub(crate) address: TeamAddress,
    session: TeamSession,
}

/// A member who was let in, and how they join.
#[derive(Debug)]
pub(crate) struct GrantedMember {
    pub(crate) login: String,
    /// Shown once, and kept nowhere.
    pub(crate) password: Option<String>,
    /// The address to join with.
    pub(crate) url: String,
}

/// Connects to the server that a command names, else to the one of the environment or the settings.
pub(crate) fn connect(url: Option<&str>) -> Result<TeamServer, TeamFailure> {
    let url = url.map(str::to_owned).or_else(env::team_url).or_else(|| settings::load_user().0.team.url);
    let address = TeamAddress::parse(&url.ok_or(TeamFailure::NoTeam)?)?;
    let password = find_password(&address, &password_places())?;
    let session = TeamSession::connect(&address, password.as_deref())?;
    Ok(TeamServer { address, session })
}

/// Returns where passwords are, in order: the environment, what `nudge team join` wrote, PostgreSQL's own files.
fn password_places() -> PasswordPlaces {
    let own = door::secret_file();
    let usual = || paths::home_dir().map(|home: PathBuf| home.join(".pgpass"));
    let file = env::postgres_password_file().or_else(usual);
    PasswordPlaces { variable: env::postgres_password(), files: own.into_iter().chain(file).collect() }
}

impl TeamServer {
    /// Makes the schema, and returns what the person who runs the server should know.
    pub(crate) fn init(&self, options: &SchemaOptions) -> Result<Vec<String>, TeamFailure> {
        let warnings = self.session.server_warnings()?;
        self.session.init_schema(options)?;
        Ok(warnings)
    }

    /// Tries everything and takes it back: what the engine refuses, and what the person who runs it should know.
    pub(crate) fn check(&self) -> Result<(Vec<RefusedStatement>, Vec<String>), TeamFailure> {
        Ok((self.session.check_schema()?, self.session.server_warnings()?))
    }

    pub(crate) fn upgrade(&self) -> Result<SchemaUpgrade, TeamFailure> {
        Ok(self.session.upgrade_schema()?)
    }

    pub(crate) fn members(&self) -> Result<Vec<TeamMember>, TeamFailure> {
        Ok(self.session.members()?)
    }

    /// Lets a member in. Without a login, the one that the member has is used, or a new one is made.
    pub(crate) fn grant(
        &self,
        name: &str,
        login: Option<&str>,
        level: MemberLevel,
        is_ci: bool,
    ) -> Result<GrantedMember, TeamFailure> {
        if !is_member_name(name) {
            return Err(TeamFailure::BadName(name.to_owned()));
        }
        let known = self.session.members()?.into_iter().find(|member| member.name == name);
        let known = known.and_then(|member| member.login);
        let (login, password) = match (login.map(str::to_owned).or(known), format!("nudge_{name}")) {
            (Some(login), _) => (login, None),
            (None, login) if self.session.has_role(&login)? => return Err(TeamFailure::LoginExists(login)),
            (None, login) => (login, Some(peers::id())),
        };
        let new = NewMember { name, login: &login, level, is_ci, password: password.as_deref() };
        self.session.grant(&new)?;
        let url = self.address.with_user(&login).url();
        Ok(GrantedMember { login, password, url })
    }

    pub(crate) fn remove(&self, name: &str, purge: bool) -> Result<i64, TeamFailure> {
        Ok(self.session.remove_member(name, purge)?)
    }

    pub(crate) fn projects(&self) -> Result<Vec<ListedProject>, TeamFailure> {
        Ok(self.session.projects()?)
    }

    pub(crate) fn change_project(&self, change: TeamProjectChange<'_>) -> Result<(), TeamFailure> {
        Ok(self.session.change_project(change)?)
    }
}

/// The server has the same rule.
fn is_member_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._@+-".contains(c);
    name.chars().count() <= 63 && name.starts_with(char::is_alphanumeric) && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::is_member_name;

    #[test]
    fn a_name_of_a_member_is_one_word() {
        for (name, expected) in [
            ("alice", true),
            ("alice.b-c+d@e_f", true),
            ("übung", true),
            ("", false),
            ("-x", false),
            ("a b", false),
            ("a\"b", false),
            (&"a".repeat(64), false),
        ] {
            assert_eq!(is_member_name(name), expected, "{name}");
        }
    }
}
