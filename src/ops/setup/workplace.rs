//! Where setup works: this program, the user's home folder and the project; and which agents it connects there.

use std::path::{Path, PathBuf};

use super::{apply, found, keep_inside, leave_project_aside, part, place, plan};
use crate::config::paths;
use crate::harness::{self, AGENTS, Agent, InstallPlace};
use crate::journal::{agent_files, setup_journal};
use crate::model::{Connection, Content, InstallScope, Problem, Team};
use crate::system::{programs, project};

/// The folders of one run of setup.
pub(crate) struct Workplace {
    /// The path that agents can always call nudge by.
    program: String,
    home: PathBuf,
    root: PathBuf,
    /// The roles and skills that agents are given; empty if the user does not want them.
    team: Team,
    /// The tools that the servers of agents offer; as they are, or the usual ones, if the user does not say.
    tools: Option<String>,
}

/// An agent in one place, ready to be connected or disconnected.
pub(crate) struct PreparedAgent {
    pub(crate) agent: &'static Agent,
    pub(crate) reach: InstallScope,
    pub(crate) connection: Connection,
    /// What connects it in the project as well.
    pub(crate) in_project: Vec<String>,
    /// Why it must not be connected there.
    pub(crate) obstacle: Option<Problem>,
}

impl Workplace {
    /// Finds the program, the home folder and the project of this folder.
    pub(crate) fn find(folder: &Path) -> Result<Workplace, Problem> {
        let home =
            paths::home_dir().ok_or_else(|| Problem::error("there is no home folder").hint("set HOME"))?;
        Ok(Workplace {
            program: own_program()?,
            home,
            root: project::root(None, folder),
            team: Team::default(),
            tools: None,
        })
    }

    /// Gives agents these roles and skills, too.
    pub(crate) fn with_team(self, team: Team) -> Workplace {
        Workplace { team, ..self }
    }

    /// Lets servers offer these tools.
    pub(crate) fn with_tools(self, tools: Option<String>) -> Workplace {
        Workplace { tools, ..self }
    }

    /// Returns whether the project is the user's home folder, which is not a project.
    pub(crate) fn is_home(&self) -> bool {
        agent_files::real(&self.root) == agent_files::real(&self.home)
    }

    /// Returns the agents with these names, or all that are found; to undo, all that are known.
    pub(crate) fn agents(&self, names: &[String], undo: bool) -> Result<Vec<&'static Agent>, Problem> {
        let named: Vec<&Agent> = names.iter().filter_map(|name| harness::by_name(name)).collect();
        if !named.is_empty() && !names.iter().any(|name| name == "all") {
            return Ok(named);
        }
        if undo {
            return Ok(AGENTS.to_vec());
        }
        let found = found(&self.place(InstallScope::User));
        if found.is_empty() {
            let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
            let hint = format!("name one to connect it all the same: {}", names.join(", "));
            return Err(Problem::error("no coding agent was found on this machine").hint(hint));
        }
        Ok(found)
    }

    /// Prepares an agent in one place: files that belong to another place are left out.
    pub(crate) fn prepare(&self, agent: &'static Agent, reach: InstallScope) -> PreparedAgent {
        let mut connection = self.connection(agent, reach);
        let (in_project, obstacle) = match reach {
            InstallScope::User => (leave_project_aside(&mut connection, &self.root, &self.home), None),
            InstallScope::Project => {
                let users = self.connection(agent, InstallScope::User);
                let leads_out = keep_inside(&mut connection, &self.root);
                let is_shared = part(&mut connection, &users);
                (Vec::new(), leads_out.or(is_shared))
            }
        };
        PreparedAgent { agent, reach, connection, in_project, obstacle }
    }

    /// Writes the roles and skills of an agent into the project, but nothing that connects it; returns the files.
    pub(crate) fn write_team(&self, agent: &'static Agent) -> Result<Vec<PathBuf>, Problem> {
        let PreparedAgent { mut connection, obstacle, .. } = self.prepare(agent, InstallScope::Project);
        if let Some(obstacle) = obstacle {
            return Err(obstacle);
        }
        connection.files.retain(|file| matches!(file.content, Content::Document(_)));
        let mut wanted = plan(&connection)?;
        let files = wanted.changes.iter().map(|change| change.path.clone()).collect();
        if !wanted.changes.is_empty() {
            apply(&mut wanted, InstallScope::Project, || plan(&connection))?;
        }
        Ok(files)
    }

    fn connection(&self, agent: &Agent, reach: InstallScope) -> Connection {
        let place = self.place(reach);
        let mut connection = (agent.connection)(&place);
        connection.files.extend(agent.team.into_iter().flat_map(|form| form.files(&place, &self.team)));
        connection
    }

    fn place(&self, reach: InstallScope) -> InstallPlace<'_> {
        let place = place(reach, &self.program, &self.home, &self.root);
        InstallPlace { tools: self.tools.as_deref(), ..place }
    }
}

/// Returns the names and titles of all agents.
pub(crate) fn names() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    AGENTS.iter().map(|agent| (agent.name, agent.id, agent.title))
}

/// Returns the folder with copies of the files as they were before setup changed them.
pub(crate) fn backup_folder() -> Option<PathBuf> {
    setup_journal::folder().ok()
}

fn own_program() -> Result<String, Problem> {
    let path = programs::own_path().ok_or_else(|| Problem::error("this program cannot find its own path"))?;
    if path.file_stem().is_none_or(|name| name != "nudge") {
        let problem = Problem::error(format!("this program is called `{}`", path.display()));
        return Err(problem.hint("rename it to `nudge`, so that its entries are found again"));
    }
    path.into_os_string().into_string().map_err(|path| {
        Problem::error(format!("`{}` cannot stand in a file of settings", PathBuf::from(path).display()))
            .hint("move nudge to a folder whose name is plain text")
    })
}
