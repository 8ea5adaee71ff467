//! What admins do: members, their logins, projects, and rows that are taken from everybody.

use serde::Serialize;
use tokio_postgres::types::Type;

use super::fault::TeamError;
use super::pattern::stored_pattern;
use super::session::{TeamSession, one};
use crate::model::EventKey;

/// What a member may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MemberLevel {
    Reader,
    Member,
    Admin,
}

impl MemberLevel {
    pub(crate) fn name(self) -> &'static str {
        match self {
            MemberLevel::Reader => "reader",
            MemberLevel::Member => "member",
            MemberLevel::Admin => "admin",
        }
    }

    /// The role that may call the functions.
    fn role(self) -> &'static str {
        match self {
            MemberLevel::Reader | MemberLevel::Member => "nudge_member",
            MemberLevel::Admin => "nudge_admin",
        }
    }
}

/// A person or a CI account.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TeamMember {
    pub(crate) name: String,
    pub(crate) level: String,
    pub(crate) is_ci: bool,
    /// The PostgreSQL role; only admins see it.
    pub(crate) login: Option<String>,
    pub(crate) removed: bool,
}

/// A project of the team, and who may see it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ListedProject {
    pub(crate) key: String,
    pub(crate) open: bool,
    /// Whether the caller may see its rows.
    pub(crate) may_see: bool,
    pub(crate) aliases: Vec<String>,
    /// Who was let into a closed project; only admins see them.
    pub(crate) members: Vec<String>,
}

/// What an admin changes about a project, or about what may be shared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TeamProjectChange<'c> {
    Open(&'c str),
    Close(&'c str),
    Give {
        key: &'c str,
        member: &'c str,
    },
    Take {
        key: &'c str,
        member: &'c str,
    },
    /// The repository has a new address.
    Alias {
        old: &'c str,
        new: &'c str,
    },
    Allow(&'c str),
    Forbid(&'c str),
}

/// A member who is let in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewMember<'m> {
    pub(crate) name: &'m str,
    pub(crate) login: &'m str,
    pub(crate) level: MemberLevel,
    pub(crate) is_ci: bool,
    /// The password of a login that is made; `None` if the login exists.
    pub(crate) password: Option<&'m str>,
}

impl TeamSession {
    pub(crate) fn members(&self) -> Result<Vec<TeamMember>, TeamError> {
        let rows = self.call("SELECT name, level, is_ci, login, removed FROM nudge.members_v1()", &[])?;
        let member = |row: &tokio_postgres::Row| {
            Ok(TeamMember {
                name: row.try_get(0)?,
                level: row.try_get(1)?,
                is_ci: row.try_get(2)?,
                login: row.try_get(3)?,
                removed: row.try_get(4)?,
            })
        };
        rows.iter().map(member).collect()
    }

    pub(crate) fn projects(&self) -> Result<Vec<ListedProject>, TeamError> {
        let sql = "SELECT key, open, may_see, aliases, members FROM nudge.projects_v1()";
        let project = |row: &tokio_postgres::Row| {
            Ok(ListedProject {
                key: row.try_get(0)?,
                open: row.try_get(1)?,
                may_see: row.try_get(2)?,
                aliases: row.try_get(3)?,
                members: row.try_get(4)?,
            })
        };
        self.call(sql, &[])?.iter().map(project).collect()
    }

    pub(crate) fn change_project(&self, change: TeamProjectChange<'_>) -> Result<(), TeamError> {
        let patterned = |pattern: &str| stored_pattern(pattern);
        let (deed, key, value) = match change {
            TeamProjectChange::Open(key) => ("open", key.to_owned(), None),
            TeamProjectChange::Close(key) => ("close", key.to_owned(), None),
            TeamProjectChange::Give { key, member } => ("give", key.to_owned(), Some(member)),
            TeamProjectChange::Take { key, member } => ("take", key.to_owned(), Some(member)),
            TeamProjectChange::Alias { old, new } => ("alias", old.to_owned(), Some(new)),
            TeamProjectChange::Allow(pattern) => ("allow", patterned(pattern), None),
            TeamProjectChange::Forbid(pattern) => ("forbid", patterned(pattern), None),
        };
        let sql = "SELECT nudge.project_v1($1, $2, $3)";
        self.call(sql, &[(&deed, Type::TEXT), (&key, Type::TEXT), (&value, Type::TEXT)]).map(drop)
    }

    /// Lets a member in, and makes the login if it comes with a password; all of it or nothing.
    pub(crate) fn grant(&self, new: &NewMember<'_>) -> Result<(), TeamError> {
        self.in_transaction(|| {
            let (login, role) = (quoted(new.login), new.level.role());
            if let Some(password) = new.password {
                // The server gets only what it needs to check a password, so its log cannot have more.
                let verifier = postgres_protocol::password::scram_sha_256(password.as_bytes());
                self.run(&format!("CREATE ROLE {login} LOGIN PASSWORD '{verifier}'"))?;
                for (name, value) in LOGIN_LIMITS {
                    self.run(&format!("ALTER ROLE {login} SET {name} = '{value}'"))?;
                }
            }
            self.run(&format!("GRANT {role} TO {login}"))?;
            let sql = "SELECT nudge.member_v1($1::text::name, $2, $3, $4)";
            let level = new.level.name();
            self.call(
                sql,
                &[
                    (&new.login, Type::TEXT),
                    (&new.name, Type::TEXT),
                    (&level, Type::TEXT),
                    (&new.is_ci, Type::BOOL),
                ],
            )
            .map(drop)
        })
    }

    /// Ends a membership, and returns how many rows went with it.
    pub(crate) fn remove_member(&self, name: &str, purge: bool) -> Result<i64, TeamError> {
        let rows =
            self.call("SELECT nudge.remove_v1($1, $2)", &[(&name, Type::TEXT), (&purge, Type::BOOL)])?;
        Ok(one(&rows)?.try_get(0)?)
    }

    /// Takes a row from everybody, and returns how many rows had that key.
    pub(crate) fn drop_row(&self, project: &str, key: EventKey) -> Result<i64, TeamError> {
        let key = key.0.as_slice();
        let rows =
            self.call("SELECT nudge.drop_v1($1, $2)", &[(&project, Type::TEXT), (&key, Type::BYTEA)])?;
        Ok(one(&rows)?.try_get(0)?)
    }

    /// Deletes what is older than the team keeps, and returns how many months went.
    pub(crate) fn tend(&self) -> Result<i32, TeamError> {
        Ok(one(&self.call("SELECT nudge.tend_v1()", &[])?)?.try_get(0)?)
    }

    /// Returns whether the cluster has a role of this name.
    pub(crate) fn has_role(&self, name: &str) -> Result<bool, TeamError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = $1::text)";
        Ok(one(&self.call(sql, &[(&name, Type::TEXT)])?)?.try_get(0)?)
    }
}

/// What holds a login back that hangs; a client has the same limits.
const LOGIN_LIMITS: [(&str, &str); 3] =
    [("statement_timeout", "10s"), ("lock_timeout", "5s"), ("idle_in_transaction_session_timeout", "10s")];

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_role_may_have_any_name() {
        assert_eq!(quoted("a\"; DROP ROLE b"), "\"a\"\"; DROP ROLE b\"");
    }
}
