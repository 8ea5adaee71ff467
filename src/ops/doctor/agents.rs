//! The agents: where each is connected, whether the registered command answers, and whether events arrive twice.

use std::path::{Path, PathBuf};

use super::agent_place::{AgentPlace, reach_word};
use super::entries::{self, Kind};
use super::trust;
use crate::config::paths;
use crate::harness::{AGENTS, Agent};
use crate::journal::agent_files;
use crate::model::{AgentFile, ConfigEntry, Content, InstallScope, Problem, counted};
use crate::ops::nexus::team;
use crate::ops::setup::{self, Installed};
use crate::system::programs;
pub(crate) use crate::wiring::Presence;
use crate::wiring::{self, WiringError};

/// How an agent is connected in one place.
#[derive(Debug)]
pub(crate) struct AgentConnection {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) reach: InstallScope,
    pub(crate) hooks: Presence,
    pub(crate) server: Presence,
    /// The files that contain nudge's entries.
    pub(crate) files: Vec<PathBuf>,
    /// Whether the registered command answered a test event; `None` if there was nothing to try.
    pub(crate) answers: Option<bool>,
    /// Other places that connect it as well.
    pub(crate) elsewhere: Vec<String>,
    /// Which files of roles and skills it has there.
    pub(crate) team: Installed,
    pub(crate) problems: Vec<Problem>,
}

impl AgentConnection {
    /// Returns whether anything connects this agent to nudge.
    pub(crate) fn is_connected(&self) -> bool {
        self.hooks != Presence::Absent || !self.elsewhere.is_empty()
    }

    /// Returns whether entries are from an older version, from another path, or incomplete.
    pub(crate) fn is_old(&self) -> bool {
        match self.hooks {
            // The server alone may belong to another agent that shares the file.
            Presence::Absent => false,
            Presence::Partial => true,
            Presence::Complete => self.server != Presence::Complete,
        }
    }
}

/// Returns every agent with the places where it may be connected, and whether it is installed on this machine.
pub(crate) fn all(root: &Path) -> Vec<(bool, Vec<AgentPlace>)> {
    let own = programs::own_path().and_then(|path| path.into_os_string().into_string().ok());
    let (Some(home), Some(own)) = (paths::home_dir(), own) else { return Vec::new() };
    let place = |reach| setup::place(reach, &own, &home, root);
    let team = team::team().ok();
    let of = |agent: &&Agent| {
        let [user, mut project] =
            [InstallScope::User, InstallScope::Project].map(|reach| (agent.connection)(&place(reach)));
        // In the home folder, a file belongs to the user and not also to the project.
        let shared = setup::part(&mut project, &user);
        let asked = |reach, connection| AgentPlace {
            name: agent.name,
            title: agent.title,
            reach,
            connection,
            team: team.as_ref().and_then(|team| setup::installed(agent, &place(reach), team)),
            trust_file: agent
                .trust
                .map(|trust| (agent.settings_folder)(&place(InstallScope::User)).join(trust.file)),
        };
        let mut all = vec![asked(InstallScope::User, user)];
        all.extend(shared.is_none().then(|| asked(InstallScope::Project, project)));
        (setup::is_here(agent, &place(InstallScope::User)), all)
    };
    AGENTS.iter().map(of).collect()
}

/// Returns the files of all agents, in every place.
pub(crate) fn files_of(asked: &[(bool, Vec<AgentPlace>)]) -> Vec<&AgentFile> {
    asked.iter().flat_map(|(_, places)| places).flat_map(|asked| &asked.connection.files).collect()
}

/// Checks how an agent is connected in all its places, and sends every entry there a test event.
pub(crate) fn try_out(
    asked: &[AgentPlace],
    project: &Path,
) -> (Vec<AgentConnection>, Vec<entries::ProgramEntry>) {
    let mut places: Vec<AgentConnection> = asked.iter().map(look).collect();
    let entries = entries::try_all(asked, project);
    for wired in &mut places {
        let files: Vec<PathBuf> = wired.files.iter().map(|path| agent_files::real(path)).collect();
        let mut own = entries.iter().filter(|entry| files.contains(&entry.file));
        if own.clone().any(|entry| entry.problem.is_some()) {
            // The problem of the entry is more precise.
            wired.problems.retain(|problem| problem.place.is_some());
        }
        if wired.hooks == Presence::Complete {
            wired.answers = own.find(|entry| entry.kind == Kind::Hook).and_then(|entry| entry.answers);
        }
    }
    (places, entries)
}

/// Checks how an agent is connected in one place.
pub(crate) fn look(asked: &AgentPlace) -> AgentConnection {
    let AgentPlace { name, title, reach, connection, team, .. } = asked;
    let mut wired = AgentConnection {
        name,
        title,
        reach: *reach,
        hooks: Presence::Complete,
        server: Presence::Complete,
        files: Vec::new(),
        answers: None,
        elsewhere: setup::connected_elsewhere(connection),
        team: team.clone().unwrap_or_default(),
        problems: Vec::new(),
    };
    for file in &connection.files {
        let text = match agent_files::read(&file.path) {
            Ok(text) => text.unwrap_or_default(),
            Err(problem) => {
                wired.problems.push(problem);
                continue;
            }
        };
        match wiring::presence(&text, &file.content) {
            Ok(Presence::Partial | Presence::Complete) => wired.files.push(file.path.clone()),
            Ok(Presence::Absent) => {}
            Err(unfit @ WiringError::Malformed { .. }) => {
                wired.problems.push(unreadable(&file.path, name, &unfit));
            }
            Err(_) => {}
        }
        let (hooks, server) = split_content(&file.content);
        wired.hooks = lesser(wired.hooks, hooks, &text);
        wired.server = lesser(wired.server, server, &text);
    }
    let setup_line = format!("nudge setup {name} --{}", reach_word(*reach));
    if wired.is_old() {
        let message =
            format!("{title} is connected incompletely, or with entries from another version or path");
        let hint = match entries::were_written_by_setup(asked) {
            true => format!("run `{setup_line}`, or `nudge doctor --fix`"),
            false => format!("run `{setup_line}`, which replaces them"),
        };
        wired.problems.push(Problem::warning(message).hint(hint));
    }
    wired.problems.extend(trust::problem(asked));
    if !wired.team.outdated.is_empty() {
        let count = counted(wired.team.outdated.len(), "file");
        let message = format!("{title} has {count} of agents and skills that another version of nudge wrote");
        wired.problems.push(Problem::note(message).hint(format!("run `{setup_line}`")));
    }
    wired
}

/// Reports a file that is not valid JSON: the agent ignores all of it, nudge's entries included.
fn unreadable(path: &Path, name: &str, unfit: &WiringError) -> Problem {
    let problem =
        Problem::error(format!("{unfit}; the agent cannot read it either, so nothing in it takes effect"));
    let hint =
        format!("fix the file, then run `nudge doctor` again; `nudge setup {name}` adds what is missing");
    problem.at(&path.display().to_string(), 0, 0).hint(hint)
}

/// Returns a problem if the places of an agent together deliver every event more than once.
pub(crate) fn doubled(places: &[AgentConnection]) -> Option<Problem> {
    let mut all: Vec<String> = Vec::new();
    for wired in places {
        let own = wired.files.first().filter(|_| wired.hooks != Presence::Absent);
        let named =
            own.map(|path| format!("`{}`", path.display())).into_iter().chain(wired.elsewhere.clone());
        for place in named {
            if !all.contains(&place) {
                all.push(place);
            }
        }
    }
    let first = places.first()?;
    let title = first.title;
    let by_plugin = match all.iter().any(|place| place.starts_with("the plugin")) {
        true => ", `/plugin` in a session disables the plugin",
        false => "",
    };
    (all.len() > 1).then(|| {
        let message =
            format!("every event of {title} arrives {} times: through {}", all.len(), all.join(" and "));
        Problem::warning(message).hint(format!(
            "`nudge setup {0} --undo --user` or `--project` removes one of them{1}",
            first.name, by_plugin
        ))
    })
}

/// Renews old entries; the new ones must answer a test event, or everything is restored.
pub(crate) fn renew(asked: &AgentPlace) -> Option<Result<String, Problem>> {
    let planned = || setup::plan(&asked.connection);
    let mut plan = match planned() {
        Ok(plan) if plan.changes.is_empty() => return None,
        Ok(plan) => plan,
        Err(problem) => return Some(Err(problem)),
    };
    let renewed = setup::write_and_prove(&mut plan, asked.reach, planned, &asked.connection.proof);
    Some(renewed.map(|()| format!("the entries of {} were renewed", asked.title)))
}

/// Splits the wanted content of a file into hooks and the MCP server.
fn split_content(content: &Content) -> (Option<Content>, Option<Content>) {
    match content {
        // The files of roles and skills are not part of a connection.
        Content::Own(_) | Content::Document(_) => (Some(content.clone()), None),
        Content::Toml { .. } => (None, Some(content.clone())),
        Content::Json(entries) => {
            let path = |entry: &ConfigEntry| match entry {
                ConfigEntry::Item { path, .. }
                | ConfigEntry::Key { path, .. }
                | ConfigEntry::Preset { path, .. } => path[0],
            };
            let of = |wanted: fn(&str) -> bool| {
                let entries: Vec<ConfigEntry> =
                    entries.iter().filter(|entry| wanted(path(entry))).cloned().collect();
                (!entries.is_empty()).then_some(Content::Json(entries))
            };
            (of(|name| name == "hooks"), of(|name| name.starts_with("mcp")))
        }
    }
}

/// Returns the lower presence of the one found so far and the one in this text.
fn lesser(so_far: Presence, wanted: Option<Content>, text: &str) -> Presence {
    let found = wanted
        .map_or(Presence::Complete, |content| wiring::presence(text, &content).unwrap_or(Presence::Absent));
    match (so_far, found) {
        (Presence::Absent, _) | (_, Presence::Absent) => Presence::Absent,
        (Presence::Partial, _) | (_, Presence::Partial) => Presence::Partial,
        _ => Presence::Complete,
    }
}
