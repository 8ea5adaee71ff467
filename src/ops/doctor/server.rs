//! The server that keeps the hints: whether one is primary, and what a killed one left behind.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::config::{paths, settings};
use crate::model::Problem;
use crate::ops::hints::reach;
use crate::peers::{Address, DoorFault, Folder, Membership, NoServer, Primacy, check_door};

/// What is known about the servers.
#[derive(Debug, Default)]
pub(crate) struct Server {
    pub(crate) folder: Option<PathBuf>,
    /// What the PRIMARY reports: pid, port, version and more.
    pub(crate) health: Option<Value>,
    /// There is no PRIMARY, and a former one left files behind.
    pub(crate) is_left: bool,
    pub(crate) problems: Vec<Problem>,
}

const HEALTH_TIMEOUT: Duration = Duration::from_secs(2);

/// Looks for the PRIMARY, and changes nothing.
pub(crate) fn look() -> Server {
    let choices = paths::runtime_dirs();
    let Some(folder) = Folder::find(&choices) else {
        return Server { problems: unsafe_folders(&choices), ..Server::default() };
    };
    let path = folder.path().to_owned();
    let mut server = Server { folder: Some(path.clone()), ..Server::default() };
    let address = Address::read(&folder);
    if address.is_some() {
        match reach::written_down(HEALTH_TIMEOUT) {
            Ok(client) => {
                let health = client.health().clone();
                server.problems.extend(door_problem(&health));
                server.health = Some(health);
                return server;
            }
            Err(silent @ NoServer::Silent { pid: Some(_), .. }) => {
                let problem = Problem::error(silent.to_string()).at(&path.display().to_string(), 0, 0);
                let advice = silent.advice().unwrap_or_default();
                server.problems.push(problem.hint(advice));
                return server;
            }
            Err(_) => {}
        }
    }
    // The lock holder is primary, or is about to be.
    if Primacy::is_taken(&folder) {
        let problem = Problem::error("a server holds the lock, but does not answer");
        let hint = "check again in a moment; if nothing has changed, end that process and restart the agent";
        server.problems.push(problem.at(&path.display().to_string(), 0, 0).hint(hint));
        return server;
    }
    let place = |name: &str| path.join(name).display().to_string();
    if let Some(address) = address {
        let problem = Problem::warning(format!(
            "the server with pid {} is gone, but its address file is left",
            address.pid
        ));
        server.problems.push(problem.at(&place("server.pid"), 0, 0));
    }
    if folder.snapshot().is_some() {
        let problem = Problem::warning("hints of a killed server are left, and no server has loaded them");
        server.problems.push(problem.at(&place("server.snapshot"), 0, 0));
    }
    server.is_left = !server.problems.is_empty();
    let hint = "the next server removes it, and so does `nudge doctor --fix`";
    server.problems = server.problems.into_iter().map(|problem| problem.hint(hint)).collect();
    server
}

/// Reports a viewer that could not be opened, unless the user wants none.
fn door_problem(health: &Value) -> Option<Problem> {
    let port = health["port"].as_u64().and_then(|port| u16::try_from(port).ok())?;
    if !settings::load_user().0.ui_enabled {
        return None;
    }
    let fault = check_door(port, HEALTH_TIMEOUT).err()?;
    let hint = match fault {
        DoorFault::Silent(_) => "check again in a moment; if nothing has changed, run `nudge stop`",
        DoorFault::NoViewer => "it is older than this program: run `nudge stop`, then `nudge ui`",
        DoorFault::Open => "run `nudge stop`, and report this",
    };
    Some(Problem::warning(fault.to_string()).hint(hint))
}

/// Reports why servers cannot use any of the folders, unless a server can fix that itself.
fn unsafe_folders(choices: &[PathBuf]) -> Vec<Problem> {
    if let Some(open) = choices.iter().find(|path| Folder::is_open_to_others(path)) {
        let problem = Problem::warning("this folder is open to others, so commands do not use it");
        let problem = problem.at(&open.display().to_string(), 0, 0);
        return vec![problem.hint("the next server closes it to others, and so does `chmod 700`")];
    }
    let reason = |path: &PathBuf| Some((path.clone(), Folder::unsafe_reason(path)?));
    // A server creates the first folder that does not exist yet.
    let reasons: Option<Vec<(PathBuf, String)>> = choices.iter().map(reason).collect();
    let Some(reasons) = reasons else { return Vec::new() };
    let problem = |(path, reason): (PathBuf, String)| {
        let message = format!("servers cannot share hints in this folder: it {reason}");
        let hint = "make it yours alone (`chmod 700`), remove it, or set NUDGE_RUNTIME_DIR";
        Problem::error(message).at(&path.display().to_string(), 0, 0).hint(hint)
    };
    reasons.into_iter().map(problem).collect()
}

/// Removes what killed servers left behind; a server that starts at the same time is not disturbed.
pub(crate) fn clear(server: &Server) -> Option<Result<String, Problem>> {
    let folder = server.folder.as_ref().filter(|_| server.is_left)?;
    let folder = Folder::find(std::slice::from_ref(folder))?;
    Some(match Membership::join(&folder) {
        Ok(membership) => {
            membership.leave();
            Ok("what a killed server left was removed".to_owned())
        }
        Err(error) => Err(Problem::error(format!("what a killed server left cannot be removed: {error}"))),
    })
}
