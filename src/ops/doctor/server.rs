//! The server that keeps the hints: whether one leads, and what one that was killed has left.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::config::paths;
use crate::model::Problem;
use crate::ops::hints::reach;
use crate::peers::{Address, Folder, Membership, NoServer, Primacy};

/// What is known of the servers.
#[derive(Debug, Default)]
pub(crate) struct Server {
    pub(crate) folder: Option<PathBuf>,
    /// What the PRIMARY says of itself: pid, port, version and more.
    pub(crate) health: Option<Value>,
    /// Nobody leads, and files of one who did are left.
    pub(crate) is_left: bool,
    pub(crate) problems: Vec<Problem>,
}

const PATIENCE: Duration = Duration::from_secs(2);

/// Looks who leads, and changes nothing.
pub(crate) fn look() -> Server {
    let choices = paths::runtime_dirs();
    let Some(folder) = Folder::find(&choices) else {
        return Server { problems: unsafe_folders(&choices), ..Server::default() };
    };
    let path = folder.path().to_owned();
    let mut server = Server { folder: Some(path.clone()), ..Server::default() };
    let address = Address::read(&folder);
    if address.is_some() {
        match reach::written_down(PATIENCE) {
            Ok(client) => {
                server.health = Some(client.health().clone());
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
    // Who has the lock leads, or is about to.
    if Primacy::is_taken(&folder) {
        let problem = Problem::error("a server holds the lock, but does not answer");
        let hint = "look at it again in a moment; if it stays so, end that process and start the agent anew";
        server.problems.push(problem.at(&path.display().to_string(), 0, 0).hint(hint));
        return server;
    }
    let place = |name: &str| path.join(name).display().to_string();
    if let Some(address) = address {
        let problem =
            Problem::warning(format!("the server with pid {} is gone, and its address is left", address.pid));
        server.problems.push(problem.at(&place("server.pid"), 0, 0));
    }
    if folder.snapshot().is_some() {
        let problem = Problem::warning("hints of a server that was killed are left, and nobody serves them");
        server.problems.push(problem.at(&place("server.snapshot"), 0, 0));
    }
    server.is_left = !server.problems.is_empty();
    let hint = "the next server removes it, and so does `nudge doctor --fix`";
    server.problems = server.problems.into_iter().map(|problem| problem.hint(hint)).collect();
    server
}

/// Says why servers cannot meet in the folder that they would use, unless they can close it to others or have another one.
fn unsafe_folders(choices: &[PathBuf]) -> Vec<Problem> {
    if let Some(open) = choices.iter().find(|path| Folder::is_open_to_others(path)) {
        let problem = Problem::warning("this folder is open to others, so commands do not use it");
        let problem = problem.at(&open.display().to_string(), 0, 0);
        return vec![problem.hint("the next server closes it to others, and so does `chmod 700`")];
    }
    let reason = |path: &PathBuf| Some((path.clone(), Folder::unsafe_reason(path)?));
    // A server makes the first folder that is not there yet.
    let reasons: Option<Vec<(PathBuf, String)>> = choices.iter().map(reason).collect();
    let Some(reasons) = reasons else { return Vec::new() };
    let problem = |(path, reason): (PathBuf, String)| {
        let message = format!("servers cannot share hints in this folder: it {reason}");
        let hint = "make it yours alone (`chmod 700`), remove it, or set NUDGE_RUNTIME_DIR";
        Problem::error(message).at(&path.display().to_string(), 0, 0).hint(hint)
    };
    reasons.into_iter().map(problem).collect()
}

/// Removes what a group of servers left that was killed; a server that starts meanwhile is not disturbed.
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
